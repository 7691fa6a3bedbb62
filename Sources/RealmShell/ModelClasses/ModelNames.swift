import RealmObjects

/// How a language writes the names of classes and properties.
struct NameRules {
  /// Whether letters beyond ASCII may stand in names.
  var allowsUnicode = true
  /// Words that cannot be names of properties.
  var keywords: Set<String> = []
  /// What makes a keyword a name: a text before and a text behind it; nil if nothing does.
  var quotes: (String, String)?
  /// Names that the base class has taken.
  var members: Set<String> = []
  /// Names of types that classes must not hide.
  var types: Set<String> = []
  /// Whether names that begin with `_` cannot be seen from outside.
  var hidesUnderscores = false
}

/// The names of classes and properties in a language: those of the file wherever they can be used.
struct ModelNames {
  /// A name in the language, and whether it differs from the one of the file.
  struct Name {
    let text: String
    let isMapped: Bool
  }

  private let rules: NameRules
  private var classNames: [String: Name] = [:]

  init(_ classes: [ObjectClass], _ rules: NameRules) {
    self.rules = rules
    var used: Set<String> = []
    let stored = classes.map(\.name) + classes.flatMap { $0.properties.compactMap(\.targetName) }
    for name in stored where classNames[name] == nil {
      let isFree = isName(name) && !rules.types.contains(name) && !rules.keywords.contains(name)
      let base = isFree ? name : made(from: name, avoiding: rules.types.union(rules.keywords))
      let text = unique(base, &used)
      classNames[name] = Name(text: text, isMapped: text != name)
    }
  }

  /// The name of a class.
  func className(_ stored: String) -> Name {
    classNames[stored] ?? Name(text: stored, isMapped: false)
  }

  /// The names of the stored and the computed properties of a class.
  ///
  /// - Parameter taken: Further names that cannot be used.
  func propertyNames(_ stored: [String], besides taken: Set<String> = []) -> [Name] {
    let members = rules.members.union(taken)
    let free = Set(stored.filter { isName($0) && !members.contains($0) })
    var used: Set<String> = []
    return stored.map { name in
      let isFree = free.contains(name)
      if isFree, !rules.keywords.contains(name) {
        used.insert(name)
        return Name(text: name, isMapped: false)
      }
      if isFree, let (before, behind) = rules.quotes {
        used.insert(name)
        return Name(text: before + name + behind, isMapped: false)
      }
      let base = made(from: name, avoiding: members.union(rules.keywords).union(free))
      return Name(text: unique(base, &used), isMapped: true)
    }
  }

  /// Whether a text has the form of a name.
  private func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isStart(first) else { return false }
    if rules.hidesUnderscores, first == "_" { return false }
    return text != "_" && text.unicodeScalars.allSatisfy(isPart)
  }

  private func isStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || (scalar.isASCII || rules.allowsUnicode) && scalar.properties.isXIDStart
  }

  private func isPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || (scalar.isASCII || rules.allowsUnicode) && scalar.properties.isXIDContinue
  }

  private func made(from text: String, avoiding taken: Set<String>) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(isPart(scalar) ? scalar : "_") }
    var result = String(scalars)
    if rules.hidesUnderscores { result = String(result.drop { $0 == "_" }) }
    if result.isEmpty || result == "_" { result = "x" }
    // Joined to an `x` every part of a name is one.
    if let first = result.unicodeScalars.first, !isStart(first) { result = "x" + result }
    while taken.contains(result) { result += "_" }
    return result
  }

  private func unique(_ base: String, _ used: inout Set<String>) -> String {
    var result = base
    var number = 2
    while !used.insert(result).inserted {
      result = "\(base)\(number)"
      number += 1
    }
    return result
  }
}

extension String {
  /// The text between quotes in the languages of models.
  ///
  /// - Parameter dollar: What stands for a dollar sign.
  func quotedForModel(_ quote: Character = "\"", dollar: String = "$") -> String {
    var result = String(quote)
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "$": result += dollar
      case _ where Character(scalar) == quote: result += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + String(quote)
  }
}
