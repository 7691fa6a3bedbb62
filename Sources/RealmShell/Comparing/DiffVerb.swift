import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage

/// `diff`, `schema diff`.
///
/// Source: shell.md 6, 7.
extension Session {
  /// The exit status when something differs.
  private static let differenceStatus: Int32 = 7

  func diff(_ statement: DiffStatement, to writer: ByteWriter) throws(ShellError) {
    let database = try current()
    let (other, name) = try other(statement, than: database)
    let here = database.isInMemory ? database.name : shownPath(database.realm.path)
    let chosen = try chosenClasses(statement.classes, database.realm.schema, other.schema)
    let report = DiffReport(
      old: other, new: database.realm, names: (name, here), form: diffForm, to: writer,
      for: self)
    do throws(StorageError) {
      report.begin()
      if statement.scope != .data { report.writeSchema(chosen) }
      if statement.scope != .schema { try report.writeData(chosen) }
      report.end(statement.scope)
    } catch {
      if case .rejected(.interrupted) = error { throw ShellError(.interrupted, "interrupted") }
      throw StorageMessages.error(error, path: database.realm.path)
    }
    guard other.isIntact() else {
      throw ShellError(
        .badVersion, "\(name) was changed while it was read", remedy: "run the statement again")
    }
    if report.hasDifferences { exitStatus = Session.differenceStatus }
  }

  private var diffForm: DiffReport.Form {
    switch settings.mode {
    case .json: .json
    case .jsonl: .jsonLines
    default: .human
    }
  }

  private func chosenClasses(
    _ names: [Name], _ here: Schema, _ there: Schema
  ) throws(ShellError) -> Set<String> {
    for name in names
    where here.objectClass(named: name.text) == nil && there.objectClass(named: name.text) == nil {
      throw ShellError(
        .noSuchTable, "no class \(name.text)", at: name.range,
        suggestion: Spelling.nearest(
          to: name.text, among: (here.classes + there.classes).map(\.name)))
    }
    return Set(names.map(\.text))
  }

  // MARK: The other state

  /// What the current database is compared with, and its name.
  private func other(
    _ statement: DiffStatement, than database: Database
  ) throws(ShellError) -> (Realm, String) {
    switch statement.target {
    case .database(let name): return (try self.database(named: name).realm, name.text)
    case .file(let path):
      if !path.isQuoted, statement.key == nil,
        let open = databases.first(where: { $0.name == path.text })
      {
        if open !== database, open.realm.isIdle { try refresh(open) }
        return (open.realm, open.name)
      }
      return (try openForComparing(path, key: statement.key), path.text)
    case .snapshot(let snapshot, let range):
      if let key = statement.key {
        throw ShellError(
          .invalidArgument, "a snapshot has the key of its database", at: key.range)
      }
      let realm = try earlierState(snapshot, of: database, at: range)
      return (realm, "version \(realm.snapshot.version)")
    }
  }

  /// Opens a file: with the key given, else that of the environment, else that of the current
  /// database.
  private func openForComparing(
    _ path: FilePath, key: FilePath?
  ) throws(ShellError) -> Realm {
    let file = resolve(path)
    do throws(ShellError) {
      let given = try readKey(key)
      do throws(ShellError) {
        return try openRealm(path: file, key: given)
      } catch {
        guard error.name == .noKey, let key = try? current().key else { throw error }
        return try openRealm(path: file, key: key)
      }
    } catch {
      var error = placed(error, path)
      // Nothing is to be created.
      if error.name == .fileNotFound { error.remedy = nil }
      throw error
    }
  }

