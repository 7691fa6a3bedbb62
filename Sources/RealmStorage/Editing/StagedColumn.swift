import Glibc
import RealmValues

/// Values of one column for the rows of a leaf that is not made yet.
///
/// Rows are given in ascending order; until a row is finished its value can be given anew.
final class StagedColumn {
  /// Most rows.
  static let capacity = ClusterTree.maximumCount

  let column: ClusterEditor.Column
  /// Number of rows that have been given a value.
  private(set) var count = 0

  private let layout: LeafLayout
  private let isNullable: Bool
  /// Numbers, bits of floating-point numbers, seconds, low words of decimals; where a text ends.
  private let words: UnsafeMutablePointer<Int64>
  /// Nanoseconds, high words of decimals.
  private let parts: UnsafeMutablePointer<Int64>
  private let nulls: UnsafeMutablePointer<Bool>
  /// Texts, binaries, object ids and uuids, one behind the other.
  private var bytes: UnsafeMutableRawPointer
  private var bytesCapacity: Int
  /// Values of the column, or what a collection is before it has elements.
  private var cells: [Cell] = []

  init(_ column: ClusterEditor.Column) {
    self.column = column
    layout = column.leaf.type.layout
    isNullable = column.leaf.type.isNullable
    words = .allocate(capacity: StagedColumn.capacity)
    parts = .allocate(capacity: StagedColumn.capacity)
    nulls = .allocate(capacity: StagedColumn.capacity)
    bytesCapacity = 4096
    bytes = .allocate(byteCount: bytesCapacity, alignment: 8)
  }

  deinit {
    words.deallocate()
    parts.deallocate()
    nulls.deallocate()
    bytes.deallocate()
  }

  // MARK: Giving values

  /// Gives a row its value.
  ///
  /// - Throws: `rejected(.wrongType)`, `rejected(.valueTooLong)`; the row has its old value then.
  func set(_ row: Int, _ value: ScalarValue) throws(StorageError) {
    switch (layout, value) {
    case (.string, .string(let text)), (.data, .data(let text)):
      try text.withUnsafeBufferPointer { (text) throws(StorageError) in
        try set(row, bytes: UnsafeRawBufferPointer(text))
      }
    case (.int, .int(let value)): set(row, value, 0)
    case (.date, .date(let value)): set(row, value.seconds, Int64(value.nanoseconds))
    case (.int, .null), (.date, .null), (.string, .null), (.data, .null), (.objectID, .null),
      (.uuid, .null):
      guard isNullable else { throw .wrongType }
      setNull(row)
    case (.objectID, .objectID(let value)): value.withBytes { append(row, $0) }
    case (.uuid, .uuid(let value)): value.withBytes { append(row, $0) }
    case (.float, _), (.double, _), (.decimal, _):
      let bits = try column.leaf.element(.value(value))
      set(row, Int64(bitPattern: bits.0), Int64(bitPattern: bits.1))
    case (.bool, _), (.link, _): set(row, try column.leaf.integer(.value(value)), 0)
    case (.mixed, _):
      if case .key = value { throw .wrongType }
      if case .string(let text) = value, text.count > LeafEditor.maximumTextByteCount {
        throw .rejected(.valueTooLong)
      }
      setCell(row, .value(value))
    default: throw .wrongType
    }
    count = row + 1
  }

  /// Forgets the values of rows from one on.
  func forget(from row: Int) { count = min(count, row) }

  /// Gives a row of texts or binaries its value.
  func set(_ row: Int, bytes text: UnsafeRawBufferPointer) throws(StorageError) {
    guard layout == .string || layout == .data else { throw .wrongType }
    guard layout == .data || text.count <= LeafEditor.maximumTextByteCount else {
      throw .rejected(.valueTooLong)
    }
    append(row, text)
    count = row + 1
  }

  /// Gives a row the value that new objects have.
  func setInitial(_ row: Int) throws(StorageError) {
    switch column.initial {
    case .value(let value): try set(row, value)
    default:
      set(row, 0, 0)
      count = row + 1
    }
  }

  @inline(__always)
  private func set(_ row: Int, _ word: Int64, _ part: Int64) {
    precondition(row < StagedColumn.capacity)
    words[row] = word
    parts[row] = part
    nulls[row] = false
  }

  private func setNull(_ row: Int) {
    precondition(row < StagedColumn.capacity)
    nulls[row] = true
    parts[row] = 0
    words[row] = hasBytes ? Int64(start(row)) : 0
  }

