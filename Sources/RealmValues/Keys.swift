/// Identifies an object within its table.
///
/// Source: file-format.md 5.1.
public struct ObjectKey: Hashable, Comparable, Sendable {
  /// At least 0 for an object, -1 for no object, below -1 for a tombstone.
  public var rawValue: Int64

  /// The key with the given number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// The key that stands for no object.
  public static let null = ObjectKey(-1)

  /// Whether the key leads to a tombstone: a link to an object that does not exist yet or any more.
  public var isUnresolved: Bool { rawValue <= -2 }

  /// Orders by number.
  public static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.rawValue < b.rawValue }
}

/// Identifies a table within its file.
///
/// Source: file-format.md 6.3.
public struct TableKey: Hashable, Comparable, Sendable {
  /// The place in the table list in the low 16 bits, the number of its reuses above.
  public var rawValue: UInt32

  /// The key with the given number.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// Place in the list of tables.
  public var index: Int { Int(rawValue & 0xFFFF) }

  /// Orders by number.
  public static func < (a: TableKey, b: TableKey) -> Bool { a.rawValue < b.rawValue }
}

/// What a column holds besides its type.
///
/// Source: file-format.md 0.
public struct ColumnAttributes: OptionSet, Hashable, Sendable {
  /// The bits as stored.
  public let rawValue: UInt32

  /// The attributes with the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Has a search index that was asked for.
  public static let indexed = ColumnAttributes(rawValue: 1)
  /// Values, or elements of a collection, may be null.
  public static let nullable = ColumnAttributes(rawValue: 16)
  /// Holds a list per object.
  public static let list = ColumnAttributes(rawValue: 32)
  /// Holds a dictionary per object.
  public static let dictionary = ColumnAttributes(rawValue: 64)
  /// Holds a set per object.
  public static let set = ColumnAttributes(rawValue: 128)
  /// Has a full-text index.
  public static let fullText = ColumnAttributes(rawValue: 256)
}

/// Identifies a column within its table and says what it holds.
///
/// Bits 0..15 index, 16..21 type number, 22..29 attributes, 30..61 tag.
/// Source: file-format.md 6.5.
public struct ColumnKey: Hashable, Sendable {
  /// The 64 bits as stored.
  public var rawValue: UInt64

  /// The key with the given bits.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// The key of a column made of its parts; of the attributes only the low eight bits are kept.
  public init(index: Int, typeNumber: Int, attributes: ColumnAttributes, tag: UInt32) {
    precondition(index >= 0 && index < 0x1_0000 && typeNumber >= 0 && typeNumber < 64)
    rawValue =
      UInt64(index) | UInt64(typeNumber) << 16 | UInt64(attributes.rawValue & 0xFF) << 22
      | UInt64(tag) << 30
  }

  /// Slot among the columns of an object and in the lists of the table that go by column.
  public var index: Int { Int(rawValue & 0xFFFF) }

  /// Number of the type of the column; see `ValueKind`.
  public var typeNumber: Int { Int(rawValue >> 16 & 63) }

  /// Attributes; the indexes are not among them.
  public var attributes: ColumnAttributes {
    ColumnAttributes(rawValue: UInt32(rawValue >> 22 & 255))
  }

  /// What makes keys of reused indexes different.
  public var tag: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 30) }
}
