import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Tells why a change of classes was refused, and points at the part of the statement.
///
/// Source: shell.md 7, 19; object-model.md 2.6.
struct SchemaErrorText {
  private let database: Session.Database
  private let text: SourceText
  /// The classes that the statement declares.
  private var classes: [ClassStatement] = []
  /// Whether the statement is a transaction of its own, which no other class can follow.
  private var standsAlone = false
  /// The class that the statement changes.
  private var className: Name?
  private var property: Name?
  private var newName: Name?
  /// The property as it shall be.
  private var new: PropertyDefinition?

  init(_ database: Session.Database, text: SourceText) {
    self.database = database
    self.text = text
  }

  init(
    _ database: Session.Database, classes: [ClassStatement], text: SourceText,
    standsAlone: Bool = false
  ) {
    self.init(database, text: text)
    self.classes = classes
    self.standsAlone = standsAlone
  }

  init(
    _ database: Session.Database, className: Name, property: Name? = nil, newName: Name? = nil,
    text: SourceText, new: PropertyDefinition? = nil
  ) {
    self.init(database, text: text)
    self.className = className
    self.property = property
    self.newName = newName
    self.new = new
  }

  /// Runs a change of classes and explains why it fails.
  func during<Result>(
    _ body: () throws(SchemaError) -> Result
  ) throws(ShellError) -> Result {
    do throws(SchemaError) {
      return try body()
    } catch {
      throw shellError(error)
    }
  }

  /// Runs the check of a computed value.
  func during(
    valueAt range: SourceRange, _ body: () throws(SchemaError) -> Void
  ) throws(WritingError) {
    do throws(SchemaError) {
      try body()
    } catch {
      var failure = shellError(error)
      if case .value = error { failure.range = range }
      throw .shell(failure)
    }
  }

  /// Why a computed value does not fit.
  func valueError(_ error: ObjectError, at range: SourceRange) -> ShellError {
    // The place is one in a statement with changes.
    var failure = shellError(
      .value(ObjectError(error.kind, className: error.className, property: error.property)))
    failure.range = range
    return failure
  }

  // MARK: Places

  /// The property that the statement changes, with its class.
  private var reference: SourceRange? {
    guard let property else { return className?.range }
    return className.map { $0.range.joined(with: property.range) } ?? property.range
  }

  private func declaration(_ className: String, _ property: String?) -> SourceRange? {
    guard let statement = classes.first(where: { $0.name.text == className }) else {
      return classes.isEmpty ? reference : nil
    }
    // Of a name that stands twice the second one is wrong.
    let found = statement.properties.last { $0.name.text == property }
    return found?.range ?? statement.name.range
  }

  // MARK: Errors

  private func shellError(_ error: SchemaError) -> ShellError {
    let name = ErrorName(rawValue: error.name) ?? .illegalOperation
    switch error {
    case .storage(let error):
      database.isHalfDone = true
      return StorageMessages.error(error, path: database.realm.path)
    case .value(let error):
      let parts = StatementParts(text: text)
      var failure = ObjectErrorText(error, parts, nil, database).shellError
      failure.range = declaration(error.className, error.property)
      return failure
    case .invalid(let violations): return invalid(name, violations)
    case .mismatch(let changes): return mismatch(name, changes)
    case .migrationNeeded(let changes, let from, let to):
      var failure = ShellError(
        name,
        "the schema of the file has version \(from.map(String.init) ?? "none"), "
          + "version \(to) needs a migration",
        remedy: "open it without schema, then migrate to \(to) { ... }")
      failure.details = changes.map { difference($0).line }
      return failure
    case .notReadable(let changes): return mismatch(name, changes)
    case .invalidVersion(let asked, let file):
      let reason = asked < file ? "below" : "above"
      return ShellError(
        name, "version \(asked) is \(reason) the schema version of the file, which is \(file)")
    case .noClass(let missing):
      return Evaluator.unknownClass(
        className ?? Name(missing, range: SourceRange(start: 0, end: 0)), database.realm)
    case .noProperty(let place): return unknownProperty(place)
    case .nameTaken(let taken):
      return ShellError(name, "the name \(quotedName(taken)) is taken", at: newName?.range)
    default: return obstacle(error, name)
    }
  }

  private func unknownProperty(_ place: SchemaError.Place) -> ShellError {
    let range = property?.range ?? className?.range
    guard let objectClass = database.realm.schema.objectClass(named: place.className), let range
    else { return ShellError(.invalidProperty, "no property \(place.text)", at: range) }
    return Evaluator.unknownProperty(place.property, of: objectClass, at: range)
  }

