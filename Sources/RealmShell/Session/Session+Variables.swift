import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Session {
  /// Binds a name for all threads, unless one of this thread hides it.
  func set(_ name: String, _ variable: Variable?) {
    if locals[name] != nil {
      locals[name] = variable
    } else {
      threads.set(name, variable)
    }
  }

  /// Whose objects from a database are.
  func owner(_ database: Database) -> Owner {
    Owner(thread: thread, instance: database.instance, generation: database.generation)
  }

  /// The value of a variable; nil if there is none with the name.
  func value(
    of name: Name, in scope: Scope
  ) throws(ShellError) -> ShellValue? {
    guard let variable = scope[name.text] else { return nil }
    do throws(ShellError) {
      return try value(of: variable, name)
    } catch {
      var error = error
      error.range = error.range ?? name.range
      if error.name == .invalidatedObject || error.name == .staleAccessor {
        error.message = "$\(name.text): \(error.message)"
      }
      throw error
    }
  }

  /// What a variable stands for now.
  func value(of variable: Variable, _ name: Name) throws(ShellError) -> ShellValue {
    switch variable {
    case .invalidated:
      throw ShellError(.invalidatedObject, "the creation of the object was cancelled")
    case .value(let value, let owner):
      guard let owner else { return try present(value, in: nil) }
      let database = try database(of: owner, name, whenInvalid: .invalidatedObject)
      return try present(value, in: database)
    case .results(let bound):
      let database = try database(of: bound.owner, name, whenInvalid: .staleAccessor)
      return .results(try present(bound.value, in: database))
    case .frozenResults(let results): return .results(try present(results))
    }
  }

  /// A kept value as it is now; without a database it holds no live objects.
  func present(_ value: KeptValue, in database: Database?) throws(ShellError) -> ShellValue {
    try value.value(
      in: database?.realm.schema ?? .empty, path: database?.realm.path ?? ""
    ) { (version) throws(ShellError) in try frozenDatabase(version).realm.schema }
  }

  /// The database of this thread that objects belong to.
  ///
  /// - Throws: `WrongThread` if they belong to another thread; `invalid` if the database was
  ///   invalidated.
  private func database(
    of owner: Owner, _ name: Name, whenInvalid invalid: ErrorName
  ) throws(ShellError) -> Database {
    guard owner.thread === thread else {
      guard threads.monitor.withLock({ $0.index(of: owner.thread) }) != nil else {
        throw ShellError(
          .invalidatedObject, "the thread \(owner.thread.name) has ended", at: name.range)
      }
      throw ShellError(
        .wrongThread, "$\(name.text) belongs to thread \(owner.thread.name)", at: name.range,
        remedy: wayAcross(name, from: owner.thread))
    }
    guard let database = databases.first(where: { $0.instance == owner.instance }) else {
      throw ShellError(.invalidatedObject, "the database was closed", at: name.range)
    }
    guard database.generation == owner.generation else {
      throw ShellError(invalid, "the database was invalidated")
    }
    guard database.name == currentName else {
      throw ShellError(
        .illegalOperation, "$\(name.text) belongs to the database \(database.name)",
        at: name.range, remedy: "use \(quotedName(database.name))")
    }
    if database.realm.isIdle { try beginReading(database) }
    return database
  }

  /// The statement that would take a variable of another thread here.
  private func wayAcross(_ name: Name, from owner: ThreadIdentity) -> String {
    guard !owner.isMain else {
      let statement = source.text(of: bodyRange)
      return "on \(quotedName(thread.name)) with $\(name.text): \(statement)"
    }
    return "on \(quotedName(owner.name)): let $r = ref($\(name.text))"
  }

  /// The database of a frozen version, for the present statement.
  func frozenDatabase(_ version: FrozenVersion) throws(ShellError) -> Database {
    if let known = frozenDatabases[ObjectIdentifier(version)] { return known }
    let realm: Realm
    do throws(StorageError) {
      realm = try Realm(version)
    } catch {
      throw StorageMessages.error(error, path: version.path)
    }
    let database = Database(
      name: currentName ?? "", realm: realm, isReadOnly: true,
      defaults: (try? current())?.defaults ?? Defaults(), for: self)
    frozenDatabases[ObjectIdentifier(version)] = database
    return database
  }

  /// Results of a kept version.
  private func present(_ results: FrozenResults) throws(ShellError) -> ResultSet {
    let evaluator = evaluator(try frozenDatabase(results.version))
    guard let base = evaluator.schema.objectClass(results.table) else {
      throw ShellError(.invalidatedObject, "the class of the results is gone")
    }
    let objectClass = base.seen(through: results.view)
    let columns = try ColumnMaker.columns([], of: objectClass, evaluator: evaluator)
    return ResultSet(objectClass, results.keys, columns: columns, evaluator: evaluator)
  }

  /// The objects of live results as they are now.
  func present(
    _ results: LiveResults, in database: Database
  ) throws(ShellError) -> ResultSet {
    try results.result(in: database) { () throws(ShellError) in
      switch results.origin {
      case .query(let query, let scope):
        return try find(query, scope: scope, in: database)
      case .sections(let sections, let scope):
        return try find(sections, scope: scope, in: database)
      case .section(let whole, let key):
        let whole = try present(LiveResults(database, whole), in: database)
        guard let section = whole.section(with: .scalar(key)) else {
          throw ShellError(.staleAccessor, "the section has no objects any more")
        }
        return section
      case .objects(let table, let keys):
        let evaluator = evaluator(database)
        guard let objectClass = evaluator.schema.objectClass(table) else {
          throw ShellError(.invalidatedObject, "the class of the results is gone")
        }
        var present: [ObjectKey] = []
        for key in keys {
          let exists = try evaluator.reading { () throws(StorageError) in
            try objectClass.table.row(of: key) != nil
          }
          if exists { present.append(key) }
        }
        let columns = try ColumnMaker.columns([], of: objectClass, evaluator: evaluator)
        return ResultSet(objectClass, present, columns: columns, evaluator: evaluator)
      }
    }
  }

  /// Makes the result of a query live, with the variables that its text from the source on names.
  func live(
    _ result: ResultSet, from start: Source, _ database: Database,
    _ origin: (Scope) -> LiveResults.Origin
  ) -> LiveResults {
    let end = max(statementRange.end, start.range.end)
    let text = source.text(of: SourceRange(start: start.range.start, end: end))
    var used: [String: Variable] = [:]
    var depth = 0
    if text.contains("$") {
      let scope = scope
      for name in scope.names where text.contains("$" + name) {
        used[name] = scope[name]
        if case .results(let bound)? = scope[name], bound.owner.thread === thread {
          depth = max(depth, bound.value.depth + 1)
        }
      }
    }
    let live: LiveResults
    if depth > LiveResults.maximumDepth {
      live = LiveResults(database, .objects(result.objectClass.table.key, result.keys))
    } else {
      let scope = Scope(source: source, variables: used)
      live = LiveResults(database, origin(scope), depth: depth)
    }
    live.remember(result)
    return live
  }

  /// Forgets objects whose creation was cancelled: their keys may be given away again.
  func invalidateVariables(of database: Database) {
    let owner = owner(database)
    var gone: [String] = []
    let scope = scope
    for name in scope.names {
      guard case .value(let value, let holder)? = scope[name], holder == owner else { continue }
      if !value.isWhole(in: database.realm.schema, path: database.realm.path) {
        gone.append(name)
      }
    }
    for name in gone { set(name, .invalidated) }
  }

  /// Calls a function with the live results of this thread from a database.
  private func forEachResults(of database: Database, _ body: (LiveResults) -> Void) {
    let owner = owner(database)
    for variables in [threads.variables, locals] {
      for case .results(let bound) in variables.values where bound.owner == owner {
        body(bound.value)
      }
    }
  }

  /// Lets go of results of older versions, which would have to be kept as long.
  func forgetOldResults(of database: Database) {
    forEachResults(of: database) { $0.forgetOld() }
  }

  /// Lets go of all results, which are found again when they are needed.
  func forgetResults(of database: Database) {
    forEachResults(of: database) { $0.forget() }
  }

  /// Begins to read a database whose version was let go.
  func beginReading(_ database: Database, _ version: Int64? = nil) throws(ShellError) {
    do throws(StorageError) {
      try database.realm.beginReading(version)
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }
}
