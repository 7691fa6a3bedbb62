import RealmObjects
import RealmValues

/// A predicate made ready for objects given one at a time.
final class RowPredicate {
  indirect enum Node {
    case always(Bool)
    case and([Node])
    case or([Node])
    case not(Node)
    case column(ColumnTest, PropertyReader)
    case condition(Condition)
  }

  let root: Node
  /// What it was made from; the parts are tested in this order.
  let predicate: BoundPredicate

  init(_ predicate: BoundPredicate, _ objectClass: ObjectClass) {
    self.predicate = predicate
    root = RowPredicate.prepare(predicate, objectClass)
  }

  private static func prepare(
    _ predicate: BoundPredicate, _ objectClass: ObjectClass
  ) -> Node {
    switch predicate {
    case .always(let value): .always(value)
    case .vacuous: .always(true)
    case .and(let parts): .and(parts.map { prepare($0, objectClass) })
    case .or(let parts): .or(parts.map { prepare($0, objectClass) })
    case .not(let part): .not(prepare(part, objectClass))
    case .column(let test): .column(test, PropertyReader(objectClass, position: test.position))
    case .condition(let condition): .condition(condition)
    }
  }

  /// Whether the predicate holds for an object.
  func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool { try matches(key, root) }

  /// Whether a part of the predicate holds for an object.
  func matches(_ key: ObjectKey, _ node: Node) throws(QueryFailure) -> Bool {
    switch node {
    case .always(let value): return value
    case .and(let parts):
      for part in parts where try !matches(key, part) { return false }
      return true
    case .or(let parts):
      for part in parts where try matches(key, part) { return true }
      return false
    case .not(let part): return try !matches(key, part)
    case .column(let test, let reader):
      guard let value = try reader.value(of: key) else { return false }
      return try test.matches(QueryValue(value))
    case .condition(let condition): return try condition.matches(key)
    }
  }
}
