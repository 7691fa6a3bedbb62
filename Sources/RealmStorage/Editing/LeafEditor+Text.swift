import Glibc
import RealmValues

/// Leaves of texts and binaries.
///
/// Source: file-format.md 3.5 to 3.7, file-format-writing.md 8.1.
extension LeafEditor {
  /// Longest text of the short form, and longest text or binary of the medium form plus one.
  static let shortLimit = 15
  static let mediumTextLimit = 63
  static let mediumBinaryLimit = 64
  /// Most bytes of a blob.
  static let maximumBlobByteCount = 0xFF_FFF8 - 8
  /// Longest text.
  static let maximumTextByteCount = maximumBlobByteCount - 1

  /// The bytes of a row; nil for null.
  private func bytes(_ cell: Cell) throws(StorageError) -> [UInt8]? {
    switch (type.layout, cell) {
    case (.string, .value(.string(let bytes))):
      guard bytes.count <= LeafEditor.maximumTextByteCount else { throw .rejected(.valueTooLong) }
      return bytes
    case (.data, .value(.data(let bytes))): return bytes
    case (_, .value(.null)) where type.isNullable: return nil
    default: throw .wrongType
    }
  }

  // MARK: Changes in place

  /// Inserts a row if the form of the leaf allows it.
  func insertText(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) -> Bool {
    let bytes = try bytes(cell)
    let node = try store.node(ref)
    if node.hasRefs, node.hasContext {
      try store.insert(&ref, row, try makeBig(bytes))
      return true
    }
    if node.hasRefs { return try splice(&ref, row, bytes, .insert) }
    guard LeafEditor.fitsShort(bytes, node) else { return false }
    LeafEditor.write(bytes, to: try store.openGap(&ref, at: row), width: node.width)
    return true
  }

  /// Changes a row if the form of the leaf allows it.
  func setText(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) -> Bool {
    let bytes = try bytes(cell)
    let node = try store.node(ref)
    if node.hasRefs, node.hasContext {
      let old = try store.element(ref, row)
      try store.set(&ref, row, try makeBig(bytes))
      try store.freeTree(old)
      return true
    }
    if node.hasRefs { return try splice(&ref, row, bytes, .set) }
    guard LeafEditor.fitsShort(bytes, node) else { return false }
    LeafEditor.write(bytes, to: try store.place(&ref, of: row), width: node.width)
    return true
  }

  /// Removes a row if the form of the leaf allows it.
  func removeText(_ ref: inout Int64, at row: Int) throws(StorageError) -> Bool {
    let node = try store.node(ref)
    if node.hasRefs, node.hasContext {
      let old = try store.element(ref, row)
      try store.remove(&ref, row)
      try store.freeTree(old)
      return true
    }
    if node.hasRefs { return try splice(&ref, row, nil, .remove) }
    guard node.scheme == .bytes, node.width > 0 else { return false }
    try store.closeGap(&ref, at: row)
    return true
  }

  private enum Change { case insert, set, remove }

  /// Changes a row of the medium form.
  ///
  /// - Returns: false, with nothing changed, if the value is too long for the form.
  private func splice(
    _ ref: inout Int64, _ row: Int, _ bytes: [UInt8]?, _ change: Change
  ) throws(StorageError) -> Bool {
    let isText = type.layout == .string
    let limit = isText ? LeafEditor.mediumTextLimit : LeafEditor.mediumBinaryLimit
    guard (bytes?.count ?? 0) <= limit else { return false }
    var slots = try store.integers(ref)
    guard slots.count >= 3 else { throw .damage(.tooFewElements, at: Int(ref), limit: 3) }
    var ends = try store.integers(slots[0])
    try NodeStore.check(row, below: ends.count + (change == .insert ? 1 : 0), ref)
    let begin = row == 0 ? 0 : ends[row - 1]
    let oldEnd = change == .insert ? begin : ends[row]
    let content = change == .remove ? [] : (bytes ?? []) + (isText ? [0] : [])
    try spliceBlob(&slots[1], from: Int(begin), to: Int(oldEnd), content)
    let newEnd = begin &+ Int64(content.count)
    switch change {
    case .insert:
      ends.insert(newEnd, at: row)
      try store.insert(&slots[2], row, bytes == nil ? 1 : 0)
    case .set:
      ends[row] = newEnd
      try store.set(&slots[2], row, bytes == nil ? 1 : 0)
    case .remove:
      ends.remove(at: row)
      try store.remove(&slots[2], row)
    }
    let later = change == .remove ? row : row + 1
    for i in later..<max(later, ends.count) { ends[i] &+= newEnd - oldEnd }
    try store.replace(&slots[0], ends)
    for i in 0..<3 { try store.set(&ref, i, slots[i]) }
    return true
  }

  /// Replaces a part of a blob.
  private func spliceBlob(
    _ blob: inout Int64, from begin: Int, to end: Int, _ content: [UInt8]
  ) throws(StorageError) {
    let old = try store.view.blob(at: blob)
    guard begin >= 0, begin <= end, end <= old.count else {
      throw .damage(.textPastEnd, at: old.offset, found: end, limit: old.count)
    }
    let count = old.count - (end - begin) + content.count
    try store.makeRoom(&blob, payloadByteCount: count)
    let payload = store.bytes(blob) + 8
    memmove(payload + begin + content.count, payload + end, old.count - end)
    content.withUnsafeBytes {
      if let source = $0.baseAddress { memcpy(payload + begin, source, $0.count) }
    }
    store.setHeader(blob, flags: 0x10, width: 1, count: count)
  }

