/// What the editor asks about the text being typed.
///
/// The editor knows no language: whoever reads statements with it says when one is complete, how
/// it is coloured and how it could go on. All offsets are bytes of the UTF-8 text. Source:
/// shell.md 21.
public struct Assistance {
  /// The statement is finished, so that Enter runs it instead of opening a new row.
  public var isComplete: (_ text: String) -> Bool
  /// The depth of the brackets open at the end of the text; a new row is indented by two blanks
  /// for each.
  public var openBrackets: (_ text: String) -> Int
  /// The colours of the text, ranges in ascending order that do not overlap. `isSettled` is false
  /// for the first call after a key, which must be quick; a second one follows when no key has
  /// come for 30 ms.
  public var highlight: (_ text: String, _ cursor: Int, _ isSettled: Bool) -> [StyledRange]
  /// What the grammar expects after the text, shown dim behind it; it cannot be taken.
  public var hint: (_ text: String) -> String?
  /// How the word at the cursor could go on.
  public var complete: (_ text: String, _ cursor: Int) -> Completion
  /// Help for the word at the cursor, printed above the line.
  public var help: (_ text: String, _ cursor: Int) -> String?
  /// The pasted text without what was copied along with it, such as prompts.
  public var pasted: (_ text: String) -> String
  /// Lets the user change the text in a program of his choice; nil leaves it as it was.
  public var edit: (_ text: String) -> String?
  /// Whether the history may keep a text that is put into it without being run.
  public var mayBeKept: (_ text: String) -> Bool

  /// An editor's help for a language that has none: each row is a statement.
  public init() {
    isComplete = { _ in true }
    openBrackets = { _ in 0 }
    highlight = { _, _, _ in [] }
    hint = { _ in nil }
    complete = { _, cursor in Completion(range: cursor..<cursor, candidates: []) }
    help = { _, _ in nil }
    pasted = { $0 }
    edit = { _ in nil }
    mayBeKept = { _ in true }
  }
}

/// How a word could go on.
public struct Completion: Equatable, Sendable {
  /// What a candidate replaces.
  public var range: Range<Int>
  /// The candidates, best first; all fit what stands in the range.
  public var candidates: [Candidate]

  /// Candidates for a range of bytes.
  public init(range: Range<Int>, candidates: [Candidate]) {
    (self.range, self.candidates) = (range, candidates)
  }

  /// One way to go on.
  public struct Candidate: Equatable, Sendable {
    /// The text that is inserted.
    public var text: String
    /// What the menu says beside it, such as the type of a property; may be empty.
    public var comment: String
    /// What follows when it is the only candidate or has been taken from the menu: a blank, or
    /// nothing where the word can go on, such as a folder or a path through a link.
    public var suffix: String

    /// A candidate.
    public init(_ text: String, comment: String = "", suffix: String = " ") {
      (self.text, self.comment, self.suffix) = (text, comment, suffix)
    }
  }
}

/// A part of the text with its look.
public struct StyledRange: Equatable, Sendable {
  /// Bytes of the text.
  public var range: Range<Int>
  /// Their look.
  public var style: TextStyle

  /// A range with a look.
  public init(_ range: Range<Int>, _ style: TextStyle) {
    (self.range, self.style) = (range, style)
  }
}

/// The look of text on a terminal.
public struct TextStyle: Equatable, Hashable, Sendable {
  /// The colours that are used.
  public enum Color: UInt8, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case magenta = 35
    case cyan = 36
  }

  /// The colour, nil for the terminal's own.
  public var color: Color?
  /// Bold.
  public var isBold: Bool
  /// Dim.
  public var isDim: Bool
  /// Underlined.
  public var isUnderlined: Bool

  /// A look.
  public init(
    _ color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isUnderlined: Bool = false
  ) {
    (self.color, self.isBold) = (color, isBold)
    (self.isDim, self.isUnderlined) = (isDim, isUnderlined)
  }

  /// The terminal's own look.
  public static let plain = TextStyle()
}
