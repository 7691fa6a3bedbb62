import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `add`, `upsert`, `delete`.
///
/// Source: shell.md 9, 25.
extension Session {
  // MARK: add, upsert

  func add(
    _ statement: AddStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try change(at: range, to: writer) { (database) throws(ShellError) in
      try add(statement, to: database)
    } tell: { (text, outcome) throws(ShellError) in
      try text.added(outcome)
    }
  }

  /// Makes a change and acknowledges it.
  func change(
    at range: SourceRange, to writer: ByteWriter,
    _ make: (Database) throws(ShellError) -> WriteOutcome,
    tell: (AcknowledgementText, WriteOutcome) throws(ShellError) -> String
  ) throws(ShellError) {
    try change(at: range, to: writer) { (database) throws(ShellError) in
      let outcome = try make(database)
      return acknowledges ? try tell(AcknowledgementText(database), outcome) : ""
    }
  }

  /// Creates the objects of a statement and binds its variable.
  @discardableResult
  func add(
    _ statement: AddStatement, to database: Database
  ) throws(ShellError) -> WriteOutcome {
    if statement.values.contains(where: \.readsDatabase) { try refresh(database) }
    let objectClass = try existingClass(statement.className, database)
    let parts = StatementParts(values: statement.values, text: source)
    let maker = InputMaker(self, database)
    let outcome = try apply(to: database, parts, objectClass) { () throws(WritingError) in
      let values = try maker.values(of: statement.values)
      return try planning { () throws(ObjectError) in
        try database.writer.planAdd(objectClass, values)
      }
    }
    bind(statement.variable, outcome, database)
    return outcome
  }

  func upsert(
    _ statement: UpsertStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try change(at: range, to: writer) { (database) throws(ShellError) in
      try upsert(statement, in: database)
    } tell: { (text, outcome) throws(ShellError) in
      try text.upserted(outcome)
    }
  }

  /// Creates or updates the objects of a statement and binds its variable.
  @discardableResult
  func upsert(
    _ statement: UpsertStatement, in database: Database
  ) throws(ShellError) -> WriteOutcome {
    if statement.values.contains(where: \.readsDatabase) { try refresh(database) }
    let objectClass = try existingClass(statement.className, database)
    guard objectClass.primaryKey != nil else {
      throw ShellError(
        .missingPrimaryKey, "\(objectClass.name) has no primary key",
        at: statement.className.range)
    }
    let policy: UpdatePolicy =
      switch statement.policy?.kind {
      case .modified, nil: .modified
      case .all: .all
      case .error: .error
      }
    let parts = StatementParts(values: statement.values, text: source)
    let maker = InputMaker(self, database)
    let outcome = try apply(to: database, parts, objectClass) { () throws(WritingError) in
      let values = try maker.values(of: statement.values)
      return try planning { () throws(ObjectError) in
        try database.writer.planUpsert(objectClass, values, policy: policy)
      }
    }
    bind(statement.variable, outcome, database)
    return outcome
  }

  /// Binds a variable to the object, or the list of objects, of a statement.
  private func bind(_ variable: Name?, _ outcome: WriteOutcome, _ database: Database) {
    guard let variable else { return }
    set(variable.text, .value(KeptValue(value(of: outcome)), owner(database)))
  }

  /// The object, or the list of objects, that a statement has made or updated.
  func value(of outcome: WriteOutcome) -> ShellValue {
    let objects = outcome.subjects.map { ShellValue.object($0.objectClass, $0.key) }
    return objects.count == 1 ? objects[0] : .list(objects)
  }

  // MARK: delete

  func delete(
    _ statement: DeleteStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try change(at: range, to: writer) { (database) throws(ShellError) in
      let text = AcknowledgementText(database)
      switch statement {
      case .everything:
        let outcome = try long("deleting", try objectTotal(database), database) {
          () throws(ShellError) in
          try apply(to: database, StatementParts(text: source), nil) {
            () throws(WritingError) in database.writer.planDeleteEverything()
          }
        }
        return text.deletedEverything(outcome)
      case .objects(let subject, let extent):
        try refresh(database)
        switch try objects(of: subject, extent, doing: "delete", at: range, database) {
        case .one(let objectClass, let key):
          let name = try text.name(of: key, in: objectClass)
          try delete([key], of: objectClass, at: subject.range, database)
          return "deleted \(name)"
        case .many(let objectClass, let keys):
          let count = try delete(keys, of: objectClass, at: subject.range, database)
          return "deleted \(grouped(count)) \(quotedName(objectClass.name))"
        }
      }
    }
  }