  private func obstacle(_ error: SchemaError, _ name: ErrorName) -> ShellError {
    switch error {
    case .hasNulls(_, let count, let total):
      let verb = count == 1 ? "has" : "have"
      let objects = counted(total, "object", "objects")
      return ShellError(
        name, "\(grouped(count)) of \(objects) \(verb) null there", at: reference,
        remedy: fillText)
    case .needsValues(let from, let to, let className):
      return ShellError(
        name,
        "\(quotedName(className)).\(from.text) cannot become \(to.type.text) without new values",
        at: reference, remedy: conversion(className, to))
    case .duplicatePrimaryKey(let place, let value, _, _):
      return ShellError(
        name,
        "two objects would have \(place.text) \(CanonicalText.string(value, inMixed: false))",
        at: reference)
    case .inUse(_, let places):
      let verb = places.count == 1 ? "links" : "link"
      return ShellError(
        name, "\(places.map(\.text).joined(separator: ", ")) \(verb) to it", at: reference,
        remedy: className.map { "drop class \(quotedName($0.text)) links" })
    case .notEmbeddable(let name, let obstacles):
      return ShellError(
        .illegalOperation, "\(quotedName(name)) cannot be embedded: \(text(obstacles))",
        at: reference)
    case .noIndex(let place, let isPrimaryKey):
      let reason = isPrimaryKey ? "is a primary key, which needs its index" : "has no index"
      return ShellError(name, "\(place.text) \(reason)", at: reference)
    default: return ShellError(name, "the change is not possible", at: reference)
    }
  }

  private func text(_ obstacles: SchemaError.Obstacles) -> String {
    var parts: [String] = []
    if let key = obstacles.primaryKey { parts.append("it has the primary key \(quotedName(key))") }
    if obstacles.orphans > 0 {
      parts.append("\(counted(obstacles.orphans, "object has", "objects have")) no owner")
    }
    if obstacles.shared > 0 {
      parts.append("\(counted(obstacles.shared, "object has", "objects have")) several owners")
    }
    if obstacles.inMixed > 0 {
      parts.append("\(counted(obstacles.inMixed, "object is", "objects are")) in mixed values")
    }
    return parts.joined(separator: ", ")
  }

  // MARK: Differences

  /// A difference between file and statement, and what would make it go.
  private struct Difference {
    let message: String
    let remedy: String?
    var line: String { message + (remedy.map { "; \($0)" } ?? "") }
  }

  private func mismatch(_ name: ErrorName, _ changes: [SchemaChange]) -> ShellError {
    guard let first = changes.first else { return ShellError(name, "the schema differs") }
    let difference = difference(first)
    var failure = ShellError(
      name, difference.message, at: declaration(first.className, first.property),
      remedy: difference.remedy)
    failure.details = changes.dropFirst().map { self.difference($0).line }
    return failure
  }

  private func difference(_ change: SchemaChange) -> Difference {
    let className = quotedName(change.className)
    let place = change.property.map { "\(className).\(quotedName($0))" } ?? className
    switch change.kind {
    case .changeType(let old, let new):
      return Difference(
        message: "\(place) is \(old.type.text) in the file",
        remedy: conversion(change.className, new))
    case .makeNullable(let old, let new), .makeRequired(let old, let new):
      return Difference(
        message: "\(place) is \(old.type.text) in the file",
        remedy: "to change it: alter \(className).\(new.text)")
    case .addProperty(let new):
      return Difference(message: "\(place) (\(new.type.text)) is missing in the file", remedy: nil)
    case .removeProperty(let old):
      return Difference(
        message: "\(place) (\(old.type.text)) is in the file only", remedy: "drop \(place)")
    case .changePrimaryKey(let old, let new):
      return Difference(
        message: "the primary key of \(className) is \(old.map(quotedName) ?? "none") in the file",
        remedy: "to change it: alter \(className) primary \(new.map(quotedName) ?? "none")")
    case .changeClassKind(let old, let new):
      return Difference(
        message: "\(className) is \(word(old)) in the file",
        remedy: "to change it: alter \(className) \(word(new))")
    case .addIndex:
      return Difference(message: "\(place) has no index in the file", remedy: nil)
    case .removeIndex:
      return Difference(
        message: "\(place) is indexed in the file", remedy: "to change it: drop index \(place)")
    case .addClass, .addInitialProperties:
      return Difference(message: "class \(className) is missing in the file", remedy: nil)
    }
  }

