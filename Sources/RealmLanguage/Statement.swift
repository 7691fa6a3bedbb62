/// One statement. Source: shell.md 5 `stmt`.
public struct Statement: Equatable, Sendable {
  /// What stands before the verb, in order.
  public var prefixes: [Prefix]
  /// Verb and operands.
  public var body: StatementBody
  /// From the first prefix to the last token, without the pipe.
  public var range: SourceRange
  /// The system command after `|`, without blanks around it.
  public var pipe: String?

  /// Makes a statement.
  public init(
    prefixes: [Prefix] = [], body: StatementBody, range: SourceRange, pipe: String? = nil
  ) {
    self.prefixes = prefixes
    self.body = body
    self.range = range
    self.pipe = pipe
  }
}

/// What may stand before a verb.
public struct Prefix: Equatable, Sendable {
  /// The prefixes.
  public enum Kind: Equatable, Sendable {
    /// `time`.
    case time
    /// `explain`, `explain run`.
    case explain(run: Bool)
    /// `expect error NAME:`.
    case expectError(Name?)
    /// `on NAME [async] [with $x, …]:`.
    case on(ThreadOperand)
  }

  /// Which one.
  public var kind: Kind
  /// Where it stands, with the colon.
  public var range: SourceRange

  /// Makes a prefix.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// The verbs with what follows them. Adding a verb takes a case here, a row in
/// `Grammar.verbs` and a parse function.
public indirect enum StatementBody: Equatable, Sendable {
  case open(OpenStatement)
  case close(CloseStatement)
  /// `use`: nil lists the databases.
  case use(Name?)
  case info(InfoStatement)
  case check(CheckStatement)
  case copy(CopyStatement)
  /// `compact [to PATH]`: nil compacts in place.
  case compact(to: FilePath?)
  case encrypt(EncryptionStatement)
  case decrypt(EncryptionStatement)
  case rekey(EncryptionStatement)
  case upgrade(UpgradeStatement)
  case diff(DiffStatement)
  case recover(RecoverStatement)
  case `class`(ClassStatement)
  case schema(SchemaStatement)
  case alter(AlterStatement)
  case rename(RenameStatement)
  case drop(DropStatement)
  case migrate(MigrateStatement)
  case begin(BeginStatement)
  /// `commit [without OBSERVER, …]`.
  case commit(without: [ObserverOperand])
  case cancel
  case write(Block)
  case refresh
  case invalidate
  case add(AddStatement)
  case upsert(UpsertStatement)
  case set(SetStatement)
  case delete(DeleteStatement)
  case get(GetStatement)
  case `where`(WhereStatement)
  case count(CountStatement)
  case aggregate(AggregateStatement)
  case sections(SectionsStatement)
  case more(MoreStatement)
  /// `last`: the output mode, nil for the current one.
  case last(mode: Name?)
  /// `let`: nil lists the variables.
  case `let`(LetStatement?)
  /// `unlet $x, …`; the names are without the dollar sign.
  case unlet([Name])
  /// `projection …`: nil lists the projections.
  case projection(ProjectionStatement?)
  /// `observe`: nil lists the observers.
  case observe(ObserveStatement?)
  case unobserve(UnobserveStatement)
  case wait(WaitStatement)
  case on(OnStatement)
  /// `stop NAME`.
  case stop(Name)
  case `import`(ImportStatement)
  case export(ExportStatement)
  case dump(DumpStatement)
  /// `source PATH`.
  case source(FilePath)
  /// `output PATH [append]`, `output off`.
  case output(OutputStatement)
  /// `print E, E`.
  case print([Expression])
  /// `help TOPIC`: the rest of the line, nil for the overview.
  case help(topic: Name?)
  case config(ConfigStatement)
  /// `mode NAME`: nil prints the current one.
  case mode(Name?)
  case history(HistoryStatement)
  /// `edit N`: nil takes the last statement.
  case edit(IntegerOperand?)
  case assert(AssertStatement)
  /// `cd PATH`: nil prints the folder.
  case cd(FilePath?)
  /// `exit N`.
  case exit(code: IntegerOperand?)
  /// `! COMMAND`: the rest of the line.
  case command(String, range: SourceRange)
}

/// A path to a file as written; a leading `~` is not expanded.
public struct FilePath: Equatable, Sendable {
  /// The path, quotes removed and escapes translated.
  public var text: String
  /// It was written in quotes, so `~` is an ordinary character.
  public var isQuoted: Bool
  /// Where it stands.
  public var range: SourceRange

  /// Makes a path.
  public init(_ text: String, isQuoted: Bool = false, range: SourceRange) {
    self.text = text
    self.isQuoted = isQuoted
    self.range = range
  }
}

/// A whole number with its place.
public struct IntegerOperand: Equatable, Sendable {
  /// The number.
  public var value: Int64
  /// Where it stands.
  public var range: SourceRange

