import RealmStorage
import RealmValues

/// A predicate whose names and constants are resolved.
indirect enum BoundPredicate {
  /// TRUEPREDICATE, FALSEPREDICATE.
  case always(Bool)
  /// A condition without effect. Source: query-language.md 22.
  case vacuous
  case and([BoundPredicate])
  case or([BoundPredicate])
  case not(BoundPredicate)
  /// A property of the object itself against constants.
  case column(ColumnTest)
  /// Any other comparison.
  case condition(Condition)
}

/// A comparison that is evaluated one object at a time.
class Condition {
  /// The condition as it is understood, if somebody wants to know.
  var understood: UnderstoodCondition?

  /// Whether it holds for an object of the class it was bound to.
  func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    preconditionFailure("abstract")
  }

  /// Positions of the columns that a block should have for it.
  var columns: [Int] { [] }

  /// The rows of a block, out of some, for which it holds.
  func matches(_ rows: RowMask, _ cursor: TableCursor) throws(QueryFailure) -> RowMask {
    try rows.filter { (row) throws(QueryFailure) in try matches(cursor.key(at: row)) }
  }

  /// Objects among which are all that match, in ascending order, as an index tells them; nil if
  /// there is none or it tells more than `limit`.
  func candidates(limit: Int) throws(StorageError) -> [ObjectKey]? { nil }
}
