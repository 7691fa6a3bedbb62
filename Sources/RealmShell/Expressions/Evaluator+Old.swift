import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Values from before a migration: the evaluator is the one of that state.
///
/// Source: shell.md 14.
extension Evaluator {
  /// The value at the end of a path that starts at the object that `row` was; null if there was none.
  func value(
    of path: PathExpression, before row: ShellValue
  ) throws(ShellError) -> ShellValue {
    guard case .object(let objectClass, let key) = row else { return .null }
    var path = path
    path.base = .row
    let old = try oldClass(objectClass, path)
    return try copied(try value(of: path, row: .object(old, key)), level: 0)
  }

  /// The type of a path that starts at what objects of a class were.
  func type(
    of path: PathExpression, before objectClass: ObjectClass?
  ) throws(ShellError) -> StaticType {
    guard let objectClass else { return .open }
    var path = path
    path.base = .row
    return try type(of: .path(path), for: try oldClass(objectClass, path))
  }

  /// The class as it was; a class is the same one under another name.
  func oldClass(
    _ objectClass: ObjectClass, _ path: PathExpression
  ) throws(ShellError) -> ObjectClass {
    if let old = schema.objectClass(objectClass.table.key) { return old }
    throw ShellError(
      .invalidProperty, "\(objectClass.name) has no old values: the class is new", at: path.range)
  }

  /// The properties of an object; nil if it does not exist.
  private func entries(
    of key: ObjectKey, _ objectClass: ObjectClass
  ) throws(StorageError) -> [(key: [UInt8], value: ShellValue)]? {
    guard let row = try objectClass.table.row(of: key) else { return nil }
    var entries: [(key: [UInt8], value: ShellValue)] = []
    for property in objectClass.properties {
      let stored = try objectClass.table.value(of: property.position, in: row)
      entries.append((Array(property.name.utf8), try ShellValue(stored, schema)))
    }
    return entries
  }

  /// Embedded objects inside each other.
  private static let maximumDepth = 100

  /// The value without embedded objects, which may exist no more: their values stand in their place.
  private func copied(_ value: ShellValue, level: Int) throws(ShellError) -> ShellValue {
    guard level < Evaluator.maximumDepth else { return .null }
    switch value {
    case .object(let objectClass, let key) where objectClass.isEmbedded:
      let entries = try reading { () throws(StorageError) in
        try self.entries(of: key, objectClass)
      }
      guard let entries else { return .null }
      return try copied(.dictionary(entries), level: level + 1)
    case .list(let members) where members.contains(where: \.isObject):
      var copies: [ShellValue] = []
      for member in members { copies.append(try copied(member, level: level + 1)) }
      return .list(copies)
    case .dictionary(let entries):
      var copies: [(key: [UInt8], value: ShellValue)] = []
      for entry in entries {
        copies.append((entry.key, try copied(entry.value, level: level + 1)))
      }
      return .dictionary(copies)
    case .scalar, .object, .list, .results, .record, .reference: return value
    }
  }
}
