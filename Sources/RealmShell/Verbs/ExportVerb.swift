import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `export`.
///
/// Source: shell.md 16.
extension Session {
  func export(_ statement: ExportStatement, to writer: ByteWriter) throws(ShellError) {
    let format = try format(of: statement)
    if format == .sql || format == .sqlite {
      try exportTables(statement, asText: format == .sql, to: writer)
      return
    }
    guard let mode = Settings.Mode(rawValue: format.rawValue) else { return }
    if statement.append, mode == .json {
      throw ShellError(
        .invalidArgument, "nothing can be added to the array of a json file",
        at: statement.path.range, remedy: "format jsonl")
    }
    guard case .source(let source, let condition, let columns) = statement.content,
      !statement.links
    else { return try exportFolder(statement, mode, to: writer) }
    let result = try found(source, condition, columns)
    try write(result, mode, statement.append, to: resolve(statement.path), statement.path.range)
    if acknowledges {
      writer.write("exported \(objects(result.keys.count)) to \(statement.path.text)\n")
    }
  }

  private func objects(_ count: Int) -> String { counted(count, "object", "objects") }

  private func found(
    _ source: Source, _ condition: Condition?, _ columns: [Column]
  ) throws(ShellError) -> ResultSet {
    try find(
      WhereStatement(
        source: source, condition: condition ?? Condition.everything(at: source.range),
        columns: columns))
  }

  /// The format, given or told by the ending of the file name; that of the files in a folder is
  /// jsonl if nothing is said.
  private func format(of statement: ExportStatement) throws(ShellError) -> ExportFormat {
    if let format = statement.format { return format }
    let path = statement.path.text
    let name = path.split(separator: "/").last ?? ""
    let ending = name.contains(".") ? name.split(separator: ".").last?.lowercased() ?? "" : ""
    let told: ExportFormat? =
      switch ending {
      case "db", "sqlite3": .sqlite
      default: ExportFormat(rawValue: ending)
      }
    guard case .source = statement.content, !statement.links else {
      switch told {
      case .sql, .sqlite: return told ?? .jsonl
      case nil: return .jsonl
      case .csv, .tsv, .json, .jsonl:
        throw ShellError(
          .invalidArgument, "several classes need a folder", at: statement.path.range,
          remedy: "a folder's name and format \(ending)")
      }
    }
    guard let told else {
      throw ShellError(
        .invalidArgument, "the format has to be csv, tsv, json, jsonl, sql or sqlite",
        at: statement.path.range, remedy: "format jsonl")
    }
    return told
  }

  private func write(
    _ result: ResultSet, _ mode: Settings.Mode, _ appends: Bool, to path: String,
    _ range: SourceRange, newKeys: [TableKey: ObjectPositions] = [:]
  ) throws(ShellError) {
    var settings = outputSettings
    settings.newKeys = newKeys
    settings.mode = mode
    settings.isTerminal = false
    settings.usesColor = false
    settings.progress = Progress("exporting", for: self)
    func body(_ writer: ByteWriter) throws(ShellError) {
      try Renderer(result, settings, to: writer).render(rows: 0..<result.keys.count)
    }
    if appends {
      settings.showsHeader = !OutputFile.hasContent(path)
      try OutputFile.append(to: path, for: self, at: range, body)
    } else {
      try OutputFile.write(to: path, for: self, at: range, body)
    }
  }

  // MARK: Several classes

