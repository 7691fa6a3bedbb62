import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Conditions of a predicate that search indexes can answer; every match is among their answers.
///
/// Of the conditions that all have to hold, one with an index is enough; of alternatives all need
/// one.
struct IndexPlan {
  /// Equality of a property with some values.
  private struct Lookup {
    let position: Int
    let values: [ScalarValue]
  }

  /// Each entry holds the look-ups of which every match answers at least one; the entry with the
  /// fewest candidates is used.
  private let choices: [[Lookup]]

  /// Most values that are looked up one by one.
  private static let maximumValueCount = 1000

  init(_ predicate: BoundPredicate, _ objectClass: ObjectClass) {
    let parts = if case .and(let parts) = predicate { parts } else { [predicate] }
    choices = parts.compactMap { IndexPlan.lookups($0, objectClass) }
  }

  private static func lookups(
    _ predicate: BoundPredicate, _ objectClass: ObjectClass
  ) -> [Lookup]? {
    switch predicate {
    case .column(let test):
      guard objectClass.table.columns[test.position].hasIndex,
        let values = values(test), values.count <= maximumValueCount
      else { return nil }
      return [Lookup(position: test.position, values: values)]
    case .or(let parts):
      var all: [Lookup] = []
      for part in parts {
        guard let lookups = lookups(part, objectClass) else { return nil }
        all += lookups
      }
      return all.isEmpty ? nil : all
    case .and(let parts): return parts.lazy.compactMap { lookups($0, objectClass) }.first
    case .always, .vacuous, .not, .condition: return nil
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

  /// The objects among which all matches are, in ascending order; nil if no index tells or too many
  /// answer.
  func candidates(_ objectClass: ObjectClass) throws(QueryFailure) -> [ObjectKey]? {
    guard !choices.isEmpty else { return nil }
    return try reading { () throws(StorageError) in
      // A look-up costs about as much as the scan of as many rows.
      let limit = try objectClass.table.objectCount() / 64
      var fewest: [ObjectKey]?
      for lookups in choices {
        if let found = try IndexPlan.find(lookups, objectClass.table, limit: limit),
          found.count < fewest?.count ?? .max
        {
          fewest = found
        }
      }
      return fewest
    }
  }

  private static func find(
    _ lookups: [Lookup], _ table: StoredTable, limit: Int
  ) throws(StorageError) -> [ObjectKey]? {
    var keys: [ObjectKey] = []
    for lookup in lookups {
      for value in lookup.values {
        guard
          let found = try table.find(
            column: lookup.position, value: value, limit: max(1, limit - keys.count))
        else { return nil }
        keys += found
      }
    }
    guard lookups.count > 1 || lookups.contains(where: { $0.values.count > 1 }) else { return keys }
    keys.sort()
    var last: ObjectKey?
    keys.removeAll { key in
      defer { last = key }
      return key == last
    }
    return keys
  }
}
