import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// A database in a folder of its own with an open write transaction, shown as text.
final class WrittenRealm {
  let folder = TemporaryFolder()
  let realm: Realm
  let writer: ObjectWriter
  /// The property that names the objects of a class without primary key.
  var names: [String: String] = [:]

  /// Makes a database with a schema and begins a transaction.
  init(_ makeSchema: (WriteTransaction) throws -> Void) throws {
    let path = folder.file("test.realm")
    do {
      let database = try Database.create(path: path)
      let transaction = try database.beginWrite()
      try transaction.setSchemaVersion(0)
      try makeSchema(transaction)
      try transaction.commit()
    }
    realm = try Realm(path: path)
    writer = ObjectWriter(realm)
    try realm.beginWrite()
  }

  /// The classes of most scenarios.
  static func boats() throws -> WrittenRealm {
    try WrittenRealm { transaction in
      let boat = try transaction.createTable("class_Boat")
      let harbour = try transaction.createTable("class_Harbour")
      let log = try transaction.createTable("class_Log", kind: .embedded)
      for definition in [
        ColumnDefinition("id", .int), ColumnDefinition("name", .string, isNullable: true),
        ColumnDefinition("crew", .int), ColumnDefinition("home", .link, target: harbour),
        ColumnDefinition("mate", .link, target: boat),
        ColumnDefinition("nums", .int, collection: .list),
        ColumnDefinition("tags", .int, collection: .set),
        ColumnDefinition("marks", .int, collection: .dictionary, isNullable: true),
        ColumnDefinition("ports", .link, collection: .list, target: harbour),
        ColumnDefinition("fleet", .link, collection: .list, target: boat),
        ColumnDefinition("log", .link, target: log),
        ColumnDefinition("logs", .link, collection: .list, target: log),
        ColumnDefinition("x", .mixed),
      ] { _ = try transaction.addColumn(boat, definition) }
      try transaction.setPrimaryKey(boat, try transaction.columnKey(boat, "id"))
      _ = try transaction.addColumn(
        harbour, ColumnDefinition("city", .string, isNullable: true))
      _ = try transaction.addColumn(harbour, ColumnDefinition("depth", .int, isNullable: true))
      _ = try transaction.addColumn(log, ColumnDefinition("a", .int, isNullable: true))
      _ = try transaction.addColumn(log, ColumnDefinition("b", .int, isNullable: true))
    }
  }

  func objectClass(_ name: String) throws -> ObjectClass {
    try #require(realm.schema.objectClass(named: name))
  }

  // MARK: Statements

  @discardableResult
  func add(_ name: String, _ values: InputValue...) throws -> WriteOutcome {
    try apply(try writer.planAdd(try objectClass(name), values))
  }

  @discardableResult
  func upsert(
    _ name: String, _ policy: UpdatePolicy = .modified, _ values: InputValue...
  ) throws -> WriteOutcome {
    try apply(try writer.planUpsert(try objectClass(name), values, policy: policy))
  }

  @discardableResult
  func set(
    _ name: String, _ primaryKey: Int64, _ changes: PropertyChange...
  ) throws -> WriteOutcome {
    let objectClass = try objectClass(name)
    return try apply(
      try writer.planSet(objectClass, try key(name, primaryKey), changes))
  }

  @discardableResult
  func delete(_ name: String, _ keys: ObjectKey...) throws -> WriteOutcome {
    try apply(try writer.planDelete(try objectClass(name), keys))
  }

  private func apply(_ plan: WritePlan) throws -> WriteOutcome {
    try writer.apply(plan)
  }

  /// The object with a primary key.
  func key(_ name: String, _ primaryKey: Int64) throws -> ObjectKey {
    let table = try objectClass(name).table.key
    let transaction = try #require(realm.transaction)
    return try #require(try transaction.object(table, primaryKey: .int(primaryKey)))
  }

  /// The object with a primary key as a value.
  func object(_ name: String, _ primaryKey: Int64) throws -> InputValue {
    .object(try objectClass(name), try key(name, primaryKey))
  }

