import ByteKernels
import RealmLanguage

/// What helps those who come from other shells: a statement that does what they have typed.
///
/// The errors of the parser tell what fits at a place; these remedies tell what may have been meant.
/// Source: shell.md 19.
struct NewcomerHints {
  private let error: ShellError
  private let range: SourceRange
  private let statement: SourceRange
  private let source: SourceText
  private let classNames: [String]

  /// - Parameter classNames: The classes of the current database.
  init?(
    _ error: ShellError, in statement: SourceRange, of source: SourceText, _ classNames: [String]
  ) {
    guard let range = error.range, statement.start <= range.start, range.end <= statement.end else {
      return nil
    }
    (self.error, self.range, self.statement) = (error, range, statement)
    (self.source, self.classNames) = (source, classNames)
  }

  /// Statements are looked at as far as this.
  private static let longestStatement = 10_000

  /// The error with a remedy, if there is one for it.
  var hintedError: ShellError {
    guard error.remedy == nil, statement.end - statement.start <= Self.longestStatement else {
      return error
    }
    var hinted = error
    switch error.name {
    case .unknownVerb, .syntax:
      if isAtStart {
        let known = Self.verbs[firstWord.lowercased()] ?? Self.verbs[verb]
        hinted.remedy = known ?? remedyForOtherWord
        if known != nil { hinted.suggestion = nil }
      } else {
        hinted.remedy = remedyForSyntax
        if wordAtError.lowercased() == "is", hinted.remedy != nil { hinted.suggestion = nil }
      }
    case .invalidProperty: hinted.remedy = remedyForText
    default: break
    }
    return hinted
  }

  // MARK: Words

  /// The text from a place up to the next blank.
  private func word(at offset: Int) -> String {
    let bytes = source.bytes[offset..<statement.end]
    return String(decoding: bytes.prefix { $0 > 0x20 && $0 != 0x3B }, as: UTF8.self)
  }

  private var firstWord: String { word(at: statement.start) }
  /// The letters that the statement begins with.
  private var verb: String { firstWord.prefix { $0.isLetter }.lowercased() }
  private var wordAtError: String { word(at: range.start) }

  /// The text before the error.
  private var before: Substring {
    let text = String(decoding: source.bytes[statement.start..<range.start], as: UTF8.self)[...]
    return text.trimmingBlanks
  }

  private var isAtStart: Bool { before.isEmpty }

  // MARK: Verbs

  /// What other shells and languages call it.
  private static let verbs: [String: String] = {
    var verbs: [String: String] = [:]
    for (words, remedy) in [
      ("select", "in RQL: where CLASS [CONDITION] [show COLUMN, ...]"),
      ("find query search filter from db", "where CLASS [CONDITION]"),
      ("insert", "add CLASS {PROPERTY: VALUE, ...}"),
      ("update", "set CLASS PROPERTY = VALUE where CONDITION"),
      ("remove rm", "delete CLASS KEY, or delete CLASS where CONDITION"),
      ("create", "class NAME {PROPERTY: TYPE, ...}, or for a file: open PATH new"),
      ("describe desc .schema \\d \\d+", "schema CLASS"),
      ("tables classes show list ls dir .tables .databases \\dt \\l", "schema lists the classes"),
      ("q bye logout .quit .exit :q :q! \\q exit() quit()", "exit"),
      ("h man .help \\? \\h", "help"), ("cat", "where CLASS"),
      (".mode .headers", "mode MODE"), (".open \\c connect", "open PATH"),
      (".read \\i", "source PATH"), (".output \\o", "output PATH"), ("clear cls", "Ctrl-L"),
      ("rollback abort undo revert", "cancel"), ("save", "commit"),
      ("backup", "copy to PATH"), ("vacuum shrink", "compact"), ("version", "schema version"),
    ] {
      for word in words.split(separator: " ") { verbs[String(word)] = remedy }
    }
    return verbs
  }()

  private var remedyForOtherWord: String? {
    let word = firstWord
    if classNames.contains(word) { return "where \(quotedName(word))" }
    let name = String(word.prefix { $0 != "(" && $0 != "#" && $0 != "." && $0 != "[" })
    if name.utf8.count < word.utf8.count, classNames.contains(name) {
      let isObject = word.dropFirst(name.count).first != "." && word.first { $0 == "[" } == nil
      return isObject ? "get \(word)" : "where \(quotedName(name))"
    }
    let rest = word.drop { $0 == "." || $0 == "\\" }
    if rest.startIndex > word.startIndex, let verb = Grammar.verb(named: String(rest)) {
      return "without the sign: \(verb.name)"
    }
    guard error.suggestion == nil else { return nil }
    return Spelling.nearest(to: word, among: classNames).map { "where \(quotedName($0))" }
      ?? "help lists the verbs"
  }

  // MARK: Clauses

