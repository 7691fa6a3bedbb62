import RealmValues

/// Values of any type in a leaf: a composite number for each, and payload arrays.
///
///     slot  content
///        0  composite: 0 = null, else type + 1 (5 bits), payload slot (3 bits), number
///        1  integers: ints, floats, doubles
///        2  pairs of integers: dates, decimals, links
///        3  strings: strings, binaries, objectIds, uuids
///        4  refs of nested collections (version 24)
///        5  keys of nested collections (version 24); not needed for reading
///
/// Source: file-format.md 3.11.
public struct MixedLeaf {
  /// Number of rows.
  public let count: Int
  private let first: Int
  private let composite: NodeView
  private let ints: NodeView?
  private let pairs: NodeView?
  private let strings: StringLeaf?
  private let refs: NodeView?
  private let view: FileView
  /// Levels of collections around the leaf.
  private let depth: Int
  /// Table of bare links, which no known writer makes.
  private let target: TableKey?

  init(
    _ node: NodeView, in view: FileView, depth: Int, target: TableKey?
  ) throws(StorageError) {
    guard node.hasRefs, node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    composite = try view.integers(at: try view.ref(node, 0))
    try view.chargeElements(composite)
    ints = try MixedLeaf.integers(node, 1, view)
    pairs = try MixedLeaf.integers(node, 2, view)
    if let ref = try view.optionalRef(node, 3) {
      strings = try StringLeaf(
        try view.node(at: ref), in: view, isNullable: true, isOld: false)
    } else {
      strings = nil
    }
    if let ref = try view.optionalRef(node, 4) {
      refs = try view.refs(at: ref)
    } else {
      refs = nil
    }
    count = composite.count
    first = 0
    self.view = view
    self.depth = depth
    self.target = target
  }

  private init(_ other: MixedLeaf, from start: Int, count: Int) {
    self.count = count
    first = other.first + start
    composite = other.composite
    ints = other.ints
    pairs = other.pairs
    strings = other.strings
    refs = other.refs
    view = other.view
    depth = other.depth
    target = other.target
  }

  func suffix(from start: Int, count: Int) -> MixedLeaf {
    MixedLeaf(self, from: start, count: count)
  }

  private static func integers(
    _ node: NodeView, _ slot: Int, _ view: FileView
  ) throws(StorageError) -> NodeView? {
    guard let ref = try view.optionalRef(node, slot) else { return nil }
    return try view.integers(at: ref)
  }

  /// The value of a row.
  ///
  /// - Throws: `StorageError.damaged` when the type is unknown or the payload is missing.
  public func value(at row: Int) throws(StorageError) -> StoredValue {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
    let code = composite[first + row]
    if code == 0 { return .null }
    let type = Int(code & 0x1F) - 1
    let payload = Int(code >> 5) & 7
    let number = code >> 8
    switch type {
    case 0: return .int(payload == 0 ? number : try int(number))
    case 1: return .bool(number != 0)
    case 2: return try bytes(number).map { .string($0) } ?? .null
    case 4: return try bytes(number).map { .data($0) } ?? .null
    case 8: return .date(try date(number))
    case 9: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try int(number))))
    case 10: return .double(Double(bitPattern: UInt64(bitPattern: try int(number))))
    case 11:
      let (low, high) = try pair(number)
      return .decimal(Decimal128(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)))
    case 12:
      guard let target else { break }
      return link(target, try int(number))
    case 15:
      return try fixed(number, 12).map { .objectID(ObjectID($0)) } ?? .null
    case 16:
      let (table, key) = try pair(number)
      return link(TableKey(UInt32(truncatingIfNeeded: table)), key)
    case 17:
      return try fixed(number, 16).map { .uuid(UUIDValue($0)) } ?? .null
    case 19, 21: return try collection(number, isList: type == 19)
    default: break
    }
    throw .damage(.unknownType, at: composite.offset, found: type)
  }

  /// A link to an object that was deleted by a peer reads as null.
  private func link(_ table: TableKey, _ key: Int64) -> StoredValue {
    ObjectKey(key).isUnresolved ? .null : .link(table, ObjectKey(key))
  }

  private func int(_ index: Int64) throws(StorageError) -> Int64 {
    guard let ints, index >= 0, index < ints.count else {
      throw .damage(
        .badIndex, at: composite.offset, found: Int(index), limit: ints?.count ?? 0)
    }
    return ints[Int(index)]
  }

  private func pair(_ index: Int64) throws(StorageError) -> (Int64, Int64) {
    guard let pairs, index >= 0, index < pairs.count / 2 else {
      throw .damage(
        .badIndex, at: composite.offset, found: Int(index), limit: (pairs?.count ?? 0) / 2)
    }
    return (pairs[2 * Int(index)], pairs[2 * Int(index) + 1])
  }

  private func bytes(_ index: Int64) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let strings, index >= 0, index < strings.count else {
      throw .damage(
        .badIndex, at: composite.offset, found: Int(index), limit: strings?.count ?? 0)
    }
    return try strings.value(at: Int(index))
  }

  private func fixed(_ index: Int64, _ byteCount: Int) throws(StorageError) -> UnsafeRawPointer? {
    guard let bytes = try bytes(index) else { return nil }
    guard bytes.count == byteCount else {
      throw .damage(.badLength, at: composite.offset, found: bytes.count, limit: byteCount)
    }
    return bytes.baseAddress
  }

  private func date(_ index: Int64) throws(StorageError) -> Timestamp {
    let (seconds, part) = try pair(index)
    guard let value = Timestamp(stored: seconds, part) else {
      throw .damage(.badNanoseconds, at: composite.offset, found: Int(part), limit: 999_999_999)
    }
    return value
  }

  private func collection(_ index: Int64, isList: Bool) throws(StorageError) -> StoredValue {
    guard let refs, index >= 0, index < refs.count else {
      throw .damage(.badIndex, at: composite.offset, found: Int(index), limit: refs?.count ?? 0)
    }
    guard depth < StoredList.maximumDepth else {
      throw .damage(
        .nestedTooDeep, at: composite.offset, found: depth, limit: StoredList.maximumDepth)
    }
    let ref = try view.optionalRef(refs, Int(index)) ?? 0
    if isList { return .list(StoredList(nested: ref, in: view, depth: depth + 1)) }
    return .dictionary(StoredDictionary(nested: ref, in: view, depth: depth + 1))
  }
}
