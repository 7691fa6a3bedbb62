import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Tells why a change of objects was refused, and points at the part of the statement.
///
/// Source: shell.md 9, 19.
struct ObjectErrorText {
  private let error: ObjectError
  private let parts: StatementParts
  private let database: Session.Database
  private let objectClass: ObjectClass?
  /// How the objects of the statement are seen.
  private let projection: Projection?
  private let part: StatementParts.Part?
  /// The object of `set`, as the statement writes it: `Person 2`.
  private let object: String?
  /// The object of `set`, as errors name it: `Person(2)`.
  private let objectName: String?

  init(
    _ error: ObjectError, _ parts: StatementParts, _ objectClass: ObjectClass?,
    _ database: Session.Database, object: String? = nil, objectName: String? = nil
  ) {
    self.error = error
    self.parts = parts
    self.database = database
    self.object = object
    self.objectName = objectName
    projection = objectClass?.projection
    let schema = database.realm.schema
    self.objectClass = schema.objectClass(named: error.className) ?? objectClass
    part = parts.part(at: error.place)
  }

  /// The error for the user.
  var shellError: ShellError {
    if case .storage(let storage) = error.kind {
      return StorageMessages.error(storage, path: database.realm.path)
    }
    if case .invalidProperty = error.kind, let inverse = objectClass?.inverse(named: error.property)
    {
      return ShellError(
        .readOnlyProperty, "\(property) is computed: it cannot be set", at: range,
        remedy: "it follows \(quotedName(inverse.originClass))"
          + ".\(quotedName(inverse.originProperty))")
    }
    var result = ShellError(
      ErrorName(rawValue: error.name) ?? .illegalOperation, message, at: range,
      suggestion: suggestion, remedy: remedy)
    if case .objectAlreadyExists(let value) = error.kind {
      result.remedy = upsertText(value)
    }
    return result
  }

  private var range: SourceRange? {
    switch error.kind {
    case .objectAlreadyExists: part?.field
    case .invalidProperty, .modifyPrimaryKey, .invalidDictionaryKey: part?.key ?? part?.value
    default: part?.value
    }
  }

  // MARK: Names

  private var className: String { quotedName(objectClass?.name ?? error.className) }

  /// `Dog.age`.
  private var property: String {
    error.property.isEmpty ? className : "\(className).\(quotedName(error.property))"
  }

  private var typeText: String {
    objectClass?.property(named: error.property)?.typeText ?? "of another type"
  }

  private var suggestion: String? {
    guard case .invalidProperty = error.kind, let objectClass else { return nil }
    return Spelling.nearest(to: error.property, among: objectClass.properties.map(\.name))
  }

  // MARK: Messages

  private var message: String {
    switch error.kind {
    case .missingPropertyValue:
      return isNull ? "\(property) cannot be null" : "\(property) has no value and no default"
    case .missingPrimaryKey: return "\(className) has no primary key"
    case .modifyPrimaryKey: return "a primary key cannot be changed"
    case .objectAlreadyExists(let value): return "\(className)(\(text(value))) exists"
    case .typeMismatch(let found): return mismatch(kindText(found))
    case .objectTypeMismatch(let found, let needed):
      return "an object of \(quotedName(needed)) is needed, this is a \(quotedName(found))"
    case .propertyNotNullable: return "\(property) cannot be null"
    case .invalidProperty: return "\(className) has no property \(error.property)"
    case .invalidArgument: return argumentMessage
    case .invalidDictionaryKey(let key):
      return "\"\(key)\" cannot be a key: keys do not start with $ and have no point"
    case .invalidDictionaryValue: return "the values of \(property) cannot be null"
    case .illegalOperation(let reason): return text(reason)
    case .limitExceeded(let limit): return "the value exceeds the limit of \(grouped(limit))"
    case .outOfBounds(let index, let count):
      return "position \(index) is outside of \(counted(count, "member", "members"))"
    case .keyNotFound(let key): return "\(property) has no key \"\(key)\""
    case .invalidatedObject: return "the object was deleted"
    case .nullInPath: return "\(nullPath) is null"
    case .arithmetic(let isDivisionByZero):
      return isDivisionByZero ? "division by zero" : "the result does not fit \(property)"
    case .storage: return "the file cannot be read"
    }
  }

