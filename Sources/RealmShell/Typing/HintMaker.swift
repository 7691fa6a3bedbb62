import ByteKernels
import RealmLanguage

/// Says in one row what the grammar expects next.
///
/// Source: shell.md 21.
struct HintMaker {
  /// Bytes of a text that is looked at after each key.
  private static let longestText = 64 << 10
  /// Most characters of the parts of a hint.
  private static let maximumLength = 72

  /// The hint behind a text; nil while a word is being typed.
  func hint(after text: String) -> String? {
    let typed = Array(text.utf8)
    guard let last = typed.last, last != UInt8(ascii: "\n"), typed.count <= Self.longestText else {
      return nil
    }
    let isWord = Completer.isNameByte(last) || "`\"'.$@".utf8.contains(last)
    guard !isWord else { return hintAfterVerb(typed) }
    let place = StatementParser.continuation(of: typed)
    guard place.offset == typed.count, !place.expected.isEmpty else { return nil }
    if let verb = place.verb, verb.end >= Self.trimmedCount(typed) {
      return Self.rest(of: verb.name)
    }
    let isStart = typed[place.statementStart...].allSatisfy { $0 <= UInt8(ascii: " ") }
    return isStart ? nil : Self.text(for: place.expected)
  }

  /// The grammar of a verb that was just written in full.
  private func hintAfterVerb(_ typed: [UInt8]) -> String? {
    let place = StatementParser.followers(of: typed)
    guard let verb = place.verb, verb.end == typed.count,
      !Grammar.verbs.contains(where: { $0.name != verb.name && $0.name.hasPrefix(verb.name) })
    else { return nil }
    return Self.rest(of: verb.name).map { " " + $0 }
  }

  private static func trimmedCount(_ typed: [UInt8]) -> Int {
    (typed.lastIndex { $0 > UInt8(ascii: " ") } ?? -1) + 1
  }

  /// The synopsis of a verb without the verb.
  private static func rest(of name: String) -> String? {
    guard let verb = Grammar.verb(named: name) else { return nil }
    let rest = String(verb.synopsis.dropFirst(verb.name.count).drop { $0 == " " })
    return rest.isEmpty ? nil : rest.replacing("| \(verb.name) ", with: "| ")
  }

  /// Clause words with what follows them.
  private static let clauses: [String: String] = [
    "args": "args (...)", "show": "show COLUMN, ...", "where": "where RQL", "key": "key SOURCE",
    "policy": "policy POLICY", "keys": "keys (PATH, ...)", "values": "values V", "to": "to PATH",
    "by": "by EXPRESSION, ...", "format": "format FORMAT", "timeout": "timeout DURATION",
    "for": "for NAME", "with": "with $NAME, ...", "without": "without OBSERVER, ...",
    "using": "using EXPRESSION", "into": "into DATABASE", "schema": "schema PATH",
    "SORT": "SORT(...)", "DISTINCT": "DISTINCT(...)", "LIMIT": "LIMIT(N)", "version": "version N",
    "versions": "versions N", "and": "and | or PREDICATE", "mode": "mode M",
  ]

  /// What fits, in the form of a synopsis.
  static func text(for expected: [Expectation]) -> String? {
    let isOptional = expected.contains(.endOfStatement)
    let hasValue = expected.contains(.value)
    let isQuery = hasValue && expected.contains(.word("SORT"))
    var parts: [String] = []
    func add(_ part: String) { if !parts.contains(part) { parts.append(part) } }
    if isQuery { add("RQL") }
    for expectation in expected {
      switch expectation {
      case .word(let word):
        let isInQuery = isQuery && ["SORT", "DISTINCT", "LIMIT"].contains(word)
        if !isInQuery, word != "or" { add(clauses[word] ?? word) }
      case .value: if !isQuery, !expected.contains(where: Self.isKey) { add("VALUE") }
      case .string where expected.contains(where: Self.isNamed): break
      case .property, .variable, .className, .function:
        if !hasValue { add(name(of: expectation, in: expected)) }
      case .symbol, .offeredWord, .endOfStatement, .optionalComparator: break
      default: add(name(of: expectation, in: expected))
      }
    }
    if parts.isEmpty {
      for case .symbol(let sign) in expected where sign != "}" || expected.count < 3 { add(sign) }
      if parts.prefix(2) == ["{", "["] { parts = ["{PROPERTY: VALUE, ...}"] }
    }
    guard !parts.isEmpty else { return nil }
    let separator = isOptional ? " " : " | "
    var text = ""
    for part in parts.map({ isOptional ? "[\($0)]" : $0 }) {
      guard text.isEmpty || text.count + part.count <= maximumLength else {
        return text + separator + "..."
      }
      text += (text.isEmpty ? "" : separator) + part
    }
    return text
  }

  private static func isKey(_ expectation: Expectation) -> Bool {
    if case .primaryKey = expectation { true } else { false }
  }

  /// A text in quotes would stand for the same.
  private static func isNamed(_ expectation: Expectation) -> Bool {
    switch expectation {
    case .property, .settingValue: true
    default: false
    }
  }

  private static func name(of expectation: Expectation, in expected: [Expectation]) -> String {
    switch expectation {
    case .verb: "STATEMENT"
    case .className, .storedClass, .schemaClass: "CLASS"
    case .property:
      expected.contains(.string) ? "PROPERTY: VALUE" : "PROPERTY"
    case .variable: "$NAME"
    case .database: "DATABASE"
    case .newName: "NAME"
    case .file(.folder): "FOLDER"
    case .file(.key): "SOURCE"
    case .file: "PATH"
    case .primaryKey: "KEY"
    case .comparator: "OPERATOR"
    case .function: "FUNCTION"
    case .integer: "N"
    case .string: "\"TEXT\""
    case .mode: "MODE"
    case .setting: "SETTING"
    case .settingValue(let setting): SettingDescription.named(setting)?.values ?? "VALUE"
    case .type: "TYPE"
    case .duration: "DURATION"
    case .observer: "OBSERVER"
    case .thread: "THREAD"
    case .errorName: "ERROR"
    case .helpTopic: "TOPIC"
    default: ""
    }
  }
}
