import ByteKernels
import LineEditor
import RealmLanguage
import RealmObjects

/// Makes the list of what may stand at the cursor, from the table of the parser and the names of the
/// open database, the session and the file system.
///
/// Source: shell.md 21.
struct Completer {
  /// One way to go on, before it is known whether it fits what was typed.
  struct Option {
    /// What is compared with what was typed.
    var key: String
    var text: String
    var comment = ""
    var suffix = " "
    var rank = Rank.word

    init(
      _ text: String, comment: String = "", suffix: String = " ", rank: Rank = .word,
      key: String? = nil
    ) {
      (self.text, self.comment, self.suffix, self.rank) = (text, comment, suffix, rank)
      self.key = key ?? text
    }
  }

  /// The order of kinds in the list.
  enum Rank: Int {
    case key, file, name, variable, word, comparator, function, object, literal, other, sign
  }

  let session: Session
  let names: NameResolver

  init(_ session: Session) {
    self.session = session
    names = NameResolver(session: session)
  }

  /// How the word before the cursor could go on; if it is whole, what may follow it at once.
  func completion(of text: String, at cursor: Int) -> Completion {
    let typed = Array(text.utf8.prefix(cursor))
    let continuation = StatementParser.continuation(of: typed)
    let word = String(decoding: typed[continuation.offset...], as: UTF8.self)
    let found = Self.matching(word, in: options(for: continuation, typed: word))
    if found.isEmpty, !word.isEmpty {
      guard Self.isWhole(word, continuation.expected) else {
        return Completion(range: typed.count..<typed.count, candidates: [])
      }
      return Completion(range: typed.count..<typed.count, candidates: followers(of: typed))
    }
    return Completion(range: continuation.offset..<typed.count, candidates: found.map(\.candidate))
  }

  /// Whether a word that is no known name can stand where it does.
  private static func isWhole(_ word: String, _ expected: [Expectation]) -> Bool {
    let isLiteral = word.first.map { $0.isNumber || "\"'".contains($0) } ?? false
    return expected.contains { expectation in
      switch expectation {
      case .newName, .file: true
      case .integer, .duration, .string, .value, .primaryKey: isLiteral
      default: false
      }
    }
  }

  /// The signs that may stand right behind a text that ends with a whole word.
  func followers(of typed: [UInt8]) -> [Completion.Candidate] {
    options(for: StatementParser.followers(of: typed), typed: "")
      .filter { option in option.text.utf8.first.map { !Self.isNameByte($0) } ?? false }
      .map(\.candidate)
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte >= 0x80 || (byte | 0x20) &- UInt8(ascii: "a") < 26
      || byte &- UInt8(ascii: "0") < 10
  }

  /// Those that begin with a word; if there are none, without regard to case; then those that
  /// contain it.
  static func matching(_ word: String, in options: [Option]) -> [Option] {
    guard !word.isEmpty else { return options }
    let exact = options.filter { $0.key.hasPrefix(word) || $0.text.hasPrefix(word) }
    if !exact.isEmpty { return exact }
    let wanted = word.lowercased()
    let anyCase = options.filter { $0.key.lowercased().hasPrefix(wanted) }
    if !anyCase.isEmpty { return anyCase }
    return options.filter { $0.key.lowercased().contains(wanted) }
  }

  /// All that fits at a place, the best first.
  ///
  /// - Parameter word: What was typed of it; files and keys are looked for with it.
  func options(for continuation: Continuation, typed word: String) -> [Option] {
    var ranked: [[Option]] = Array(repeating: [], count: Rank.sign.rawValue + 1)
    var seen: Set<String> = []
    for expectation in continuation.expected {
      for option in options(expectation, continuation, word) where seen.insert(option.text).inserted
      {
        ranked[option.rank.rawValue].append(option)
      }
    }
    return ranked.flatMap(\.self)
  }

