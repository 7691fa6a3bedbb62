import RealmObjects
import RealmStorage
import RealmValues

/// The values of one key and their ids: 0, 1, … in the order in which they come first.
final class KeyIndex {
  private enum Form {
    /// Ints; bools as 0 and 1.
    case numbers(NumberTable)
    case texts(TextTable)
    case values(AnyValueTable)
  }

  private let form: Form
  private let kind: ValueKind
  /// The id of null; nil if null has not been seen.
  private var nullID: Int32?

  /// - Parameter pool: Keeps texts that do not stay where they are.
  init(_ source: GroupingSource, _ pool: ConstantPool) {
    // The type of computed values is not relied on.
    if case .property(let property) = source {
      kind = property.property.kind
    } else {
      kind = .mixed
    }
    switch kind {
    case .int, .bool: form = .numbers(NumberTable())
    case .string: form = .texts(TextTable(pool))
    default: form = .values(AnyValueTable(pool))
    }
  }

  /// Number of values without null.
  private var tableCount: Int {
    switch form {
    case .numbers(let table): table.numbers.count
    case .texts(let table): table.texts.count
    case .values(let table): table.values.count
    }
  }

  /// Number of values.
  var count: Int { tableCount + (nullID == nil ? 0 : 1) }

  /// Null takes an id between those of the table, which move up by one behind it.
  @inline(__always)
  private func shifted(_ id: Int32) -> Int32 {
    guard let nullID, id >= nullID else { return id }
    return id &+ 1
  }

  private func idOfNull() -> Int32 {
    if let nullID { return nullID }
    let id = Int32(truncatingIfNeeded: tableCount)
    nullID = id
    return id
  }

  /// The id of a value.
  func id(of value: QueryValue, isTransient: Bool) -> Int32 {
    switch (form, value) {
    case (_, .null): idOfNull()
    case (.numbers(let table), .int(let number)): shifted(table.id(of: UInt64(bitPattern: number)))
    case (.numbers(let table), .bool(let flag)): shifted(table.id(of: flag ? 1 : 0))
    case (.texts(let table), .string(let text)):
      shifted(table.id(of: text, isTransient: isTransient))
    case (.values(let table), _): shifted(table.id(of: value, isTransient: isTransient))
    default: idOfNull()
    }
  }

  /// Stores the ids of some rows of the present block of a cursor, each at the place of its row.
  func storeIDs(
    of cursor: TableCursor, _ column: Int, _ rows: RowMask, to ids: UnsafeMutablePointer<Int32>
  ) throws(QueryFailure) {
    do throws(StorageError) {
      switch form {
      case .numbers(let table):
        if let leaf = try cursor.ints(column) {
          rows.forEachRowQuickly { row in
            let number = leaf.value(at: row)
            ids[row] = number.map { shifted(table.id(of: UInt64(bitPattern: $0))) } ?? idOfNull()
          }
          return
        }
      case .texts(let table):
        if let leaf = try cursor.strings(column) {
          try rows.forEachRow { (row) throws(StorageError) in
            ids[row] = try leaf.value(at: row).map { shifted(table.id(of: $0)) } ?? idOfNull()
          }
          return
        }
      case .values: break
      }
      let leaf = try cursor.leaf(column)
      try rows.forEachRow { (row) throws(StorageError) in
        ids[row] = id(of: QueryValue(try leaf.value(at: row)), isTransient: false)
      }
    } catch { throw .storage(error) }
  }

  /// The value with an id.
  func value(of id: Int32) -> QueryValue {
    if id == nullID { return .null }
    let i = Int(nullID.map { id > $0 ? id &- 1 : id } ?? id)
    switch form {
    case .numbers(let table):
      let number = table.numbers[i]
      return kind == .bool ? .bool(number != 0) : .int(Int64(bitPattern: number))
    case .texts(let table): return .string(table.texts[i])
    case .values(let table): return table.values[i]
    }
  }
}
