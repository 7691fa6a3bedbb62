import ByteKernels
import RealmLanguage

/// `help`: what it prints comes from the tables of the grammar, the settings, the errors and the
/// command line.
///
/// Source: shell.md 17.
extension Session {
  func help(_ topic: String?, to writer: ByteWriter) {
    let text = ByteWriter()
    HelpText.write(about: topic ?? "", to: text)
    writer.write(fitted(text))
  }
}

extension Session {
  /// Whether what is printed has to fit a screen.
  var isOnScreen: Bool { outputIsTerminal || settings.width != nil }

  /// A text as it fits the screen.
  func fitted(_ text: ByteWriter) -> String {
    return WordWrap.paragraphs(
      String(decoding: text.takeBytes(), as: UTF8.self), width: isOnScreen ? screenWidth : nil)
  }
}

/// The texts of `help`.
enum HelpText {
  /// What is known about a word or several, or the overview if there are none.
  static func write(about text: String, to writer: ByteWriter) {
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first else {
      overview(to: writer)
      return
    }
    let isOne = words.count == 1
    // `expect error:` and `on NAME:` as they stand in the overview.
    let word = String(first.prefix { $0 != ":" })
    if let entry = entries.first(where: { $0.isNamed(word) }) {
      guard isOne || entry.begins(with: words) else {
        return write(entry, about: words.dropFirst().joined(separator: " "), to: writer)
      }
      entry.write(to: writer)
      // The verb has the name of a list, such as that of the settings.
      if isOne { topic(named: word)?.write(to: writer) }
    } else if isOne, let topic = topic(named: word) {
      topic.write(to: writer)
    } else if isOne, let entry = smallEntry(named: word) {
      entry.write(to: writer)
    } else {
      search(for: words.joined(separator: " "), to: writer)
    }
  }

  /// Columns for the topics in the overview, with their label.
  private static let overviewWidth = 58

  /// The verbs by group.
  static func overview(to writer: ByteWriter) {
    let width = Verb.Group.allCases.map(\.rawValue.count).max() ?? 0
    for group in Verb.Group.allCases {
      let names = Grammar.verbs.filter { $0.group == group }.map(\.name)
      writer.write("\(padded(group.rawValue, width))  \(names.joined(separator: " "))\n")
    }
    let prefixes = ["on NAME:", "time", "explain", "expect error:"].joined(separator: " ")
    writer.write("\(padded("Prefixes", width))  \(prefixes)\n")
    let names = topics.map(\.name).joined(separator: " ")
    for (index, row) in WordWrap.lines(names, width: overviewWidth - width).enumerated() {
      writer.write("\(padded(index == 0 ? "Topics" : "", width))  \(row)\n")
    }
    writer.write("help WORD tells about any of them, or finds where it occurs\n")
  }

  /// Verbs, then what stands before and behind them.
  private static var entries: [Entry] { Grammar.verbs.map { Entry($0) } + signs }

  /// An error, a setting, a function, a mode or an option.
  private static func smallEntry(named word: String) -> Entry? {
    let lowercased = word.lowercased()
    if let error = ErrorName.allCases.first(where: { $0.rawValue.lowercased() == lowercased }) {
      return Entry(
        error.rawValue, error.meaning,
        terms: [("Remedy", error.remedy)], seeAlso: ["errors"])
    }
    if let setting = SettingDescription.named(lowercased) {
      return Entry(
        "config \(setting.name) [VALUE]", setting.meaning,
        terms: [("VALUE", setting.values), ("Default", setting.text(Settings()))],
        seeAlso: ["config"])
    }
    if let function = Grammar.function(named: word) {
      return Entry(function.form, function.meaning, seeAlso: ["functions"])
    }
    if let mode = Grammar.modes.first(where: { $0.name == lowercased }) {
      return Entry("mode \(mode.name)", mode.meaning, seeAlso: ["modes", "last"])
    }
    let name = word.drop { $0 == "-" }
    if word.hasPrefix("-"),
      let option = CommandLineOption.all.first(where: {
        $0.name == name || $0.letter.map(String.init) == String(name)
      })
    {
      return Entry(option.form, option.meaning, seeAlso: ["options"])
    }
    return nil
  }

  /// The words that have a text of their own: verbs, prefixes, topics, settings, functions, errors.
  static var words: [String] {
    entries.map(\.name) + topics.map(\.name) + SettingDescription.all.map(\.name)
      + Grammar.functions.map(\.name) + ErrorName.allCases.map(\.rawValue)
  }

  private static func topic(named word: String) -> Topic? {
    let lowercased = word.lowercased()
    return topics.first { $0.name == lowercased }
  }

  // MARK: Search

  /// What is known about a part of a statement, such as `where SORT`; if it is no part, where all the
  /// words occur, or all about the statement.
  private static func write(_ entry: Entry, about text: String, to writer: ByteWriter) {
    let wanted = text.lowercased()
    let terms = entry.terms.filter { contains(wanted, in: $0.0) || contains(wanted, in: $0.1) }
    let hasLines = topics.contains { topic in topic.lines().contains { isAbout(wanted, $0.0) } }
    guard !terms.isEmpty || hasLines else {
      let words = "\(entry.name) \(wanted)"
      let occurs = entries.contains { $0.contains(words) }
      return occurs ? search(for: words, to: writer) : entry.write(to: writer)
    }
    writer.write("\(entry.synopsis)\n")
    write(terms, indentation: 2, to: writer)
    _ = writeLines(to: writer) { name, _ in isAbout(wanted, name) }
  }

