/// What is known about the line being typed beyond its text.
struct EditingState {
  /// Text that is placed in the line before the first key.
  var initialText = ""
  /// Whether the line has been shown for the last time.
  var hasLeft = false
  /// Whether nothing was in the line when Ctrl-C has dropped it.
  var wasEmpty = false
  /// Whether Enter has put a newline behind the text.
  var isEntered = false
  /// Whether the line only goes into the history.
  var isComment = false
  /// The walk through the history, while the line is what it has put there.
  var walk: HistoryWalk?
  /// The column that Up and Down aim at, with the text that the last of them has left.
  var goal: (text: TypedText, column: Int)?
  /// The text as it was when Tab could not decide between candidates.
  var undecided: TypedText?
  /// The text that the last deletion has left, to which the next one is added.
  var textAfterKill: TypedText?
  /// The last hint.
  var hint: Hint?
  /// Former texts.
  var undo = UndoStack()
  /// The part of a key sequence that libedit has got.
  var sequence = KeySequence.none

  init(initialText: String = "") {
    self.initialText = initialText
  }
}

/// Where a key sequence stands that libedit is reading.
enum KeySequence {
  case none
  case escape
  /// `ESC [` and parameters.
  case parameters

  /// The state after a character.
  func followed(by scalar: Unicode.Scalar) -> KeySequence {
    switch (self, scalar) {
    case (_, "\u{1B}"): .escape
    case (.escape, "["): .parameters
    case (.parameters, "\u{20}"..."\u{3F}"): .parameters
    default: .none
    }
  }
}
