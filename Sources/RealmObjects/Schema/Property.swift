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

  /// The type in the notation of schemas, for instance `int?`, `Dog[]`, `Dog?{}`.
  ///
  /// Source: shell.md 7.
  public var typeText: String {
    var text = targetName.map(quotedName) ?? kind.name
    let isMarked =
      kind == .link
      ? collection == .none || collection == .dictionary
      : isNullable && kind != .mixed
    if isMarked { text += "?" }
    switch collection {
    case .none: break
    case .list: text += "[]"
    case .set: text += "<>"
    case .dictionary: text += "{}"
    }
    return text
  }
}

/// A name as it is written in statements: in back quotes unless it is a word.
///
/// Controls, which terminals would obey, are shown as `\u001b`; such a name cannot be typed.
///
/// Source: shell.md 3.
public func quotedName(_ name: String) -> String {
  let isWord =
    name.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } ?? false
    && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  if isWord { return name }
  var result = "`"
  for scalar in name.unicodeScalars {
    if scalar.properties.generalCategory == .control {
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    } else {
      result += scalar == "`" ? "``" : String(scalar)
    }
  }
  return result + "`"
}