  private func earlierState(
    _ snapshot: OpenStatement.Snapshot, of database: Database, at range: SourceRange
  ) throws(ShellError) -> Realm {
    let realm = database.realm
    guard case .version(let number) = snapshot else {
      guard !database.isInMemory else {
        throw ShellError(
          .badVersion, "a memory database keeps no earlier state", at: range,
          remedy: "snapshot N, for a version that info versions lists")
      }
      return try openRealm(path: realm.path, key: database.key, state: .previous)
    }
    do throws(StorageError) {
      if realm.access == .shared, realm.state == .live {
        let other = try realm.sibling()
        try other.beginReading(number.value)
        if other.snapshot.version == number.value { return other }
      } else if realm.snapshot.version == number.value {
        return realm
      }
    } catch {
      throw StorageMessages.error(error, path: realm.path)
    }
    if !database.isInMemory,
      let previous = try? Realm(path: realm.path, key: database.key, state: .previous),
      previous.snapshot.version == number.value
    {
      return previous
    }
    throw ShellError(
      .badVersion, "version \(number.value) is gone", at: number.range, remedy: "info versions")
  }

  // MARK: schema diff

  func schemaDiff(_ path: FilePath, to writer: ByteWriter) throws(ShellError) {
    let database = try current()
    let here = database.isInMemory ? database.name : shownPath(database.realm.path)
    let open = path.isQuoted ? nil : databases.first { $0.name == path.text }
    let isScript =
      open == nil && !path.text.lowercased().hasSuffix(".realm")
      && !looksLikeRealm(resolve(path))
    let other: Schema
    if let open {
      other = open.realm.schema
    } else if isScript {
      other = try declared(in: path)
    } else {
      other = try openForComparing(path, key: nil).schema
    }
    let difference = SchemaDifference(
      here: database.realm.schema, there: other, comparesVersions: !isScript)
    difference.write(here: here, there: path.text, to: writer)
    if difference.entries.isEmpty {
      writer.write("schema is equal\n")
    } else {
      exitStatus = Session.differenceStatus
    }
  }

  private func looksLikeRealm(_ path: String) -> Bool {
    do throws(StorageError) {
      _ = try RealmFile(path: path, key: nil)
      return true
    } catch {
      return error == .noKey
    }
  }

  /// The schema that the class statements of a script make.
  private func declared(in path: FilePath) throws(ShellError) -> Schema {
    let script = SourceText(
      fileName: path.text,
      bytes: try TextFile.read(resolve(path), shownAs: path.text, at: path.range))
    let outerSource = source
    source = script
    defer { source = outerSource }
    do throws(ShellError) {
      let statements = try ClassStatements.all(of: script)
      let realm: Realm
      do throws(StorageError) {
        realm = try Realm.memory()
        try realm.beginWrite()
      } catch {
        throw StorageMessages.error(error, path: path.text)
      }
      let memory = Database(
        name: path.text, realm: realm, isReadOnly: false, isNew: true,
        isInMemory: true, for: self)
      var definitions: [ClassDefinition] = []
      for statement in statements { definitions.append(try definition(of: statement, memory)) }
      let text = SchemaErrorText(memory, classes: statements, text: script)
      _ = try text.during { () throws(SchemaError) in
        try memory.schemaEditor.declare(definitions, mayLinkForward: false)
      }
      do throws(StorageError) {
        try realm.refresh()
      } catch {
        throw StorageMessages.error(error, path: path.text)
      }
      return realm.schema
    } catch {
      // The place is in the script, not in the statement that names it.
      var error = error
      if let range = error.range, error.subject == nil {
        let place = script.place(of: range.start)
        error.message = "\(path.text):\(place.line):\(place.column): \(error.message)"
        error.range = nil
      }
      throw error
    }
  }
}

/// Finds class statements.
enum ClassStatements {
  /// Those of a script and of its `write` blocks, as `dump` writes them; other statements are passed
  /// over.
  static func all(of script: SourceText) throws(ShellError) -> [ClassStatement] {
    var parser = StatementParser(script)
    var classes: [ClassStatement] = []
    do throws(SyntaxError) {
      while let statement = try parser.next() { collect(statement, &classes) }
    } catch {
      throw ShellError(error)
    }
    return classes
  }

  private static func collect(_ statement: Statement, _ classes: inout [ClassStatement]) {
    switch statement.body {
    case .class(let found): classes.append(found)
    case .write(let block):
      for inner in block.statements { collect(inner, &classes) }
    default: break
    }
  }
}
