import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a query does, step by step.
public struct QueryExplanation: Sendable {
  /// One step.
  public struct Step: Equatable, Sendable {
    /// The kinds of steps; the raw value is the word for people.
    public enum Kind: String, Sendable {
      /// All objects of the class are visited.
      case scan
      /// The members of a collection are visited.
      case list
      /// A search index tells the objects.
      case index
      /// The primary key tells the object.
      case key
      /// A condition is tested.
      case test
      /// Objects that the first clause would drop are left out at once.
      case filter
      case sort, distinct, offset, limit
    }

    /// What kind.
    public var kind: Kind
    /// What is visited, tested or sorted.
    public var text: String
    /// Objects left after the step; nil if the query did not run.
    public var objectCount: Int?
    /// Time of the step; nil if the query did not run.
    public var nanoseconds: UInt64?

    /// Makes a step that has not run.
    public init(_ kind: Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }
  }

  /// The predicate and clauses as they are understood, as they can stand after `where`; empty if
  /// there are none.
  public var text: String
  /// The steps in their order.
  public var steps: [Step]
  /// Number of results; nil if the query did not run.
  public var objectCount: Int?
  /// Time of all steps; nil if the query did not run.
  public var nanoseconds: UInt64?
}

extension IndexPlan.Choice {
  /// The step that asks the index.
  func step(_ objectClass: ObjectClass) -> QueryExplanation.Step {
    var isKey = true
    var texts: [String] = []
    for lookup in lookups {
      let understood: UnderstoodCondition?
      switch lookup {
      case .values(_, let test):
        understood = test.understood
        if objectClass.table.primaryKey != test.position { isKey = false }
      case .condition(let condition):
        understood = condition.understood
        isKey = false
      }
      let text = understood.map { CanonicalText.string($0) } ?? ""
      texts.append("\(CanonicalText.string(name: objectClass.name)).\(text)")
    }
    return QueryExplanation.Step(isKey ? .key : .index, texts.joined(separator: " or "))
  }
}

extension BoundPredicate {
  /// The condition that is tested.
  var understood: UnderstoodCondition {
    let nowhere = SourceRange(start: 0, end: 0)
    return switch self {
    case .always(let value): value ? .truePredicate(nowhere) : .falsePredicate(nowhere)
    case .vacuous: .truePredicate(nowhere)
    case .and(let parts): .and(parts.map(\.understood), range: nowhere)
    case .or(let parts): .or(parts.map(\.understood), range: nowhere)
    case .not(let part): .not(part.understood, range: nowhere)
    case .column(let test): test.understood ?? .truePredicate(nowhere)
    case .condition(let condition): condition.understood ?? .truePredicate(nowhere)
    }
  }

  /// The conditions that have to hold together.
  var tests: [BoundPredicate] {
    switch self {
    case .always(true), .vacuous: []
    case .and(let parts): parts
    default: [self]
    }
  }
}

extension BlockPredicate.Node {
  /// The same with its parts in the order in which they are tested.
  var predicate: BoundPredicate {
    switch self {
    case .always(let value): .always(value)
    case .and(let parts): .and(parts.map(\.predicate))
    case .or(let parts): .or(parts.map(\.predicate))
    case .not(let part): .not(part.predicate)
    case .column(let test, _): .column(test)
    case .condition(let condition): .condition(condition)
    }
  }
}

extension Ordering {
  /// The steps of the clauses.
  var steps: [QueryExplanation.Step] {
    func text(_ path: OrderingPath) -> String {
      var names = path.steps.map { CanonicalText.string(name: $0.property.name) }
      names.append(CanonicalText.string(name: path.property.name))
      if let key = path.key {
        names.append(CanonicalText.string(name: String(decoding: key, as: UTF8.self)))
      }
      return names.joined(separator: ".")
    }
    return clauses.map { clause in
      switch clause {
      case .sort(let paths):
        QueryExplanation.Step(
          .sort,
          paths.map { text($0) + ($0.isAscending ? " ascending" : " descending") }
            .joined(separator: ", "))
      case .distinct(let paths):
        QueryExplanation.Step(.distinct, paths.map(text).joined(separator: ", "))
      case .offset(let count): QueryExplanation.Step(.offset, String(count))
      case .limit(let count): QueryExplanation.Step(.limit, String(count))
      }
    }
  }
}
