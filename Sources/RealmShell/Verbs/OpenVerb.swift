import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `open`, and FILE of the command line.
///
/// Source: shell.md 2, 6.
extension Session {
  /// How a database is opened.
  struct Opening {
    /// Whether a file may, or has to, be made.
    enum Creation {
      case no, ifMissing, new
    }

    /// The path as the system needs it; nil for a memory database.
    var path: String?
    var name: String?
    /// The name of a memory database, by which it can be opened more than once.
    var memoryName: String?
    var key: EncryptionKey?
    /// The file of a key that is made for a new database.
    var keyFile: NewKeyFile?
    var state = Realm.State.live
    var creation = Creation.no
    var isReadOnly = false
    var isShared = false
    var compacts = false
    /// The path of a script with the declared classes.
    var schema: String?
    /// The version of the declared classes.
    var version: UInt64?
    /// Most living versions with which a write transaction may begin.
    var versionLimit: Int?
  }

  func open(_ statement: OpenStatement, to writer: ByteWriter) throws(ShellError) {
    var opening = Opening()
    opening.name = statement.name?.text
    opening.isReadOnly = statement.readonly
    opening.isShared = statement.shared
    opening.compacts = statement.compact
    opening.schema = statement.schema.map(resolve)
    switch statement.snapshot {
    case nil: break
    case .previous:
      opening.state = .previous
      opening.isReadOnly = true
    case .version(let number):
      throw ShellError(
        .badVersion, "only the state before the last commit can be opened", at: number.range,
        remedy: "snapshot previous")
    }
    if let limit = statement.versionLimit {
      guard limit.value > 0 else {
        throw ShellError(.invalidArgument, "at least one version is alive", at: limit.range)
      }
      opening.versionLimit = Int(limit.value)
    }
    if let number = statement.version {
      guard let version = UInt64(exactly: number.value) else {
        throw ShellError(.invalidArgument, "a schema version is not negative", at: number.range)
      }
      opening.version = version
    }
    if statement.create { opening.creation = .ifMissing }
    if statement.new { opening.creation = .new }
    if isSafe, opening.creation != .no, case .file(let path) = statement.target {
      throw ShellError(.notSafe, "making files is refused by --safe", at: path.range)
    }
    switch statement.target {
    case .memory(let name):
      if let key = statement.key {
        throw ShellError(.invalidArgument, "a memory database has no key", at: key.range)
      }
      opening.name = opening.name ?? name?.text
      opening.memoryName = name?.text
      try open(opening, to: writer)
    case .file(let path):
      opening.path = resolve(path)
      do throws(ShellError) {
        try readKey(statement.key, for: &opening)
        try open(opening, to: writer)
      } catch {
        throw placed(error, path)
      }
    }
  }

  /// Opens a database, makes it the current one and tells so.
  private func open(_ opening: Opening, to writer: ByteWriter) throws(ShellError) {
    let database = try openDatabase(opening)
    acknowledge(openedText(database), to: writer)
  }

  /// Opens a database and makes it the current one.
  @discardableResult
  func openDatabase(_ opening: Opening) throws(ShellError) -> Database {
    var opening = opening
    opening.path = opening.path.map { withoutLink(absolutePath($0)) }
    if let path = opening.path { try refuseOutput(asDatabase: path) }
    if opening.isReadOnly { try refuseWriting(opening) }
    let (realm, isNew) = try openRealm(opening)
    if let path = opening.path, opening.key != nil, !isNew, !realm.snapshot.file.isEncrypted {
      if let other = databases.first(where: { OutputFile.areSame($0.realm.path, path) }) {
        throw ShellError(
          .mismatchedConfig, "the file is open without a key as \(quotedName(other.name))")
      }
      warn(
        ShellError(.invalidEncryptionKey, "\(shownPath(path)): the file is not encrypted"),
        origin: nil)
    }
    warnOfUnreadableParts(realm)
    let database = Database(
      name: freeName(for: opening), realm: realm, isReadOnly: opening.isReadOnly, isNew: isNew,
      isInMemory: opening.path == nil,
      defaults: opening.path.map { threads.defaults(ofFile: $0, isNew: isNew) } ?? Defaults(),
      for: self)
    database.memoryName = opening.memoryName
    database.versionLimit = opening.versionLimit
    try prepare(database, opening)
    databases.append(database)
    currentName = database.name
    if thread.isMain { offer(database) }
    return database
  }

  /// Lets the other threads open a database that `main` has opened.
  private func offer(_ database: Database) {
    let entry = SharedDatabase(
      number: database.number, name: database.name, path: database.realm.path, key: database.key,
      state: database.realm.state, isReadOnly: database.isReadOnly,
      isInMemory: database.isInMemory, versionLimit: database.versionLimit,
      defaults: database.defaults, isOpenForWriting: database.isOpenForWriting)
    threads.monitor.withLock { $0.databases.append(entry) }
    if threads.hasOthers { shareDatabases() }
  }

