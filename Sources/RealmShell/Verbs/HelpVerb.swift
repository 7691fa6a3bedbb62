import ByteKernels
import RealmLanguage

/// `help`: everything it prints comes from the tables of the grammar, settings and errors.
extension Session {
  func help(_ topic: String?, to writer: ByteWriter) {
    let words = (topic ?? "").split(separator: " ").map(String.init)
    guard let word = words.first else {
      HelpText.overview(to: writer)
      return
    }
    if let verb = Grammar.verb(named: word) {
      HelpText.verb(verb, to: writer)
      HelpText.topics[verb.name]?(writer)
    } else if let write = HelpText.topics[word.lowercased()] {
      write(writer)
    } else if let error = ErrorName.allCases.first(where: {
      $0.rawValue.lowercased() == word.lowercased()
    }) {
      writer.write("\(error.rawValue)\n  \(error.meaning)\n")
    } else {
      HelpText.search(words.joined(separator: " "), to: writer)
    }
  }
}

/// The texts of `help`.
enum HelpText {
  /// The verbs by group.
  static func overview(to writer: ByteWriter) {
    let width = Verb.Group.allCases.map(\.rawValue.count).max() ?? 0
    for group in Verb.Group.allCases {
      let names = Grammar.verbs.filter { $0.group == group }.map(\.name)
      writer.write("\(padded(group.rawValue, width))  \(names.joined(separator: " "))\n")
    }
    let prefixes = Grammar.prefixes.map(\.name).joined(separator: ", ")
    writer.write("\(padded("Prefixes", width))  \(prefixes)\n")
    writer.write(
      "help VERB tells about one; also: help \(topics.keys.sorted().joined(separator: ", "))\n")
  }

  /// One verb in full.
  static func verb(_ verb: Verb, to writer: ByteWriter) {
    writer.write("\(verb.synopsis)\n  \(verb.effect)\n")
    for example in verb.examples { writer.write("  \(example)\n") }
    if !verb.seeAlso.isEmpty {
      writer.write("  See also: \(verb.seeAlso.joined(separator: ", "))\n")
    }
  }

  /// The topics that are no verbs.
  static let topics: [String: @Sendable (ByteWriter) -> Void] = [
    "modes": { words(Grammar.modes.map { ($0.name, $0.meaning) }, to: $0) },
    "config": { writer in
      words(
        SettingDescription.all.map { ($0.name, "\($0.meaning) (\($0.values))") }, to: writer)
    },
    "errors": { writer in
      words(ErrorName.allCases.map { ($0.rawValue, $0.meaning) }, to: writer)
    },
    "options": { writer in words(CommandLineOption.lines, to: writer) },
    "status": { words(statuses, to: $0) },
    "functions": { writer in
      for function in Grammar.functions { writer.write(function.form + "\n") }
    },
    "literals": { words(literals, to: $0) },
    "types": { words(types, to: $0) },
    "rql": { words(predicates, to: $0) },
    "keys": { words(keySources, to: $0) },
  ]

  private static func words(_ lines: [(String, String)], to writer: ByteWriter) {
    let width = lines.map(\.0.count).max() ?? 0
    for (name, meaning) in lines {
      writer.write(meaning.isEmpty ? "\(name)\n" : "\(padded(name, width))  \(meaning)\n")
    }
  }

  private static let literals = [
    ("null", "no value; also nil"), ("true false", "bool"), ("-42 0x2A", "int"),
    ("1.5 1e300 inf nan", "double; 1.5f is a float"), ("decimal(1.50)", "decimal128"),
    ("\"text\" 'text'", "string, with \\n \\t \\r \\\\ \\\" \\u0000"),
    ("B64\"3q2+7w==\" hex(\"dead\")", "data"),
    ("2024-05-01 2024-05-01T12:00:00Z", "date"), ("oid(64f1c2a90f3b5d0012ab34cd)", "objectId"),
    ("uuid(3b241101-e2bb-4255-8caf-4136c566a962)", "uuid"),
    ("Dog(1) Dog#12", "an object by primary key, by object key"),
    ("[1, 2] {a: 1}", "list or set, dictionary or embedded object"),
  ]

  private static let types = [
    ("bool int float double", "required values; int? can be null"),
    ("decimal128 string data date", ""), ("objectId uuid mixed", ""),
    ("Dog Dog?", "a link, or an embedded object"), ("string[] Dog[]", "a list"),
    ("string<> Dog<>", "a set"), ("string{} Dog{}", "a dictionary"),
    ("@links.Person.dogs", "all Person objects whose dogs lead here"),
  ]

  private static let predicates = [
    ("age > 3, age BETWEEN {1, 5}", "comparison"), ("a and b, a or b, not a", "logic"),
    ("name BEGINSWITH \"R\"", "also ENDSWITH CONTAINS LIKE; [c] ignores case"),
    ("name ==[cd] \"zoe\"", "[cu]: case of all scripts; [cd]: and accents"),
    ("age IN {1, 2, 3}", "one of"), ("color == null", "null"),
    ("owner.address.city == \"Oslo\"", "path through links"),
    ("ANY dogs.age > 3", "also ALL, NONE"), ("SORT(age DESC, name ASC)", "order"),
    ("DISTINCT(city)", "the first object of each"), ("LIMIT(10)", "the first objects"),
    ("OFFSET(10)", "all but the first objects"),
    ("explain where ...", "how a predicate is understood, with its traps"),
  ]

  private static let keySources = [
    ("file:PATH or PATH", "64 bytes, or 128 hex digits, or 88 Base64 characters"),
    ("env:NAME", "environment variable in hex or Base64"),
    ("cmd:COMMAND", "the first line that a command prints"),
    ("fd:3", "an open file descriptor"), ("prompt", "asked for on the terminal"),
    ("hex:... base64:... bytes:1,2,...", "the key itself; others can see it on a command line"),
  ]

  /// Exit statuses. Source: shell.md 2.
  private static let statuses = [
    ("0", "Everything ran."), ("1", "A statement failed."), ("2", "The command line is wrong."),
    ("3", "FILE cannot be reached: missing, no permission, held by another process."),
    ("4", "FILE is not a Realm file, or its format version is not supported."),
    ("5", "FILE is encrypted and no key was given, or the key does not fit."),
    ("6", "FILE is damaged."), ("7", "check found something."),
    ("130", "Ended by Ctrl-C."), ("141", "The reader of standard output went away."),
  ]

  /// All texts that contain a word.
  static func search(_ text: String, to writer: ByteWriter) {
    let wanted = text.lowercased()
    var found = false
    for verb in Grammar.verbs {
      let all = ([verb.name, verb.synopsis, verb.effect] + verb.examples).joined(separator: "\n")
      guard all.lowercased().contains(wanted) else { continue }
      found = true
      writer.write("\(verb.synopsis)\n  \(verb.effect)\n")
    }
    for setting in SettingDescription.all
    where setting.name.contains(wanted) || setting.meaning.contains(wanted) {
      found = true
      writer.write("config \(setting.name)\n  \(setting.meaning)\n")
    }
    if !found {
      let names = Grammar.verbs.map(\.name) + topics.keys.sorted()
      let nearest = Spelling.nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
      writer.write("nothing is known about \(text)\(nearest)\n")
    }
  }
}
