import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  func bindFullText(_ comparison: Comparison) throws(QueryFailure) -> BoundPredicate {
    throw failure(.undefined, "TEXT", at: comparison.range)
  }
  func bindGeoWithin(
    _ operand: PropertyOperand, _ region: GeoRegion, _ range: SourceRange
  ) throws(QueryFailure) -> BoundPredicate {
    throw failure(.undefined, "GEOWITHIN", at: range)
  }
}
