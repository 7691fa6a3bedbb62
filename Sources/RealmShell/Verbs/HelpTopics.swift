import RealmLanguage

/// The lists that `help TOPIC` prints.
extension HelpText {
  /// What stands before and behind verbs.
  static let signs = [
    Entry(
      "time STATEMENT", "Prints the time the statement took.",
      examples: ["time count Dog", "time check deep"], seeAlso: ["explain", "timing"]),
    Entry(
      "explain [run] STATEMENT",
      "Prints what would be done and how a predicate is understood, with its traps.",
      terms: [("run", "also does it and adds the times")],
      examples: ["explain where Dog age > 3", "explain run count Person where ANY dogs.age > 3"],
      seeAlso: ["time", "rql"]),
    Entry(
      "expect error [NAME]: STATEMENT",
      "Succeeds if the statement fails with that error, and fails if it does not.",
      terms: [("NAME", "one of help errors; without it any error is right")],
      examples: ["expect error NeedsAll: delete Dog", "expect error: add Dog {_id: 1}"],
      seeAlso: ["assert", "errors"]),
    Entry(
      "| COMMAND", "Behind a statement: sends what it prints to a system command.",
      examples: ["where Dog | less", "where Dog show name | sort | uniq -c"],
      seeAlso: ["!", "output", "pager"]),
    Entry(
      "! COMMAND", "Runs a system command on the terminal; diffs are held back until it ends.",
      examples: ["! ls -l *.realm", "! git diff schema.realmsh"], seeAlso: ["|", "cd"]),
  ]

  /// The topics by name.
  static let topics = [
    Topic(name: "config") {
      SettingDescription.all.map { ($0.name, "\($0.meaning) (\($0.values))") }
    },
    Topic(name: "diffs") { diffs },
    Topic(name: "editing") { editingKeys },
    Topic(name: "environment") { environmentVariables },
    Topic(name: "errors") { ErrorName.allCases.map { ($0.rawValue, $0.meaning) } },
    Topic(name: "files") { files },
    Topic(name: "functions") { Grammar.functions.map { ($0.form, $0.meaning) } },
    Topic(name: "keys") { keySources },
    Topic(name: "literals") { literals },
    Topic(name: "modes") { Grammar.modes.map { ($0.name, $0.meaning) } },
    Topic(name: "options") { CommandLineOption.all.map { ($0.form, $0.meaning) } },
    Topic(name: "prefixes") { Grammar.prefixes.map { ($0.name, $0.meaning) } },
    Topic(name: "prompt") { promptFields },
    Topic(name: "rql") { predicates },
    Topic(name: "signals") { signals },
    Topic(name: "status") { statuses },
    Topic(name: "types") { types },
  ]

  /// Source: shell.md 4.
  private static let literals = [
    ("null", "no value; also nil"), ("true false", "bool"), ("-42 0x2A", "int"),
    ("1.5 1e300 inf nan", "double; 1.5f is a float"), ("decimal(1.50)", "decimal128"),
    ("\"text\" 'text'", "string, with \\n \\t \\r \\\\ \\\" \\u0000 \\xff"),
    ("B64\"3q2+7w==\"", "data; also hex(\"dead\"), binary(\"text\"), file(\"photo.jpg\")"),
    ("2024-05-01", "date; also 2024-05-01T12:00:00Z, ...+02:00, now()"),
    ("oid(64f1c2a90f3b5d0012ab34cd)", "objectId; oid() makes a new one"),
    ("uuid(3b241101-e2bb-4255-8caf-4136c566a962)", "uuid; uuid() makes a new one"),
    ("Dog(1)", "the object of class Dog with the primary key 1"),
    ("Dog#12", "the object with the object key 12, of a class without primary key"),
    ("[1, 2]", "list or set"), ("{a: 1}", "dictionary or embedded object"),
    ("$name", "a variable; $_ is the last result"),
  ]

  /// Source: shell.md 7.
  private static let types = [
    ("bool int float double", "required values; int? can be null"),
    ("decimal128", "a decimal number with 34 digits"),
    ("string data", "text, bytes"),
    ("date", "a point in time, to the nanosecond"), ("objectId uuid", "keys made by programs"),
    ("mixed", "a value of any type, also null, a list or a dictionary"),
    ("Dog?", "a link, or an embedded object"), ("string[] Dog[]", "a list"),
    ("string<> Dog<>", "a set"), ("string{} Dog?{}", "a dictionary"),
    ("@links.Person.dogs", "all Person objects whose dogs lead here"),
  ]

  private static let predicates = [
    ("age > 3, age BETWEEN {1, 5}", "comparison: == != < <= > >= BETWEEN"),
    ("a and b, a or b, not a", "logic; also && || !"),
    ("name BEGINSWITH \"R\"", "also ENDSWITH CONTAINS LIKE; [c] ignores case"),
    ("name ==[cd] \"zoe\"", "[cu]: case of all scripts; [cd]: and accents"),
    ("age IN {1, 2, 3}", "one of"), ("color == null", "null"),
    ("owner.address.city == \"Oslo\"", "path through links"),
    ("ANY dogs.age > 3", "also ALL, NONE"),
    ("dogs.@count > 2", "also @min @max @sum @avg, @keys @values, @type"),
    ("@links.Person.dogs.@count == 0", "objects that link here"),
    ("SUBQUERY(dogs, $d, $d.age > 3).@count > 1", "members that fulfil several conditions"),
    ("age > $0", "an argument; args (3) gives its value"),
    ("SORT(age DESC, name ASC)", "order"), ("DISTINCT(city)", "the first object of each"),
    ("LIMIT(10)", "the first objects"), ("OFFSET(10)", "all but the first objects"),
    ("explain where ...", "how a predicate is understood, with its traps"),
  ]

