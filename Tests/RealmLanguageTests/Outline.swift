import RealmLanguage
import RealmValues

/// A syntax tree in one line, without places and without parts that are absent: what the tables of
/// these tests compare.
func outline(_ value: Any) -> String {
  switch value {
  case let bytes as [UInt8] where !bytes.isEmpty:
    return "'" + String(decoding: bytes, as: UTF8.self) + "'"
  case let name as Name: return name.text
  case let text as String: return "'" + text + "'"
  case is SourceRange: return ""
  case let block as Block: return outline(Array(block.statements))
  case let date as Timestamp: return CanonicalText.string(.date(date), inMixed: true)
  case let key as ObjectKey: return String(key.rawValue)
  case let key as TableKey: return String(key.rawValue)
  case let value as ObjectID: return value.description
  case let value as UUIDValue: return value.description
  case let value as Decimal128: return value.description
  default: break
  }
  let mirror = Mirror(reflecting: value)
  let parts = mirror.children.compactMap { child -> String? in
    let text = outline(child.value)
    return text.isEmpty || text == "false" ? nil : text
  }
  switch mirror.displayStyle {
  case .optional: return parts.first ?? ""
  case .collection: return parts.isEmpty ? "" : "[" + parts.joined(separator: " ") + "]"
  case .enum:
    guard let name = mirror.children.first?.label else { return String(describing: value) }
    return parts.isEmpty ? name : "\(name)(" + parts.joined(separator: " ") + ")"
  case .tuple: return parts.joined(separator: " ")
  case .struct where !mirror.children.isEmpty: return parts.joined(separator: " ")
  default: return String(describing: value)
  }
}

/// Tables of texts, each followed by lines `=> outline`, folded at blanks.
enum TreeTable {
  static func rows(of table: String) -> [(text: String, tree: [Substring])] {
    var rows: [(text: String, tree: [Substring])] = []
    for line in table.split(separator: "\n") {
      let words = line.drop { $0 == " " }
      if words.hasPrefix("=>") {
        rows[rows.count - 1].tree += self.words(String(words.dropFirst(2)))
      } else {
        rows.append((String(words), []))
      }
    }
    return rows
  }

  static func words(_ text: String) -> [Substring] { text.split(separator: " ") }
}