  private static let orderings: Set<String> = ["SORT", "DISTINCT", "LIMIT", "OFFSET"]

  private var remedyForSyntax: String? {
    let lastWord = before.split(separator: " ").last.map(String.init) ?? ""
    let found = wordAtError
    if Self.orderings.contains(lastWord.uppercased()), !found.hasPrefix("(") {
      let operand = found.isEmpty ? "..." : found
      let isSort = lastWord.uppercased() == "SORT"
      return "in parentheses: \(lastWord.uppercased())(\(operand)\(isSort ? " ASC" : ""))"
    }
    if error.message == "expected ASC or DESC" {
      let key = before.split { $0 == "(" || $0 == "," }.last.map { $0.trimmingBlanks } ?? ""
      return "the direction is needed: SORT(\(key) ASC)"
    }
    switch (found.lowercased(), verb) {
    case ("order", _): return "the order: SORT(PROPERTY ASC)"
    case ("by", _) where lastWord.lowercased() == "order": return "the order: SORT(PROPERTY ASC)"
    case ("group", _): return "groups: aggregate CLASS count() by PROPERTY"
    case ("by", _) where lastWord.lowercased() == "group":
      return "groups: aggregate CLASS count() by PROPERTY"
    case ("is", _) where error.message == "expected an operator": return "== null, or != null"
    case ("&", _), ("|", _): return found == "&" ? "and" : "or"
    case (_, "delete") where lastWord.lowercased() == "from": return "without from: delete \(found)"
    case (_, "export") where error.message.hasSuffix("to"):
      return "\(before) to \(found.isEmpty ? "PATH" : found)"
    case (_, "import") where error.message == "expected from":
      return found.hasPrefix(".")
        ? "import CLASS from \(lastWord)\(found)"
        : "\(before) from \(found.isEmpty ? "PATH" : found)"
    case (_, "dump") where error.message.hasPrefix("expected to") && found.hasPrefix("."):
      return "dump to \(lastWord)\(found)"
    case (_, "let") where error.message.hasPrefix("expected a variable"):
      return found.isEmpty ? nil : "let $\(found) = VALUE"
    case (_, "rename"), (_, "drop"), (_, "alter"): return remedyForClass(lastWord, found)
    case (_, "class") where error.message == "expected :": return "PROPERTY: TYPE"
    case (_, "set") where found.hasPrefix("{"): return "\(before) PROPERTY = VALUE, ..."
    case ("=", "set") where lastWord.contains(")."):
      return "set \(lastWord.replacing(").", with: ") ")) = VALUE"
    case (_, "where") where lastWord.lowercased() == "where":
      return "the condition follows the class: where CLASS CONDITION"
    case (_, "use") where before.contains(".") || found.contains("."):
      return "open PATH opens a file"
    case (_, "exit"), (_, "quit"): return found.hasPrefix("(") ? "exit" : nil
    case ("", "get"): return "the key of one object; where CLASS prints all"
    case (_, "add"), (_, "upsert"):
      return error.message.hasPrefix("expected {") ? "\(verb) CLASS {PROPERTY: VALUE, ...}" : nil
    default: break
    }
    return !found.isEmpty && error.suggestion == nil && error.message.hasPrefix("expected where")
      ? "where stands before a condition" : nil
  }

  /// A class or column where the name of a property is expected.
  private func remedyForClass(_ lastWord: String, _ found: String) -> String? {
    if lastWord.lowercased() == "table" {
      return verb == "alter"
        ? "class CLASS {PROPERTY: TYPE} adds properties, alter CLASS.PROPERTY: TYPE changes one"
        : "\(verb) class \(found)"
    }
    guard verb != "alter", error.message == "expected .", classNames.contains(lastWord) else {
      return nil
    }
    return "\(verb) class \(quotedName(lastWord))" + (verb == "rename" ? " to NAME" : "")
  }

  // MARK: Texts

  private static let comparators: Set<String> = [
    "contains", "beginswith", "endswith", "like", "in",
  ]

  /// A word behind a comparison that is no property may be a text.
  private var remedyForText: String? {
    let word = source.text(of: range)
    guard CanonicalText.isBareName(Array(word.utf8).span), let last = before.last else {
      return nil
    }
    let operatorWord = before.split(separator: " ").last?.prefix { $0 != "[" }.lowercased() ?? ""
    // The arrow of an import points at properties.
    let compares =
      "=<>".contains(last) && !before.hasSuffix("->")
      || error.message.hasPrefix("there is no object whose property")
    guard compares || Self.comparators.contains(operatorWord) else { return nil }
    return "a text stands in quotes: \"\(word)\""
  }
}

extension StringProtocol {
  /// The text without blanks around it.
  fileprivate var trimmingBlanks: SubSequence {
    var rest = self[...]
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return rest.drop { $0.isWhitespace }
  }
}
