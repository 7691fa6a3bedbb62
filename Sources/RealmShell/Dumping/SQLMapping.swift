import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// How classes become tables of SQLite.
///
/// A class is a table with a column for each property. Its objects are known by the primary key if
/// that is never null, else by a column with their object keys; links hold that value. A mixed
/// property has a second column with the type. A list, set or dictionary is a table of its own with
/// the owner, the position, the key of a dictionary and the value. Embedded objects are rows of the
/// table of their class, to which the owner links.
struct SQLMapping {
  /// What identifies the objects of a class.
  enum Identity {
    case primaryKey(Property)
    /// A column with the object keys.
    case objectKey
  }

  /// The table of a class.
  struct ClassTable {
    let objectClass: ObjectClass
    /// The name between quotes, as all names here.
    let name: String
    let identity: Identity
    /// The name of the column that identifies an object.
    let keyColumn: String
    /// The type of that column.
    let keyType: String
    /// The properties with one value, with the names of their columns.
    let columns: [(property: Property, name: String, typeName: String?)]
    /// The tables of the collections.
    let elements: [ElementTable]

    /// Number of columns.
    var columnCount: Int {
      let hasOwnKey = if case .objectKey = identity { 1 } else { 0 }
      return hasOwnKey + columns.reduce(0) { $0 + ($1.typeName == nil ? 1 : 2) }
    }
  }

  /// The table of a collection.
  struct ElementTable {
    let property: Property
    let name: String

    /// Number of columns.
    var columnCount: Int {
      3 + (property.collection == .dictionary ? 1 : 0) + (property.kind == .mixed ? 1 : 0)
    }
  }

  /// The tables in the order of the classes.
  private(set) var tables: [ClassTable] = []
  private var indexes: [TableKey: Int] = [:]
  private let isClosed: Bool

  /// - Parameter isClosed: Whether all objects that links lead to will be there, so that links can be
  ///   foreign keys.
  init(_ classes: [ObjectClass], isClosed: Bool) {
    self.isClosed = isClosed
    var names = SQLNames()
    let classNames = classes.map { names.add($0.name) }
    for (objectClass, name) in zip(classes, classNames) {
      indexes[objectClass.table.key] = tables.count
      var columnNames = SQLNames()
      let stored = objectClass.properties.map { columnNames.add($0.name) }
      var columns: [(property: Property, name: String, typeName: String?)] = []
      var elements: [ElementTable] = []
      for (property, column) in zip(objectClass.properties, stored) {
        if property.collection == .none {
          let typeName = property.kind == .mixed ? columnNames.add(property.name + "_type") : nil
          columns.append((property, column, typeName))
        } else {
          let table = names.add("\(objectClass.name)_\(property.name)")
          elements.append(ElementTable(property: property, name: table))
        }
      }
      var identity = Identity.objectKey
      var keyColumn = ""
      var keyType = "INTEGER"
      if let key = objectClass.primaryKey, !key.isNullable,
        let column = columns.first(where: { $0.property.isPrimaryKey })
      {
        (identity, keyColumn) = (.primaryKey(key), column.name)
        keyType = key.kind == .int ? "INTEGER" : "TEXT"
      } else {
        keyColumn = columnNames.add("_key")
      }
      tables.append(
        ClassTable(
          objectClass: objectClass, name: name, identity: identity, keyColumn: keyColumn,
          keyType: keyType, columns: columns, elements: elements))
    }
  }

  /// The table of a class; nil if it is not among them.
  func table(_ key: TableKey) -> ClassTable? { indexes[key].map { tables[$0] } }

  /// What identifies the objects of a class.
  static func identity(of objectClass: ObjectClass) -> Identity {
    if let key = objectClass.primaryKey, !key.isNullable { return .primaryKey(key) }
    return .objectKey
  }

  // MARK: Statements

  /// The statements that make the tables.
  var createStatements: [String] {
    tables.flatMap { table in [create(table)] + table.elements.map { create($0, of: table) } }
  }

