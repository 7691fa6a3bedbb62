import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects

/// `export`.
///
/// Source: shell.md 16.
extension Session {
  func export(_ statement: ExportStatement, to writer: ByteWriter) throws(ShellError) {
    guard !statement.links else {
      throw ShellError(
        .illegalOperation, "links cannot be followed yet", at: statement.path.range)
    }
    switch statement.content {
    case .all: try exportAll(statement, to: writer)
    case .source(let source, let condition, let columns):
      let query = WhereStatement(
        source: source,
        condition: condition ?? Condition.everything(at: source.range), columns: columns)
      let result = try find(query)
      let mode = try mode(of: statement)
      try write(result, mode, statement.append, to: resolve(statement.path), statement.path.range)
      if acknowledges {
        writer.write(
          "exported \(counted(result.keys.count, "object", "objects")) to \(statement.path.text)\n")
      }
    }
  }

  /// The output mode of a format, given or told by the ending of the file name.
  private func mode(of statement: ExportStatement) throws(ShellError) -> Settings.Mode {
    let path = statement.path.text
    let ending = path.contains(".") ? path.split(separator: ".").last.map(String.init) ?? "" : ""
    let format = statement.format ?? ExportFormat(rawValue: ending.lowercased())
    switch format {
    case .csv: return .csv
    case .tsv: return .tsv
    case .json: return .json
    case .jsonl: return .jsonl
    case .sql, .sqlite, nil:
      throw ShellError(
        .invalidArgument, "the format has to be csv, tsv, json or jsonl", at: statement.path.range,
        remedy: "format jsonl")
    }
  }

  private func write(
    _ result: ResultSet, _ mode: Settings.Mode, _ appends: Bool, to path: String,
    _ range: SourceRange
  ) throws(ShellError) {
    var settings = outputSettings
    settings.mode = mode
    settings.isTerminal = false
    settings.usesColor = false
    settings.progress = Progress("exporting", for: self)
    func body(_ writer: ByteWriter) throws(ShellError) {
      try Renderer(result, settings, to: writer).render(rows: 0..<result.keys.count)
    }
    if appends {
      guard mode != .json else {
        throw ShellError(
          .invalidArgument, "nothing can be added to the array of a json file", at: range,
          remedy: "format jsonl")
      }
      settings.showsHeader = !OutputFile.hasContent(path)
      try OutputFile.append(to: path, for: self, at: range, body)
    } else {
      try OutputFile.write(to: path, for: self, at: range, body)
    }
  }

  /// One file for each class that is not embedded, and the schema.
  private func exportAll(_ statement: ExportStatement, to writer: ByteWriter) throws(ShellError) {
    let database = try current(at: statement.path.range)
    let folder = resolve(statement.path)
    try permitWriting(to: folder, at: statement.path.range)
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
      throw ShellError(
        ErrorName(systemError: errno),
        "cannot make the folder \(folder): \(StorageMessages.systemText(errno))",
        at: statement.path.range)
    }
    let format = statement.format ?? .jsonl
    let mode = Settings.Mode(rawValue: format.rawValue)
    guard let mode else {
      throw ShellError(
        .invalidArgument, "the format has to be csv, tsv, json or jsonl", at: statement.path.range)
    }
    var objectCount = 0
    let classes = database.realm.schema.classes.filter { !$0.isEmbedded }
    for objectClass in classes {
      let name = Name(objectClass.name, range: statement.path.range)
      let query = WhereStatement(
        source: .name(name), condition: Condition.everything(at: name.range), columns: [])
      let result = try find(query)
      objectCount += result.keys.count
      let file = objectClass.name.replacing("/", with: "_")
      try write(
        result, mode, false, to: "\(folder)/\(file).\(format.rawValue)", statement.path.range)
    }
    let memory = ByteWriter()
    SchemaText(classes: database.realm.schema.classes, out: memory).writeStatements()
    try OutputFile.write(
      memory.takeBytes(), to: folder + "/schema.realmsh", for: self,
      at: statement.path.range)
    if let part = InfoText.unreadable(database.realm.snapshot).first {
      throw ShellError(
        .damaged, "not everything was exported; \(part)", at: statement.path.range)
    }
    guard acknowledges else { return }
    let objects = counted(objectCount, "object", "objects")
    let target =
      statement.path.text.hasSuffix("/") ? statement.path.text : statement.path.text + "/"
    writer.write(
      "exported \(objects) of \(counted(classes.count, "class", "classes")) to \(target)\n")
  }
}

extension Condition {
  /// No condition.
  static func everything(at range: SourceRange) -> Condition {
    Condition(query: QuerySyntax(predicate: .truePredicate(range), ordering: [], range: range))
  }
}
