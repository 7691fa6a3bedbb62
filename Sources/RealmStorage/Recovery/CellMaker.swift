import ByteKernels
import RealmValues

/// Makes cells from values that were saved, and keeps account of what they have lost.
///
/// Links to objects that are not saved become null or are left out; text that is not UTF-8 is
/// mended; members of sets and keys of dictionaries come in order and once.
final class CellMaker {
  /// What was lost of the present object.
  private(set) var places: [RecoveryReport.Place] = []
  /// Whether the present object has links to objects that are lost.
  private(set) var hasLostLinks = false
  /// Bytes of texts and binaries so far.
  private(set) var byteCount = 0

  private let salvage: Salvage
  private let keys: [TableKey]
  private let transaction: WriteTransaction
  private var owner = SalvagedTable.Owner(table: -1, column: -1, key: 0)
  private var column: StoredColumn?
  /// Where the present value is.
  private var offset: Int?
  /// Embedded objects that the present value holds already.
  private var taken: Set<UInt64> = []

  init(_ salvage: Salvage, _ keys: [TableKey], _ transaction: WriteTransaction) {
    (self.salvage, self.keys, self.transaction) = (salvage, keys, transaction)
  }

  /// Begins with an object.
  func beginObject() {
    places.removeAll(keepingCapacity: true)
    hasLostLinks = false
  }

  /// Begins with a value of a column of an object.
  ///
  /// - Parameter offset: Where it is.
  func begin(_ owner: SalvagedTable.Owner, _ column: StoredColumn, at offset: Int? = nil) {
    (self.owner, self.column, self.offset) = (owner, column, offset)
    if !taken.isEmpty { taken.removeAll() }
  }

  func note(_ place: RecoveryReport.Place) {
    if !places.contains(place) { places.append(place) }
  }

  // MARK: Links

  /// Calls `body` with the table and the key of each link of a value that is kept.
  func forEachLink(in value: StoredValue, _ body: (Int, UInt64) -> Void) {
    guard let column else { return }
    switch value {
    case .list(let list) where column.collection != .none:
      for element in elements(of: list, isSet: column.collection == .set) {
        forEachNestedLink(in: element, body)
      }
    default: forEachNestedLink(in: value, body)
    }
  }

  private func forEachNestedLink(
    in value: StoredValue, _ body: (Int, UInt64) -> Void
  ) {
    switch value {
    case .link(let table, let key):
      if let position = resolved(table, key) { body(position, UInt64(key.rawValue)) }
    case .list(let list):
      for element in elements(of: list, isSet: list.isSet) { forEachNestedLink(in: element, body) }
    case .dictionary(let dictionary):
      for entry in entries(of: dictionary) { forEachNestedLink(in: entry.value, body) }
    default: break
    }
  }

  /// The table of a link that is kept; nil if the object is not saved, or belongs to another.
  private func resolved(_ table: TableKey, _ key: ObjectKey) -> Int? {
    if column?.kind == .link, table != column?.target { return nil }
    guard let target = salvage.target(table, key) else { return nil }
    guard salvage.tables[target.position].table.kind == .embedded else { return target.position }
    guard column?.kind == .link, salvage.isOwned(target, by: owner),
      taken.insert(UInt64(key.rawValue)).inserted
    else { return nil }
    return target.position
  }

  // MARK: Collections

  /// The elements of a list or set that are kept, links not resolved yet.
  private func elements(of list: StoredList, isSet: Bool) -> [StoredValue] {
    let salvaged = SalvagedElements(of: list)
    if let failure = salvaged.failure { note(RecoveryReport.Place(failure)) }
    guard isSet else { return salvaged.values }
    return CellMaker.sorted(salvaged.values, isDecimal: column?.kind == .decimal)
  }

  /// The members of a set in order, each once.
  ///
  /// Where a NaN is, sets have an order of their own; a null among decimals stands with the NaNs.
  ///
  /// Source: file-format.md 4.5.
  private static func sorted(_ values: [StoredValue], isDecimal: Bool) -> [StoredValue] {
    var (nulls, others): ([StoredValue], [StoredValue]) = ([], [])
    for value in values {
      switch value {
      case .float(let number) where number.isNaN: return values
      case .double(let number) where number.isNaN: return values
      case .null where isDecimal: nulls.append(value)
      default: others.append(value)
      }
    }
    let isSorted = zip(others, others.dropFirst()).allSatisfy {
      StoredValue.totalOrder($0, $1) < 0
    }
    if isSorted, nulls.count <= 1 { return values }
    var result = Array(nulls.prefix(1))
    for value in others.sorted(by: { StoredValue.totalOrder($0, $1) < 0 }) {
      if let last = result.last, StoredValue.totalOrder(last, value) == 0 { continue }
      result.append(value)
    }
    return result
  }

  private func entries(of dictionary: StoredDictionary) -> [StoredDictionary.Entry] {
    do throws(StorageError) {
      let entries = try dictionary.entries()
      return entries.indices.filter { i in
        guard firstInvalidUTF8(in: entries[i].key) == nil else {
          note(RecoveryReport.Place(.badText, at: offset))
          return false
        }
        return i == 0 || ScalarValue.compare(entries[i - 1].key, entries[i].key) != 0
      }.map { entries[$0] }
    } catch {
      note(RecoveryReport.Place(error))
      return []
    }
  }

  // MARK: Cells

