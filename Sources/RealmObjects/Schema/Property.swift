public import RealmStorage
public import RealmValues

/// A persisted property of a class.
public struct Property: Sendable {
  /// The name as stored.
  public let name: String
  /// Position in `StoredTable.columns`, which is also the order of the properties.
  public let position: Int
  /// Type of the values or elements.
  public let kind: ValueKind
  /// Whether each object has one value or a collection.
  public let collection: StoredColumn.Collection
  /// Whether values or elements can be null.
  public let isNullable: Bool
  /// Whether it is the primary key of its class.
  public let isPrimaryKey: Bool
  /// Whether it has a general search index that was asked for.
  public let isIndexed: Bool
  /// Whether it has a full-text index.
  public let hasFullTextIndex: Bool
  /// Table of links.
  public let target: TableKey?
  /// Name of the class of links.
  public let targetName: String?
}
