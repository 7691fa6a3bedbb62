import Glibc

/// What the command line asks for.
///
/// Source: shell.md 2.
struct Invocation: Equatable {
  /// A piece of text to run.
  enum Work: Equatable {
    /// A statement argument or `-c`.
    case text(String)
    /// `-f`; `-` is standard input.
    case script(String)
  }

  /// How FILE, or the memory database, is opened.
  enum Target: Equatable {
    case none
    case file(String)
    /// `--memory[=NAME]`.
    case memory(String?)
  }

  var target = Target.none
  var work: [Work] = []
  var isInteractive = false
  var isReadOnly = false
  var creation = Session.Opening.Creation.no
  var schemaPath: String?
  var schemaVersion: String?
  var keySource: String?
  var mode: String?
  var outputPath: String?
  var definitions: [(name: String, value: String)] = []
  var isQuiet = false
  var echoes = false
  var keepsGoing = false
  var errorForm: String?
  var color: String?
  var width: String?
  var showsTiming = false
  var isSafe = false
  /// `--follow`: how many milliseconds at most, if that was said.
  var follow: Int??
  var configPath: String?
  var readsConfig = true
  var usesHistory = true
  var help: String??
  var showsVersion = false

  static func == (a: Invocation, b: Invocation) -> Bool {
    a.target == b.target && a.work == b.work && a.isInteractive == b.isInteractive
      && a.isReadOnly == b.isReadOnly && a.keySource == b.keySource && a.mode == b.mode
  }
}

/// A mistake in the command line.
struct UsageError: Error, Equatable {
  var message: String
}

/// One option of the command line.
struct CommandLineOption: Sendable {
  /// The letter, if it has one.
  let letter: Character?
  /// The long name without dashes.
  let name: String
  /// What the value is; nil if there is none.
  let value: String?
  /// Whether the value may be missing.
  let isValueOptional: Bool
  /// What it does, in one line.
  let meaning: String
  let apply: @Sendable (inout Invocation, String?) throws(UsageError) -> Void

  init(
    _ letter: Character?, _ name: String, value: String? = nil, isValueOptional: Bool = false,
    _ meaning: String,
    apply: @escaping @Sendable (inout Invocation, String?) throws(UsageError) -> Void
  ) {
    self.letter = letter
    self.name = name
    self.value = value
    self.isValueOptional = isValueOptional
    self.meaning = meaning
    self.apply = apply
  }
}

extension CommandLineOption {
  /// A duration: `250ms`, `2s`, `5m`.
  private static func milliseconds(_ text: String) throws(UsageError) -> Int {
    for (unit, factor) in [("ms", 1), ("s", 1000), ("m", 60_000)] where text.hasSuffix(unit) {
      guard let number = Int(text.dropLast(unit.count)), number >= 0, number < 1 << 40 else {
        continue
      }
      return number * factor
    }
    throw UsageError(message: "--follow needs a duration such as 10s, not \(text)")
  }