  /// What a statement is about: everything, or objects of a source with those that belong to them.
  private func selection(
    _ statement: ExportStatement, _ database: Database
  ) throws(ShellError) -> ObjectSelection {
    guard case .source(let source, let condition, let columns) = statement.content else {
      return ObjectSelection(allOf: database.realm.schema)
    }
    let result = try found(source, condition, columns)
    guard columns.isEmpty, result.objectClass.view == nil else {
      throw ShellError(
        .illegalOperation,
        "only whole objects can be exported this way, without show or projection",
        at: source.range)
    }
    let selection: ObjectSelection
    do throws(StorageError) {
      selection = try ObjectSelection(
        result.keys, of: result.objectClass, in: database.realm.schema,
        followsLinks: statement.links)
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    try Interruption.check()
    return selection
  }

  /// Tells that parts of the database could not be read.
  private func refuseUnreadable(
    _ statement: ExportStatement, _ database: Database
  ) throws(ShellError) {
    guard case .all = statement.content,
      let part = InfoText.unreadable(database.realm.snapshot).first
    else { return }
    throw ShellError(
      .damaged, "not everything was exported; \(part)", at: statement.path.range)
  }

  /// One file for each class that is not embedded, and the schema.
  private func exportFolder(
    _ statement: ExportStatement, _ mode: Settings.Mode, to writer: ByteWriter
  ) throws(ShellError) {
    let range = statement.path.range
    let database = try current(at: range)
    let selection = try selection(statement, database)
    let folder = resolve(statement.path)
    try permitWriting(to: folder, at: range)
    let isNew = mkdir(folder, 0o777) == 0
    guard isNew || errno == EEXIST else {
      throw ShellError(
        ErrorName(systemError: errno),
        "cannot make the folder \(folder): \(StorageMessages.systemText(errno))", at: range)
    }
    var files: [String] = []
    let classes = selection.classes.filter { !$0.isEmbedded }
    let objectCount: Int
    do throws(ShellError) {
      objectCount = try fill(folder, &files, classes, statement, mode, selection, database)
    } catch {
      if isNew {
        for file in files { unlink(file) }
        rmdir(folder)
      }
      throw error
    }
    try refuseUnreadable(statement, database)
    guard acknowledges else { return }
    let path = statement.path.text
    writer.write(
      "exported \(objects(objectCount)) of \(counted(classes.count, "class", "classes")) to "
        + "\(path.hasSuffix("/") ? path : path + "/")\n")
  }

  /// Writes the files of a folder.
  ///
  /// - Parameter files: Gets the paths of what was written.
  /// - Returns: the number of objects.
  private func fill(
    _ folder: String, _ files: inout [String], _ classes: [ObjectClass],
    _ statement: ExportStatement, _ mode: Settings.Mode, _ selection: ObjectSelection,
    _ database: Database
  ) throws(ShellError) -> Int {
    let range = statement.path.range
    let evaluator = evaluator(database)
    var objectCount = 0
    var fileNames: Set<String> = []
    let newKeys = try newKeys(of: classes, selection, database)
    for objectClass in classes {
      let result: ResultSet
      if let keys = selection.chosenKeys(of: objectClass) {
        let columns = try ColumnMaker.columns([], of: objectClass, evaluator: evaluator)
        result = ResultSet(objectClass, keys, columns: columns, evaluator: evaluator)
      } else {
        result = try found(.name(Name(objectClass.name, range: range)), nil, [])
      }
      objectCount += result.keys.count
      let name = fileName(of: objectClass, &fileNames)
      let file = "\(folder)/\(name).\(mode.rawValue)"
      files.append(file)
      try write(result, mode, statement.append, to: file, range, newKeys: newKeys)
    }
    let memory = ByteWriter()
    SchemaText(classes: database.realm.schema.classes, out: memory, isScript: true).writeScript()
    let script = folder + "/schema.realmsh"
    files.append(script)
    try OutputFile.write(memory.takeBytes(), to: script, for: self, at: range)
    return objectCount
  }

  /// The keys that linked objects without primary key get when their files are imported into new
  /// classes, which is how links can find them.
  private func newKeys(
    of classes: [ObjectClass], _ selection: ObjectSelection, _ database: Database
  ) throws(ShellError) -> [TableKey: ObjectPositions] {
    var newKeys: [TableKey: ObjectPositions] = [:]
    for objectClass in classes
    where objectClass.primaryKey == nil && !objectClass.inverses.isEmpty {
      newKeys[objectClass.table.key] = try database.reading { () throws(StorageError) in
        if let keys = selection.chosenKeys(of: objectClass) { return ObjectPositions(keys) }
        return try ObjectPositions(objectClass.table)
      }
    }
    return newKeys
  }

  /// A name for the file of a class, which no other class of the folder has.
  private func fileName(of objectClass: ObjectClass, _ used: inout Set<String>) -> String {
    let name = objectClass.name.replacing("/", with: "_").replacing("\0", with: "_")
    let base = name.isEmpty || name == "." || name == ".." ? "_" + name : name
    var result = base
    var number = 2
    while !used.insert(result).inserted {
      result = "\(base)_\(number)"
      number += 1
    }
    return result
  }

  /// Tables for SQLite.
  private func exportTables(
    _ statement: ExportStatement, asText: Bool, to writer: ByteWriter
  ) throws(ShellError) {
    let range = statement.path.range
    guard !statement.append else {
      throw ShellError(
        .invalidArgument, "nothing can be added to tables that are there already", at: range)
    }
    let database = try current(at: range)
    let selection = try selection(statement, database)
    let counts = try exportSQL(selection, asText: asText, to: statement.path)
    try refuseUnreadable(statement, database)
    guard acknowledges else { return }
    var objectCount = 0
    let classes = selection.classes.filter { !$0.isEmbedded }
    do throws(StorageError) {
      for objectClass in classes { objectCount += try selection.count(of: objectClass) }
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    writer.write(
      "exported \(objects(objectCount)) of \(counted(classes.count, "class", "classes")) to "
        + "\(statement.path.text)\n")
    let width = counts.map { grouped($0.count).count }.max() ?? 0
    for (table, count) in counts {
      let number = grouped(count)
      let margin = String(repeating: " ", count: width - number.count)
      writer.write("  \(margin)\(number) \(count == 1 ? "row " : "rows") in \(table)\n")
    }
  }
}

extension Condition {
  /// No condition.
  static func everything(at range: SourceRange) -> Condition {
    Condition(query: QuerySyntax(predicate: .truePredicate(range), ordering: [], range: range))
  }
}
