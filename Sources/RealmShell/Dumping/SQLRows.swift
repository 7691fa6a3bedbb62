import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// What takes statements and rows for SQLite.
protocol SQLSink: AnyObject {
  /// What has gone wrong; nothing is taken any more after that.
  var failure: ShellError? { get }
  /// Takes a statement, without the semicolon at its end.
  func run(_ statement: String)
  /// Begins the rows of a table, its name between quotes.
  func beginRows(of table: String, columnCount: Int)
  func addNull()
  func add(_ number: Int64)
  func add(_ number: Double)
  /// Takes a text, which need not be valid UTF-8.
  func addText(_ bytes: UnsafeRawBufferPointer)
  func addData(_ bytes: UnsafeRawBufferPointer)
  /// Ends a row; it has a value for each column.
  func endRow()
  /// Ends the rows of a table.
  ///
  /// - Parameter count: Number of the rows.
  func endRows(of table: String, count: Int)
}

/// Writes objects as rows of tables.
final class SQLRows<Sink: SQLSink> {
  private let selection: ObjectSelection
  private let mapping: SQLMapping
  private let sink: Sink
  private let goesOn: (Int) -> Bool
  /// Makes texts of values that SQLite has no type for.
  private let memory = ByteWriter()
  private let values: ValueWriter
  /// Readers of the primary keys of targets of links.
  private var keyReaders: [TableKey: ObjectReader?] = [:]
  /// For each table its name and the number of its rows, in the order they were written.
  private(set) var counts: [(table: String, count: Int)] = []
  /// The number of objects written so far, embedded ones among them.
  private var objectCount = 0

  /// - Parameter goesOn: Asked behind each object, with the number of those written.
  init(
    _ selection: ObjectSelection, _ mapping: SQLMapping, to sink: Sink,
    while goesOn: @escaping (Int) -> Bool
  ) {
    self.selection = selection
    self.mapping = mapping
    self.sink = sink
    self.goesOn = goesOn
    values = ValueWriter(selection.schema, to: memory)
  }

  /// Writes everything, from the first statement to the last.
  ///
  /// - Parameter version: The schema version, for the number that SQLite has for such things.
  func write(version: UInt64?) throws(StorageError) {
    sink.run("PRAGMA foreign_keys = OFF")
    sink.run("BEGIN")
    sink.run("PRAGMA application_id = \(SQLRows.applicationID)")
    if let version = version.flatMap({ Int32(exactly: $0) }) {
      sink.run("PRAGMA user_version = \(version)")
    }
    for statement in mapping.createStatements { sink.run(statement) }
    for table in mapping.tables where sink.failure == nil && !Interruption.isRequested {
      try writeObjects(of: table)
      for elements in table.elements where sink.failure == nil && !Interruption.isRequested {
        try writeElements(elements, of: table)
      }
    }
    if Interruption.isRequested { return }
    for statement in mapping.indexStatements { sink.run(statement) }
    sink.run("COMMIT")
  }

  /// `rlms`: tells files of this program from those of others.
  static var applicationID: Int32 { 0x726C_6D73 }

  private func writeObjects(of table: SQLMapping.ClassTable) throws(StorageError) {
    sink.beginRows(of: table.name, columnCount: table.columnCount)
    let positions = table.columns.map(\.property.position)
    let hasOwnKey = if case .objectKey = table.identity { true } else { false }
    var count = 0
    try selection.forEachObject(of: table.objectClass, columns: positions) {
      (reader) throws(StorageError) in
      if hasOwnKey { sink.add(reader.key.rawValue) }
      for (i, column) in table.columns.enumerated() {
        let value = try reader.value(i)
        if column.typeName == nil { try add(value) } else { try addMixed(value) }
      }
      sink.endRow()
      count += 1
      objectCount += 1
      return goesOn(objectCount) && sink.failure == nil
    }
    end(table.name, count)
  }

  private func end(_ table: String, _ count: Int) {
    sink.endRows(of: table, count: count)
    counts.append((table, count))
  }

