import Glibc
import RealmValues

/// Leaves of object ids and uuids: blocks of eight values, a byte of null bits before each.
///
/// Source: file-format.md 3.10.
extension LeafEditor {
  /// Bytes of a value.
  private var valueByteCount: Int { type.layout == .objectID ? 12 : 16 }

  private func byteCount(_ rowCount: Int) -> Int { rowCount * valueByteCount + (rowCount + 7) / 8 }

  /// Number of rows if the leaf can be changed in place; an empty one may have any width.
  private func fixedCount(_ ref: Int64) throws(StorageError) -> Int? {
    let node = try store.node(ref)
    let count = try FixedBytesLeaf(node, valueByteCount: valueByteCount).count
    return node.width == 1 ? count : nil
  }

  /// Inserts a row if the leaf can be changed in place.
  func insertFixed(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) -> Bool {
    try checkFixed(cell)
    guard let count = try fixedCount(ref) else { return false }
    try NodeStore.check(row, below: count + 1, ref)
    try store.makeRoom(&ref, payloadByteCount: byteCount(count + 1))
    let payload = store.bytes(ref) + 8
    if count % 8 == 0 {
      payload.storeBytes(of: 0, toByteOffset: byteCount(count), as: UInt8.self)
    }
    for target in stride(from: count, to: row, by: -1) {
      move(payload, from: target - 1, to: target)
    }
    write(cell, payload, row)
    setFixedHeader(ref, count + 1)
    return true
  }

  /// Changes a row if the leaf can be changed in place.
  func setFixed(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) -> Bool {
    try checkFixed(cell)
    guard let count = try fixedCount(ref) else { return false }
    try NodeStore.check(row, below: count, ref)
    try store.makeWritable(&ref)
    write(cell, store.bytes(ref) + 8, row)
    return true
  }

  /// Removes rows, ascending, if the leaf can be changed in place.
  func removeFixed(_ ref: inout Int64, rows: [Int]) throws(StorageError) -> Bool {
    guard let count = try fixedCount(ref), let last = rows.last else { return false }
    try NodeStore.check(last, below: count, ref)
    try store.makeWritable(&ref)
    let payload = store.bytes(ref) + 8
    var (next, target) = (0, rows[0])
    for row in rows[0]..<count {
      if next < rows.count, rows[next] == row {
        next += 1
        continue
      }
      move(payload, from: row, to: target)
      target += 1
    }
    if target % 8 != 0 {
      let last = block(payload, target)
      let marks = last.load(as: UInt8.self)
      last.storeBytes(of: marks & (UInt8(1) << UInt8(target % 8) - 1), as: UInt8.self)
    }
    setFixedHeader(ref, target)
    return true
  }

  private func setFixedHeader(_ ref: Int64, _ rowCount: Int) {
    store.setHeader(ref, flags: NodeStore.byteScheme, width: 1, count: byteCount(rowCount))
  }

  /// Throws if a value does not fit.
  private func checkFixed(_ cell: Cell) throws(StorageError) {
    switch (type.layout, cell) {
    case (.objectID, .value(.objectID)), (.uuid, .value(.uuid)): return
    case (_, .value(.null)) where type.isNullable: return
    default: throw .wrongType
    }
  }

  private func block(_ payload: UnsafeMutableRawPointer, _ row: Int) -> UnsafeMutableRawPointer {
    payload + row / 8 * (8 * valueByteCount + 1)
  }

  private func mark(_ block: UnsafeMutableRawPointer, _ row: Int, isNull: Bool) {
    let bit = UInt8(1) << UInt8(row % 8)
    let marks = block.load(as: UInt8.self)
    block.storeBytes(of: isNull ? marks | bit : marks & ~bit, as: UInt8.self)
  }

  private func move(_ payload: UnsafeMutableRawPointer, from source: Int, to target: Int) {
    let (old, new) = (block(payload, source), block(payload, target))
    let isNull = old.load(as: UInt8.self) >> UInt8(source % 8) & 1 != 0
    memmove(
      new + (1 + target % 8 * valueByteCount), old + (1 + source % 8 * valueByteCount),
      valueByteCount)
    mark(new, target, isNull: isNull)
  }

  private func write(_ cell: Cell, _ payload: UnsafeMutableRawPointer, _ row: Int) {
    let block = block(payload, row)
    let place = UnsafeMutableRawBufferPointer(
      start: block + (1 + row % 8 * valueByteCount), count: valueByteCount)
    mark(block, row, isNull: false)
    switch cell {
    case .value(.objectID(let value)): value.withBytes { place.copyMemory(from: $0) }
    case .value(.uuid(let value)): value.withBytes { place.copyMemory(from: $0) }
    default:
      memset(block + (1 + row % 8 * valueByteCount), 0, valueByteCount)
      mark(block, row, isNull: true)
    }
  }
}