  /// The options, in the order of the manual page.
  static let all: [CommandLineOption] = [
    CommandLineOption("c", "command", value: "TEXT", "Run TEXT; may be repeated.") { i, v in
      i.work.append(.text(v ?? ""))
    },
    CommandLineOption("f", "file", value: "SCRIPT", "Run a script; - is standard input.") { i, v in
      i.work.append(.script(v ?? ""))
    },
    CommandLineOption("i", "interactive", "Show the prompt after statements and scripts.") { i, _ in
      i.isInteractive = true
    },
    CommandLineOption("r", "readonly", "Open FILE for reading only.") { i, _ in
      i.isReadOnly = true
    },
    CommandLineOption(nil, "create", "Create FILE if it does not exist.") { i, _ in
      i.creation = .ifMissing
    },
    CommandLineOption(nil, "new", "Create FILE; it must not exist.") { i, _ in
      i.creation = .new
    },
    CommandLineOption(
      nil, "memory", value: "NAME", isValueOptional: true, "An in-memory database instead of FILE."
    ) { i, v in i.target = .memory(v) },
    CommandLineOption("k", "key", value: "SOURCE", "Key of FILE.") { i, v in i.keySource = v },
    CommandLineOption(
      nil, "schema", value: "SCRIPT", "Declare the classes of SCRIPT when opening."
    ) { i, v in i.schemaPath = v },
    CommandLineOption(
      nil, "schema-version", value: "N", "The version that goes with --schema."
    ) { i, v in i.schemaVersion = v },
    CommandLineOption("m", "mode", value: "MODE", "Output mode.") { i, v in i.mode = v },
    CommandLineOption("o", "output", value: "FILE", "Write standard output to FILE.") { i, v in
      i.outputPath = v
    },
    CommandLineOption("D", "let", value: "NAME=LITERAL", "Define $NAME.") {
      (i, v) throws(UsageError) in
      let text = v ?? ""
      guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
        throw UsageError(message: "-D needs NAME=LITERAL, not \(text)")
      }
      i.definitions.append((String(text[..<sign]), String(text[text.index(after: sign)...])))
    },
    CommandLineOption("q", "quiet", "No acknowledgements, banner and footers.") { i, _ in
      i.isQuiet = true
    },
    CommandLineOption("e", "echo", "Print each statement before it runs.") { i, _ in
      i.echoes = true
    },
    CommandLineOption(nil, "keep-going", "Go on after an error in a script.") { i, _ in
      i.keepsGoing = true
    },
    CommandLineOption(nil, "errors", value: "human|json", "Form of error messages.") { i, v in
      i.errorForm = v
    },
    CommandLineOption(nil, "color", value: "auto|always|never", "Colours.") { i, v in i.color = v },
    CommandLineOption(nil, "width", value: "N", "Pretend that the terminal has N columns.") {
      i, v in
      i.width = v
    },
    CommandLineOption(nil, "timing", "Print the time of every statement.") { i, _ in
      i.showsTiming = true
    },
    CommandLineOption(
      nil, "follow", value: "DURATION", isValueOptional: true,
      "Stay while there are observers, until interrupted or for a time."
    ) { (i, v) throws(UsageError) in
      i.follow = .some(try v.map { (text) throws(UsageError) in try milliseconds(text) })
    },
    CommandLineOption(
      nil, "safe", "No system commands, no writing to files."
    ) { i, _ in i.isSafe = true },
    CommandLineOption(nil, "config", value: "FILE", "Another configuration file.") { i, v in
      i.configPath = v
    },
    CommandLineOption(nil, "no-config", "No configuration file.") { i, _ in i.readsConfig = false },
    CommandLineOption(nil, "no-history", "Neither read nor write the history file.") { i, _ in
      i.usesHistory = false
    },
    CommandLineOption(
      "h", "help", value: "TOPIC", isValueOptional: true, "Print help, as the verb does."
    ) { i, v in i.help = .some(v) },
    CommandLineOption("V", "version", "Print the version.") { i, _ in i.showsVersion = true },
  ]
}

extension Invocation {
  /// Reads the arguments behind the program's name.
  init(arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var optionsHaveEnded = false
    var operands: [String] = []
    while let argument = rest.popFirst() {
      if optionsHaveEnded || argument == "-" || !argument.hasPrefix("-") {
        guard argument != "-" || !operands.isEmpty else {
          throw UsageError(message: "- is no database; a script is read with -f -")
        }
        operands.append(argument)
      } else if argument == "--" {
        optionsHaveEnded = true
      } else if argument.hasPrefix("--") {
        try applyLong(argument.dropFirst(2), &rest)
      } else {
        try applyLetters(argument.dropFirst(), &rest)
      }
    }
    var statements = operands[...]
    if case .none = target, let file = statements.popFirst() { target = .file(file) }
    work += statements.map { .text($0) }
    if case .some(.none) = help, let topic = operands.first { help = .some(topic) }
  }

  private mutating func applyLong(
    _ argument: Substring, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let option = CommandLineOption.all.first(where: { $0.name == name }) else {
      throw UsageError(message: "unknown option --\(name)")
    }
    var value = parts.count > 1 ? String(parts[1]) : nil
    if option.value == nil, value != nil {
      throw UsageError(message: "--\(name) takes no value")
    }
    if option.value != nil, value == nil, !option.isValueOptional {
      value = rest.popFirst()
      guard value != nil else { throw UsageError(message: "--\(name) needs a value") }
    }
    try option.apply(&self, value)
  }

  private mutating func applyLetters(
    _ letters: Substring, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = CommandLineOption.all.first(where: { $0.letter == letter }) else {
        throw UsageError(message: "unknown option -\(letter)")
      }
      var value: String?
      if option.value != nil, !option.isValueOptional {
        value = letters.isEmpty ? rest.popFirst() : String(letters)
        letters = ""
        guard value != nil else { throw UsageError(message: "-\(letter) needs a value") }
      }
      try option.apply(&self, value)
    }
  }
}

extension CommandLineOption {
  /// The spellings with the value, for `--help`.
  var form: String {
    let short = letter.map { "-\($0), " } ?? "    "
    guard let value else { return "\(short)--\(name)" }
    return "\(short)--\(name)\(isValueOptional ? "[=\(value)]" : " \(value)")"
  }
}
