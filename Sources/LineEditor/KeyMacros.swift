/// The texts that a user has bound to keys, which libedit reads as if they were typed.
///
/// libedit follows them without asking anybody, for ever if a text holds its own key. So those that
/// lead back to themselves, or to very much text, are found before libedit learns of them.
struct KeyMacros {
  /// Characters that one key may come to in the end.
  private static let greatestCount = 100_000
  private static let greatestMacroCount = 100

  private struct Macro {
    let key: [Unicode.Scalar]
    let text: [Unicode.Scalar]
    /// How often the key of each macro may be in the text.
    var uses: [Int] = []
  }

  private var macros: [Macro] = []

  /// Takes a macro if it ends.
  ///
  /// - Parameter words: A command, such as `bind -s ^X text`.
  /// - Returns: false if `words` binds a text that would have no end, also by others; true for
  ///   every other command.
  mutating func take(_ words: [String]) -> Bool {
    guard words.first?.split(separator: ":").last == "bind" else { return true }
    let options = words.dropFirst().prefix { $0.hasPrefix("-") && $0 != "-" }
    let operands = words.dropFirst(1 + options.count)
    guard options.contains(where: { $0.contains("s") }), operands.count == 2,
      let key = operands.first, let text = operands.last
    else { return true }
    // What an arrow or another named key sends depends on the terminal, but begins with this.
    let isNamed = options.contains { $0.contains("k") }
    var macro = Macro(
      key: isNamed ? ["\u{1B}"] : Self.characters(of: key), text: Self.characters(of: text))
    guard macros.count < Self.greatestMacroCount, !macro.key.isEmpty else { return false }
    let former = macros
    for i in macros.indices { macros[i].uses.append(Self.uses(of: macro.key, in: macros[i].text)) }
    macro.uses = (macros + [macro]).map { Self.uses(of: $0.key, in: macro.text) }
    macros.append(macro)
    var path: [Int] = []
    if macros.indices.allSatisfy({ count(of: $0, &path) <= Self.greatestCount }) { return true }
    macros = former
    return false
  }

  /// At least the characters that a macro comes to; more than the greatest number if it never ends.
  ///
  /// - Parameter path: The macros that have led to it.
  private func count(of index: Int, _ path: inout [Int]) -> Int {
    guard !path.contains(index) else { return Self.greatestCount + 1 }
    path.append(index)
    defer { path.removeLast() }
    var sum = macros[index].text.count
    for (other, uses) in macros[index].uses.enumerated() where uses > 0 {
      if sum > Self.greatestCount { break }
      sum += uses * count(of: other, &path)
    }
    return min(sum, Self.greatestCount + 1)
  }

  /// How often a key is in a text; its beginning at the end may go on with what follows.
  private static func uses(of key: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Int {
    text.indices.count { text[$0...].starts(with: key) || key.starts(with: text[$0...]) }
  }

  // MARK: The notation of libedit

  /// The characters that a key or text stands for. Source: editrc(5).
  static func characters(of text: String) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var rest = Array(text.unicodeScalars)[...]
    while let first = rest.popFirst() {
      switch first {
      case "^" where !rest.isEmpty:
        let letter = rest.removeFirst().value
        result.append(letter == 0x3F ? "\u{7F}" : Unicode.Scalar(UInt8(letter & 0x1F)))
      case "M" where rest.count > 1 && rest.first == "-":
        rest.removeFirst()
        result.append("\u{1B}")
      case "\\" where !rest.isEmpty: result.append(escape(&rest))
      default: result.append(first)
      }
    }
    return result
  }

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "a": "\u{07}", "b": "\u{08}", "t": "\t", "n": "\n", "v": "\u{0B}", "f": "\u{0C}", "r": "\r",
    "e": "\u{1B}",
  ]

  /// What follows a backslash.
  private static func escape(_ rest: inout ArraySlice<Unicode.Scalar>) -> Unicode.Scalar {
    func number(_ digits: ArraySlice<Unicode.Scalar>, radix: Int) -> Unicode.Scalar {
      rest = rest.dropFirst(digits.count)
      let value = UInt32(String(String.UnicodeScalarView(digits)), radix: radix) ?? 0
      return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
    if rest.starts(with: ["U", "+"]) {
      rest = rest.dropFirst(2)
      return number(rest.prefix(8).prefix { $0.properties.isASCIIHexDigit }, radix: 16)
    }
    let digits = rest.prefix(3).prefix { ("0"..."7").contains($0) }
    if !digits.isEmpty { return number(digits, radix: 8) }
    let letter = rest.removeFirst()
    return escapes[letter] ?? letter
  }
}
