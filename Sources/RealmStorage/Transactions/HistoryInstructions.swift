import RealmValues

/// Reads the instructions of a change set one after the other.
///
/// Source: file-format-writing.md 5.
struct InstructionReader {
  /// One instruction with its operands.
  enum Instruction: Equatable {
    case insertTable(TableKey)
    case eraseTable(TableKey)
    case renameTable(TableKey)
    case selectTable(TableKey)
    case create(ObjectKey)
    case remove(ObjectKey)
    case set(ColumnKey, ObjectKey)
    case insertColumn(ColumnKey)
    case eraseColumn(ColumnKey)
    case renameColumn(ColumnKey)
    /// The depth is 0 for the collection of the property itself.
    case selectCollection(ColumnKey, ObjectKey, depth: Int)
    case element(TransactionChanges.ElementChange)
    /// A hidden column was added.
    case addBacklinks
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// No collection has more elements: sums of a few positions cannot overflow.
  static let maximumIndex = 1 << 40

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private func failure() -> StorageError {
    .damage(.badInstruction, at: position, found: position, limit: bytes.count)
  }

  /// A number in groups of seven bits, the lowest first; the last group has a sign bit.
  private mutating func number() throws(StorageError) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 70 {
      let byte = bytes[position]
      position += 1
      if byte & 0x80 == 0 {
        value |= UInt64(byte & 0x3F) << shift
        let magnitude = Int64(truncatingIfNeeded: value & (1 << 63 - 1))
        return byte & 0x40 == 0 ? magnitude : ~magnitude
      }
      value |= UInt64(byte & 0x7F) << shift
      shift += 7
    }
    throw failure()
  }

  private mutating func index() throws(StorageError) -> Int {
    let value = try number()
    guard value >= 0, value < Int64(InstructionReader.maximumIndex) else { throw failure() }
    return Int(value)
  }

  private mutating func table() throws(StorageError) -> TableKey {
    guard let number = UInt32(exactly: try number()) else { throw failure() }
    return TableKey(number)
  }

  private mutating func column() throws(StorageError) -> ColumnKey {
    ColumnKey(UInt64(bitPattern: try number()))
  }

  private mutating func object() throws(StorageError) -> ObjectKey { ObjectKey(try number()) }

  /// The key of a dictionary, which old files tell before the index.
  private mutating func skipKey() throws(StorageError) {
    guard try number() == 2 else { throw failure() }
    let count = try index()
    guard count <= bytes.count - position else { throw failure() }
    position += count
  }

  /// The next instruction; nil at the end.
  ///
  /// - Throws: `damaged(.badInstruction)`: an unknown instruction, or one that is cut off.
  mutating func next() throws(StorageError) -> Instruction? {
    guard position < bytes.count else { return nil }
    switch bytes[position] {
    case 1, 2, 3, 10: return try tableInstruction()
    case 11...13, 20...22, 43: return try objectInstruction()
    default: return try collectionInstruction()
    }
  }

  private mutating func tableInstruction() throws(StorageError) -> Instruction {
    switch try number() {
    case 1: return .insertTable(try table())
    case 2: return .eraseTable(try table())
    case 3: return .renameTable(try table())
    default:
      guard try number() == 0 else { throw failure() }
      return .selectTable(try table())
    }
  }

  private mutating func objectInstruction() throws(StorageError) -> Instruction {
    switch try number() {
    case 11: return .create(try object())
    case 12: return .remove(try object())
    case 13:
      let column = try column()
      return .set(column, try object())
    case 20: return .insertColumn(try column())
    case 21: return .eraseColumn(try column())
    case 22: return .renameColumn(try column())
    default:
      _ = try column()
      _ = try table()
      return .addBacklinks
    }
  }

  /// Source: file-format-writing.md 5.2; the codes from 37 on stand in old files only.
  private mutating func collectionInstruction() throws(StorageError) -> Instruction {
    let start = position
    switch try number() {
    case 30:
      let column = try column()
      return .selectCollection(column, try object(), depth: 0)
    case 45:
      let column = try column()
      let object = try object()
      let depth = try index()
      guard depth <= StoredList.maximumDepth else { throw failure() }
      for _ in 0..<depth { _ = try number() }
      return .selectCollection(column, object, depth: depth)
    case 31, 40: return .element(.insert(try index()))
    case 32: return .element(.set(try index()))
    case 33:
      let from = try index()
      return .element(.move(from, try index()))
    case 35, 41: return .element(.erase(try index()))
    case 36, 42, 44: return .element(.clear(oldCount: try index()))
    case 37:
      try skipKey()
      return .element(.insert(try index()))
    case 38:
      try skipKey()
      return .element(.set(try index()))
    case 39:
      try skipKey()
      return .element(.erase(try index()))
    default:
      position = start
      throw failure()
    }
  }
}
