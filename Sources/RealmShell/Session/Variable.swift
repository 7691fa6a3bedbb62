import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a variable stands for.
///
/// Source: shell.md 11.
enum Variable {
  /// A value. Objects in it belong to the database.
  case value(KeptValue, Session.Database?)
  /// Objects that are found anew when the database has changed.
  case results(LiveResults)
  /// An object that is gone for ever: its creation was cancelled.
  case invalidated
}

/// The variables, and the text, that the expressions of a statement refer to.
struct Scope {
  let source: SourceText
  let variables: [String: Variable]
}

/// The objects of a query as they are now.
final class LiveResults {
  /// How the objects are found.
  enum Origin {
    case query(WhereStatement, Scope)
    case sections(SectionsStatement, Scope)
    /// The objects of the section of other results that has a key.
    indirect case section(LiveResults, ScalarValue)
    /// Fixed objects of a class.
    case objects(TableKey, [ObjectKey])
  }

  let database: Session.Database
  let origin: Origin
  /// Number of results that have to be found first.
  let depth: Int
  private var found: (schema: Schema, result: ResultSet)?

  /// Most results that are defined by each other; beyond it the objects are fixed.
  static let maximumDepth = 20

  init(_ database: Session.Database, _ origin: Origin, depth: Int = 0) {
    self.database = database
    self.origin = origin
    self.depth = depth
  }

  /// The objects, found anew if the database has changed since the last time.
  ///
  /// - Parameter find: Runs a query.
  func result(
    _ find: () throws(ShellError) -> ResultSet
  ) throws(ShellError) -> ResultSet {
    // Each version, and each state of a transaction that was looked at, has a schema of its own.
    let schema = database.realm.schema
    if let found, found.schema === schema { return found.result }
    let result = try find()
    found = (schema, result)
    return result
  }

  /// Lets go of a result of an older version.
  func forgetOld() {
    if let found, found.schema !== database.realm.schema { self.found = nil }
  }

  /// Lets go of the result.
  func forget() { found = nil }

  /// Takes a result that was just found.
  func remember(_ result: ResultSet) { found = (database.realm.schema, result) }
}

/// A value of a variable. It holds no part of a version of the database, which would then have to be
/// kept.
indirect enum KeptValue {
  case scalar(ScalarValue)
  case object(TableKey, className: String, ObjectKey)
  case list([KeptValue])
  case dictionary([(key: [UInt8], value: KeptValue)])

  /// Keeps a value; results become lists.
  init(_ value: ShellValue) {
    switch value {
    case .scalar(let scalar): self = .scalar(scalar)
    case .object(let objectClass, let key):
      self = .object(objectClass.table.key, className: objectClass.name, key)
    case .list, .results: self = .list((value.members ?? []).map { KeptValue($0) })
    case .dictionary(let entries):
      self = .dictionary(entries.map { ($0.key, KeptValue($0.value)) })
    case .record(let fields):
      self = .dictionary(fields.map { (Array($0.title.utf8), KeptValue($0.value)) })
    }
  }

  /// The value as it is in the present version of the database; deleted objects in collections read
  /// as null. Source: object-model.md 5.1.
  ///
  /// - Throws: `InvalidatedObject`, without a place, if the value is an object that was deleted.
  func value(in schema: Schema, path: String) throws(ShellError) -> ShellValue {
    switch self {
    case .scalar(let scalar): return .scalar(scalar)
    case .object(let table, let className, let key):
      guard let objectClass = schema.objectClass(table), objectClass.name == className else {
        throw ShellError(.invalidatedObject, "the class \(quotedName(className)) is gone")
      }
      let exists: Bool
      do throws(StorageError) {
        exists = try objectClass.table.row(of: key) != nil
      } catch {
        throw StorageMessages.error(error, path: path)
      }
      guard exists else { throw ShellError(.invalidatedObject, "the object was deleted") }
      return .object(objectClass, key)
    case .list(let members):
      var values: [ShellValue] = []
      values.reserveCapacity(members.count)
      for member in members { values.append(try member.valueOrNull(in: schema, path: path)) }
      return .list(values)
    case .dictionary(let entries):
      var values: [(key: [UInt8], value: ShellValue)] = []
      for entry in entries {
        values.append((entry.key, try entry.value.valueOrNull(in: schema, path: path)))
      }
      return .dictionary(values)
    }
  }

  /// The value as a member of a collection.
  private func valueOrNull(in schema: Schema, path: String) throws(ShellError) -> ShellValue {
    do throws(ShellError) {
      return try value(in: schema, path: path)
    } catch {
      guard error.name == .invalidatedObject else { throw error }
      return .null
    }
  }

  /// Whether all objects in it exist.
  func isWhole(in schema: Schema, path: String) -> Bool {
    switch self {
    case .scalar: true
    case .object: (try? value(in: schema, path: path)) != nil
    case .list(let members): members.allSatisfy { $0.isWhole(in: schema, path: path) }
    case .dictionary(let entries):
      entries.allSatisfy { $0.value.isWhole(in: schema, path: path) }
    }
  }

  /// Whether an object is, or is in, the value.
  var holdsObjects: Bool {
    switch self {
    case .scalar: false
    case .object: true
    case .list(let members): members.contains(where: \.holdsObjects)
    case .dictionary(let entries): entries.contains { $0.value.holdsObjects }
    }
  }

  /// The word for the kind of value.
  var kindText: String {
    switch self {
    case .scalar(let scalar): scalar.kind?.name ?? "null"
    case .object: "object"
    case .list: "list"
    case .dictionary: "dictionary"
    }
  }

  /// Whether collections in the value are nested at most `depth` levels deep.
  func isNested(atMost depth: Int) -> Bool {
    switch self {
    case .scalar, .object: true
    case .list(let members): depth > 0 && members.allSatisfy { $0.isNested(atMost: depth - 1) }
    case .dictionary(let entries):
      depth > 0 && entries.allSatisfy { $0.value.isNested(atMost: depth - 1) }
    }
  }
}

