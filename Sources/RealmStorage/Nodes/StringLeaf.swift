/// Strings of a leaf in one of four forms.
///
///     has refs  scheme  context  form
///        no     bytes     -      short: elements of W bytes; the last one is the pad count
///        no     bits      -      enumerated: indexes into the unique strings of the column
///        yes    bits      no     medium: [offsets, blob with a zero byte behind each, nulls]
///        yes    bits      yes    big: one blob for each string
///
/// In the medium form `nulls` holds 1 for null from version 10 on, 0 for null before; it may be
/// missing before.
///
/// Source: file-format.md 3.6, 9.7.
public struct StringLeaf {
  /// Number of rows.
  public let count: Int
  private let form: Form
  private let first: Int
  private let isNullable: Bool
  private let isOld: Bool
  private let node: NodeView
  private let blob: NodeView
  private let nulls: NodeView?
  private let view: FileView
  private let unique: Unmanaged<UniqueStrings>?

  private enum Form { case short, enumerated, medium, big }

  init(
    _ node: NodeView, in view: FileView, isNullable: Bool, isOld: Bool, unique: UniqueStrings? = nil
  ) throws(StorageError) {
    self.view = view
    self.isNullable = isNullable
    self.isOld = isOld
    self.unique = unique.map { Unmanaged.passUnretained($0) }
    first = 0
    switch (node.hasRefs, node.scheme, node.hasContext) {
    case (false, .bytes, _):
      form = .short
      count = node.count
      (self.node, blob, nulls) = (node, node, nil)
    case (false, .bits, _):
      guard unique != nil || node.count == 0 else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      form = .enumerated
      count = node.count
      (self.node, blob, nulls) = (node, node, nil)
    case (true, .bits, false):
      form = .medium
      let parts = try SlicedBlob(node, in: view)
      (self.node, blob, nulls) = (parts.offsets, parts.blob, parts.nulls)
      count = parts.offsets.count
    case (true, .bits, true):
      form = .big
      count = node.count
      (self.node, blob, nulls) = (node, node, nil)
    default:
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
  }

  private init(_ other: StringLeaf, from start: Int, count: Int) {
    self.count = count
    form = other.form
    first = other.first + start
    isNullable = other.isNullable
    isOld = other.isOld
    node = other.node
    blob = other.blob
    nulls = other.nulls
    view = other.view
    unique = other.unique
  }

  func suffix(from start: Int, count: Int) -> StringLeaf {
    StringLeaf(self, from: start, count: count)
  }

  /// The bytes of a row; nil if it is null.
  ///
  /// The bytes stay where they are while the snapshot is open. They need not be valid UTF-8.
  ///
  /// - Throws: `StorageError.damaged` when the text runs past its node.
  /// - Precondition: the row is below `count`.
  @inline(__always)
  public func value(at row: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
    let bytes =
      switch form {
      case .short: try short(first &+ row)
      case .medium: try medium(first &+ row)
      case .big: try big(first &+ row)
      case .enumerated: try enumerated(first &+ row)
      }
    if bytes == nil, !isNullable { return UnsafeRawBufferPointer(start: node.payload, count: 0) }
    return bytes
  }

  @inline(__always)
  private func short(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    let width = node.width
    guard width > 0 else { return nil }
    let start = node.payload + index &* width
    let pad = Int(start.load(fromByteOffset: width &- 1, as: UInt8.self))
    guard pad < width else {
      guard pad == width else {
        throw .damage(.badLength, at: node.offset, found: pad, limit: width)
      }
      return nil
    }
    return UnsafeRawBufferPointer(start: start, count: width &- 1 &- pad)
  }

  @inline(__always)
  private func medium(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    if let nulls, (nulls[index] != 0) != isOld { return nil }
    let begin = index == 0 ? 0 : Int(node[index &- 1])
    let end = Int(node[index])
    guard begin >= 0, end <= blob.count, begin <= end else {
      throw .damage(.textPastEnd, at: node.offset, found: end, limit: blob.count)
    }
    guard begin < end else {
      if isOld { return UnsafeRawBufferPointer(start: blob.payload, count: 0) }
      throw .damage(.badLength, at: node.offset, found: 0, limit: 1)
    }
    return UnsafeRawBufferPointer(start: blob.payload + begin, count: end &- begin &- 1)
  }

  private func big(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let ref = try view.optionalRef(node, index) else { return nil }
    let blob = try view.blob(at: ref)
    return UnsafeRawBufferPointer(start: blob.payload, count: max(0, blob.count &- 1))
  }

  private func enumerated(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    let code = Int(node[index])
    guard let unique else { return nil }
    return try unique.takeUnretainedValue().value(at: code, of: node)
  }
}

extension StringLeaf {
  /// The bytes of all rows one behind the other, each followed by a zero byte, if the leaf is
  /// stored that way; for searching all rows at once.
  ///
  /// The end of row i, its zero byte included, is `end(ofRow: i)`. The bytes of a null row are a
  /// zero byte only.
  public var contiguousText: UnsafeRawBufferPointer? {
    form == .medium && first == 0 && !isOld ? blob.bytes : nil
  }

  /// End of a row in `contiguousText`; it has to be checked against its count before use.
  ///
  /// - Precondition: `contiguousText` is not nil.
  @inline(__always)
  public func end(ofRow row: Int) -> Int { Int(node[row]) }

  /// The texts, or what tells where they are.
  var bytes: UnsafeRawBufferPointer { form == .medium ? blob.bytes : node.bytes }

  /// Width, base address and count of the elements of the short form; nil for other forms.
  public var shortElements: (base: UnsafeRawPointer, width: Int)? {
    form == .short && node.width > 0 ? (node.payload + first * node.width, node.width) : nil
  }
}

/// The unique strings of an enumerated column, in one leaf or in a tree.
///
/// Source: file-format.md 3.6.
final class UniqueStrings {
  private var leaves: [(end: Int, leaf: StringLeaf)] = []

  /// Reads the leaves below `root`.
  init(root: Int64, in view: FileView, isNullable: Bool, isOld: Bool) throws(StorageError) {
    var cursor = BPlusTreeCursor(root: root, in: view)
    var end = 0
    while let node = try cursor.nextLeaf() {
      let leaf = try StringLeaf(node, in: view, isNullable: isNullable, isOld: isOld)
      end += leaf.count
      leaves.append((end, leaf))
    }
  }

  /// Number of strings.
  var count: Int { leaves.last?.end ?? 0 }

  /// Calls `body` with each string that is not null.
  func forEachText(
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    for (_, leaf) in leaves {
      for row in 0..<leaf.count {
        if let text = try leaf.value(at: row) { try body(text) }
      }
    }
  }

  /// The string with a code; `node` is the leaf with the code, for errors.
  func value(at code: Int, of node: NodeView) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard code >= 0, code < count, let position = leaves.firstIndex(where: { code < $0.end })
    else { throw .damage(.badIndex, at: node.offset, found: code, limit: count) }
    let start = position == 0 ? 0 : leaves[position - 1].end
    return try leaves[position].leaf.value(at: code - start)
  }
}
