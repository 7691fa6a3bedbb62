import ByteKernels
public import RealmValues

/// How the values of a column, or the elements of a collection, are laid out in a leaf.
///
/// Source: file-format.md 3 (table), 9.6.
enum LeafLayout: UInt8 {
  case int, bool, float, double, string, data, date, decimal, objectID, uuid, mixed
  /// Object key + 1; 0 is null.
  case link
  /// Object key.
  case key
  /// Table key + 1 and object key + 1.
  case typedLink
  /// Refs of collections.
  case collection
  /// Backlinks: none, one tagged key, or a ref of a tree of keys.
  case backlink
  /// Whole seconds, in versions before 5.
  case oldDate
}

/// What is needed to read the leaves of a column or of a collection.
struct LeafType {
  var layout: LeafLayout
  var isNullable: Bool
  /// Table of links.
  var target: TableKey?
  /// Whether the leaf follows the rules of versions 2 to 9.
  var isOld = false
  /// Levels of collections around the leaf.
  var depth = 0
  /// The strings of an enumerated column.
  var unique: Unmanaged<UniqueStrings>?
}

/// The values of one column for a run of rows.
///
/// Which layout it is gets decided once per leaf. Scans take the payload; everything else asks for
/// one value at a time.
public enum ColumnLeaf {
  case int(IntegerLeaf)
  /// 0 false, 1 true, 3 null (nullable columns only); in old files like `int`.
  case bool(IntegerLeaf, isNullable: Bool)
  case float(FloatingLeaf<Float>)
  case double(FloatingLeaf<Double>)
  case string(StringLeaf)
  case data(BinaryLeaf)
  case date(TimestampLeaf)
  case decimal(DecimalLeaf)
  case objectID(FixedBytesLeaf)
  case uuid(FixedBytesLeaf)
  case mixed(MixedLeaf)
  /// Object keys + 1; 0 is null.
  case link(IntegerLeaf, TableKey)
  /// Object keys: elements of lists and sets of links.
  case key(IntegerLeaf, TableKey)
  /// Pairs of table key + 1 and object key + 1.
  case typedLink(IntegerLeaf)
  /// Refs of collections, or backlinks.
  case refs(IntegerLeaf)

  init(_ node: NodeView, _ type: LeafType, in view: FileView) throws(StorageError) {
    switch type.layout {
    case .int: self = .int(try ColumnLeaf.integers(node, isNullable: type.isNullable))
    case .bool:
      self = .bool(
        try ColumnLeaf.integers(node, isNullable: type.isOld && type.isNullable),
        isNullable: type.isNullable && !type.isOld)
    case .float: self = .float(try FloatingLeaf(node, isNullable: type.isNullable))
    case .double: self = .double(try FloatingLeaf(node, isNullable: type.isNullable))
    case .string:
      self = .string(
        try StringLeaf(
          node, in: view, isNullable: type.isNullable, isOld: type.isOld,
          unique: type.unique?.takeUnretainedValue()))
    case .data: self = .data(try BinaryLeaf(node, in: view, isNullable: type.isNullable))
    case .date:
      guard node.hasRefs, node.scheme == .bits else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      self = .date(try TimestampLeaf(node, in: view))
    case .oldDate:
      self = .date(
        TimestampLeaf(
          seconds: try ColumnLeaf.integers(node, isNullable: type.isNullable), nanoseconds: nil))
    case .decimal: self = .decimal(try DecimalLeaf(node))
    case .objectID: self = .objectID(try FixedBytesLeaf(node, valueByteCount: 12))
    case .uuid: self = .uuid(try FixedBytesLeaf(node, valueByteCount: 16))
    case .mixed:
      self = .mixed(try MixedLeaf(node, in: view, depth: type.depth, target: type.target))
    case .link, .key:
      let keys = try ColumnLeaf.integers(node, isNullable: false)
      guard let target = type.target else {
        throw .damage(.unknownType, at: node.offset, found: Int(ValueKind.link.rawValue))
      }
      self = type.layout == .link ? .link(keys, target) : .key(keys, target)
    case .typedLink: self = .typedLink(try ColumnLeaf.integers(node, isNullable: false))
    case .collection, .backlink:
      guard node.hasRefs else {
        throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
      }
      self = .refs(try ColumnLeaf.integers(node, isNullable: false))
    }
  }

  private static func integers(
    _ node: NodeView, isNullable: Bool
  ) throws(StorageError) -> IntegerLeaf {
    guard node.scheme == .bits else {
      throw .damage(.wrongNodeKind, at: node.offset, found: Int(node.flags))
    }
    return try IntegerLeaf(node, isNullable: isNullable)
  }