  private func refuseWriting(_ opening: Opening) throws(ShellError) {
    guard opening.creation == .no, !opening.isShared, !opening.compacts else {
      throw ShellError(.invalidArgument, "what is opened for reading only cannot be changed")
    }
  }

  /// A name that no open database has.
  private func freeName(for opening: Opening) -> String {
    let base = opening.path?.split(separator: "/").last.map(String.init) ?? "memory"
    return unusedName(
      opening.name ?? (base.hasSuffix(".realm") ? String(base.dropLast(6)) : base))
  }

  /// A name that no open database has; the one given if possible.
  func unusedName(_ stem: String) -> String {
    var name = stem
    var number = 2
    while databases.contains(where: { $0.name == name }) {
      name = "\(stem)\(number)"
      number += 1
    }
    return name
  }

  /// Opens or creates the file; true if it is new.
  private func openRealm(_ opening: Opening) throws(ShellError) -> (Realm, Bool) {
    guard let path = opening.path else {
      do throws(StorageError) {
        let other = databases.first {
          $0.memoryName != nil && $0.memoryName == opening.memoryName
        }
        if let other { return (try other.realm.sibling(), false) }
        return (try Realm.memory(), true)
      } catch {
        throw StorageMessages.error(error, path: "the memory database")
      }
    }
    let exists = access(path, F_OK) == 0
    if exists, opening.creation == .new { throw alreadyExists(path) }
    if exists, opening.keyFile != nil {
      throw ShellError(.fileAlreadyExists, "\(shownPath(path)) exists already: it gets no new key")
    }
    if !exists, let error = StorageMessages.danglingLink(path) { throw error }
    if !exists, opening.creation != .no {
      do throws(StorageError) {
        // Nobody shall have a database without its key.
        try opening.keyFile?.publish()
        return (try Realm.create(path: path, key: opening.key), true)
      } catch {
        opening.keyFile?.withdraw()
        if case .system(_, EEXIST) = error { throw alreadyExists(path) }
        throw StorageMessages.error(error, path: path)
      }
    }
    let realm = try openRealm(path: path, key: opening.key, state: opening.state)
    guard opening.compacts, try isMostlyFree(realm) else { return (realm, false) }
    do throws(StorageError) {
      let progress = Progress("compacting", for: self)
      try FileCopier.compact(path: path, key: realm.key) { progress.goesOn($0, $1) }
    } catch {
      throw StorageMessages.error(error, path: path)
    }
    return (try openRealm(path: path, key: opening.key, state: opening.state), false)
  }

  private func alreadyExists(_ path: String) -> ShellError {
    let name = shownPath(path)
    return ShellError(.fileAlreadyExists, "\(name) exists already", remedy: "open \(name)")
  }

  /// Whether less than half of a file is in use.
  private func isMostlyFree(_ realm: Realm) throws(ShellError) -> Bool {
    do throws(StorageError) {
      return try realm.snapshot.usedByteCount() < realm.snapshot.file.byteCount / 2
    } catch {
      throw StorageMessages.error(error, path: realm.path)
    }
  }

  /// Does what `open` asks for beyond opening.
  private func prepare(_ database: Database, _ opening: Opening) throws(ShellError) {
    if opening.isShared {
      do throws(StorageError) {
        try database.realm.share()
      } catch {
        throw StorageMessages.error(error, path: database.realm.path)
      }
      database.isOpenForWriting = true
    }
    if let schema = opening.schema {
      try declare(schema, version: opening.version, in: database)
    } else if database.isNew {
      // As SDKs do, so that they find a version.
      try writing(to: database) { () throws(SchemaError) in
        try database.schemaEditor.setVersion(opening.version ?? 0)
      }
    } else if opening.version != nil {
      throw ShellError(
        .invalidArgument, "a version belongs to a declared schema", remedy: "schema version N")
    }
  }