  private func word(_ kind: StoredTable.Kind) -> String {
    switch kind {
    case .topLevel: "standalone"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }

  /// The statement that converts the values of a property.
  private func conversion(_ className: String, _ new: PropertyDefinition) -> String {
    let name = quotedName(new.name)
    var expression = "EXPRESSION"
    if new.type.collection == .none, let function = SchemaErrorText.function(for: new.type.kind) {
      expression = "\(function)(\(name))"
    }
    return "to convert it: alter \(quotedName(className)).\(new.text) using \(expression)"
  }

  /// The function of expressions that converts to a type.
  private static func function(for kind: ValueKind) -> String? {
    switch kind {
    case .decimal: "decimal"
    case .int, .double, .float, .string, .bool, .date, .data: kind.name
    default: nil
    }
  }

  private var fillText: String? {
    guard let new, let className, let zero = SchemaErrorText.zero(of: new.type.kind),
      new.type.collection == .none
    else { return nil }
    let name = quotedName(new.name)
    return "to fill it: alter \(quotedName(className.text)).\(new.text) "
      + "using coalesce(\(name), \(zero))"
  }

  /// A value to fill in for null.
  private static func zero(of kind: ValueKind) -> String? {
    switch kind {
    case .int, .decimal, .float: "0"
    case .double: "0.0"
    case .bool: "false"
    case .string: "\"\""
    case .data: "B64\"\""
    case .date: "1970-01-01"
    case .uuid: "uuid()"
    case .objectID: "oid()"
    case .mixed, .link, .typedLink: nil
    }
  }

  // MARK: Rules

  private func invalid(_ name: ErrorName, _ violations: [SchemaViolation]) -> ShellError {
    guard let first = violations.first else { return ShellError(name, "the schema is not valid") }
    var failure = ShellError(
      name, message(first),
      at: newName?.range ?? nameOfType(first) ?? declaration(first.className, first.property))
    failure.suggestion = nearestName(first)
    if case .unknownTarget = first.kind, standsAlone, failure.suggestion == nil {
      failure.remedy = "classes that name each other stand in one write { ... }"
    }
    failure.details = violations.dropFirst().map { violation in
      message(violation) + (nearestName(violation).map { "; did you mean \($0)?" } ?? "")
    }
    return failure
  }

  /// The name in the type of a property that is wrong.
  private func nameOfType(_ violation: SchemaViolation) -> SourceRange? {
    let statement = classes.first { $0.name.text == violation.className }
    let property = statement?.properties.last { $0.name.text == violation.property }
    switch (violation.kind, property?.type.base) {
    case (.unknownTarget, .object(let name)?): return name.range
    case (.unknownTarget, .backlinks(let name, _)?): return name.range
    case (.noOrigin, .backlinks(_, let name)?): return name.range
    default: return nil
    }
  }

  /// The name that was probably meant.
  private func nearestName(_ violation: SchemaViolation) -> String? {
    let schema = database.realm.schema
    switch violation.kind {
    case .unknownTarget(let target):
      // The class itself can be known already, as one that will be declared.
      let names =
        (schema.classes.map(\.name) + classes.map(\.name.text)).filter { $0 != target }
        + TypeSyntax.Scalar.allCases.map(\.rawValue)
      return Spelling.nearest(to: target, among: names)
    case .noOrigin(let origin, let property):
      let stored = schema.objectClass(named: origin)?.properties.map(\.name) ?? []
      let declared =
        classes.first { $0.name.text == origin }?.properties.map(\.name.text) ?? []
      return Spelling.nearest(to: property, among: stored + declared.filter { $0 != property })
    default: return nil
    }
  }

  private func message(_ violation: SchemaViolation) -> String {
    let className = quotedName(violation.className)
    let place = violation.property.map { "\(className).\(quotedName($0))" } ?? className
    switch violation.kind {
    case .duplicateClass: return "the class \(className) stands there twice"
    case .duplicateProperty: return "\(place) stands there twice"
    case .emptyName: return "a name cannot be empty"
    case .nameTooLong(let count, let limit):
      return "the name of \(place) has \(count) bytes, at most \(limit) are possible"
    case .primaryKeyOfEmbedded: return "\(className) is embedded and cannot have a primary key"
    case .asymmetric: return "\(className) cannot be asymmetric in a file that is not synchronised"
    case .cannotBeNullable: return "\(place) cannot hold null"
    case .mustBeNullable: return "\(place) must be able to hold null"
    case .primaryKeyType: return "\(place) has a type that cannot be a primary key"
    case .secondPrimaryKey(let first):
      return "\(place) is a second primary key besides \(quotedName(first))"
    case .notIndexable: return "\(place) has a type that cannot be indexed"
    case .notFullTextIndexable: return "\(place) has a type that cannot have a full-text index"
    case .secondIndex: return "\(place) can have one index only"
    case .targetOfValue(let target): return "\(place) is no link to \(quotedName(target))"
    case .unknownTarget(let target): return "\(place): no class \(quotedName(target))"
    default: return linkMessage(violation, place)
    }
  }

  private func linkMessage(_ violation: SchemaViolation, _ place: String) -> String {
    func name(_ className: String, _ property: String) -> String {
      SchemaError.Place(className, property).text
    }
    switch violation.kind {
    case .setOfEmbedded(let target):
      return "\(place): objects of \(quotedName(target)) are embedded and cannot be in a set"
    case .linkToAsymmetric(let target):
      return "\(place): nothing can link to the asymmetric class \(quotedName(target))"
    case .noOrigin(let origin, let property):
      return "\(place): no property \(name(origin, property))"
    case .originIsNoLink(let origin, let property):
      return "\(place): \(name(origin, property)) is no link"
    case .originLinksTo(let target, let origin, let property):
      return "\(place): \(name(origin, property)) links to \(quotedName(target))"
    case .embeddedCycle(let path):
      return "\(place): objects would contain themselves: \(path.joined(separator: "."))"
    default: return "\(place) is not valid"
    }
  }
}
