import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Conditions of a predicate that search indexes can answer; every match is among their answers.
///
/// Of the conditions that all have to hold, one with an index is enough; of alternatives all need
/// one.
struct IndexPlan {
  /// A question to an index.
  enum Lookup {
    /// Equality of a property with one of some values.
    case values([ScalarValue], ColumnTest)
    /// A condition that asks an index itself.
    case condition(Condition)
  }

  /// A way to find all matches.
  struct Choice {
    /// Every match answers at least one of them.
    let lookups: [Lookup]
    /// The part of the predicate that holds for exactly the objects found; nil if it is to be
    /// tested nevertheless.
    let answeredPart: Int?
  }

  /// The objects that a choice has found.
  struct Candidates {
    /// Ascending.
    let keys: [ObjectKey]
    let choice: Choice
  }

  /// The one with the fewest candidates is used.
  private let choices: [Choice]

  /// Most values that are looked up one by one.
  private static let maximumValueCount = 1000

  init(_ predicate: BoundPredicate, _ objectClass: ObjectClass) {
    let parts = if case .and(let parts) = predicate { parts } else { [predicate] }
    choices = parts.enumerated().compactMap { i, part in
      IndexPlan.lookups(part, objectClass).map { lookups in
        let isAnswered = IndexPlan.isAnswered(part, objectClass)
        return Choice(lookups: lookups, answeredPart: isAnswered ? i : nil)
      }
    }
  }

  /// Whether the index tells exactly the objects for which the condition holds.
  private static func isAnswered(_ predicate: BoundPredicate, _ objectClass: ObjectClass) -> Bool {
    if case .or(let parts) = predicate { return parts.allSatisfy { isAnswered($0, objectClass) } }
    guard case .column(let test) = predicate else { return false }
    // Indexes on mixed values file different values under one key.
    switch objectClass.table.columns[test.position].kind {
    case .int, .string, .date, .objectID, .uuid: return true
    default: return false
    }
  }

  private static func lookups(
    _ predicate: BoundPredicate, _ objectClass: ObjectClass
  ) -> [Lookup]? {
    switch predicate {
    case .column(let test):
      guard objectClass.table.columns[test.position].hasIndex,
        let values = values(test), values.count <= maximumValueCount
      else { return nil }
      return [.values(values, test)]
    case .condition(let condition): return [.condition(condition)]
    case .or(let parts):
      var all: [Lookup] = []
      for part in parts {
        guard let lookups = lookups(part, objectClass) else { return nil }
        all += lookups
      }
      return all.isEmpty ? nil : all
    case .and(let parts): return parts.lazy.compactMap { lookups($0, objectClass) }.first
    case .always, .vacuous, .not: return nil
    }
  }

  /// The values that a test asks for; nil if it asks for something else.
  private static func values(_ test: ColumnTest) -> [ScalarValue]? {
    switch test.kind {
    case .int(.equal, let key): [.int(key)]
    case .intAny(let keys, let matchesNull): keys.map { .int($0) } + (matchesNull ? [.null] : [])
    case .date(.equal, let key): [.date(key)]
    case .null(true): [.null]
    case .text(let condition, let text, matchesNull: false)
    where condition.comparison == .equal && !condition.ignoresCase:
      [.string([UInt8](text))]
    case .value(let condition, let constant, _)
    where condition.comparison == .equal && !condition.ignoresCase:
      constant.primaryKey.map { [$0] }
    default: nil
    }
  }

  /// The objects among which all matches are; nil if no index tells or too many answer.
  func candidates(_ objectClass: ObjectClass) throws(QueryFailure) -> Candidates? {
    guard !choices.isEmpty else { return nil }
    return try reading { () throws(StorageError) in
      // A look-up costs about as much as the scan of as many rows.
      let limit = max(1, try objectClass.table.objectCount() / 64)
      var fewest: Candidates?
      for choice in choices {
        if let found = try IndexPlan.find(choice.lookups, objectClass.table, limit: limit),
          found.count < fewest?.keys.count ?? .max
        {
          fewest = Candidates(keys: found, choice: choice)
        }
      }
      return fewest
    }
  }

  private static func find(
    _ lookups: [Lookup], _ table: StoredTable, limit: Int
  ) throws(StorageError) -> [ObjectKey]? {
    var keys: [ObjectKey] = []
    var answerCount = 0
    for lookup in lookups {
      switch lookup {
      case .condition(let condition):
        guard let found = try condition.candidates(limit: limit - keys.count) else { return nil }
        keys += found
        answerCount += 1
      case .values(let values, let test):
        for value in values {
          guard
            let found = try table.find(
              column: test.position, value: value, limit: limit - keys.count)
          else { return nil }
          keys += found
          answerCount += 1
        }
      }
    }
    if answerCount > 1 { keys.sortAndRemoveDuplicates() }
    return keys
  }
}

extension [ObjectKey] {
  fileprivate mutating func sortAndRemoveDuplicates() {
    sort()
    var last: ObjectKey?
    removeAll { key in
      defer { last = key }
      return key == last
    }
  }
}
