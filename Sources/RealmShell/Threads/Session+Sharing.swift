import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `ref`, `resolve`, `freeze`, `thaw`.
///
/// Source: object-model.md 3.7, 9.2; shell.md 13.
extension Session {
  /// A call of one of the functions that lead from one thread to another.
  struct SharingCall {
    let function: SharingFunction
    let argument: Expression
    let row: ShellValue?
    let scope: Scope
    /// The whole call.
    let range: SourceRange

    /// The variable that is the argument.
    var variable: Name? {
      guard case .path(let path) = argument, path.steps.isEmpty,
        case .variable(let name) = path.base
      else { return nil }
      return name
    }
  }

  /// What a call gives, for `let`.
  func variable(for call: SharingCall) throws(ShellError) -> Variable {
    switch call.function {
    case .ref: return .value(.reference(try reference(to: call)), nil)
    case .resolve: return try resolve(call)
    case .freeze: return try freeze(call)
    case .thaw: return try thaw(call)
    }
  }

  /// What a call gives, as a value.
  func value(of call: SharingCall) throws(ShellError) -> ShellValue {
    try value(of: try variable(for: call), Name("", range: call.range))
  }

  /// The way in which the results that an argument names are found; nil if it names none.
  private func origin(of call: SharingCall) throws(ShellError) -> LiveResults.Origin? {
    if let name = call.variable, case .results(let bound)? = call.scope[name.text] {
      // Refuses those of other threads.
      _ = try value(of: name, in: call.scope)
      return bound.value.origin
    }
    if case .query(.where(let query), _) = call.argument {
      let database = try current(at: call.argument.range)
      let result = try find(query, scope: call.scope)
      return live(result, from: query.source, database) { .query(query, $0) }.origin
    }
    return nil
  }

  private func argument(_ call: SharingCall) throws(ShellError) -> ShellValue {
    try evaluator(try? current(), scope: call.scope).value(of: call.argument, row: call.row)
  }

  private func unshared(_ verb: String, at range: SourceRange) -> ShellError {
    ShellError(
      .illegalOperation, "only objects, results and collections can be \(verb)", at: range)
  }

  // MARK: ref

  private func reference(to call: SharingCall) throws(ShellError) -> Reference {
    let database = try current(at: call.range)
    let reference: Reference
    if let origin = try origin(of: call) {
      reference = try self.reference(to: origin, in: database, at: call.argument.range)
    } else if case .path(let path) = call.argument, !path.steps.isEmpty,
      let target = try collection(path, call)
    {
      reference = try self.reference(to: target, in: database)
    } else {
      let value = KeptValue(try argument(call))
      guard value.holdsObjects else {
        throw unshared("referred to", at: call.argument.range)
      }
      reference = try self.reference(to: .value(value), in: database)
    }
    return reference
  }

  private func reference(
    to target: Reference.Target, in database: Database
  ) throws(ShellError) -> Reference {
    guard let file = FileIdentity(path: database.realm.path) else {
      throw ShellError(.fileNotFound, "\(shownPath(database.realm.path)) is gone")
    }
    let reference = Reference(target, in: file, version: database.realm.snapshot.version)
    database.transaction?.references.append(reference)
    return reference
  }

  private func reference(
    to origin: LiveResults.Origin, in database: Database, at range: SourceRange
  ) throws(ShellError) -> Reference {
    let version = try frozenVersion(of: database)
    if database.transaction != nil, let version, case .query(let query, let scope) = origin,
      case .path(let path) = query.source, case .variable(let name) = path.base,
      case .value(let owner, _)? = scope[name.text],
      try existing(owner, in: version) == nil
    {
      throw ShellError(
        .wrongTransactionState, "the collection was created in the open transaction", at: range,
        remedy: "commit")
    }
    return try reference(to: .results(portable(origin), version), in: database)
  }

  /// The collection that a path leads to; nil if it leads to something else.
  private func collection(
    _ path: PathExpression, _ call: SharingCall
  ) throws(ShellError) -> Reference.Target? {
    let evaluator = evaluator(try current(at: call.range), scope: call.scope)
    guard let split = try evaluator.owner(of: path, row: call.row) else { return nil }
    return .collection(KeptValue(split.owner), split.path, call.scope.source)
  }

