import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues
import Synchronization

/// The way of an object, of results or of a collection to another thread; it can be gone once.
///
/// A reference to results keeps the version that they are of; others keep only class and key.
///
/// Source: object-model.md 9.2; shell.md 13.
final class Reference: Sendable {
  /// What is referred to.
  enum Target: Sendable {
    case value(KeptValue)
    /// A collection of an object; the path starts at the object.
    case collection(KeptValue, PathExpression, SourceText)
    case results(PortableResults, FrozenVersion?)
  }

  private enum State: Sendable {
    case ready(Target)
    case used
    /// What it referred to was never committed.
    case dead
  }

  /// The file that the target is in.
  let file: FileIdentity
  /// The version that the thread read which made the reference.
  let version: Int64
  private let state: Mutex<State>

  init(_ target: Target, in file: FileIdentity, version: Int64) {
    (self.file, self.version) = (file, version)
    state = Mutex(.ready(target))
  }

  /// How going the way has ended.
  enum Arrival {
    case target(Target)
    /// It was gone before.
    case used
    /// There is nothing at its end.
    case nothing
  }

  /// Goes the way.
  func take() -> Arrival {
    state.withLock { state in
      switch state {
      case .ready(let target):
        state = .used
        return .target(target)
      case .used: return .used
      case .dead:
        state = .used
        return .nothing
      }
    }
  }

  /// Tells that the target, which was made in a transaction, was never committed.
  func cancel() {
    state.withLock { state in
      if case .ready = state { state = .dead }
    }
  }

  /// The object that is referred to, or whose collection is; nil for results, and after use.
  var object: KeptValue? {
    state.withLock { state in
      switch state {
      case .ready(.value(let value)), .ready(.collection(let value, _, _)): value
      default: nil
      }
    }
  }

  /// What it is, for people.
  var text: String {
    state.withLock { state in
      switch state {
      case .ready(.value(.object(let object))): "to a \(object.view?.name ?? object.className)"
      case .ready(.value), .ready(.collection): "to a collection"
      case .ready(.results): "to results"
      case .used: "resolved before"
      case .dead: "to what was never committed"
      }
    }
  }

  /// The version that the reference keeps.
  var frozenVersion: FrozenVersion? {
    state.withLock { state in
      if case .ready(.results(_, let version)) = state { version } else { nil }
    }
  }
}

/// Results without anything that belongs to a thread.
indirect enum PortableResults: Sendable {
  case query(WhereStatement, SourceText, [String: PortableVariable])
  case sections(SectionsStatement, SourceText, [String: PortableVariable])
  /// The section that has a key.
  case section(PortableResults, ScalarValue)
  case objects(TableKey, [ObjectKey])
}

/// A variable that a query names, without anything that belongs to a thread.
enum PortableVariable: Sendable {
  case value(KeptValue)
  case results(PortableResults)
  /// One that the thread could not use either, or that all threads can use.
  case other(Variable)
}

extension Session {
  /// Takes from results what belongs to this thread.
  func portable(_ origin: LiveResults.Origin) -> PortableResults {
    switch origin {
    case .objects(let table, let keys): return .objects(table, keys)
    case .query(let query, let scope): return .query(query, scope.source, portable(scope))
    case .sections(let sections, let scope):
      return .sections(sections, scope.source, portable(scope))
    case .section(let whole, let key): return .section(portable(whole), key)
    }
  }

  private func portable(_ scope: Scope) -> [String: PortableVariable] {
    var variables: [String: PortableVariable] = [:]
    for name in scope.names {
      switch scope[name] {
      case .value(let value, let owner?) where owner.thread === thread:
        variables[name] = .value(value)
      case .results(let bound) where bound.owner.thread === thread:
        variables[name] = .results(portable(bound.value.origin))
      case let other?: variables[name] = .other(other)
      case nil: break
      }
    }
    return variables
  }

  /// Results of another thread as results of this one.
  func results(_ portable: PortableResults, of database: Database) -> LiveResults {
    switch portable {
    case .objects(let table, let keys): return LiveResults(database, .objects(table, keys))
    case .query(let query, let source, let variables):
      let (variables, depth) = self.variables(variables, of: database)
      let scope = Scope(source: source, variables: variables)
      return LiveResults(database, .query(query, scope), depth: depth)
    case .sections(let sections, let source, let variables):
      let (variables, depth) = self.variables(variables, of: database)
      let scope = Scope(source: source, variables: variables)
      return LiveResults(database, .sections(sections, scope), depth: depth)
    case .section(let whole, let key):
      let whole = results(whole, of: database)
      return LiveResults(database, .section(whole.origin, key), depth: whole.depth)
    }
  }

  private func variables(
    _ portables: [String: PortableVariable], of database: Database
  ) -> (variables: [String: Variable], depth: Int) {
    var variables: [String: Variable] = [:]
    var depth = 0
    for (name, portable) in portables {
      switch portable {
      case .value(let value): variables[name] = .value(value, owner(database))
      case .other(let variable): variables[name] = variable
      case .results(let inner):
        let results = results(inner, of: database)
        depth = max(depth, results.depth + 1)
        variables[name] = .results(Bound(results, owner(database)))
      }
    }
    return (variables, depth)
  }
}