  /// Number of objects of all classes.
  private func objectTotal(_ database: Database) throws(ShellError) -> Int {
    do throws(StorageError) {
      var count = 0
      for objectClass in database.realm.schema.classes {
        count += try database.realm.transaction?.objectCount(objectClass.table.key) ?? 0
      }
      return count
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  @discardableResult
  private func delete(
    _ keys: [ObjectKey], of objectClass: ObjectClass, at range: SourceRange, _ database: Database
  ) throws(ShellError) -> Int {
    let parts = StatementParts(text: source, subject: range)
    let outcome = try long("deleting", keys.count, database) { () throws(ShellError) in
      try apply(to: database, parts, objectClass) { () throws(WritingError) in
        try planning { () throws(ObjectError) in
          try database.writer.planDelete(objectClass.base, keys)
        }
      }
    }
    return outcome.deleted.reduce(0) { $0 + $1.count }
  }

  /// Makes a change of many objects with a progress bar; Ctrl-C stops it in the middle.
  func long<Result>(
    _ label: String, _ count: Int, _ database: Database,
    _ body: () throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    guard let transaction = database.realm.transaction else { return try body() }
    let progress = Progress(label, for: self)
    var done = 0
    transaction.goesOn = { part, total in
      done = total > 0 ? Int(Double(count) * Double(part) / Double(total)) : 0
      return progress.goesOn(part, total)
    }
    defer { transaction.goesOn = { _, _ in true } }
    do throws(ShellError) {
      return try body()
    } catch {
      throw error.name == .interrupted ? interruption(after: done, of: count) : error
    }
  }

  /// The error for Ctrl-C in the middle of a bulk change.
  func interruption(after count: Int, of total: Int) -> ShellError {
    ShellError(
      .interrupted, "interrupted after \(grouped(count)) of \(grouped(total)) objects")
  }

  // MARK: Planning and applying

  /// The class with a name in the schema of the transaction.
  func existingClass(_ name: Name, _ database: Database) throws(ShellError) -> ObjectClass {
    guard let objectClass = database.realm.schema.objectClass(named: name.text) else {
      var error = Evaluator.unknownClass(name, database.realm)
      if let projection = threads.projections[name.text] {
        error.suggestion = nil
        error.remedy =
          "\(quotedName(name.text)) is a projection of \(quotedName(projection.className))"
      }
      throw error
    }
    return objectClass
  }

  /// Checks a change as a whole, makes it and counts it.
  func apply(
    to database: Database, _ parts: StatementParts, _ objectClass: ObjectClass?,
    plan: () throws(WritingError) -> WritePlan
  ) throws(ShellError) -> WriteOutcome {
    let checked: WritePlan
    do throws(WritingError) {
      checked = try plan()
    } catch {
      switch error {
      case .shell(let error): throw error
      case .object(let error):
        throw ObjectErrorText(error, parts, objectClass, database).shellError
      }
    }
    return try apply(checked, to: database)
  }

  /// Makes a checked change and counts it.
  func apply(_ plan: WritePlan, to database: Database) throws(ShellError) -> WriteOutcome {
    let outcome = try applying(database) { () throws(StorageError) in
      try database.writer.apply(plan)
    }
    database.transaction?.counts.count(outcome)
    database.migration?.note(outcome)
    return outcome
  }

  // MARK: Subjects

  /// What `set` and `delete` work on.
  enum Subjects {
    /// The object that the statement names.
    case one(ObjectClass, ObjectKey)
    case many(ObjectClass, [ObjectKey])
  }

  /// The error for a bulk change without `where` or `all`.
  func needsAll(
    _ found: Objects, _ evaluator: Evaluator, doing verb: String, at range: SourceRange
  ) throws(ShellError) -> ShellError {
    let count = try count(found, evaluator)
    let name = quotedName(found.objectClass.name)
    return ShellError(
      .needsAll,
      count == 1
        ? "this would \(verb) the only \(name) object"
        : "this would \(verb) all \(grouped(count)) \(name) objects",
      at: range, remedy: "add \"all\", or \"where ...\"")
  }

  /// The objects of a subject; refuses bulk changes without `where` or `all`.
  func objects(
    of subject: ChangeSubject, _ extent: ChangeExtent?, doing verb: String,
    at range: SourceRange, _ database: Database
  ) throws(ShellError) -> Subjects {
    let evaluator = evaluator(database)
    var condition: Condition?
    if case .condition(let given)? = extent { condition = given }
    let source: Source
    switch subject {
    case .object(let name):
      guard case .object(let objectClass, let key) = try evaluator.object(named: name) else {
        throw ShellError(.keyNotFound, "there is no such object", at: name.range)
      }
      return .one(objectClass, key)
    case .source(let given): source = given
    }
    if case .path(let path) = source, extent == nil,
      case .object(let objectClass, let key) = try evaluator.value(of: path, row: nil)
    {
      try refuseFrozen(objectClass, at: path.range)
      return .one(objectClass, key)
    }
    let found = try objects(of: source, evaluator)
    let objectClass = found.objectClass
    try refuseFrozen(objectClass, at: source.range)
    guard extent != nil else {
      throw try needsAll(
        found, evaluator, doing: verb, at: SourceRange(start: range.start, end: source.range.end))
    }
    let keys = try keys(of: found, condition ?? .everything(at: source.range), evaluator)
    guard found.keys != nil else { return .many(objectClass, keys) }
    // A list can hold an object twice.
    var seen: Set<ObjectKey> = []
    return .many(objectClass, keys.filter { seen.insert($0).inserted })
  }
}

extension Session {
  /// Refuses to change objects of a version that is kept as it is.
  private func refuseFrozen(
    _ objectClass: ObjectClass, at range: SourceRange
  ) throws(ShellError) {
    guard objectClass.frozen != nil else { return }
    throw ShellError(
      .readOnlyDatabase, "what is frozen cannot be changed", at: range, remedy: "thaw(x)")
  }
}

/// Why a statement was refused before it changed anything.
enum WritingError: Error {
  case shell(ShellError)
  case object(ObjectError)
}

/// Runs a check of the object layer.
func planning(
  _ body: () throws(ObjectError) -> WritePlan
) throws(WritingError) -> WritePlan {
  do throws(ObjectError) {
    return try body()
  } catch {
    throw .object(error)
  }
}
