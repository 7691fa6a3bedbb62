/// What verbs may ask of the prompt that their statements are typed at.
struct TypingServices {
  /// The statements entered so far, oldest first; the present one is the last.
  var history: () -> [String]
  /// Puts a text into the next line, where it can be looked at, changed and run.
  var place: (_ text: String) -> Void
}