  /// Makes what `with` hands over to another thread.
  func handOver(_ name: Name) throws(ShellError) -> Work.Handed {
    let scope = scope
    switch scope[name.text] {
    case nil: throw evaluator(nil).unknownVariable(name)
    case .frozenResults(let results): return .variable(.frozenResults(results))
    case .value(let value, nil): return .variable(.value(value, nil))
    case .value, .results, .invalidated:
      let path = PathExpression(base: .variable(name), steps: [], range: name.range)
      let call = SharingCall(
        function: .ref, argument: .path(path), row: nil, scope: scope, range: name.range)
      return .reference(try reference(to: call))
    }
  }

  // MARK: resolve

  private func resolve(_ call: SharingCall) throws(ShellError) -> Variable {
    guard case .reference(let reference) = try argument(call) else {
      throw ShellError(
        .typeMismatch, "resolve needs a reference", at: call.argument.range, remedy: "ref(x)")
    }
    let name = call.variable.map { "$\($0.text)" } ?? "the reference"
    return try resolve(reference, named: name, at: call.range)
  }

  /// Goes the way of a reference.
  func resolve(
    _ reference: Reference, named name: String, at range: SourceRange
  ) throws(ShellError) -> Variable {
    let database = try self.database(of: reference, at: range)
    guard !database.realm.isWriting else {
      throw ShellError(
        .wrongTransactionState, "references cannot be resolved in a write transaction", at: range,
        remedy: "commit, or cancel")
    }
    let arrival = reference.take()
    if case .used = arrival {
      throw ShellError(.referenceUsed, "\(name) was resolved before", at: range)
    }
    if database.realm.isIdle { try beginReading(database, reference.version) }
    if database.realm.snapshot.version < reference.version { try refresh(database) }
    guard case .target(let target) = arrival else { return .value(.scalar(.null), nil) }
    switch target {
    case .value(let value):
      return .value(try remaining(value, in: database) ?? .scalar(.null), owner(database))
    case .collection(let object, let path, let source):
      guard let object = try remaining(object, in: database) else {
        return .value(.scalar(.null), nil)
      }
      let scope = Scope(source: source, variables: [:])
      let row = try present(object, in: database)
      let value = KeptValue(try evaluator(database, scope: scope).value(of: .path(path), row: row))
      return .value(value, value.holdsObjects ? owner(database) : nil)
    case .results(let portable, _):
      return .results(Bound(results(portable, of: database), owner(database)))
    }
  }

  private func database(
    of reference: Reference, at range: SourceRange
  ) throws(ShellError) -> Database {
    let found = databases.first { FileIdentity(path: $0.realm.path) == reference.file }
    guard let found else {
      throw ShellError(
        .illegalOperation, "the reference is to a file that the thread has not open", at: range)
    }
    // Two databases can lead to one file.
    let current = databases.first { $0.name == currentName }
    if let current, FileIdentity(path: current.realm.path) == reference.file { return current }
    throw ShellError(
      .illegalOperation, "the reference is to the database \(found.name)", at: range,
      remedy: "use \(quotedName(found.name))")
  }

  /// What is left of a value: objects that were deleted are null, or missing from collections.
  private func remaining(
    _ value: KeptValue, in database: Database?
  ) throws(ShellError) -> KeptValue? {
    switch value {
    case .scalar, .reference: return value
    case .object:
      do throws(ShellError) {
        _ = try present(value, in: database)
        return value
      } catch {
        guard error.name == .invalidatedObject else { throw error }
        return nil
      }
    case .list(let members):
      var left: [KeptValue] = []
      for member in members {
        if let member = try remaining(member, in: database) { left.append(member) }
      }
      return .list(left)
    case .dictionary(let entries):
      var left: [(key: [UInt8], value: KeptValue)] = []
      for (key, value) in entries {
        left.append((key, try remaining(value, in: database) ?? .scalar(.null)))
      }
      return .dictionary(left)
    }
  }

  // MARK: freeze

