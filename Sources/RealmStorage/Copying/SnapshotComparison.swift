import Glibc
import RealmValues

/// Compares what two snapshots hold, whatever their formats.
struct SnapshotComparison {
  private let a: Snapshot
  private let b: Snapshot
  /// For the tables of `a` those of `b` with the same names.
  private var partners: [TableKey: TableKey] = [:]

  /// Whether all objects of `a` have the same keys and values in `b`, and there are no others.
  ///
  /// - Parameter goesOn: Called now and then with the number of objects that have been compared; false
  ///   ends the comparison.
  /// - Throws: `rejected(.interrupted)`; `damaged`.
  static func areEqual(
    _ a: Snapshot, _ b: Snapshot, goesOn: (Int) -> Bool = { _ in true }
  ) throws(StorageError) -> Bool {
    let comparison = SnapshotComparison(a, b)
    var count = 0
    let tables = TableRebuilder.tables(of: a)
    guard tables.map({ $0.name }) == b.tables.map({ $0.name }) else { return false }
    a.file.renewWork()
    b.file.renewWork()
    for table in tables {
      guard let partner = b.table(named: table.name),
        try comparison.areEqual(table, partner, &count, goesOn)
      else { return false }
    }
    return true
  }

  private init(_ a: Snapshot, _ b: Snapshot) {
    (self.a, self.b) = (a, b)
    for table in a.tables { partners[table.key] = b.table(named: table.name)?.key }
  }

  private func areEqual(
    _ a: StoredTable, _ b: StoredTable, _ count: inout Int, _ goesOn: (Int) -> Bool
  ) throws(StorageError) -> Bool {
    guard a.kind == b.kind, a.primaryKey == b.primaryKey, a.columns.count == b.columns.count,
      try a.objectCount() == b.objectCount(),
      zip(a.columns, b.columns).allSatisfy({ haveEqualTypes($0, $1) })
    else { return false }
    let positions = Array(a.columns.indices)
    let cursor = try TableCursor(a, columns: positions)
    let reader = ObjectReader(b, columns: positions)
    while try cursor.next() {
      guard goesOn(count) else { throw .rejected(.interrupted) }
      count += cursor.count
      for row in 0..<cursor.count {
        guard try reader.move(to: cursor.key(at: row)) else { return false }
        for i in positions {
          guard try areEqual(try cursor.value(i, at: row), try reader.value(i)) else {
            return false
          }
        }
      }
    }
    return true
  }

  private func haveEqualTypes(_ a: StoredColumn, _ b: StoredColumn) -> Bool {
    a.name == b.name && a.kind == b.kind && a.collection == b.collection
      && a.hasFullTextIndex == b.hasFullTextIndex && a.isMarkedIndexed == b.isMarkedIndexed
      && a.target.flatMap { partners[$0] } == b.target
  }

  private func areEqual(_ a: StoredValue, _ b: StoredValue) throws(StorageError) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.float(let x), .float(let y)): return x == y || x.isNaN && y.isNaN
    case (.double(let x), .double(let y)): return x == y || x.isNaN && y.isNaN
    case (.decimal(let x), .decimal(let y)): return x.low == y.low && x.high == y.high
    case (.string(let x), .string(let y)), (.data(let x), .data(let y)):
      return x.count == y.count && memcmpOrEmpty(x, y)
    case (.link(let table, let x), .link(let other, let y)):
      return partners[table] == other && x == y
    case (.list(let x), .list(let y)):
      let (left, right) = (try x.values(), try y.values())
      guard left.count == right.count else { return false }
      for i in left.indices { guard try areEqual(left[i], right[i]) else { return false } }
      return true
    case (.dictionary(let x), .dictionary(let y)):
      let (left, right) = (try x.entries(), try y.entries())
      guard left.count == right.count else { return false }
      for i in left.indices {
        guard left[i].key.elementsEqual(right[i].key),
          try areEqual(left[i].value, right[i].value)
        else { return false }
      }
      return true
    default:
      guard let x = a.scalar, let y = b.scalar else { return false }
      return x == y
    }
  }

  private func memcmpOrEmpty(_ x: UnsafeRawBufferPointer, _ y: UnsafeRawBufferPointer) -> Bool {
    guard let left = x.baseAddress, let right = y.baseAddress else { return true }
    return memcmp(left, right, x.count) == 0
  }
}
