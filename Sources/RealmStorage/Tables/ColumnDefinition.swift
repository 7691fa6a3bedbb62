public import RealmValues

/// What a new column shall hold.
public struct ColumnDefinition: Sendable {
  /// The name; at most 63 bytes.
  public var name: String
  /// Type of the values or elements.
  public var kind: ValueKind
  /// Whether each object has one value or a collection.
  public var collection: StoredColumn.Collection
  /// Whether values or elements can be null. Mixed values, single links and dictionaries of links
  /// always can; lists and sets of links never.
  public var isNullable: Bool
  /// Table of links.
  public var target: TableKey?

  /// Describes a column.
  public init(
    _ name: String, _ kind: ValueKind, collection: StoredColumn.Collection = .none,
    isNullable: Bool = false, target: TableKey? = nil
  ) {
    self.name = name
    self.kind = kind
    self.collection = collection
    self.isNullable = isNullable
    self.target = target
  }

  /// The attributes that are part of the column key.
  ///
  /// Source: file-format-writing.md 8.12.
  var keyAttributes: ColumnAttributes {
    var result: ColumnAttributes =
      switch collection {
      case .none: []
      case .list: .list
      case .set: .set
      case .dictionary: .dictionary
      }
    let isNullable =
      switch kind {
      case .mixed: true
      case .link: collection == .none || collection == .dictionary
      default: isNullable
      }
    if isNullable { result.insert(.nullable) }
    return result
  }
}