  /// Whether the name of a line begins with words.
  private static func isAbout(_ wanted: String, _ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix(wanted) && name.dropFirst(wanted.count).first?.isLetter != true
  }

  /// Writes lines of topics; returns whether there were any.
  private static func writeLines(
    to writer: ByteWriter, where isWanted: (String, String) -> Bool
  ) -> Bool {
    var found = false
    for topic in topics {
      for (name, meaning) in topic.lines() where isWanted(name, meaning) {
        found = true
        let text = meaning.hasSuffix(".") ? String(meaning.dropLast()) : meaning
        writer.write("\(name)\n  \(text.isEmpty ? "" : text + "; ")see help \(topic.name)\n")
      }
    }
    return found
  }

  /// All texts that contain the words.
  private static func search(for text: String, to writer: ByteWriter) {
    let wanted = text.lowercased()
    var found = writeLines(to: writer) { name, _ in isAbout(wanted, name) }
    for entry in entries where entry.contains(wanted) {
      found = true
      writer.write("\(entry.synopsis)\n  \(entry.effect)\n")
    }
    let others = writeLines(to: writer) { name, meaning in
      !isAbout(wanted, name) && (contains(wanted, in: name) || contains(wanted, in: meaning))
    }
    guard !found, !others else { return }
    let nearest = Spelling.nearest(to: text, among: words).map { "; did you mean \($0)?" } ?? ""
    writer.write("nothing is known about \(text)\(nearest)\n")
  }

  /// Letters of a word from which on it is found as the beginning of another.
  private static let shortestBeginning = 3

  /// Whether words stand at the start of a word of a text; very short ones as whole words.
  private static func contains(_ wanted: String, in text: String) -> Bool {
    let text = text.lowercased()
    let startsWithLetter = wanted.first?.isLetter ?? false
    var before: Character?
    for index in text.indices {
      defer { before = text[index] }
      guard text[index...].hasPrefix(wanted) else { continue }
      if !startsWithLetter { return true }
      let after = text[index...].dropFirst(wanted.count).first
      if before?.isLetter != true,
        wanted.count >= shortestBeginning || after?.isLetter != true
      {
        return true
      }
    }
    return false
  }

  // MARK: Forms

  /// What is known about one word.
  struct Entry {
    let name: String
    var aliases: [String] = []
    let synopsis: String
    let effect: String
    var terms: [(String, String)] = []
    var examples: [String] = []
    var seeAlso: [String] = []

    init(_ verb: Verb) {
      (name, aliases, synopsis, effect) = (verb.name, verb.aliases, verb.synopsis, verb.effect)
      terms = verb.terms.map { ($0.name, $0.meaning) }
      (examples, seeAlso) = (verb.examples, verb.seeAlso)
    }

    init(
      _ synopsis: String, _ effect: String, terms: [(String, String)] = [],
      examples: [String] = [], seeAlso: [String] = []
    ) {
      name = synopsis.split(separator: " ").first.map(String.init) ?? synopsis
      (self.synopsis, self.effect, self.terms) = (synopsis, effect, terms)
      (self.examples, self.seeAlso) = (examples, seeAlso)
    }

    func isNamed(_ word: String) -> Bool {
      let word = word.lowercased()
      return name == word || aliases.contains(word)
    }

    /// Whether the words are those that the form begins with, such as `expect error:`.
    func begins(with words: [String]) -> Bool {
      func letters(_ word: some StringProtocol) -> String {
        word.lowercased().filter { !"[]:".contains($0) }
      }
      return synopsis.split(separator: " ").map(letters).starts(with: words.map(letters))
    }

    func contains(_ text: String) -> Bool {
      ([synopsis, effect] + terms.flatMap { [$0.0, $0.1] } + examples)
        .contains { HelpText.contains(text, in: $0) }
    }

    func write(to writer: ByteWriter) {
      writer.write("\(synopsis)\n  \(effect)\n")
      HelpText.write(terms, indentation: 2, to: writer)
      for example in examples { writer.write("  \(example)\n") }
      if !seeAlso.isEmpty {
        writer.write("  See also: \(seeAlso.joined(separator: ", "))\n")
      }
    }
  }

  /// A list of words with what they mean.
  struct Topic: Sendable {
    let name: String
    let lines: @Sendable () -> [(String, String)]

    func write(to writer: ByteWriter) { HelpText.write(lines(), to: writer) }
  }

  private static func write(
    _ lines: [(String, String)], indentation: Int = 0, to writer: ByteWriter
  ) {
    let width = lines.map(\.0.count).max() ?? 0
    for (name, meaning) in lines {
      writer.pad(indentation)
      writer.write(meaning.isEmpty ? "\(name)\n" : "\(padded(name, width))  \(meaning)\n")
    }
  }
}