  /// The cell that stands for a value that is lost.
  var initial: Cell {
    guard let column, column.collection == .none else { return .raw(0) }
    return .value(column.isNullable ? .null : CellMaker.zero(column.kind))
  }

  private static func zeros(_ count: Int) -> [UInt8] {
    Array(repeating: UInt8(ascii: "0"), count: count)
  }

  private static func zero(_ kind: ValueKind?) -> ScalarValue {
    switch kind {
    case .int: .int(0)
    case .bool: .bool(false)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string([])
    case .data: .data([])
    case .date: .date(Timestamp(seconds: 0, nanoseconds: 0))
    case .decimal: .decimal(Decimal128(0))
    case .objectID: ObjectID(hex: zeros(24)).map { .objectID($0) } ?? .null
    case .uuid: UUIDValue(hex: zeros(32)).map { .uuid($0) } ?? .null
    default: .null
    }
  }

  /// Makes the cell for a value of the present column.
  func cell(_ value: StoredValue) throws(StorageError) -> Cell {
    guard let column else { return .null }
    switch value {
    case .list(let list) where column.collection != .none:
      let values = elements(of: list, isSet: column.collection == .set)
      var cells: [Cell] = []
      cells.reserveCapacity(values.count)
      for value in values {
        if let cell = try element(value, key: Int64(cells.count + 1)) { cells.append(cell) }
      }
      return .raw(cells.isEmpty ? 0 : try TreeEditor(transaction.store, elementType).make(cells))
    case .dictionary(let dictionary) where column.collection != .none:
      var (names, values) = ([] as [Cell], [] as [Cell])
      for entry in entries(of: dictionary) {
        names.append(.value(.string([UInt8](entry.key))))
        values.append(try nested(entry.value, key: Int64(values.count + 1)))
      }
      guard !names.isEmpty else { return .raw(0) }
      let roots = [
        try transaction.keyTree.make(names), try transaction.mixedTree.make(values),
      ]
      return .raw(try transaction.store.makeIntegers(roots, .refs))
    case _ where column.collection != .none: throw .wrongType
    default: return try scalarOrNested(value)
    }
  }

  private func scalarOrNested(_ value: StoredValue) throws(StorageError) -> Cell {
    guard let column else { return .null }
    if case .null = value, !column.isNullable, column.kind != .link, column.kind != .mixed {
      note(RecoveryReport.Place(.badNull, at: offset))
      return initial
    }
    return try nested(value, key: 1)
  }

  /// The cell for an element; nil for a link to an object that is lost. Members of sets, which are in
  /// order, are given up rather than mended.
  private func element(_ value: StoredValue, key: Int64) throws(StorageError) -> Cell? {
    let isSet = column?.collection == .set
    if isSet, case .string(let bytes) = value, firstInvalidUTF8(in: bytes) != nil {
      note(RecoveryReport.Place(.badText, at: offset))
      return nil
    }
    if case .link(let table, let object) = value, isSet || column?.kind == .link {
      guard let position = resolved(table, object) else {
        hasLostLinks = true
        return nil
      }
      return .value(.link(keys[position], object))
    }
    if case .null = value, let column, !column.isNullable, column.kind != .mixed {
      note(RecoveryReport.Place(.badNull, at: offset))
      return isSet ? nil : .value(CellMaker.zero(column.kind))
    }
    return try nested(value, key: key)
  }

  private var elementType: LeafType {
    guard let column, let kind = column.kind else {
      return LeafType(layout: .mixed, isNullable: true)
    }
    return LeafType(
      layout: TableReader.layout(kind, column.collection),
      isNullable: kind == .mixed || kind != .link && column.isNullable,
      target: column.target.flatMap { salvage.position(of: $0) }.map { keys[$0] })
  }

  /// The cell for a value that can be a collection, if it is mixed.
  private func nested(_ value: StoredValue, key: Int64) throws(StorageError) -> Cell {
    switch value {
    case .list, .dictionary: try transaction.makeCell(try mixed(value), key: key)
    default: .value(try scalar(value))
    }
  }

  private func mixed(_ value: StoredValue) throws(StorageError) -> MixedValue {
    switch value {
    case .list(let list):
      var values: [MixedValue] = []
      for element in elements(of: list, isSet: false) { values.append(try mixed(element)) }
      return .list(values)
    case .dictionary(let dictionary):
      var entries: [(key: [UInt8], value: MixedValue)] = []
      for entry in self.entries(of: dictionary) {
        entries.append((key: [UInt8](entry.key), value: try mixed(entry.value)))
      }
      return .dictionary(entries)
    default: return .scalar(try scalar(value))
    }
  }

  private func scalar(_ value: StoredValue) throws(StorageError) -> ScalarValue {
    switch value {
    case .string(let bytes):
      byteCount += bytes.count
      guard firstInvalidUTF8(in: bytes) == nil else {
        note(RecoveryReport.Place(.badText, at: offset))
        return .string(Array(String(decoding: bytes, as: UTF8.self).utf8))
      }
      return .string([UInt8](bytes))
    case .data(let bytes):
      byteCount += bytes.count
      return .data([UInt8](bytes))
    case .link(let table, let object):
      guard let position = resolved(table, object) else {
        hasLostLinks = true
        return .null
      }
      return .link(keys[position], object)
    default:
      guard let scalar = value.scalar else { throw .wrongType }
      return scalar
    }
  }
}