  private func setCell(_ row: Int, _ cell: Cell) {
    if row < cells.count { cells.removeLast(cells.count - row) }
    cells.append(cell)
  }

  private var hasBytes: Bool {
    switch layout {
    case .string, .data, .objectID, .uuid: true
    default: false
    }
  }

  /// Where the bytes of a row begin.
  @inline(__always)
  private func start(_ row: Int) -> Int { row == 0 ? 0 : Int(words[row - 1]) }

  private func append(_ row: Int, _ text: UnsafeRawBufferPointer) {
    precondition(row < StagedColumn.capacity)
    let begin = start(row)
    let end = begin + text.count
    if end > bytesCapacity { grow(to: end, keeping: begin) }
    if let source = text.baseAddress { memcpy(bytes + begin, source, text.count) }
    words[row] = Int64(end)
    nulls[row] = false
  }

  private func grow(to byteCount: Int, keeping used: Int) {
    bytesCapacity = max(2 * bytesCapacity, byteCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: bytesCapacity, alignment: 8)
    memcpy(larger, bytes, used)
    bytes.deallocate()
    bytes = larger
  }

  // MARK: Reading

  /// The bytes of a row that is not null.
  func text(_ row: Int) -> UnsafeRawBufferPointer {
    let begin = start(row)
    return UnsafeRawBufferPointer(start: bytes + begin, count: Int(words[row]) - begin)
  }

  /// What a row holds.
  func cell(_ row: Int) -> Cell {
    let (word, part) = (words[row], parts[row])
    switch layout {
    case .mixed: return cells[row]
    case .collection, .backlink: return .raw(word)
    case .bool: return word == 3 ? .null : .value(.bool(word != 0))
    case .link: return word == 0 ? .null : .value(.key(ObjectKey(word - 1)))
    case .float:
      let bits = UInt32(truncatingIfNeeded: word)
      let isNull = isNullable && bits == FloatingLeaf<Float>.nullPattern
      return isNull ? .null : .value(.float(Float(bitPattern: bits)))
    case .double:
      let bits = UInt64(bitPattern: word)
      let isNull = isNullable && bits == FloatingLeaf<Double>.nullPattern
      return isNull ? .null : .value(.double(Double(bitPattern: bits)))
    case .decimal:
      let value = Decimal128(low: UInt64(bitPattern: word), high: UInt64(bitPattern: part))
      return value.isNull ? .null : .value(.decimal(value))
    default: break
    }
    if nulls[row] { return .null }
    switch layout {
    case .int: return .value(.int(word))
    case .date:
      return .value(.date(Timestamp(seconds: word, nanoseconds: Int32(truncatingIfNeeded: part))))
    case .string: return .value(.string([UInt8](text(row))))
    case .data: return .value(.data([UInt8](text(row))))
    // A row that is not null has bytes.
    case .objectID: return .value(.objectID(ObjectID(text(row).baseAddress!)))
    // A row that is not null has bytes.
    case .uuid: return .value(.uuid(UUIDValue(text(row).baseAddress!)))
    default: return .null
    }
  }

  /// The key of a row in a search index; it is valid until the next change.
  func indexKey(_ row: Int) -> IndexKey? {
    switch layout {
    case .string, .data, .objectID, .uuid: nulls[row] ? .null : IndexKey(text(row))
    case .int: nulls[row] ? .null : IndexKey(words[row])
    default: IndexKey(cell(row).scalar)
    }
  }

  // MARK: Making leaves

  /// Makes a leaf of the first rows.
  func makeLeaf(count: Int) throws(StorageError) -> Int64 {
    let store = column.leaf.store
    let numbers = UnsafeBufferPointer(start: words, count: count)
    switch layout {
    case .int where isNullable: return try store.makeNullable(numbers, nulls: nulls)
    case .int, .bool, .link: return try store.makeIntegers(numbers)
    case .collection, .backlink: return try store.makeIntegers(numbers, .refs)
    case .date:
      let seconds = try store.makeNullable(numbers, nulls: nulls)
      let nanoseconds = try store.makeIntegers(UnsafeBufferPointer(start: parts, count: count))
      return try store.makeIntegers([seconds, nanoseconds], .refs)
    case .float, .double, .decimal: return try makeElements(count)
    case .string, .data: return try makeTexts(count)
    case .objectID: return try makeFixedBytes(count, 12)
    case .uuid: return try makeFixedBytes(count, 16)
    case .mixed: return try column.leaf.makeMixed(Array(cells[..<count]))
    case .key, .typedLink, .oldDate: throw .rejected(.notSupported)
    }
  }

