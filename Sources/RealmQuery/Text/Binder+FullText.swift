import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Whether a text reached from an object fits a search.
final class FullTextCondition: Condition {
  private let walker: LinkWalker
  private let reader: PropertyReader
  private let search: FullTextSearch

  init(_ walker: LinkWalker, _ reader: PropertyReader, _ search: FullTextSearch) {
    self.walker = walker
    self.reader = reader
    self.search = search
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    var isFound = false
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      if !isFound, let value = try reader.value(of: owner) {
        isFound = search.matches(QueryValue(value).bytes)
      }
    }
    return isFound
  }
}

extension Binder {
  /// `property TEXT 'words'`. Source: query-language.md 24.
  func bindFullText(
    _ comparison: RealmLanguage.Comparison
  ) throws(QueryFailure) -> BoundPredicate {
    let (left, right) = try bindSides(comparison.lhs, comparison.rhs, comparison.range)
    if left.isCollection, right.isCollection {
      throw failure(.twoLists, "both sides are collections", at: comparison.range)
    }
    guard right.type.isText else {
      throw failure(.badOperator, "TEXT needs a text on its right", at: right.range)
    }
    guard case .property(let path, let property, let rest) = left.shape, rest.isEmpty,
      property.kind == .string, property.collection == .none
    else { throw failure(.undefined, "TEXT needs a text property on its left", at: left.range) }
    guard property.hasFullTextIndex else {
      throw failure(
        .noFullTextIndex, "\(property.name) has no full-text index", at: left.range)
    }
    guard case .string(let text)? = right.constant?.values.first else {
      throw failure(.badSearchText, "there is no text to search for", at: right.range)
    }
    do throws(FullTextSearch.Problem) {
      return .condition(
        FullTextCondition(
          LinkWalker(path.steps, run),
          PropertyReader(path.objectClass, position: property.position),
          try FullTextSearch(text)))
    } catch {
      let message =
        switch error {
        case .empty: "there is no text to search for"
        case .severalWords: "signs inside a word to search for"
        case .excludedAndIncluded: "a word is wanted and excluded"
        }
      throw failure(.badSearchText, message, at: right.range)
    }
  }
}
