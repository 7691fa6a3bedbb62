import ByteKernels
import Glibc
import RealmValues

/// From values to what a leaf holds, and back.
extension LeafEditor {
  /// The number for a row of a leaf of plain integers.
  func integer(_ cell: Cell) throws(StorageError) -> Int64 {
    switch (type.layout, cell) {
    case (.collection, .raw(let number)), (.backlink, .raw(let number)): return number
    case (.int, .value(.int(let value))): return value
    case (.bool, .value(.bool(let value))): return value ? 1 : 0
    case (.bool, .value(.null)) where type.isNullable: return 3
    case (.link, .value(.null)): return 0
    case (.link, .value(.key(let key))): return key.rawValue + 1
    case (.key, .value(.key(let key))): return key.rawValue
    case (.link, .value(.link(let table, let key))) where table == type.target:
      return key.rawValue + 1
    case (.key, .value(.link(let table, let key))) where table == type.target: return key.rawValue
    default: throw .wrongType
    }
  }

  func optionalInteger(_ cell: Cell) throws(StorageError) -> Int64? {
    switch cell {
    case .value(.int(let value)): return value
    case .value(.null): return nil
    default: throw .wrongType
    }
  }

  /// Seconds and nanoseconds.
  func date(_ cell: Cell) throws(StorageError) -> (Int64?, Int64) {
    switch cell {
    case .value(.date(let value)): return (value.seconds, Int64(value.nanoseconds))
    case .value(.null) where type.isNullable: return (nil, 0)
    default: throw .wrongType
    }
  }

  /// The bits of a row of floats, doubles or decimals; the second word is that of decimals.
  func element(_ cell: Cell) throws(StorageError) -> (UInt64, UInt64) {
    switch (type.layout, cell) {
    case (.float, .value(.float(let value))):
      // The pattern of null may not come from a value.
      let bits = value.bitPattern
      return (UInt64(bits == FloatingLeaf<Float>.nullPattern ? 0x7FC0_0000 : bits), 0)
    case (.double, .value(.double(let value))):
      let bits = value.bitPattern
      return (bits == FloatingLeaf<Double>.nullPattern ? 0x7FF8_0000_0000_0000 : bits, 0)
    case (.decimal, .value(.decimal(let value))):
      return (value.isNull ? 0 : value.low, value.high)
    case (.float, .value(.null)) where type.isNullable:
      return (UInt64(FloatingLeaf<Float>.nullPattern), 0)
    case (.double, .value(.null)) where type.isNullable:
      return (FloatingLeaf<Double>.nullPattern, 0)
    case (.decimal, .value(.null)) where type.isNullable: return (0xAA, 0x7C00_0000_0000_0000)
    default: throw .wrongType
    }
  }

  /// Bytes of a row of floats, doubles or decimals.
  private var elementByteCount: Int {
    switch type.layout {
    case .float: 4
    case .double: 8
    default: 16
    }
  }

  /// Whether the leaf holds rows of the full width, so that one more can be written into it.
  func prepareElements(_ ref: inout Int64, _ cell: Cell) throws(StorageError) -> Bool {
    try store.node(ref).width == elementByteCount
  }

  func write(_ bits: (UInt64, UInt64), to place: UnsafeMutableRawPointer) {
    switch elementByteCount {
    case 4: place.storeBytes(of: UInt32(truncatingIfNeeded: bits.0), as: UInt32.self)
    case 8: place.storeBytes(of: bits.0, as: UInt64.self)
    default:
      place.storeBytes(of: bits.0, as: UInt64.self)
      place.storeBytes(of: bits.1, toByteOffset: 8, as: UInt64.self)
    }
  }

  /// The value of a row.
  func cell(_ ref: Int64, _ row: Int) throws(StorageError) -> Cell {
    let node = try store.node(ref)
    let leaf = try ColumnLeaf(node, type, in: store.view)
    guard row >= 0, row < leaf.count else {
      throw .damage(.badIndex, at: node.offset, found: row, limit: leaf.count)
    }
    return try cell(leaf, node, row)
  }

