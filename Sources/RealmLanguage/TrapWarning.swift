/// A place where a predicate means something else than it seems to.
public struct TrapWarning: Equatable, Sendable {
  /// The kinds of traps. Source: query-language.md 28, and what it calls a trap elsewhere.
  public enum Kind: String, Sendable, CaseIterable {
    /// A number with a leading zero is octal.
    case octal
    /// A number too large for its type is cut.
    case clamped
    /// A calendar date is cut to 32 bits.
    case date
    /// A part of a calendar date is too large and carries over.
    case calendar
    /// A backslash in a text is a backslash.
    case escape
    /// Two lists are compared element by element, not "any of".
    case wholeLists
    /// ALL against a list consumes its elements.
    case repeated
    /// ANY, ALL or NONE has no effect.
    case word
    /// `[c]` has no effect, or not on these letters.
    case letterCase
    /// A key, position or path has no effect.
    case key
    /// The condition holds for every object.
    case always
    /// The condition holds for no object.
    case never
    /// An element of a list equals nothing.
    case element
    /// Null stands below all texts.
    case nullText
    /// An order operator beside null.
    case nullOrder
    /// Objects without value are left out.
    case missing
    /// A text is read as a number, or a float as another double.
    case number
    /// Arithmetic on constants loses something.
    case arithmetic
    /// An object that does not exist counts as null.
    case object
    /// The two bounds of BETWEEN are tested one by one.
    case bounds
    /// Each list behind links counts by itself.
    case eachList
    /// A wildcard that is none, or has no effect.
    case wildcard
    /// An index on mixed values tells numbers of different types apart.
    case mixedIndex
  }

  /// What kind.
  public var kind: Kind
  /// What happens, for people.
  public var message: String
  /// Where in the text of the statement.
  public var range: SourceRange
  /// What to write instead; nil if there is no short answer.
  public var remedy: String?

  /// Makes a warning.
  public init(_ kind: Kind, _ message: String, at range: SourceRange, remedy: String? = nil) {
    self.kind = kind
    self.message = message
    self.range = range
    self.remedy = remedy
  }
}
