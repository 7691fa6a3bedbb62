import Glibc
import RealmObjects
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// A database in a folder of its own, checked after every commit.
final class SchemaFile {
  let folder = TemporaryFolder()
  let realm: Realm
  let editor: SchemaEditor
  let path: String

  /// Makes a database with classes.
  init(_ classes: ClassDefinition...) throws {
    path = folder.file("test.realm")
    _ = try Database.create(path: path)
    realm = try Realm(path: path)
    editor = SchemaEditor(realm)
    guard !classes.isEmpty else { return }
    try write { try editor.declare(classes) }
  }

  /// Opens a copy of a file.
  init(copying source: String) throws {
    path = folder.copy(source, as: "copy.realm")
    realm = try Realm(path: path)
    editor = SchemaEditor(realm)
  }

  /// Runs a transaction, commits it and checks the file.
  @discardableResult
  func write<Result>(
    _ body: () throws -> Result, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Result {
    try realm.beginWrite()
    do {
      let result = try body()
      try editor.finish()
      try realm.commitWrite()
      try keep()
      check(sourceLocation: sourceLocation)
      return result
    } catch {
      try realm.cancelWrite()
      throw error
    }
  }

  /// Keeps a copy of every version in the folder that WRITTEN_FILES names, to look at it later.
  private func keep() throws {
    guard let kept = getenv("WRITTEN_FILES") else { return }
    let name = path.split(separator: "/").dropLast().last ?? ""
    let copy = "\(String(cString: kept))/\(name)-\(realm.snapshot.version).realm"
    Files.write(Files.read(path), to: copy)
  }

  private func check(sourceLocation: SourceLocation) {
    let report = FileChecker.check(realm.snapshot, depth: .deep)
    #expect(
      report.isGood, "\(report.findings.prefix(5)) of \(report.findingCount)",
      sourceLocation: sourceLocation)
  }

  /// Checks that something is refused with an error and changes nothing.
  ///
  /// - Parameter isFirst: Whether nothing is changed before it in `body`.
  func refuse(
    _ name: String, isFirst: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void,
    check: (SchemaError) -> Void = { _ in }
  ) throws {
    let (before, version) = (try contents(), realm.snapshot.version)
    try realm.beginWrite()
    do {
      try body()
      try editor.finish()
      Issue.record("nothing was refused", sourceLocation: sourceLocation)
    } catch let error as SchemaError {
      #expect(error.name == name, "\(error)", sourceLocation: sourceLocation)
      check(error)
    }
    try realm.refresh()
    if isFirst { #expect(try contents() == before, sourceLocation: sourceLocation) }
    try realm.cancelWrite()
    #expect(try contents() == before, sourceLocation: sourceLocation)
    #expect(realm.snapshot.version == version, sourceLocation: sourceLocation)
  }

  // MARK: Contents

  /// The class with a name.
  func objectClass(_ name: String) throws -> ObjectClass {
    try #require(realm.schema.objectClass(named: name))
  }

  /// The properties of a class in their order.
  func properties(_ name: String) throws -> [PropertyDefinition] {
    try objectClass(name).properties.map { PropertyDefinition($0) }
  }

  /// Creates an object in the open transaction.
  @discardableResult
  func add(_ name: String, _ values: [String: ScalarValue] = [:]) throws -> ObjectKey {
    let transaction = try #require(realm.transaction)
    let objectClass = try objectClass(name)
    let table = objectClass.table.key
    let object: ObjectKey
    if let primaryKey = objectClass.primaryKey {
      object = try transaction.createObject(table, primaryKey: values[primaryKey.name] ?? .null)
    } else {
      object = try transaction.createObject(table)
    }
    for (property, value) in values where property != objectClass.primaryKey?.name {
      try transaction.set(table, object, try column(property, of: name), value)
    }
    realm.noteChange()
    return object
  }

  /// The column of a property.
  func column(_ property: String, of name: String) throws -> ColumnKey {
    let table = try objectClass(name).table
    return table.columns[try #require(table.column(named: property))].key
  }

  /// The values of a property of all objects, in the order of their keys.
  func values(_ property: String, of name: String) throws -> [Content] {
    let table = try objectClass(name).table
    let cursor = try TableCursor(table, columns: [try #require(table.column(named: property))])
    var result: [Content] = []
    while try cursor.next() {
      for row in 0..<cursor.count { result.append(try Content(try cursor.value(0, at: row))) }
    }
    return result
  }

  /// Everything that a reader sees.
  func contents() throws -> [String: [String: [Content]]] {
    var result: [String: [String: [Content]]] = [:]
    for objectClass in realm.schema.all {
      var columns: [String: [Content]] = [:]
      for property in objectClass.properties {
        columns[property.name] = try values(property.name, of: objectClass.name)
      }
      result[objectClass.name] = columns
    }
    return result
  }
}

/// A stored value as a value of its own.
enum Content: Equatable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByNilLiteral
{
  case scalar(ScalarValue)
  case list([Content])
  case dictionary([[UInt8]: Content])

  init(_ value: StoredValue) throws {
    switch value {
    case .list(let list): self = .list(try list.values().map { try Content($0) })
    case .dictionary(let dictionary):
      var entries: [[UInt8]: Content] = [:]
      for entry in try dictionary.entries() { entries[Array(entry.key)] = try Content(entry.value) }
      self = .dictionary(entries)
    default: self = .scalar(value.scalar ?? .null)
    }
  }

  init(integerLiteral value: Int64) { self = .scalar(.int(value)) }
  init(stringLiteral value: String) { self = .scalar(.text(value)) }
  init(nilLiteral: ()) { self = .scalar(.null) }
}

extension ScalarValue {
  static func text(_ value: String) -> ScalarValue { .string(Array(value.utf8)) }
}
