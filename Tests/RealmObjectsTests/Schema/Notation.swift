import RealmObjects
import RealmStorage
import RealmValues

/// A class in the notation of schemas: `define("Dog", "id: int primary", "friends: Dog[]")`.
func define(_ head: String, _ properties: String...) -> ClassDefinition {
  let words = head.split(separator: " ").map { String($0) }
  let kind: StoredTable.Kind =
    words.contains("embedded") ? .embedded : words.contains("asymmetric") ? .asymmetric : .topLevel
  var definition = ClassDefinition(words[0], kind: kind, [])
  for text in properties {
    let parts = text.split(separator: " ").map { String($0) }
    let name = String(parts[0].dropLast())
    if parts[1].hasPrefix("@links.") {
      let steps = parts[1].split(separator: ".")
      definition.inverses.append(
        InverseDefinition(
          name, originClass: String(steps[1]), originProperty: String(steps[2])))
    } else {
      definition.properties.append(property(text))
    }
  }
  return definition
}

/// A property in the notation of schemas: `property("age: int? indexed")`.
func property(_ text: String) -> PropertyDefinition {
  let parts = text.split(separator: " ").map { String($0) }
  return PropertyDefinition(
    String(parts[0].dropLast()), type(parts[1]), isPrimaryKey: parts.contains("primary"),
    isIndexed: parts.contains("indexed"), isFullText: parts.contains("fulltext"))
}

private func type(_ text: String) -> PropertyType {
  var base = text
  var collection = StoredColumn.Collection.none
  let marks: [(String, StoredColumn.Collection)] = [
    ("[]", .list), ("<>", .set), ("{}", .dictionary),
  ]
  for (mark, kind) in marks where base.hasSuffix(mark) {
    base.removeLast(2)
    collection = kind
  }
  let isMarked = base.hasSuffix("?")
  if isMarked { base.removeLast() }
  let kinds: [ValueKind] = [
    .int, .bool, .string, .data, .mixed, .date, .float, .double, .decimal, .objectID, .uuid,
  ]
  if let kind = kinds.first(where: { $0.name == base }) {
    return .written(kind, collection, isMarked: isMarked)
  }
  return .written(.link, collection, isMarked: isMarked, target: base)
}