  private func makeElements(_ count: Int) throws(StorageError) -> Int64 {
    let store = column.leaf.store
    let width = layout == .float ? 4 : layout == .double ? 8 : 16
    let ref = try store.make(
      flags: NodeStore.byteScheme, width: width, count: count, payloadByteCount: count * width)
    let payload = store.bytes(ref) + 8
    switch layout {
    case .double: memcpy(payload, words, count * 8)
    case .float:
      for row in 0..<count {
        payload.storeBytes(
          of: UInt32(truncatingIfNeeded: words[row]), toByteOffset: 4 &* row, as: UInt32.self)
      }
    default:
      for row in 0..<count {
        payload.storeBytes(of: words[row], toByteOffset: 16 &* row, as: Int64.self)
        payload.storeBytes(of: parts[row], toByteOffset: 16 &* row &+ 8, as: Int64.self)
      }
    }
    return ref
  }

  private func makeTexts(_ count: Int) throws(StorageError) -> Int64 {
    var longest = -1
    for row in 0..<count where !nulls[row] { longest = max(longest, Int(words[row]) - start(row)) }
    let isText = layout == .string
    if isText, longest <= LeafEditor.shortLimit { return try makeShort(count, longest) }
    if longest <= (isText ? LeafEditor.mediumTextLimit : LeafEditor.mediumBinaryLimit) {
      return try makeMedium(count, isText)
    }
    return try column.leaf.make((0..<count).map { cell($0) })
  }

  private func makeShort(_ count: Int, _ longest: Int) throws(StorageError) -> Int64 {
    let store = column.leaf.store
    let width = LeafEditor.shortWidth(longest: longest)
    let ref = try store.make(
      flags: NodeStore.byteScheme, width: width, count: count, payloadByteCount: count * width)
    guard width > 0 else { return ref }
    let payload = store.bytes(ref) + 8
    memset(payload, 0, count * width)
    for row in 0..<count {
      let place = payload + row &* width
      let length = nulls[row] ? -1 : Int(words[row]) - start(row)
      if length > 0 { memcpy(place, bytes + start(row), length) }
      place.storeBytes(
        of: UInt8(truncatingIfNeeded: width - 1 - length), toByteOffset: width - 1, as: UInt8.self)
    }
    return ref
  }

  private func makeMedium(_ count: Int, _ isText: Bool) throws(StorageError) -> Int64 {
    let store = column.leaf.store
    let terminator = isText ? 1 : 0
    let byteCount = count == 0 ? 0 : Int(words[count - 1]) + count * terminator
    let blob = try store.make(flags: 0x10, width: 1, count: byteCount, payloadByteCount: byteCount)
    let payload = store.bytes(blob) + 8
    if !isText { memcpy(payload, bytes, byteCount) }
    return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2 * count) {
      (room) throws(StorageError) in
      let ends = UnsafeMutableBufferPointer(rebasing: room[..<count])
      let marks = UnsafeMutableBufferPointer(rebasing: room[count...])
      var begin = 0
      for row in 0..<count {
        let end = Int(words[row])
        if isText {
          let place = payload + (begin &+ row)
          memcpy(place, bytes + begin, end &- begin)
          place.storeBytes(of: 0, toByteOffset: end &- begin, as: UInt8.self)
        }
        ends[row] = Int64(end &+ (row &+ 1) &* terminator)
        marks[row] = nulls[row] ? 1 : 0
        begin = end
      }
      let offsets = try store.makeIntegers(UnsafeBufferPointer(ends))
      return try store.makeIntegers(
        [offsets, blob, try store.makeIntegers(UnsafeBufferPointer(marks))], .refs)
    }
  }

  private func makeFixedBytes(_ count: Int, _ size: Int) throws(StorageError) -> Int64 {
    let store = column.leaf.store
    let byteCount = count * size + (count + 7) / 8
    let ref = try store.make(
      flags: NodeStore.byteScheme, width: 1, count: byteCount, payloadByteCount: byteCount)
    let payload = store.bytes(ref) + 8
    memset(payload, 0, byteCount)
    for row in 0..<count {
      let block = payload + row / 8 * (8 * size + 1)
      if nulls[row] {
        let marks = block.load(as: UInt8.self)
        block.storeBytes(of: marks | 1 << UInt8(row % 8), as: UInt8.self)
      } else {
        memcpy(block + (1 + row % 8 * size), bytes + start(row), size)
      }
    }
    return ref
  }
}
