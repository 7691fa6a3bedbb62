import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// An object of another database: as a value it is copied, with all that it links to.
///
/// Source: object-model.md 4.4.
struct ForeignObject {
  private let database: Session.Database
  private let objectClass: ObjectClass
  private let key: ObjectKey
  /// Where it is named.
  private let range: SourceRange

  /// Most links in a row that are followed; circles end here.
  private static let maximumDepth = 100

  /// The object of another database than `current` that a variable holds; nil if it holds none.
  init?(_ name: Name, _ session: Session, current: Session.Database) throws(ShellError) {
    guard case .value(let kept, let owner?)? = session.scope[name.text],
      owner.thread === session.thread, owner.instance != current.instance,
      let database = session.databases.first(where: { $0.instance == owner.instance }),
      database.generation == owner.generation
    else { return nil }
    try session.refresh(database)
    let value = try session.present(kept, in: database)
    guard case .object(let objectClass, let key) = value else { return nil }
    (self.database, self.objectClass, self.key) = (database, objectClass, key)
    range = name.range
  }

  /// The object as a value that makes another one.
  func input() throws(ShellError) -> InputValue {
    try input(.object(objectClass, key), isMixed: false, depth: 0)
  }

  private func input(
    _ value: ShellValue, isMixed: Bool, depth: Int
  ) throws(ShellError) -> InputValue {
    guard depth < ForeignObject.maximumDepth else {
      throw ShellError(
        .limitExceeded, "the object links to itself, or over too many others", at: range,
        remedy: "copy SOURCE into NAME links")
    }
    switch value {
    case .object(let objectClass, let key):
      guard !isMixed else {
        throw ShellError(
          .illegalOperation, "a mixed value of the object links to an object", at: range,
          remedy: "copy SOURCE into NAME links")
      }
      var fields: [InputField] = []
      for property in objectClass.properties {
        let inner = try database.value(of: property, in: objectClass, key)
        fields.append(
          InputField(
            property.name,
            try input(inner, isMixed: property.kind == .mixed, depth: depth + 1)))
      }
      return .map(fields)
    case .list(let members):
      var values: [InputValue] = []
      for member in members {
        values.append(try input(member, isMixed: isMixed, depth: depth + 1))
      }
      return .array(values)
    case .dictionary(let entries):
      var fields: [InputField] = []
      for entry in entries {
        fields.append(
          InputField(
            String(decoding: entry.key, as: UTF8.self),
            try input(entry.value, isMixed: isMixed, depth: depth + 1)))
      }
      return .map(fields)
    case .scalar, .results, .record, .reference: return InputMaker.input(value)
    }
  }
}
