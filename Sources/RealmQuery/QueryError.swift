public import RealmLanguage
public import RealmStorage

/// Why a predicate cannot be bound to a class or run.
public struct QueryError: Error, Equatable, Sendable {
  /// The kinds of errors. Source: query-language.md 27.
  public enum Category: String, Sendable {
    case syntax
    case badBase64 = "bad-base64"
    case badTimestamp = "bad-timestamp"
    case twoConstants = "two-constants"
    case unknownProperty = "unknown-property"
    case unknownClass = "unknown-class"
    case badPath = "bad-path"
    case typeMismatch = "type-mismatch"
    case badOperator = "bad-operator"
    case badTypeName = "bad-type-name"
    case notAList = "not-a-list"
    case twoLists = "two-lists"
    case listNull = "list-null"
    case badBetween = "bad-between"
    case badAggregate = "bad-aggregate"
    case badSubquery = "bad-subquery"
    case badArithmetic = "bad-arithmetic"
    case missingArgument = "missing-argument"
    case badArgument = "bad-argument"
    case wrongClass = "wrong-class"
    case badGeo = "bad-geo"
    case noFullTextIndex = "no-fulltext-index"
    case badSearchText = "bad-search-text"
    case badSort = "bad-sort"
    /// realm-core crashes or is undefined here. Source: query-language.md 28.
    case undefined
    /// A shell variable that does not exist.
    case unknownVariable = "unknown-variable"
    /// The predicate asks for more than this program is ready to do.
    case limitExceeded = "limit-exceeded"
  }

  /// The kind of error.
  public var category: Category
  /// What is wrong, for people.
  public var message: String
  /// Where in the text of the predicate.
  public var range: SourceRange
  /// The name that was not found; nil for other errors.
  public var unknownName: String?
  /// Names that would have been right in place of `unknownName`, for a spelling suggestion.
  public var candidates: [String]

  /// Makes an error.
  public init(
    _ category: Category, _ message: String, at range: SourceRange, unknownName: String? = nil,
    candidates: [String] = []
  ) {
    self.category = category
    self.message = message
    self.range = range
    self.unknownName = unknownName
    self.candidates = candidates
  }

  /// The name of the error in the shell. Source: shell.md 25.
  public var name: String {
    switch category {
    case .syntax, .badBase64, .badTimestamp: "Syntax"
    case .unknownProperty: "InvalidProperty"
    case .unknownClass: "NoSuchTable"
    case .typeMismatch, .badOperator, .badTypeName, .badArithmetic, .notAList: "TypeMismatch"
    case .wrongClass: "ObjectTypeMismatch"
    case .unknownVariable: "UnknownVariable"
    case .limitExceeded: "LimitExceeded"
    case .badPath, .twoConstants, .twoLists, .listNull, .badBetween, .badAggregate, .badSubquery,
      .badGeo, .noFullTextIndex, .badSearchText, .undefined:
      "IllegalOperation"
    case .missingArgument, .badArgument, .badSort: "InvalidArgument"
    }
  }
}

/// Why a query stopped while it ran.
public enum QueryFailure: Error, Equatable, Sendable {
  /// The query cannot be run on these objects.
  case query(QueryError)
  /// The file cannot be read.
  case storage(StorageError)
  /// The caller asked to stop.
  case interrupted
}

/// Reads from the file; turns its errors into `QueryFailure`.
@inline(__always)
func reading<Result>(
  _ body: () throws(StorageError) -> Result
) throws(QueryFailure) -> Result {
  do throws(StorageError) { return try body() } catch { throw .storage(error) }
}
