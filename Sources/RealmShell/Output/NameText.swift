import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A name as it is written in statements: in back quotes unless it is a word.
///
/// Controls and overrides of the direction, which terminals would obey, are shown as `\u001b`; such a
/// name cannot be typed.
///
/// Source: shell.md 3.
func quotedName(_ name: String) -> String {
  if CanonicalText.isBareName(Array(name.utf8).span) { return name }
  var result = "`"
  for scalar in name.unicodeScalars {
    if scalar.properties.generalCategory == .control || EscapedText.overridesDirection(scalar) {
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    } else {
      result += scalar == "`" ? "``" : String(scalar)
    }
  }
  return result + "`"
}

/// The same, exactly as it has to stand in a script if the text is for one.
func quotedName(_ name: String, inScript: Bool) -> String {
  inScript ? CanonicalText.string(name: name) : quotedName(name)
}

extension Property {
  /// The type in the notation of schemas, for instance `int?`, `Dog[]`, `Dog?{}`.
  var typeText: String { typeText(inScript: false) }

  private func typeText(inScript: Bool) -> String {
    RealmShell.typeText(
      kind, collection, isNullable: isNullable, target: targetName, inScript: inScript)
  }

  /// The type with its flags, for instance `int primary`.
  var typeAndFlags: String { typeAndFlags(inScript: false) }

  /// The same, in a script if the text is for one.
  func typeAndFlags(inScript: Bool) -> String {
    var text = typeText(inScript: inScript)
    if isPrimaryKey { text += " primary" }
    if isIndexed { text += " indexed" }
    if hasFullTextIndex { text += " fulltext" }
    return text
  }
}

/// A type in the notation of schemas; `target` is the class of links.
///
/// Source: shell.md 7.
func typeText(
  _ kind: ValueKind, _ collection: StoredColumn.Collection, isNullable: Bool, target: String?,
  inScript: Bool = false
) -> String {
  var text = target.map { quotedName($0, inScript: inScript) } ?? kind.name
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