  /// Number of rows.
  public var count: Int {
    switch self {
    case .int(let leaf), .bool(let leaf, _), .link(let leaf, _), .key(let leaf, _),
      .refs(let leaf):
      leaf.count
    case .typedLink(let leaf): leaf.count / 2
    case .float(let leaf): leaf.count
    case .double(let leaf): leaf.count
    case .string(let leaf): leaf.count
    case .data(let leaf): leaf.count
    case .date(let leaf): leaf.count
    case .decimal(let leaf): leaf.count
    case .objectID(let leaf), .uuid(let leaf): leaf.count
    case .mixed(let leaf): leaf.count
    }
  }

  /// The rows from `start` on.
  func suffix(from start: Int, count: Int) -> ColumnLeaf {
    switch self {
    case .int(let leaf): .int(leaf.suffix(from: start, count: count))
    case .bool(let leaf, let isNullable):
      .bool(leaf.suffix(from: start, count: count), isNullable: isNullable)
    case .link(let leaf, let table): .link(leaf.suffix(from: start, count: count), table)
    case .key(let leaf, let table): .key(leaf.suffix(from: start, count: count), table)
    case .refs(let leaf): .refs(leaf.suffix(from: start, count: count))
    case .typedLink(let leaf): .typedLink(leaf.suffix(from: 2 * start, count: 2 * count))
    case .float(let leaf): .float(leaf.suffix(from: start, count: count))
    case .double(let leaf): .double(leaf.suffix(from: start, count: count))
    case .string(let leaf): .string(leaf.suffix(from: start, count: count))
    case .data(let leaf): .data(leaf.suffix(from: start, count: count))
    case .date(let leaf): .date(leaf.suffix(from: start, count: count))
    case .decimal(let leaf): .decimal(leaf.suffix(from: start, count: count))
    case .objectID(let leaf): .objectID(leaf.suffix(from: start, count: count))
    case .uuid(let leaf): .uuid(leaf.suffix(from: start, count: count))
    case .mixed(let leaf): .mixed(leaf.suffix(from: start, count: count))
    }
  }

  /// The value of a row; for `refs` use the column.
  ///
  /// - Throws: `StorageError.damaged`.
  /// - Precondition: the row is below `count`.
  public func value(at row: Int) throws(StorageError) -> StoredValue {
    switch self {
    case .int(let leaf): leaf.value(at: row).map { .int($0) } ?? .null
    case .bool(let leaf, let isNullable): ColumnLeaf.bool(leaf, row, isNullable)
    case .float(let leaf): leaf.value(at: row).map { .float($0) } ?? .null
    case .double(let leaf): leaf.value(at: row).map { .double($0) } ?? .null
    case .string(let leaf): try leaf.value(at: row).map { .string($0) } ?? .null
    case .data(let leaf): try leaf.value(at: row).map { .data($0) } ?? .null
    case .date(let leaf): try leaf.value(at: row).map { .date($0) } ?? .null
    case .decimal(let leaf): leaf.value(at: row).map { .decimal($0) } ?? .null
    case .objectID(let leaf): leaf.value(at: row).map { .objectID(ObjectID($0)) } ?? .null
    case .uuid(let leaf): leaf.value(at: row).map { .uuid(UUIDValue($0)) } ?? .null
    case .mixed(let leaf): try leaf.value(at: row)
    case .link(let leaf, let table): ColumnLeaf.link(table, leaf.packed[leaf.first + row] &- 1)
    case .key(let leaf, let table): ColumnLeaf.link(table, leaf.packed[leaf.first + row])
    case .typedLink(let leaf): ColumnLeaf.typedLink(leaf, row)
    case .refs(let leaf): .int(leaf.packed[leaf.first + row])
    }
  }

  private static func bool(_ leaf: IntegerLeaf, _ row: Int, _ isNullable: Bool) -> StoredValue {
    guard let number = leaf.value(at: row), !(isNullable && number == 3) else { return .null }
    return .bool(number != 0)
  }

  /// Keys below 0 stand for null or for an object that a peer deleted.
  private static func link(_ table: TableKey, _ key: Int64) -> StoredValue {
    key < 0 ? .null : .link(table, ObjectKey(key))
  }

  private static func typedLink(_ leaf: IntegerLeaf, _ row: Int) -> StoredValue {
    let table = leaf.packed[leaf.first + 2 * row]
    if table == 0 { return .null }
    let key = leaf.packed[leaf.first + 2 * row + 1] &- 1
    return link(TableKey(UInt32(truncatingIfNeeded: (table &- 1) & 0x7FFF_FFFF)), key)
  }
}
