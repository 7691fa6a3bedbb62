import RealmValues
import Testing

@testable import RealmStorage

/// What a database should hold, in plain arrays and dictionaries.
struct ModelDatabase {
  enum Index { case none, values, words }

  struct Column {
    let key: ColumnKey
    var definition: ColumnDefinition
    var index = Index.none

    /// Whether values of the column can hold links.
    var canLink: Bool { definition.kind == .link || definition.kind == .mixed }
  }

  struct Table {
    var name: String
    var isEmbedded: Bool
    var columns: [Column] = []
    var primaryKey: ColumnKey?
    var objects: [ObjectKey: [ColumnKey: ModelValue]] = [:]
  }

  var tables: [TableKey: Table] = [:]

  var sortedTables: [TableKey] { tables.keys.sorted { $0.rawValue < $1.rawValue } }

  func column(_ table: TableKey, _ key: ColumnKey) -> Column? {
    tables[table]?.columns.first { $0.key == key }
  }

  func value(_ table: TableKey, _ object: ObjectKey, _ column: ColumnKey) -> ModelValue {
    tables[table]?.objects[object]?[column] ?? .null
  }

  mutating func create(_ table: TableKey, _ object: ObjectKey) {
    var values: [ColumnKey: ModelValue] = [:]
    for column in tables[table]?.columns ?? [] {
      values[column.key] = ModelValue(initialValueOf: column.definition)
    }
    tables[table]?.objects[object] = values
  }

  /// Changes a property; embedded objects that lose their place are deleted.
  mutating func set(
    _ table: TableKey, _ object: ObjectKey, _ column: ColumnKey, _ value: ModelValue
  ) {
    let old = self.value(table, object, column)
    tables[table]?.objects[object]?[column] = value
    delete(old.links.subtracting(value.links).filter(isEmbedded))
  }

  private func isEmbedded(_ link: ScalarValue) -> Bool {
    if case .link(let table, _) = link { tables[table]?.isEmbedded == true } else { false }
  }

  mutating func delete(_ table: TableKey, _ object: ObjectKey) { delete([.link(table, object)]) }

  /// Deletes objects, the embedded objects below them, and all links to them.
  private mutating func delete(_ objects: Set<ScalarValue>) {
    guard !objects.isEmpty else { return }
    var doomed: Set<ScalarValue> = []
    var pending = Array(objects)
    while let next = pending.popLast() {
      guard doomed.insert(next).inserted, case .link(let table, let object) = next else { continue }
      let values = tables[table]?.objects.removeValue(forKey: object) ?? [:]
      for value in values.values { pending += value.links.filter(isEmbedded) }
    }
    for (key, table) in tables {
      for column in table.columns where column.canLink {
        for (object, values) in table.objects {
          guard let value = values[column.key], !value.links.isDisjoint(with: doomed) else {
            continue
          }
          tables[key]?.objects[object]?[column.key] = value.removing(doomed)
        }
      }
    }
  }

  mutating func addColumn(_ table: TableKey, _ key: ColumnKey, _ definition: ColumnDefinition) {
    tables[table]?.columns.append(Column(key: key, definition: definition))
    for object in tables[table]?.objects.keys.map({ $0 }) ?? [] {
      tables[table]?.objects[object]?[key] = ModelValue(initialValueOf: definition)
    }
  }

  mutating func removeColumn(_ table: TableKey, _ key: ColumnKey) {
    var lost: Set<ScalarValue> = []
    for values in tables[table]?.objects.values.map({ $0 }) ?? [] {
      lost.formUnion(values[key]?.links.filter(isEmbedded) ?? [])
    }
    for object in tables[table]?.objects.keys.map({ $0 }) ?? [] {
      tables[table]?.objects[object]?[key] = nil
    }
    tables[table]?.columns.removeAll { $0.key == key }
    if tables[table]?.primaryKey == key { tables[table]?.primaryKey = nil }
    delete(lost)
  }

  /// Removes a table with its objects; links to them in mixed values become null.
  mutating func removeTable(_ table: TableKey) {
    for object in tables[table]?.objects.keys.map({ $0 }) ?? [] { delete(table, object) }
    for column in tables[table]?.columns ?? [] { removeColumn(table, column.key) }
    tables[table] = nil
  }
}