extension Session {
  /// The value of a variable; nil if there is none with the name.
  func value(
    of name: Name, in scope: Scope
  ) throws(ShellError) -> ShellValue? {
    guard let variable = scope.variables[name.text] else { return nil }
    do throws(ShellError) {
      switch variable {
      case .invalidated:
        throw ShellError(.invalidatedObject, "the creation of the object was cancelled")
      case .value(let value, let database):
        guard let database else { return try value.value(in: .empty, path: "") }
        try requireCurrent(database, name)
        return try value.value(in: database.realm.schema, path: database.realm.path)
      case .results(let results):
        try requireCurrent(results.database, name)
        return .results(try present(results))
      }
    } catch {
      var error = error
      error.range = error.range ?? name.range
      if error.name == .invalidatedObject || error.name == .staleAccessor {
        error.message = "$\(name.text): \(error.message)"
      }
      throw error
    }
  }

  private func requireCurrent(_ database: Database, _ name: Name) throws(ShellError) {
    guard databases.contains(where: { $0 === database }) else {
      throw ShellError(.invalidatedObject, "the database was closed", at: name.range)
    }
    guard database.name == currentName else {
      throw ShellError(
        .illegalOperation, "$\(name.text) belongs to the database \(database.name)",
        at: name.range, remedy: "use \(quotedName(database.name))")
    }
  }

  /// The objects of live results as they are now.
  func present(_ results: LiveResults) throws(ShellError) -> ResultSet {
    try results.result { () throws(ShellError) in
      switch results.origin {
      case .query(let query, let scope):
        return try find(query, scope: scope)
      case .sections(let sections, let scope):
        return try find(sections, scope: scope)
      case .section(let whole, let key):
        guard let section = try present(whole).section(with: .scalar(key)) else {
          throw ShellError(.staleAccessor, "the section has no objects any more")
        }
        return section
      case .objects(let table, let keys):
        let evaluator = evaluator(results.database)
        guard let objectClass = results.database.realm.schema.objectClass(table) else {
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
      for (name, variable) in variables where text.contains("$" + name) {
        used[name] = variable
        if case .results(let results) = variable { depth = max(depth, results.depth + 1) }
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
    let (schema, path) = (database.realm.schema, database.realm.path)
    for (name, variable) in variables {
      guard case .value(let value, let owner?) = variable, owner === database else { continue }
      if !value.isWhole(in: schema, path: path) { variables[name] = .invalidated }
    }
  }

  /// Lets go of results of older versions, which would have to be kept as long.
  func forgetOldResults(of database: Database) {
    for case .results(let results) in variables.values where results.database === database {
      results.forgetOld()
    }
  }

  /// Lets go of all results, which are found again when they are needed.
  func forgetResults(of database: Database) {
    for case .results(let results) in variables.values where results.database === database {
      results.forget()
    }
  }
}