  /// Makes a number.
  public init(_ value: Int64, range: SourceRange) {
    self.value = value
    self.range = range
  }
}

/// `open`. Source: shell.md 6.
public struct OpenStatement: Equatable, Sendable {
  /// What is opened.
  public enum Target: Equatable, Sendable {
    /// A file.
    case file(FilePath)
    /// `memory [NAME]`.
    case memory(Name?)
  }

  /// Which snapshot is opened.
  public enum Snapshot: Equatable, Sendable {
    /// The state before the last commit.
    case previous
    /// The state of a version.
    case version(IntegerOperand)
  }

  /// File or memory.
  public var target: Target
  /// `as NAME`.
  public var name: Name?
  /// `create`: make the file if it does not exist.
  public var create = false
  /// `new`: the file must not exist.
  public var new = false
  /// `readonly`.
  public var readonly = false
  /// `shared`.
  public var shared = false
  /// `compact`.
  public var compact = false
  /// `key SOURCE`.
  public var key: FilePath?
  /// `schema PATH`.
  public var schema: FilePath?
  /// `version N`.
  public var version: IntegerOperand?
  /// `snapshot previous`, `snapshot N`.
  public var snapshot: Snapshot?
  /// `versions N`: the most versions alive with which `begin` succeeds. Source: object-model.md 3.9.
  public var versionLimit: IntegerOperand?

  /// Makes an `open` without options.
  public init(target: Target) { self.target = target }
}

/// `close`.
public enum CloseStatement: Equatable, Sendable {
  /// The current database.
  case current
  /// A named one.
  case named(Name)
  /// All of them.
  case all
}

/// `info`.
public enum InfoStatement: Equatable, Sendable {
  case summary, space, versions, history
  /// `info file PATH [key SOURCE]`.
  case file(FilePath, key: FilePath?)
}

/// `check`.
public struct CheckStatement: Equatable, Sendable {
  /// How much is read.
  public enum Depth: String, Sendable {
    case quick, standard, deep
  }

  /// The file; nil for the current database.
  public var file: FilePath?
  /// `key SOURCE`.
  public var key: FilePath?
  /// How much is read.
  public var depth: Depth

  /// Makes a `check`.
  public init(file: FilePath?, key: FilePath?, depth: Depth) {
    self.file = file
    self.key = key
    self.depth = depth
  }
}

/// `schema`.
public enum SchemaStatement: Equatable, Sendable {
  /// `schema [CLASS, …] [as FORMAT] [to PATH]`: no classes means all.
  case show(classes: [Name], format: SchemaFormat, to: FilePath?)
  /// `schema version [N]`.
  case version(IntegerOperand?)
  /// `schema diff PATH`.
  case diff(FilePath)
}

/// The forms a schema can be printed in.
public enum SchemaFormat: String, Sendable, CaseIterable {
  case text, json, mermaid, dot, swift, kotlin, dart, csharp, typescript
}

/// What `where`, `count` and `export` read from.
public enum Source: Equatable, Sendable {
  /// A class or projection.
  case name(Name)
  /// A collection of an object (`Person(1).dogs`) or a variable (`$old`, `$rex.dogs`).
  case path(PathExpression)

  /// Where it stands.
  public var range: SourceRange {
    switch self {
    case .name(let name): name.range
    case .path(let path): path.range
    }
  }
}

/// `where RQL [args (…)]`.
public struct Condition: Equatable, Sendable {
  /// The predicate and its ordering clauses.
  public var query: QuerySyntax
  /// The values of `$0`, `$1`, ….
  public var arguments: [Expression]

  /// Makes a condition.
  public init(query: QuerySyntax, arguments: [Expression] = []) {
    self.query = query
    self.arguments = arguments
  }
}

/// One column of `show`.
public indirect enum Column: Equatable, Sendable {
  /// `*`: the stored properties.
  case stored(SourceRange)
  /// `**`: the computed ones too.
  case everything(SourceRange)
  /// `except a b`: all stored properties but these.
  case except([Name], range: SourceRange)
  /// `expr [as NAME]`.
  case expression(Expression, name: Name?)
  /// `owners {name, address {city}}`.
  case shape(PathExpression, [Column], range: SourceRange)
}

/// `get`.
public struct GetStatement: Equatable, Sendable {
  /// The object, with steps for one of its values. `get Dog 1` reads as `Dog(1)`.
  public var target: PathExpression
  /// `show …`; empty means all.
  public var columns: [Column]