extension ModelDatabase {
  /// What a file holds.
  init(_ snapshot: Snapshot) throws {
    for stored in snapshot.tables where stored.name.hasPrefix("class_") {
      var table = Table(name: stored.name, isEmbedded: stored.kind == .embedded)
      for column in stored.columns {
        let definition = ColumnDefinition(
          column.name, try #require(column.kind), collection: column.collection,
          isNullable: column.isNullable, target: column.target)
        let index: Index =
          column.hasFullTextIndex ? .words : column.isMarkedIndexed ? .values : .none
        table.columns.append(Column(key: column.key, definition: definition, index: index))
      }
      table.primaryKey = stored.primaryKey.map { stored.columns[$0].key }
      let cursor = try TableCursor(stored, columns: Array(stored.columns.indices))
      while try cursor.next() {
        for row in 0..<cursor.count {
          var values: [ColumnKey: ModelValue] = [:]
          for (i, column) in stored.columns.enumerated() {
            values[column.key] = try ModelValue(try cursor.value(i, at: row))
          }
          table.objects[cursor.key(at: row)] = values
        }
      }
      tables[stored.key] = table
    }
  }

  /// Compares everything with what a reader sees.
  func compare(with snapshot: Snapshot, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let stored = snapshot.tables.filter { $0.name.hasPrefix("class_") }
    #expect(
      Set(stored.map { $0.key }) == Set(tables.keys), sourceLocation: sourceLocation)
    for table in stored {
      guard let model = tables[table.key] else { continue }
      #expect(table.name == model.name, sourceLocation: sourceLocation)
      #expect((table.kind == .embedded) == model.isEmbedded, sourceLocation: sourceLocation)
      let primaryKey = table.primaryKey.map { table.columns[$0].key }
      #expect(primaryKey == model.primaryKey, sourceLocation: sourceLocation)
      compareColumns(model, table, sourceLocation)
      try compareObjects(model, table, sourceLocation)
      for column in table.columns where column.kind == .mixed && column.hasIndex {
        try checkLists(of: column, model, table, sourceLocation)
      }
    }
  }

  private func compareColumns(
    _ model: Table, _ table: StoredTable, _ sourceLocation: SourceLocation
  ) {
    #expect(
      table.columns.map { $0.key } == model.columns.map { $0.key }, sourceLocation: sourceLocation)
    for column in model.columns {
      guard let position = table.column(column.key) else {
        Issue.record("no column \(column.definition.name)", sourceLocation: sourceLocation)
        continue
      }
      let stored = table.columns[position]
      #expect(stored.name == column.definition.name, sourceLocation: sourceLocation)
      #expect(stored.kind == column.definition.kind, sourceLocation: sourceLocation)
      #expect(stored.collection == column.definition.collection, sourceLocation: sourceLocation)
      #expect(stored.isNullable == column.definition.isNullable, sourceLocation: sourceLocation)
      #expect(stored.target == column.definition.target, sourceLocation: sourceLocation)
      #expect(
        stored.hasFullTextIndex == (column.index == .words), sourceLocation: sourceLocation)
      #expect(
        stored.isMarkedIndexed == (column.index == .values), sourceLocation: sourceLocation)
    }
  }

  /// Different values stand together in a list of an index only if their bytes are the same.
  private func checkLists(
    of column: StoredColumn, _ model: Table, _ table: StoredTable, _ sourceLocation: SourceLocation
  ) throws {
    var lists: [[Int32]: [ScalarValue]] = [:]
    let index = SearchIndex(root: column.indexRoot, view: table.view)
    try index.walk { (path, object) in
      guard 4 * path.count <= IndexEditor.maximumOffset,
        case .scalar(let value) = model.objects[object]?[column.key]
      else { return }
      lists[path, default: []].append(value)
    }
    for values in lists.values {
      for (i, value) in values.enumerated() where IndexKey(value) != IndexKey(values[0]) {
        let isEqual = [i - 1, i + 1].contains {
          values.indices.contains($0) && values[$0].totalOrder(value) == 0
        }
        #expect(isEqual, "\(value) beside \(values[0])", sourceLocation: sourceLocation)
      }
    }
  }

  private func compareObjects(
    _ model: Table, _ table: StoredTable, _ sourceLocation: SourceLocation
  ) throws {
    var count = 0
    var differenceCount = 0
    let cursor = try TableCursor(table, columns: Array(table.columns.indices))
    while try cursor.next() {
      for row in 0..<cursor.count {
        count += 1
        let key = cursor.key(at: row)
        for (i, column) in table.columns.enumerated() {
          let found = try ModelValue(try cursor.value(i, at: row))
          let expected = model.objects[key]?[column.key]
          guard found != expected, differenceCount < 5 else { continue }
          differenceCount += 1
          Issue.record(
            """
            \(table.name) \(key).\(column.name): \(found) instead of \
            \(String(describing: expected))
            """, sourceLocation: sourceLocation)
        }
      }
    }
    #expect(count == model.objects.count, "\(table.name)", sourceLocation: sourceLocation)
  }
}
