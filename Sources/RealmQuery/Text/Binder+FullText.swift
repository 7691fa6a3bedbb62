import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Whether a text reached from an object fits a search.
///
/// realm-core does not tell a word of the index from the longer ones that begin with it, if the
/// length of the word is a multiple of four and several objects have it. That is what it finds, so
/// it is found here too. Source: query-language.md 24.
final class FullTextCondition: Condition {
  private let walker: LinkWalker
  private let reader: PropertyReader
  private let search: FullTextSearch
  private let table: StoredTable
  private let column: Int
  /// Objects that the index files under beginnings of words, by word.
  private let filed: [[UInt8]: Set<ObjectKey>]
  /// Whether the text is a property of the object itself.
  private let isDirect: Bool

  init(
    _ walker: LinkWalker, isDirect: Bool, _ objectClass: ObjectClass, column: Int,
    _ search: FullTextSearch
  ) throws(QueryFailure) {
    self.walker = walker
    self.isDirect = isDirect
    reader = PropertyReader(objectClass, position: column)
    table = objectClass.table
    self.column = column
    self.search = search
    filed = try FullTextCondition.filed(search, table, column)
  }

  private static func filed(
    _ search: FullTextSearch, _ table: StoredTable, _ column: Int
  ) throws(QueryFailure) -> [[UInt8]: Set<ObjectKey>] {
    var filed: [[UInt8]: Set<ObjectKey>] = [:]
    for word in search.words + search.exclusions {
      let keys = try reading { () throws(StorageError) in
        try table.findWord(column: column, word, onlyShorter: true)
      }
      if let keys, !keys.isEmpty { filed[word] = Set(keys) }
    }
    return filed
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    var isFound = false
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      if !isFound, let value = try reader.value(of: owner) {
        isFound = search.matches(QueryValue(value).bytes) { filed[$0]?.contains(owner) ?? false }
      }
    }
    return isFound
  }

  override func candidates(limit: Int) throws(StorageError) -> [ObjectKey]? {
    guard isDirect else { return nil }
    var fewest: [ObjectKey]?
    for word in search.words {
      let most = min(limit, fewest?.count ?? .max)
      if let keys = try table.findWord(column: column, word, limit: most) { fewest = keys }
    }
    return fewest
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
    let search: FullTextSearch
    do throws(FullTextSearch.Problem) {
      search = try FullTextSearch(text)
    } catch {
      let message =
        switch error {
        case .empty: "there is no text to search for"
        case .severalWords: "signs inside a word to search for"
        case .excludedAndIncluded: "a word is wanted and excluded"
        }
      throw failure(.badSearchText, message, at: right.range)
    }
    return .condition(
      try FullTextCondition(
        LinkWalker(path.steps, run), isDirect: path.steps.isEmpty, path.objectClass,
        column: property.position, search))
  }
}