  /// Makes a `get`.
  public init(target: PathExpression, columns: [Column]) {
    self.target = target
    self.columns = columns
  }
}

/// `where`.
public struct WhereStatement: Equatable, Sendable {
  /// What is read.
  public var source: Source
  /// The condition; a true predicate without clauses if none was written.
  public var condition: Condition
  /// `show …`; empty means the stored properties.
  public var columns: [Column]

  /// Makes a `where`.
  public init(source: Source, condition: Condition, columns: [Column]) {
    self.source = source
    self.condition = condition
    self.columns = columns
  }
}

/// `count`.
public struct CountStatement: Equatable, Sendable {
  /// What is counted.
  public var source: Source
  /// `where …`.
  public var condition: Condition?

  /// Makes a `count`.
  public init(source: Source, condition: Condition?) {
    self.source = source
    self.condition = condition
  }
}

/// `aggregate SOURCE A, … [by E, …] [where RQL]`.
public struct AggregateStatement: Equatable, Sendable {
  /// What is read.
  public var source: Source
  /// The columns, at least one.
  public var columns: [AggregateColumn]
  /// `by …`: one row for each of their values; empty means one row.
  public var keys: [Expression]
  /// `where …`.
  public var condition: Condition?

  /// Makes an `aggregate`.
  public init(
    source: Source, columns: [AggregateColumn], keys: [Expression], condition: Condition?
  ) {
    self.source = source
    self.columns = columns
    self.keys = keys
    self.condition = condition
  }
}

/// One column of `aggregate`: `count()`, `avg(age) as mean`.
public struct AggregateColumn: Equatable, Sendable {
  /// The functions.
  public enum Function: String, Sendable, CaseIterable {
    case count, sum, avg, min, max
  }

  /// Which one.
  public var function: Function
  /// What it is computed from; nil only for `count`.
  public var path: PathExpression?
  /// `as NAME`.
  public var name: Name?
  /// From the function to the closing parenthesis.
  public var range: SourceRange

  /// Makes a column.
  public init(function: Function, path: PathExpression?, name: Name? = nil, range: SourceRange) {
    self.function = function
    self.path = path
    self.name = name
    self.range = range
  }
}

/// `sections SOURCE by E [where RQL] [show …]`.
public struct SectionsStatement: Equatable, Sendable {
  /// What is read.
  public var source: Source
  /// What objects of one section have in common.
  public var key: Expression
  /// `where …`.
  public var condition: Condition?
  /// `show …`; empty means the stored properties.
  public var columns: [Column]

  /// Makes a `sections`.
  public init(source: Source, key: Expression, condition: Condition?, columns: [Column]) {
    self.source = source
    self.key = key
    self.condition = condition
    self.columns = columns
  }
}

/// `more`.
public enum MoreStatement: Equatable, Sendable {
  /// The next rows.
  case next
  /// The next N rows.
  case rows(IntegerOperand)
  /// All that are left.
  case all
}

/// `export`.
public struct ExportStatement: Equatable, Sendable {
  /// What is written.
  public enum Content: Equatable, Sendable {
    /// Objects of one source.
    case source(Source, condition: Condition?, columns: [Column])
    /// All classes.
    case all
  }

  /// What is written.
  public var content: Content
  /// The file.
  public var path: FilePath
  /// `format F`; nil: by the ending of the file name.
  public var format: ExportFormat?
  /// `append`.
  public var append = false
  /// `links`.
  public var links = false

  /// Makes an `export` without options.
  public init(content: Content, path: FilePath) {
    self.content = content
    self.path = path
  }
}

/// The forms objects can be exported in.
public enum ExportFormat: String, Sendable, CaseIterable {
  case csv, tsv, json, jsonl, sql, sqlite
}

/// `config`.
public struct ConfigStatement: Equatable, Sendable {
  /// The setting; nil lists all.
  public var name: Name?
  /// The new value as written, quotes removed; nil prints the setting.
  public var value: Name?

  /// Makes a `config`.
  public init(name: Name?, value: Name?) {
    self.name = name
    self.value = value
  }
}

/// `output`.
public enum OutputStatement: Equatable, Sendable {
  /// To a file, whose former content is kept with `append`.
  case file(FilePath, append: Bool)
  /// To where standard output leads.
  case off
}

/// `history`.
public struct HistoryStatement: Equatable, Sendable {
  /// How many statements at most; nil for the usual number.
  public var count: IntegerOperand?
  /// What the statements have to contain.
  public var text: Name?

  /// Makes a `history`.
  public init(count: IntegerOperand? = nil, text: Name? = nil) {
    self.count = count
    self.text = text
  }
}

/// `assert`.
public struct AssertStatement: Equatable, Sendable {
  /// What must be true.
  public var condition: Expression
  /// Text of the error if it is not.
  public var message: String?

  /// Makes an `assert`.
  public init(condition: Expression, message: String?) {
    self.condition = condition
    self.message = message
  }
}