  private static func fitsShort(_ bytes: [UInt8]?, _ node: NodeView) -> Bool {
    guard !node.hasRefs, node.scheme == .bytes, node.width > 0 else { return false }
    return bytes.map { $0.count < node.width } ?? true
  }

  /// Writes an element of the short form.
  static func write(_ bytes: [UInt8]?, to place: UnsafeMutableRawPointer, width: Int) {
    memset(place, 0, width)
    guard let bytes else {
      place.storeBytes(of: UInt8(width), toByteOffset: width - 1, as: UInt8.self)
      return
    }
    bytes.withUnsafeBytes { if let source = $0.baseAddress { memcpy(place, source, $0.count) } }
    place.storeBytes(
      of: UInt8(width - 1 - bytes.count), toByteOffset: width - 1, as: UInt8.self)
  }

  // MARK: Whole leaves

  /// Makes a leaf of texts in the smallest form.
  func makeStrings(_ cells: [Cell]) throws(StorageError) -> Int64 {
    var texts: [[UInt8]?] = []
    texts.reserveCapacity(cells.count)
    for cell in cells { texts.append(try bytes(cell)) }
    return try LeafEditor.makeStrings(texts, store)
  }

  /// Makes a leaf of texts in the smallest form.
  static func makeStrings(_ texts: [[UInt8]?], _ store: NodeStore) throws(StorageError) -> Int64 {
    let longest = texts.reduce(-1) { max($0, $1?.count ?? -1) }
    if longest <= shortLimit { return try makeShort(texts, longest: longest, store) }
    if longest <= mediumTextLimit { return try makeMedium(texts, isTerminated: true, store) }
    var refs: [Int64] = []
    for text in texts { refs.append(try makeTextBlob(text, store)) }
    return try store.makeIntegers(refs, .contextRefs)
  }

  /// Makes a node of short texts; `longest` is -1 if there are only nulls.
  static func makeShort(
    _ texts: [[UInt8]?], longest: Int, _ store: NodeStore
  ) throws(StorageError) -> Int64 {
    let width = shortWidth(longest: longest)
    let ref = try store.make(
      flags: NodeStore.byteScheme, width: width, count: texts.count,
      payloadByteCount: texts.count * width)
    guard width > 0 else { return ref }
    for i in texts.indices {
      write(texts[i], to: store.bytes(ref) + 8 + i * width, width: width)
    }
    return ref
  }

  /// Bytes of an element of the short form: the power of two above the longest text.
  static func shortWidth(longest: Int) -> Int {
    var width = longest < 0 ? 0 : 1
    while width <= longest { width *= 2 }
    return width
  }

  private static func makeMedium(
    _ values: [[UInt8]?], isTerminated: Bool, _ store: NodeStore
  ) throws(StorageError) -> Int64 {
    var (ends, nulls, contents): ([Int64], [Int64], [UInt8]) = ([], [], [])
    for value in values {
      if let value { contents += value }
      if isTerminated { contents.append(0) }
      ends.append(Int64(contents.count))
      nulls.append(value == nil ? 1 : 0)
    }
    let blob = try makeBlob(contents, isTerminated: false, store)
    return try store.makeIntegers(
      [try store.makeIntegers(ends), blob, try store.makeIntegers(nulls)], .refs)
  }

  /// Makes a leaf of binaries in the smaller form.
  func makeBinaries(_ cells: [Cell]) throws(StorageError) -> Int64 {
    var values: [[UInt8]?] = []
    values.reserveCapacity(cells.count)
    for cell in cells { values.append(try bytes(cell)) }
    return try LeafEditor.makeBinaries(values, store)
  }

  /// Makes a leaf of binaries in the smaller form.
  static func makeBinaries(
    _ values: [[UInt8]?], _ store: NodeStore
  ) throws(StorageError) -> Int64 {
    if values.allSatisfy({ ($0?.count ?? 0) <= mediumBinaryLimit }) {
      return try makeMedium(values, isTerminated: false, store)
    }
    var refs: [Int64] = []
    for value in values { refs.append(try makeBinaryBlob(value, store)) }
    return try store.makeIntegers(refs, .contextRefs)
  }

  private func makeBig(_ bytes: [UInt8]?) throws(StorageError) -> Int64 {
    type.layout == .string
      ? try LeafEditor.makeTextBlob(bytes, store) : try LeafEditor.makeBinaryBlob(bytes, store)
  }

  private static func makeTextBlob(
    _ bytes: [UInt8]?, _ store: NodeStore
  ) throws(StorageError) -> Int64 {
    guard let bytes else { return 0 }
    return try makeBlob(bytes, isTerminated: true, store)
  }

  private static func makeBinaryBlob(
    _ bytes: [UInt8]?, _ store: NodeStore
  ) throws(StorageError) -> Int64 {
    guard let bytes else { return 0 }
    guard bytes.count > maximumBlobByteCount else {
      return try makeBlob(bytes, isTerminated: false, store)
    }
    var pieces: [Int64] = []
    for start in stride(from: 0, to: bytes.count, by: maximumBlobByteCount) {
      let end = min(bytes.count, start + maximumBlobByteCount)
      pieces.append(try makeBlob(Array(bytes[start..<end]), isTerminated: false, store))
    }
    return try store.makeIntegers(pieces, .contextRefs)
  }

  private static func makeBlob(
    _ bytes: [UInt8], isTerminated: Bool, _ store: NodeStore
  ) throws(StorageError) -> Int64 {
    let made = bytes.withUnsafeBytes { (bytes) -> Result<Int64, StorageError> in
      do throws(StorageError) {
        return .success(try store.makeBlob(bytes, isTerminated: isTerminated))
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }
}
