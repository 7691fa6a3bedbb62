public import RealmValues

/// A public column of a table: a persisted property.
public struct StoredColumn {
  /// Kinds of collections a column can hold for each object.
  public enum Collection: UInt8, Sendable {
    case none, list, set, dictionary
  }

  /// The name; bytes that are not UTF-8 are replaced.
  public var name: String
  /// The key as stored; made up from position and type in versions 2 to 9.
  public let key: ColumnKey
  /// Type of the values or elements; nil if the file has a number that no known writer uses.
  public let kind: ValueKind?
  /// Whether each object has one value or a collection.
  public let collection: Collection
  /// Whether values or elements can be null.
  public let isNullable: Bool
  /// Whether the column has a search index that users asked for, or that its primary key needs.
  public let hasIndex: Bool
  /// Whether the attribute of a general index is set, which a primary key need not have.
  public let isMarkedIndexed: Bool
  /// Whether the column has a full-text index.
  public let hasFullTextIndex: Bool
  /// Table of links.
  public let target: TableKey?

  /// Layout of the values themselves, or of the elements of the collections.
  let valueType: LeafType
  /// Position in a cluster leaf (from version 10), or among the trees of the table (before).
  let slot: Int
  /// Keeps the strings of an enumerated column.
  let unique: UniqueStrings?
  /// Ref of the search index, from version 10 on; 0 if there is none.
  var indexRoot: Int64 = 0

  /// Layout of the column in a cluster leaf.
  var leafType: LeafType {
    collection == .none ? valueType : LeafType(layout: .collection, isNullable: false)
  }
}

/// A hidden column with the objects that link to each object through one column.
public struct StoredBacklink {
  /// Table of the links.
  public let originTable: TableKey
  /// Key of the column of the links; in versions 2 to 9 the made-up key.
  public let originColumn: ColumnKey

  let slot: Int
}