  /// Changes classes in a transaction of its own.
  private func writing<Result>(
    to database: Database, _ body: () throws(SchemaError) -> Result
  ) throws(ShellError) {
    let text = SchemaErrorText(database, text: source)
    do throws(StorageError) {
      try database.realm.beginWrite()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    database.isOpenForWriting = true
    do throws(ShellError) {
      _ = try text.during(body)
    } catch {
      try? database.realm.cancelWrite()
      throw error
    }
    do throws(StorageError) {
      try database.realm.commitWrite()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  // MARK: Declared schema

  /// Makes the classes of a file as a script declares them.
  private func declare(
    _ path: String, version: UInt64?, in database: Database
  ) throws(ShellError) {
    let script = SourceText(fileName: path, bytes: try TextFile.read(path, shownAs: path))
    let outerSource = source
    source = script
    defer { source = outerSource }
    do throws(ShellError) {
      let statements = try classStatements(of: script)
      var definitions: [ClassDefinition] = []
      for statement in statements { definitions.append(try definition(of: statement, database)) }
      let text = SchemaErrorText(database, classes: statements, text: script)
      if database.isReadOnly {
        try text.during { () throws(SchemaError) in
          try SchemaOpening.checkReading(database.realm.schema, definitions, version: version)
        }
        for statement in statements { database.setDefaults(of: statement, for: self) }
        return
      }
      let plan = try text.during { () throws(SchemaError) in
        try SchemaOpening.plan(database.realm.schema, definitions, version: version)
      }
      if !plan.isNothing {
        try writing(to: database) { () throws(SchemaError) in
          try database.schemaEditor.open(definitions, version: version)
        }
      }
      for statement in statements { database.setDefaults(of: statement, for: self) }
    } catch {
      // The place is in the script, not in the statement that opens.
      var error = error
      if let range = error.range {
        let place = script.place(of: range.start)
        error.message = "\(path):\(place.line):\(place.column): \(error.message)"
        error.range = nil
      }
      throw error
    }
  }

  private func classStatements(of script: SourceText) throws(ShellError) -> [ClassStatement] {
    var parser = StatementParser(script)
    var classes: [ClassStatement] = []
    do throws(SyntaxError) {
      while let statement = try parser.next() {
        if case .write(let block) = statement.body, statement.prefixes.isEmpty {
          for inner in block.statements { classes.append(try classStatement(inner)) }
        } else {
          classes.append(try classStatement(statement))
        }
      }
    } catch {
      throw ShellError(error)
    }
    return classes
  }

  private func classStatement(_ statement: Statement) throws(SyntaxError) -> ClassStatement {
    guard case .class(let found) = statement.body, statement.prefixes.isEmpty else {
      throw SyntaxError(
        "a schema consists of class statements, in write { ... } or without", name: .syntax,
        range: statement.range, expected: [.word("class"), .word("write")])
    }
    return found
  }

  /// Parts of a warning that are printed in full.
  private static let maximumDetailCount = 8

  /// Tells what is missing from a damaged file, so that nobody takes the rest for the whole.
  private func warnOfUnreadableParts(_ realm: Realm) {
    let parts = InfoText.unreadable(realm.snapshot)
    guard !parts.isEmpty else { return }
    let count = counted(parts.count, "class or property", "classes or properties")
    var warning = ShellError(.damaged, "\(shownPath(realm.path)): \(count) cannot be read")
    warning.details = Array(parts.prefix(Session.maximumDetailCount))
    if parts.count > Session.maximumDetailCount { warning.details.append("...") }
    warn(warning, origin: nil)
  }

  /// Opens a file; the key of the environment is tried if the file needs one and none is given.
  func openRealm(
    path: String, key: EncryptionKey?, state: Realm.State = .live
  ) throws(ShellError) -> Realm {
    do throws(StorageError) {
      return try Realm(path: path, key: key, state: state)
    } catch {
      if error == .noKey, key == nil, let source = nonEmptyEnvironment("REALMSH_KEY") {
        return try openRealm(path: path, key: try readKey(source), state: state)
      }
      var failure = StorageMessages.error(error, path: path)
      // The state before the last commit is a way out if it can be read.
      if failure.name == .damaged {
        let previous = state == .live ? try? Realm(path: path, key: key, state: .previous) : nil
        failure.remedy = previous.map { _ in "open \(shownPath(path)) snapshot previous" }
      }
      throw failure
    }
  }

  /// The line that tells what was opened.
  func openedText(_ database: Database) -> String {
    guard !database.isInMemory else { return "opened memory database \(database.name)" }
    let snapshot = database.realm.snapshot
    let classes = database.realm.schema.classes.count
    let format = snapshot.format.map { "format \($0.number)" } ?? "empty"
    let schema = database.realm.schema.version.map { "schema version \($0)" } ?? "no schema version"
    let count = classes == 0 ? "no classes" : counted(classes, "class", "classes")
    let verb = database.isNew ? "created" : "opened"
    var text = "\(verb) \(shownPath(database.realm.path)): \(format), \(schema), \(count)"
    if settings.showsVersions, !database.isNew { text += ", version \(snapshot.version)" }
    if snapshot.file.isEncrypted { text += ", encrypted" }
    if database.isReadOnly { text += ", read-only" }
    return text
  }
}