  private func writeElements(
    _ elements: SQLMapping.ElementTable, of table: SQLMapping.ClassTable
  ) throws(StorageError) {
    let property = elements.property
    sink.beginRows(of: elements.name, columnCount: elements.columnCount)
    var columns = [property.position]
    if case .primaryKey(let key) = table.identity { columns.append(key.position) }
    var count = 0
    try selection.forEachObject(of: table.objectClass, columns: columns) {
      (reader) throws(StorageError) in
      let collection = try reader.value(0)
      let owner: StoredValue =
        columns.count > 1 ? try reader.value(1) : .int(reader.key.rawValue)
      try forEachElement(of: collection) { (position, key, value) throws(StorageError) in
        try add(owner)
        sink.add(Int64(position))
        if let key { sink.addText(key) }
        if property.kind == .mixed { try addMixed(value) } else { try add(value) }
        sink.endRow()
        count += 1
      }
      return goesOn(objectCount) && sink.failure == nil
    }
    end(elements.name, count)
  }

  private func forEachElement(
    of collection: StoredValue,
    _ body: (Int, UnsafeRawBufferPointer?, StoredValue) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch collection {
    case .list(let list) where list.isSet:
      for (position, value) in try list.values().enumerated() { try body(position, nil, value) }
    case .list(let list):
      var cursor = try list.makeCursor()
      var position = 0
      while let value = try cursor.next() {
        try body(position, nil, value)
        position += 1
      }
    case .dictionary(let dictionary):
      for (position, entry) in try dictionary.entries().enumerated() {
        try body(position, entry.key, entry.value)
      }
    default: break
    }
  }

  // MARK: Values

  /// Adds a value of a type that the schema fixes.
  private func add(_ value: StoredValue) throws(StorageError) {
    switch value {
    case .null: sink.addNull()
    case .bool(let flag): sink.add(Int64(flag ? 1 : 0))
    case .int(let number): sink.add(number)
    case .float(let number): add(Double(number))
    case .double(let number): add(number)
    case .string(let bytes): sink.addText(bytes)
    case .data(let bytes): sink.addData(bytes)
    case .link(let table, let key): try addKey(of: key, in: table)
    case .decimal, .date, .objectID, .uuid:
      try values.write(value, isMixed: false, .compactJSON)
      memory.drain { json in
        // The text of these types needs no escapes.
        sink.addText(UnsafeRawBufferPointer(rebasing: json.dropFirst().dropLast()))
      }
    case .list, .dictionary:
      try values.write(value, isMixed: true, .compactJSON)
      memory.drain { sink.addText($0) }
    }
  }

  /// SQLite would store what is not a number as null.
  private func add(_ number: Double) {
    if number.isNaN { addText("nan") } else { sink.add(number) }
  }

  private func addText(_ text: StaticString) {
    sink.addText(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds a value and its type.
  private func addMixed(_ value: StoredValue) throws(StorageError) {
    try add(value)
    switch value {
    case .null: sink.addNull()
    case .bool: addText("bool")
    case .int: addText("int")
    case .float: addText("float")
    case .double: addText("double")
    case .decimal: addText("decimal128")
    case .string: addText("string")
    case .data: addText("data")
    case .date: addText("date")
    case .objectID: addText("objectId")
    case .uuid: addText("uuid")
    case .list: addText("list")
    case .dictionary: addText("dictionary")
    case .link(let table, _):
      memory.write("link:" + (selection.schema.objectClass(table)?.name ?? ""))
      memory.drain { sink.addText($0) }
    }
  }

  /// Adds what identifies the target of a link; null if it does not exist.
  private func addKey(of key: ObjectKey, in table: TableKey) throws(StorageError) {
    if keyReaders[table] == nil {
      var made: ObjectReader?
      if let target = selection.schema.objectClass(table),
        case .primaryKey(let property) = SQLMapping.identity(of: target)
      {
        made = ObjectReader(target.table, columns: [property.position])
      }
      keyReaders[table] = .some(made)
    }
    guard let reader = keyReaders[table] ?? nil else { return sink.add(key.rawValue) }
    guard try reader.move(to: key) else { return sink.addNull() }
    try add(try reader.value(0))
  }
}
