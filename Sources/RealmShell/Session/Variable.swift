import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a variable stands for.
///
/// Source: shell.md 11, 13.
enum Variable: Sendable {
  /// A value. Live objects in it belong to the owner.
  case value(KeptValue, Owner?)
  /// Objects that are found anew when the database has changed.
  case results(Bound<LiveResults>)
  /// Objects of a version that is kept.
  case frozenResults(FrozenResults)
  /// An object that is gone for ever: its creation was cancelled.
  case invalidated
}

/// The variables, and the text, that the expressions of a statement refer to.
struct Scope: Sendable {
  let source: SourceText
  let variables: [String: Variable]
  /// Those that hide the others.
  var locals: [String: Variable] = [:]

  /// The variable with a name.
  subscript(name: String) -> Variable? { locals[name] ?? variables[name] }

  /// All names.
  var names: [String] { Array(variables.keys) + locals.keys }
}

/// The objects of a query as they are now.
final class LiveResults {
  /// How the objects are found.
  enum Origin: Sendable {
    case query(WhereStatement, Scope)
    case sections(SectionsStatement, Scope)
    /// The objects of the section of other results that has a key.
    indirect case section(Origin, ScalarValue)
    /// Fixed objects of a class.
    case objects(TableKey, [ObjectKey])
  }

  /// The database; those who drop the results may be another thread, and must not end it.
  private weak var holder: Session.Database?
  let origin: Origin
  /// Number of results that have to be found first.
  let depth: Int
  private var found: (schema: Schema, result: ResultSet)?

  /// Most results that are defined by each other; beyond it the objects are fixed.
  static let maximumDepth = 20

  init(_ database: Session.Database, _ origin: Origin, depth: Int = 0) {
    holder = database
    self.origin = origin
    self.depth = depth
  }

  /// The objects, found anew if the database has changed since the last time.
  ///
  /// - Parameter find: Runs a query.
  func result(
    in database: Session.Database, _ find: () throws(ShellError) -> ResultSet
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
    if let found, found.schema !== holder?.realm.schema { self.found = nil }
  }

  /// Lets go of the result.
  func forget() { found = nil }

  /// Takes a result that was just found.
  func remember(_ result: ResultSet) {
    found = (holder?.realm.schema).map { ($0, result) }
  }
}

/// The results of a query, of a version that is kept.
final class FrozenResults: Sendable {
  let version: FrozenVersion
  let table: TableKey
  /// How the objects are seen.
  let view: (any ClassView)?
  let keys: [ObjectKey]
  /// How they were found.
  let origin: LiveResults.Origin

  init(_ version: FrozenVersion, _ found: ResultSet, _ origin: LiveResults.Origin) {
    (self.version, self.origin) = (version, origin)
    (table, view) = (found.objectClass.table.key, found.objectClass.view)
    keys = found.keys
  }
}