  /// The values of all rows.
  func cells(_ ref: Int64) throws(StorageError) -> [Cell] {
    let node = try store.node(ref)
    let leaf = try ColumnLeaf(node, type, in: store.view)
    var result: [Cell] = []
    result.reserveCapacity(leaf.count)
    for row in 0..<leaf.count { result.append(try cell(leaf, node, row)) }
    return result
  }

  private func cell(
    _ leaf: ColumnLeaf, _ node: NodeView, _ row: Int
  ) throws(StorageError) -> Cell {
    switch leaf {
    case .refs(let refs): return .raw(refs.packed[refs.first + row])
    // Keys of tombstones have to survive a move.
    case .link(let keys, _): return link(keys.packed[row] - 1)
    case .key(let keys, _): return .value(.key(ObjectKey(keys.packed[row])))
    case .mixed:
      if let nested = try nested(node, row) { return nested }
      return .value(try leaf.value(at: row).scalar ?? .null)
    default: return .value(try leaf.value(at: row).scalar ?? .null)
    }
  }

  private func link(_ key: Int64) -> Cell {
    key == -1 ? .null : .value(.key(ObjectKey(key)))
  }

  /// Makes a leaf.
  func make(_ cells: [Cell]) throws(StorageError) -> Int64 {
    switch type.layout {
    case .int where type.isNullable:
      var values: [Int64?] = []
      for cell in cells { values.append(try optionalInteger(cell)) }
      return try store.makeNullable(values)
    case .int, .bool, .link, .key, .collection, .backlink:
      var values: [Int64] = []
      for cell in cells { values.append(try integer(cell)) }
      let hasRefs = type.layout == .collection || type.layout == .backlink
      return try store.makeIntegers(values, hasRefs ? .refs : .plain)
    case .date:
      var (wholes, parts): ([Int64?], [Int64]) = ([], [])
      for cell in cells {
        let (seconds, part) = try date(cell)
        wholes.append(seconds)
        parts.append(part)
      }
      return try store.makeIntegers(
        [try store.makeNullable(wholes), try store.makeIntegers(parts)], .refs)
    case .float, .double, .decimal: return try makeElements(cells)
    case .string: return try makeStrings(cells)
    case .data: return try makeBinaries(cells)
    case .objectID, .uuid: return try makeFixedBytes(cells)
    case .mixed: return try makeMixed(cells)
    case .typedLink, .oldDate: throw .rejected(.notSupported)
    }
  }

  private func makeElements(_ cells: [Cell]) throws(StorageError) -> Int64 {
    let width = elementByteCount
    let ref = try store.make(
      flags: NodeStore.byteScheme, width: width, count: cells.count,
      payloadByteCount: cells.count * width)
    for i in cells.indices {
      write(try element(cells[i]), to: store.bytes(ref) + 8 + i * width)
    }
    return ref
  }

  /// Source: file-format.md 3.10.
  private func makeFixedBytes(_ cells: [Cell]) throws(StorageError) -> Int64 {
    let valueByteCount = type.layout == .objectID ? 12 : 16
    var contents: [UInt8] = []
    contents.reserveCapacity(cells.count * (valueByteCount + 1))
    var nullByte = 0
    for (i, cell) in cells.enumerated() {
      if i % 8 == 0 {
        nullByte = contents.count
        contents.append(0)
      }
      switch (type.layout, cell) {
      case (.objectID, .value(.objectID(let value))):
        value.withBytes { contents.append(contentsOf: $0) }
      case (.uuid, .value(.uuid(let value))): value.withBytes { contents.append(contentsOf: $0) }
      case (_, .value(.null)) where type.isNullable:
        contents[nullByte] |= 1 << UInt8(i % 8)
        contents.append(contentsOf: repeatElement(0, count: valueByteCount))
      default: throw .wrongType
      }
    }
    return try store.makeByteElements(width: 1, count: contents.count, contents)
  }
}