  /// Source: shell.md 15.
  private static let keySources = [
    ("file:PATH or PATH", "64 bytes, or 128 hex digits, or 88 Base64 characters"),
    ("env:NAME", "environment variable in hex or Base64"),
    ("cmd:COMMAND", "the first line that a command prints; not with --safe"),
    ("fd:3", "an open file descriptor"), ("prompt", "asked for on the terminal"),
    ("hex:... base64:... bytes:1,2,...", "the key itself; others can see it on a command line"),
    ("help editing", "the keys of the keyboard"),
  ]

  /// Source: shell.md 12.
  private static let diffs = [
    ("~ [1] old: version 13, 2 objects (-1 +1 ~1)", "observer 1 named old; what has changed"),
    ("- 1  Dog(3)", "was at position 1 before"), ("+ 0  Dog(1)  {...}", "is at position 0 now"),
    ("~ 0->1  Dog(2)  age 5 -> 6", "changed, and moved from 0 to 1"),
    ("values none, full", "positions only; whole objects"),
    ("mode json", "a diff is a line of JSON"), ("wait, --follow", "stay until diffs come"),
  ]

  /// Source: shell.md 21.
  private static let editingKeys = [
    ("Enter, Alt-Enter", "run, new row"), ("Ctrl-C", "drop the statement"),
    ("Ctrl-D", "on an empty line: leave; else delete the character under the cursor"),
    ("Tab, Shift-Tab", "complete, next or previous candidate"),
    ("Right, Ctrl-F", "at the end: take the whole hint"),
    ("Alt-F, Alt-Right", "at the end: take one word of the hint"),
    ("Up, Down", "row, then history; with text typed: entries that begin with it"),
    ("Ctrl-R", "search the history; again for the next match"),
    ("Ctrl-A, Ctrl-E, Home, End", "start and end of the row; again: of the statement"),
    ("Ctrl-L", "clear the screen, keep the line"),
    ("Alt-#", "put # in front and enter it into the history without running"),
    ("Ctrl-X Ctrl-E", "open the line in the editor"),
    ("F1, Alt-H", "help for the word under the cursor"),
    ("config keys vi", "the keys of vi; ~/.editrc can change all of them"),
  ]

  /// Source: shell.md 2.
  private static let environmentVariables = [
    ("REALMSH_KEY", "key source for encrypted files when none is given"),
    ("REALMSH_CONFIG", "the configuration file"),
    ("REALMSH_HISTORY", "the history file; empty for none"),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME", "the folders of both files"),
    ("NO_COLOR, CLICOLOR_FORCE", "no colours; colours also without a terminal"),
    ("TERM", "dumb or unset: no editing"),
    ("COLUMNS", "columns, where the terminal does not tell"),
    ("PAGER", "the command of config pager; less -FRSX if unset"),
    ("VISUAL, EDITOR", "the command of edit; vi if unset"),
    ("EDITRC", "key bindings; ~/.editrc if unset"),
  ]

  /// Source: shell.md 2.
  private static let files = [
    (
      "~/.config/realmsh/config.realmsh",
      "statements run when the prompt starts; in XDG_CONFIG_HOME if set"
    ),
    ("~/.local/state/realmsh/history", "the history; in XDG_STATE_HOME if set"),
    ("~/.editrc", "key bindings"), ("NAME.realm", "a database"),
    ("NAME.realm.lock, .management, .note", "its side files, with the first change or observer"),
  ]

  /// Source: shell.md 20.
  private static let promptFields = [
    ("{db}", "the current database, realmsh if there is none"), ("{path}", "its file"),
    ("{state}", "*: a write transaction is open; !: it has failed; :ro: only read; @NAME: thread"),
    ("{thread}", "the thread"), ("{version}", "the version that is read"),
    ("{schema}", "the schema version"), ("{observers}", "+N: the number of observers"),
    ("{time}", "the time of day"),
    ("config prompt \"{db}{state}{observers}> \"", "how to use them"),
  ]

  /// Source: shell.md 2.
  private static let signals = [
    ("SIGINT, Ctrl-C", "drops the line; stops a statement; ends a script with 130"),
    ("SIGTSTP, Ctrl-Z", "stops the program; after fg the line is as before"),
    ("SIGTERM, SIGHUP", "end the program; an open transaction is dropped; 143, 129"),
    ("SIGPIPE", "the reader of standard output went away: ends the program with 141"),
  ]

  /// Source: shell.md 2.
  private static let statuses = [
    ("0", "Everything ran."), ("1", "A statement failed."), ("2", "The command line is wrong."),
    ("3", "FILE cannot be reached: missing, no permission, held by another process."),
    ("4", "FILE is not a Realm file, or its format version is not supported."),
    ("5", "FILE is encrypted and no key was given, or the key does not fit."),
    ("6", "FILE is damaged."), ("7", "check found something."), ("129", "Ended by SIGHUP."),
    ("130", "Ended by Ctrl-C."), ("141", "The reader of standard output went away."),
    ("143", "Ended by SIGTERM."),
  ]
}