  /// What keeps the version in use; nil if the database only reads the file.
  private func frozenVersion(of database: Database) throws(ShellError) -> FrozenVersion? {
    do throws(StorageError) {
      if !database.isReadOnly, !database.realm.isWriting { try database.realm.share() }
      return try database.realm.freeze()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  private func freeze(_ call: SharingCall) throws(ShellError) -> Variable {
    if let name = call.variable, case .frozenResults(let results)? = call.scope[name.text] {
      return .frozenResults(results)
    }
    let database = try current(at: call.range)
    func version() throws(ShellError) -> FrozenVersion {
      if let version = try frozenVersion(of: database) { return version }
      throw ShellError(
        .illegalOperation, "a database that is open for reading only keeps no versions",
        at: call.range, remedy: "open it without readonly")
    }
    if let origin = try origin(of: call) {
      return .frozenResults(try freeze(origin, try version()))
    }
    if case .path(let path) = call.argument, !path.steps.isEmpty,
      let split = try evaluator(database, scope: call.scope).owner(of: path, row: call.row)
    {
      let version = try version()
      let owner = try frozen(KeptValue(split.owner), version, at: call.argument.range)
      let row = try present(owner, in: nil)
      let evaluator = evaluator(try frozenDatabase(version), scope: call.scope)
      return .value(KeptValue(try evaluator.value(of: .path(split.path), row: row)), nil)
    }
    let value = KeptValue(try argument(call))
    guard value.holdsObjects else {
      // What is frozen stays as it is.
      guard !value.frozenVersions.isEmpty else {
        throw unshared("frozen", at: call.argument.range)
      }
      return .value(value, nil)
    }
    return .value(try frozen(value, try version(), at: call.argument.range), nil)
  }

  private func freeze(
    _ origin: LiveResults.Origin, _ version: FrozenVersion
  ) throws(ShellError) -> FrozenResults {
    let database = try frozenDatabase(version)
    let found = try present(LiveResults(database, origin), in: database)
    return FrozenResults(version, found, origin)
  }

  /// A value with its objects as they are in a version that is kept.
  private func frozen(
    _ value: KeptValue, _ version: FrozenVersion, at range: SourceRange
  ) throws(ShellError) -> KeptValue {
    guard let frozen = try existing(value, in: version) else {
      throw ShellError(
        .wrongTransactionState,
        "an object that was created in the open transaction cannot be frozen", at: range,
        remedy: "commit")
    }
    return frozen
  }

  /// A value with its objects as they are in a version that is kept; nil if one does not exist there.
  private func existing(
    _ value: KeptValue, in version: FrozenVersion
  ) throws(ShellError) -> KeptValue? {
    switch value {
    case .scalar, .reference: return value
    case .object(let object):
      guard object.version == nil else { return value }
      return try remaining(.object(object.of(version)), in: nil)
    case .list(let members):
      var result: [KeptValue] = []
      for member in members {
        guard let member = try existing(member, in: version) else { return nil }
        result.append(member)
      }
      return .list(result)
    case .dictionary(let entries):
      var result: [(key: [UInt8], value: KeptValue)] = []
      for (key, value) in entries {
        guard let value = try existing(value, in: version) else { return nil }
        result.append((key, value))
      }
      return .dictionary(result)
    }
  }

  // MARK: thaw

  private func thaw(_ call: SharingCall) throws(ShellError) -> Variable {
    let database = try current(at: call.range)
    if let name = call.variable, let variable = call.scope[name.text] {
      if case .results = variable { return variable }
      if case .frozenResults(let results) = variable {
        try requireFile(of: results.version, database, at: call.range)
        let live = self.results(portable(results.origin), of: database)
        return .results(Bound(live, owner(database)))
      }
    }
    let value = KeptValue(try argument(call))
    for version in value.frozenVersions.prefix(1) {
      try requireFile(of: version, database, at: call.range)
    }
    guard value.holdsObjects || !value.frozenVersions.isEmpty else {
      throw unshared("thawed", at: call.argument.range)
    }
    let thawed = try remaining(value.thawed, in: database) ?? .scalar(.null)
    return .value(thawed, thawed.holdsObjects ? owner(database) : nil)
  }

  private func requireFile(
    of version: FrozenVersion, _ database: Database, at range: SourceRange
  ) throws(ShellError) {
    guard FileIdentity(path: version.path) == FileIdentity(path: database.realm.path) else {
      throw ShellError(
        .illegalOperation, "the value is of another database than \(database.name)", at: range)
    }
  }
}

extension KeptValue {
  /// The value with the live objects in place of those of versions that are kept.
  fileprivate var thawed: KeptValue {
    switch self {
    case .scalar, .reference: self
    case .object(let object): .object(object.of(nil))
    case .list(let members): .list(members.map(\.thawed))
    case .dictionary(let entries): .dictionary(entries.map { ($0.key, $0.value.thawed) })
    }
  }
}

/// The functions that lead from one thread to another.
enum SharingFunction: String {
  case ref, resolve, freeze, thaw
}