  private func options(
    _ expectation: Expectation, _ place: Continuation, _ word: String
  ) -> [Option] {
    switch expectation {
    case .word(let word): return [Self.option(word, rank: .word)]
    case .offeredWord(let word): return fits(word, place) ? [Self.option(word, rank: .other)] : []
    case .symbol(let sign): return [Self.option(sign, rank: .sign)]
    case .verb: return Self.verbs + (session.isSafe ? [] : [Self.commandSign])
    case .className: return classes(place)
    case .storedClass: return classes(place, ofNewObjects: true, withProjections: false)
    case .schemaClass: return classes(place, withProjections: false)
    case .property(let owner?): return properties(of: owner, place, word)
    case .property(nil), .newName, .integer, .string, .duration, .endOfStatement: return []
    case .variable: return variables
    case .database: return databases
    case .file(let kind): return FileOptions(session: session, kind: kind).options(for: word)
    case .primaryKey(let className):
      return KeyOptions(names: names).options(of: className, for: word) + variables
    case .value:
      let hasKeys = place.expected.contains { if case .primaryKey = $0 { true } else { false } }
      return hasKeys ? [] : Self.literals
    case .comparator: return operators(behind: place.leftOperand, isPredicate: true)
    case .optionalComparator: return operators(behind: place.leftOperand, isPredicate: false)
    case .function: return Self.functions
    case .mode: return Grammar.modes.map { Option($0.name, comment: $0.meaning, rank: .name) }
    case .setting: return settings
    case .settingValue(let name): return values(ofSetting: name)
    case .type: return types
    case .observer: return observers
    case .thread: return threads
    case .errorName:
      return ErrorName.allCases.map { Option($0.rawValue, comment: $0.meaning, rank: .name) }
    case .helpTopic: return Self.topics
    }
  }

  // MARK: Words of the language

  /// Words that a parenthesis follows at once.
  private static let calledWords: Set<String> = [
    "SORT", "DISTINCT", "LIMIT", "OFFSET", "geoBox", "geoCircle", "geoPolygon", "sum", "avg", "min",
    "max", "append", "insert", "remove", "removeAt", "move", "swap", "clear", "union",
    "intersect", "subtract",
  ]

  private static func option(_ word: String, rank: Rank) -> Option {
    guard let first = word.utf8.first, isNameByte(first) else {
      let isOpen = "([.#@".utf8.contains(word.utf8.last ?? 0)
      return Option(word, suffix: isOpen ? "" : " ", rank: .sign)
    }
    if word == "count" { return Option("count()", rank: rank, key: word) }
    if word == "keys" || word == "args" { return Option(word + " (", suffix: "", rank: rank) }
    if calledWords.contains(word) { return Option(word + "(", suffix: "", rank: rank) }
    return Option(word, suffix: "(.".utf8.contains(word.utf8.last ?? 0) ? "" : " ", rank: rank)
  }

  private static let verbs: [Option] =
    Grammar.verbs.map { Option($0.name, comment: $0.effect) }
    + Grammar.prefixes.compactMap { prefix in
      let words = prefix.name.split(separator: " ")
      let name = words.prefix { $0.allSatisfy(\.isLowercase) }.joined(separator: " ")
      return Grammar.verb(named: name) == nil ? Option(name, comment: prefix.meaning) : nil
    }

  private static let commandSign = Option("!", comment: "runs a system command", rank: .sign)

  private static let functions = Grammar.functions.map { function in
    let isWhole = function.argumentCount == 0...0
    return Option(
      isWhole ? function.name + "()" : function.name + "(", comment: isWhole ? "" : function.form,
      suffix: isWhole ? " " : "", rank: .function, key: function.name)
  }

  private static let literals =
    ["null", "true", "false"].map { Option($0, rank: .literal) }
    + ["uuid(", "oid(", "decimal(", "hex(", "B64\""].map {
      Option($0, suffix: "", rank: .literal)
    }

  private static let topics: [Option] =
    Grammar.verbs.map { Option($0.name, comment: $0.effect, rank: .name) }
    + HelpText.topics.map { Option($0.name, rank: .name) }
    + Grammar.prefixes.compactMap { prefix in
      let name = String(prefix.name.prefix { $0.isLetter })
      return Grammar.verb(named: name) == nil
        ? Option(name, comment: prefix.meaning, rank: .name) : nil
    }
    + ErrorName.allCases.map { Option($0.rawValue, comment: $0.meaning, rank: .word) }
}

extension Completer.Option {
  var candidate: Completion.Candidate {
    Completion.Candidate(text, comment: comment, suffix: suffix)
  }
}
