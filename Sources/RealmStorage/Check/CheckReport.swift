public import RealmValues

/// What a check of a snapshot found.
public struct CheckReport: Sendable {
  /// Most findings that are recorded; the others are only counted.
  public static let maximumRecorded = 10_000

  /// The first findings, in the order in which they were made.
  public internal(set) var findings: [Finding] = []
  /// Number of all findings.
  public internal(set) var findingCount = 0
  /// Number of classes (tables whose name starts with `class_`), unreadable ones included.
  public internal(set) var classCount = 0
  /// Number of objects of classes that were read without an error; for a check that is not deep,
  /// the same as `objectTotal`.
  public internal(set) var objectCount = 0
  /// Number of objects that the classes should have.
  public internal(set) var objectTotal = 0
  /// Number of nodes reached from the top array; 0 for a quick check.
  public internal(set) var nodeCount = 0
  /// Whether the check came to its end: it was not cancelled and did not give up on a file whose
  /// nodes refer to each other, or that has nothing but damage.
  public internal(set) var isComplete = true

  /// Whether nothing is wrong with the file.
  public var isGood: Bool { findingCount == 0 && isComplete }

  mutating func add(_ finding: Finding) {
    findingCount += 1
    if findings.count < CheckReport.maximumRecorded { findings.append(finding) }
  }
}

/// One thing that is wrong, and where.
public struct Finding: Equatable, Sendable {
  /// Byte offset in the (decrypted) file of the node or field, if there is one.
  public var offset: UInt64?
  /// Name of the table as stored.
  public var table: String?
  /// Name of the column.
  public var column: String?
  /// Key of the object.
  public var object: ObjectKey?
  /// What is wrong.
  public var kind: Kind

  /// Creates a finding.
  public init(
    _ kind: Kind, offset: UInt64? = nil, table: String? = nil, column: String? = nil,
    object: ObjectKey? = nil
  ) {
    self.kind = kind
    self.offset = offset
    self.table = table
    self.column = column
    self.object = object
  }

  /// The kinds of findings.
  public enum Kind: Equatable, Sendable {
    /// A part of the file cannot be read.
    case unreadable(StorageError)
    /// Bits of the header that must be 0 are not: bytes 22 and 23 of the file.
    case reservedHeaderBits(UInt16)
    /// The top array has a number of elements that no writer makes.
    case topElementCount(Int)
    /// An unknown number for the kind of history.
    case historyType(Int64)

    /// The three lists of free ranges have different lengths.
    case freeListLengths(positions: Int, sizes: Int, versions: Int)
    /// A free range begins before the one in front of it ends.
    case freeListOrder(start: Int64, previousEnd: Int64)
    /// Position or size of a free range is not a multiple of 8, or the size is 0.
    case freeRangeAlignment(start: Int64, byteCount: Int64)
    /// A free range is not inside the snapshot, which has `limit` bytes.
    case freeRangeOutside(start: Int64, byteCount: Int64, limit: Int)
    /// A free range is in use, by the table of the finding if it has one; the offset is that of the
    /// list.
    case freeRangeInUse(start: Int64, end: Int64)
    /// Bytes are neither free nor in use: `byteCount` in all, the first at the offset.
    case lostSpace(byteCount: Int)

    /// A node is referred to from a second place.
    case sharedNode
    /// A node overlaps another one.
    case overlappingNode

    /// A page of an encrypted file does not verify.
    case damagedPage(Int)

    /// A table or tree has `found` objects or elements where its root says `stored`.
    case count(found: Int, stored: Int)
    /// An object is met in a walk but not found by its key.
    case notFoundByKey
    /// The key of an object is negative or not above the one before it.
    case objectKeyOrder
    /// Two elements of a set are not in ascending order; `index` is that of the second.
    case setOrder(index: Int)
    /// Two keys of a dictionary are not in ascending order, or equal.
    case dictionaryOrder(index: Int)
    /// A text is not valid UTF-8 from a byte on.
    case invalidText(byteIndex: Int)
    /// Another column of the table has the same key index.
    case duplicateColumnIndex(Int)

    /// A link leads to a table that does not exist.
    case missingTable(TableKey)
    /// A link leads to an object that does not exist.
    case missingObject(TableKey, ObjectKey)
    /// A link to an object of a table has no backlink.
    case missingBacklink(TableKey, ObjectKey)
    /// An object has a backlink from an object of a table that does not link to it.
    case strayBacklink(TableKey, ObjectKey)
    /// An embedded object has this number of owners instead of one.
    case ownerCount(Int)
    /// Another object has the same primary key.
    case duplicatePrimaryKey(of: ObjectKey)

    /// A search index has no entry for an object.
    case missingInIndex
    /// A search index has an entry for an object that does not exist, or a second one.
    case strayInIndex
    /// A search index has the object under another value.
    case wrongIndexEntry
    /// The keys of a node of a search index are not ascending, or do not fit its children.
    case indexOrder
  }
}
