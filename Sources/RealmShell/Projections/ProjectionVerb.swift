import ByteKernels
import RealmLanguage
import RealmObjects

/// `projection`.
///
/// Source: shell.md 11; object-model.md 7.1.
extension Session {
  func projection(
    _ statement: ProjectionStatement?, to writer: ByteWriter
  ) throws(ShellError) {
    guard let statement else {
      for (_, projection) in threads.projections.sorted(by: { $0.key < $1.key }) {
        writer.write(projection.text + "\n")
      }
      return
    }
    let database = try current(at: statement.className.range)
    try check(statement, database)
    threads.set(Projection(statement, in: source))
    let names = statement.fields.map { quotedName($0.name.text) }.joined(separator: ", ")
    acknowledge(
      "projection \(quotedName(statement.name.text)) of "
        + "\(quotedName(statement.className.text)): \(names)", to: writer)
  }

  /// Refuses what could not be used.
  private func check(
    _ statement: ProjectionStatement, _ database: Database
  ) throws(ShellError) {
    let schema = database.realm.schema
    guard schema.objectClass(named: statement.name.text) == nil else {
      throw ShellError(
        .invalidArgument, "there is a class \(quotedName(statement.name.text))",
        at: statement.name.range)
    }
    guard let objectClass = schema.objectClass(named: statement.className.text) else {
      throw Evaluator.unknownClass(statement.className, database.realm)
    }
    let evaluator = evaluator(database)
    var names: Set<String> = []
    for field in statement.fields {
      guard names.insert(field.name.text).inserted else {
        throw ShellError(
          .invalidArgument, "\(quotedName(field.name.text)) is given twice", at: field.name.range)
      }
      try check(field, objectClass, evaluator)
    }
  }

  private func check(
    _ field: ProjectionStatement.Field, _ objectClass: ObjectClass, _ evaluator: Evaluator
  ) throws(ShellError) {
    let step = PathStep(.property(field.name.text), range: field.name.range)
    let expression =
      field.value ?? .path(PathExpression(base: .row, steps: [step], range: field.name.range))
    if let range = expression.foreignRange {
      throw ShellError(
        .illegalOperation,
        "only what comes from \(quotedName(objectClass.name)) can be in a projection", at: range)
    }
    for path in expression.paths {
      guard case .property(let name)? = path.steps.first?.kind,
        objectClass.property(named: name) != nil || objectClass.inverse(named: name) == nil
      else {
        throw ShellError(
          .invalidProperty,
          "a path has to begin with a stored property of \(quotedName(objectClass.name))",
          at: path.steps.first?.range ?? path.range)
      }
    }
    _ = try evaluator.type(of: expression, for: objectClass)
  }
}
