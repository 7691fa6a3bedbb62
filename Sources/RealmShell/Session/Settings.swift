import RealmLanguage

/// The settings of a session, which `config` shows and changes.
///
/// Source: shell.md 25.
struct Settings {
  /// The output modes.
  enum Mode: String, CaseIterable {
    case table, box, markdown, lines, json, jsonl, csv, tsv, literal, none

    /// Whether acknowledgements and footers are off unless asked for.
    var isForPrograms: Bool { self == .jsonl || self == .csv || self == .tsv }
  }

  /// Settings with a third value between on and off.
  enum Automatic: String, CaseIterable {
    case on, off, auto
  }

  /// When colours are used.
  enum Color: String, CaseIterable {
    case auto, always, never
  }

  /// The zone of dates in human modes.
  enum Zone: String, CaseIterable {
    case utc, local
  }

  var acknowledgements = Automatic.auto
  /// Whether each statement outside of a transaction begins on the newest version.
  var refreshesAlone = true
  var cellWidth = 40
  var color = Color.auto
  /// Rows of a diff printed on a terminal.
  var diffRowLimit = 20
  var echoes = false
  /// The command of `edit`; nil for what the environment says.
  var editor: String?
  var errorForm = ErrorPrinter.Form.human
  var fits = true
  var showsFooter = true
  /// Whether the text being typed is coloured.
  var highlights = true
  /// Whether the line shows how it could go on.
  var showsHints = true
  var historyLimit = 10_000
  var showsIndex = true
  var keys = Keys.emacs
  var mode = Mode.table
  var nullText = "null"
  var pager = Pager.off
  var prompt = "{db}{state}> "
  /// Rows printed at once on a terminal; nil for all.
  var rowLimit: Int? = 100
  var showsTiming = false
  var showsVersions = true
  /// Columns of the screen; nil for what the terminal tells.
  var width: Int?
  var zone = Zone.utc

  /// When results go to the pager.
  enum Pager: String, CaseIterable {
    case off, auto
  }

  /// The editing keys.
  enum Keys: String, CaseIterable {
    case emacs, vi
  }
}

/// One setting: how it is shown, parsed and explained.
struct SettingDescription: Sendable {
  let name: String
  let values: String
  let meaning: String
  let text: @Sendable (Settings) -> String
  /// Sets the value; false if it is not one of `values`.
  let set: @Sendable (inout Settings, String) -> Bool
}

extension SettingDescription {
  private static func flag(
    _ name: String, _ meaning: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable
  ) -> SettingDescription {
    SettingDescription(
      name: name, values: "on off", meaning: meaning,
      text: { $0[keyPath: path] ? "on" : "off" },
      set: { settings, text in
        guard text == "on" || text == "off" else { return false }
        settings[keyPath: path] = text == "on"
        return true
      })
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ name: String, _ meaning: String, _ path: any WritableKeyPath<Settings, Value> & Sendable
  ) -> SettingDescription {
    SettingDescription(
      name: name, values: Value.allCases.map(\.rawValue).joined(separator: " "), meaning: meaning,
      text: { $0[keyPath: path].rawValue },
      set: { settings, text in
        guard let value = Value(rawValue: text) else { return false }
        settings[keyPath: path] = value
        return true
      })
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ meaning: String,
    _ path: any WritableKeyPath<Settings, Int> & Sendable
  ) -> SettingDescription {
    SettingDescription(
      name: name, values: "\(range.lowerBound)-\(range.upperBound)", meaning: meaning,
      text: { String($0[keyPath: path]) },
      set: { settings, text in
        guard let value = Int(text), range.contains(value) else { return false }
        settings[keyPath: path] = value
        return true
      })
  }

  /// A number, or a word that stands for nil.
  private static func optionalNumber(
    _ name: String, _ range: ClosedRange<Int>, orWord word: String, _ meaning: String,
    _ path: any WritableKeyPath<Settings, Int?> & Sendable
  ) -> SettingDescription {
    SettingDescription(
      name: name, values: "\(word), \(range.lowerBound)-\(range.upperBound)", meaning: meaning,
      text: { $0[keyPath: path].map(String.init) ?? word },
      set: { settings, text in
        if text == word {
          settings[keyPath: path] = nil
          return true
        }
        guard let value = Int(text), range.contains(value) else { return false }
        settings[keyPath: path] = value
        return true
      })
  }

  /// A text, or a word that stands for nil.
  private static func optionalText(
    _ name: String, orWord word: String, _ meaning: String,
    _ path: any WritableKeyPath<Settings, String?> & Sendable
  ) -> SettingDescription {
    SettingDescription(
      name: name, values: "\(word), text", meaning: meaning,
      text: { $0[keyPath: path] ?? word },
      set: { settings, text in
        settings[keyPath: path] = text == word || text.isEmpty ? nil : text
        return true
      })
  }

  private static func text(
    _ name: String, _ meaning: String, _ path: any WritableKeyPath<Settings, String> & Sendable
  ) -> SettingDescription {
    SettingDescription(
      name: name, values: "text", meaning: meaning, text: { $0[keyPath: path] },
      set: { settings, text in
        settings[keyPath: path] = text
        return true
      })
  }

  /// All settings, by name.
  static let all: [SettingDescription] = [
    choice("acks", "acknowledgements; auto: off in jsonl, csv, tsv", \.acknowledgements),
    flag("autorefresh", "statements begin on the newest version", \.refreshesAlone),
    number("cell", 4...10_000, "widest cell on a terminal", \.cellWidth),
    choice("color", "when colours are used", \.color),
    number("diffrows", 0...100_000, "rows of a diff printed on a terminal", \.diffRowLimit),
    flag("echo", "print each statement before it runs", \.echoes),
    optionalText(
      "editor", orWord: "environment", "command of edit; else VISUAL, EDITOR, vi", \.editor),
    choice("errors", "form of error messages", \.errorForm),
    flag("fit", "narrow columns, change to lines", \.fits),
    flag("footer", "number of objects under a result", \.showsFooter),
    flag("highlight", "colours while typing", \.highlights),
    flag("hints", "dim text behind the cursor", \.showsHints),
    number("history", 0...1_000_000, "entries kept", \.historyLimit),
    flag("index", "column #", \.showsIndex),
    choice("keys", "editing keys", \.keys),
    choice("mode", "output mode", \.mode),
    text("null", "null in table, box, markdown, lines", \.nullText),
    choice("pager", "auto: more than one screen of rows goes to PAGER", \.pager),
    text(
      "prompt", "fields {db} {path} {state} {thread} {version} {schema} {observers} {time}",
      \.prompt),
    optionalNumber(
      "rows", 1...1_000_000, orWord: "all", "rows printed at once on a terminal", \.rowLimit),
    flag("timing", "time after each statement", \.showsTiming),
    flag("versions", "version numbers in acknowledgements", \.showsVersions),
    optionalNumber("width", 20...10_000, orWord: "auto", "columns of the screen", \.width),
    choice("zone", "dates in table, box, markdown, lines", \.zone),
  ]

  /// The setting with a name; nil if there is none.
  static func named(_ name: String) -> SettingDescription? { all.first { $0.name == name } }
}
