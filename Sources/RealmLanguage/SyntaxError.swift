/// A text that does not fit the grammar.
public struct SyntaxError: Error, Equatable, Sendable {
  /// The names of such errors, as `help` and `expect error` know them. Source: shell.md 25.
  public enum Name: String, Sendable {
    case syntax = "Syntax"
    case unknownVerb = "UnknownVerb"
    case unknownFunction = "UnknownFunction"
    case invalidUTF8 = "InvalidUTF8"
    case limitExceeded = "LimitExceeded"
    case interrupted = "Interrupted"
  }

  /// The category of an error in a predicate. Source: query-language.md 27.
  public enum Category: String, Sendable {
    case syntax
    case badBase64 = "bad-base64"
    case badTimestamp = "bad-timestamp"
  }

  /// The name.
  public var name: Name
  /// What is wrong, for people.
  public var message: String
  /// Where.
  public var range: SourceRange
  /// What would have been accepted there.
  public var expected: [Expectation]
  /// The nearest name that would be right there.
  public var suggestion: String?
  /// If the error is the guess that a name was meant to be another word: the one without the guess.
  public var withoutGuess: [SyntaxError] = []
  /// The category; `syntax` for all errors outside predicates.
  public var category: Category

  /// Makes an error.
  public init(
    _ message: String, name: Name = .syntax, range: SourceRange, expected: [Expectation] = [],
    suggestion: String? = nil, category: Category = .syntax
  ) {
    self.name = name
    self.message = message
    self.range = range
    self.expected = expected
    self.suggestion = suggestion
    self.category = category
  }

  /// At most this many expected words are named. Source: shell.md 19.
  private static let greatestWordCount = 8

  /// "expected a, b or c" for what was acceptable at a place.
  static func message(expecting expected: [Expectation]) -> String {
    let hasValue = expected.contains(.value)
    var phrases: [String] = []
    func collect(_ isWanted: (Expectation) -> Bool) {
      for expectation in expected where isWanted(expectation) {
        if hasValue, expectation.isPartOfValue { continue }
        if let phrase = expectation.phrase, !phrases.contains(phrase) { phrases.append(phrase) }
      }
    }
    collect { !$0.isSymbol && $0 != .endOfStatement }
    if phrases.isEmpty { collect(\.isSymbol) }
    collect { $0 == .endOfStatement }
    guard let last = phrases.last else { return "unexpected text" }
    if phrases.count > greatestWordCount {
      return "expected " + phrases.prefix(greatestWordCount).joined(separator: ", ") + ", …"
    }
    if phrases.count == 1 { return "expected " + last }
    return "expected " + phrases.dropLast().joined(separator: ", ") + " or " + last
  }
}