  private func create(_ table: ClassTable) -> String {
    var lines: [String] = []
    if case .objectKey = table.identity {
      lines.append("\(table.keyColumn) INTEGER NOT NULL PRIMARY KEY")
    }
    for (property, name, typeName) in table.columns {
      var line = name + type(of: property)
      if !property.isNullable, property.kind != .link, property.kind != .mixed {
        line += " NOT NULL"
      }
      if property.isPrimaryKey { line += property.isNullable ? " UNIQUE" : " PRIMARY KEY" }
      lines.append(line + reference(property))
      if let typeName { lines.append("\(typeName) TEXT") }
    }
    return "CREATE TABLE \(table.name) (\n  \(lines.joined(separator: ",\n  "))\n)"
  }

  private func create(_ elements: ElementTable, of table: ClassTable) -> String {
    let property = elements.property
    var lines = [
      "\"owner\" \(table.keyType) NOT NULL REFERENCES \(table.name) (\(table.keyColumn))"
        + SQLMapping.deferred,
      "\"position\" INTEGER NOT NULL",
    ]
    if property.collection == .dictionary { lines.append("\"key\" TEXT NOT NULL") }
    let isRequired =
      property.kind == .link ? property.collection != .dictionary : !property.isNullable
    lines.append(
      "\"value\"" + type(of: property) + (isRequired ? " NOT NULL" : "") + reference(property))
    if property.kind == .mixed { lines.append("\"value_type\" TEXT") }
    lines.append("PRIMARY KEY (\"owner\", \"position\")")
    return
      "CREATE TABLE \(elements.name) (\n  \(lines.joined(separator: ",\n  "))\n) WITHOUT ROWID"
  }

  /// Links can be checked only when all rows are there.
  private static let deferred = " DEFERRABLE INITIALLY DEFERRED"

  private func reference(_ property: Property) -> String {
    guard property.kind == .link, let target = property.target.flatMap({ table($0) }),
      isClosed || target.objectClass.isEmbedded
    else { return "" }
    return " REFERENCES \(target.name) (\(target.keyColumn))" + SQLMapping.deferred
  }

  /// The type with a blank before it; nothing for mixed values.
  private func type(of property: Property) -> String {
    switch property.kind {
    case .int: return " INTEGER"
    case .bool: return " BOOLEAN"
    case .float, .double: return " REAL"
    case .string, .date, .objectID, .uuid, .decimal: return " TEXT"
    case .data: return " BLOB"
    case .mixed, .typedLink: return ""
    case .link:
      // Of a class that is not exported nothing is known but its objects' values.
      return property.target.flatMap { table($0) }.map { " " + $0.keyType } ?? ""
    }
  }

  /// The statements that make the indexes, run when all rows are there.
  var indexStatements: [String] {
    var names = SQLNames()
    for table in tables {
      names.reserve(table.name)
      for elements in table.elements { names.reserve(elements.name) }
    }
    return tables.flatMap { table in
      table.columns.filter { $0.property.isIndexed }.map { column in
        let name = names.add("\(table.objectClass.name)_\(column.property.name)_index")
        return "CREATE INDEX \(name) ON \(table.name) (\(column.name))"
      }
    }
  }
}

/// Names for SQLite, which does not tell upper from lower case of ASCII.
struct SQLNames {
  private var used: Set<String> = []

  /// A name between quotes that was not given yet: the wanted one, if that is possible.
  mutating func add(_ wanted: String) -> String {
    // A NUL would end the statement.
    var base = wanted.replacing("\0", with: " ")
    // Such names are reserved.
    if SQLNames.folded(base).hasPrefix("sqlite_") || base.isEmpty { base = "_" + base }
    var name = base
    var number = 2
    while !used.insert(SQLNames.folded(name)).inserted {
      name = "\(base)_\(number)"
      number += 1
    }
    return "\"\(name.replacing("\"", with: "\"\""))\""
  }

  /// Takes a name between quotes out of those that can be given.
  mutating func reserve(_ quoted: String) {
    used.insert(
      SQLNames.folded(String(quoted.dropFirst().dropLast()).replacing("\"\"", with: "\"")))
  }

  private static func folded(_ text: String) -> String {
    String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