  private var isNull: Bool {
    guard case .literal(let literal)? = part?.expression else { return false }
    return literal.kind == .null
  }

  private var argumentMessage: String {
    if case .element(let index)? = error.place.last, let count = objectClass?.properties.count,
      index >= count
    {
      return "\(className) has only \(counted(count, "property", "properties"))"
    }
    switch part?.expression {
    case .object?: return "\(error.property) is given twice"
    case .literal(let literal)? where literal.kind == .null: return "null is no object"
    default: break
    }
    if let change, case .call(let method, let arguments, _) = change.action {
      return "\(method.rawValue) cannot have "
        + counted(arguments.count, "argument", "arguments")
    }
    return error.property.isEmpty
      ? "the value does not fit" : "\(error.property) is given twice"
  }

  private var change: Change? {
    guard case .change(let index)? = error.place.first, parts.changes.indices.contains(index)
    else { return nil }
    return parts.changes[index]
  }

  private func mismatch(_ found: String) -> String {
    let property = "\(property) (\(typeText))"
    if let change, case .assign(let sign, _) = change.action {
      switch sign {
      case .assign: break
      case .add: return "\(found) cannot be added to \(property)"
      case .subtract: return "\(found) cannot be subtracted from \(property)"
      case .multiply: return "\(property) cannot be multiplied by \(found)"
      case .divide: return "\(property) cannot be divided by \(found)"
      }
    }
    guard !error.property.isEmpty else {
      return "an object of \(className) is needed, this is \(found)"
    }
    return "\(self.property) is \(typeText), this is \(found)"
  }

  private func kindText(_ found: ObjectError.Found) -> String {
    switch found {
    case .null: "null"
    case .scalar(let kind): ShellValue.kindText(of: kind)
    case .object(let name): "a \(quotedName(name))"
    case .array: "a list"
    case .set: "a set"
    case .map: "an object or dictionary"
    }
  }

  private func text(_ reason: ObjectError.Illegal) -> String {
    switch reason {
    case .embeddedAlone: "objects of \(className) are embedded: they exist in their owner only"
    case .embeddedInMixed: "a mixed value cannot hold an embedded object"
    case .embeddedMoved: "an embedded object cannot get a second owner"
    case .setInMixed: "a mixed value cannot hold a set"
    case .wrongKind: "\(property) (\(typeText)) has no such operation"
    }
  }

  private func text(_ value: ScalarValue) -> String {
    CanonicalText.string(value, inMixed: false)
  }

  // MARK: Remedies

  private func upsertText(_ value: ScalarValue) -> String? {
    guard let key = objectClass?.primaryKey else { return nil }
    return "to change it: upsert \(className) {\(quotedName(key.name)): \(text(value)), ...}"
  }

  private var remedy: String? {
    guard case .nullInPath = error.kind, let object, let change,
      case .assign(.assign, let value) = change.action
    else { return nil }
    let names = names(of: change.path)
    guard names.count > nullStep + 1 else { return nil }
    var text = parts.text.text(of: value.range)
    for name in names[(nullStep + 1)...].reversed() { text = "{\(name): \(text)}" }
    return
      "set \(projection == nil ? object : objectName ?? object) \(names[...nullStep].joined(separator: ".")) = \(text)"
  }

  /// The step of the path that is null.
  private var nullStep: Int {
    guard error.place.count > 1, case .pathStep(let index) = error.place[1] else { return 0 }
    return index
  }

  /// `Person(2).address`.
  private var nullPath: String {
    guard let change, case let names = names(of: change.path), names.indices.contains(nullStep)
    else { return property }
    return (objectName.map { $0 + "." } ?? "") + names[...nullStep].joined(separator: ".")
  }

  /// The steps of a path as the class of the objects knows them.
  private func names(of path: PathExpression) -> [String] {
    let names = path.steps.map { parts.text.text(of: $0.range) }
    return projection?.storedNames(names)?.map(quotedName) ?? names
  }
}