  /// The error of a statement, as `Name at place`; also checks that it has changed nothing.
  func error(_ statement: () throws -> Void) throws -> String {
    let before = try everything()
    var text = "no error"
    do {
      try statement()
    } catch let error as ObjectError {
      text = error.name + error.place.map { "/\(WrittenRealm.text($0))" }.joined()
    }
    try realm.refresh()
    #expect(try everything() == before)
    return text
  }

  private static func text(_ step: InputStep) -> String {
    switch step {
    case .value(let i): "value\(i)"
    case .change(let i): "change\(i)"
    case .pathStep(let i): "step\(i)"
    case .argument(let i): "argument\(i)"
    case .property(let name), .key(let name): name
    case .element(let i): "\(i)"
    }
  }

  /// Commits, checks the file and begins again.
  func commitAndCheck(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try realm.commitWrite()
    let report = FileChecker.check(realm.snapshot, depth: .deep)
    #expect(
      report.isGood, "\(report.findings.prefix(3))", sourceLocation: sourceLocation)
    try realm.beginWrite()
  }

  // MARK: Text

  /// A property of the object with a primary key.
  subscript(name: String, primaryKey: Int64, property: String) -> String {
    get throws { try text(name, try key(name, primaryKey), property) }
  }

  /// A property of an object.
  func text(_ name: String, _ key: ObjectKey, _ property: String) throws -> String {
    try realm.refresh()
    let table = try objectClass(name).table
    guard let row = try table.row(of: key) else { return "no object" }
    let column = try #require(table.column(named: property))
    return try text(try table.value(of: column, in: row))
  }

  /// All objects of a class that is not embedded, in table order.
  func objects(_ name: String) throws -> [String] {
    try realm.refresh()
    let objectClass = try objectClass(name)
    var lines: [String] = []
    let cursor = try TableCursor(objectClass.table, columns: [])
    while try cursor.next() {
      for row in 0..<cursor.count { lines.append(try text(objectClass, cursor.key(at: row))) }
    }
    return lines
  }

  /// Number of objects of a class.
  func count(_ name: String) throws -> Int {
    try realm.refresh()
    return try objectClass(name).table.objectCount()
  }

  /// All objects of all classes.
  func everything() throws -> [String] {
    try realm.refresh()
    return try realm.schema.classes.flatMap { try objects($0.name) }
  }

  private func text(_ objectClass: ObjectClass, _ key: ObjectKey) throws -> String {
    guard let row = try objectClass.table.row(of: key) else { return "no object" }
    let parts = try objectClass.properties.map {
      "\($0.name): \(try text(try objectClass.table.value(of: $0.position, in: row)))"
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  func text(_ value: StoredValue) throws -> String {
    switch value {
    case .list(let list):
      var parts = try list.values().map { try text($0) }
      // Links have another order here than by their names.
      if list.isSet, !names.isEmpty { parts.sort() }
      return "[\(parts.joined(separator: ", "))]"
    case .dictionary(let dictionary):
      let entries = try dictionary.entries().map {
        "\(String(decoding: $0.key, as: UTF8.self)): \(try text($0.value))"
      }
      return "{\(entries.joined(separator: ", "))}"
    case .link(let table, let key):
      let target = try #require(realm.schema.objectClass(table))
      if target.isEmbedded { return try text(target, key) }
      if let name = names[target.name] {
        return "\(target.name)(\(try text(target.name, key, name)))"
      }
      switch try target.identity(of: key) {
      case .primaryKey(let value): return "\(target.name)(\(WrittenRealm.text(value)))"
      case .objectKey(let key): return "\(target.name)#\(key.rawValue)"
      }
    default: return WrittenRealm.text(value.scalar ?? .null)
    }
  }

  static func text(_ value: ScalarValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)f"
    case .double(let value): "\(value)"
    case .decimal(let value): "decimal(\(value))"
    case .string(let bytes): "\"\(String(decoding: bytes, as: UTF8.self))\""
    case .data(let bytes): "data(\(bytes.count))"
    case .date(let value): "date(\(value.seconds), \(value.nanoseconds))"
    case .objectID(let value): "oid(\(value))"
    case .uuid(let value): "uuid(\(value))"
    case .link, .key: "link"
    }
  }
}
