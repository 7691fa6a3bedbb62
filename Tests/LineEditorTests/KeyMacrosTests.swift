import Testing

@testable import LineEditor

/// Texts bound to keys: those that never end are refused.
struct KeyMacrosTests {
  /// Whether the last of some commands is taken.
  private func takes(_ commands: [String]...) -> Bool {
    var macros = KeyMacros()
    return commands.map { macros.take($0) }.last ?? true
  }

  @Test func textsThatEndAreTaken() {
    #expect(takes(["bind", "-s", "^T", "count Dog"]))
    #expect(takes(["probe:bind", "-a", "-s", "^T", "^X^Y"], ["bind", "-s", "^X^Y", "x"]))
    #expect(takes(["bind", "-s", "^T", "\\^T"]))
    #expect(takes(["bind", "-k", "-s", "up", "abc"]))
    #expect(takes(["bind", "^T", "ed-move-to-beg"], ["bind", "-v"], ["edit", "off"], []))
    #expect(takes(["bind", "-s", "^T"]))
  }

  @Test(arguments: [
    ["^T", "^T"], ["^T", "a\\024b"], ["\\ex", "aM-x"], ["^T", "\\U+14"], ["\\U+00000014", "x^t"],
    ["^X^Y", "a^X"], ["^?", "\\177"], ["", "a"],
  ])
  func textsThatHoldTheirKeyAreNot(_ operands: [String]) {
    #expect(!takes(["bind", "-s"] + operands))
  }

  @Test func textsThatLeadBackAreNot() {
    #expect(
      !takes(["bind", "-s", "^A", "^B"], ["bind", "-s", "^B", "^C"], ["bind", "-s", "^C", "1^A"]))
    #expect(!takes(["bind", "-k", "-s", "up", "^T"], ["bind", "-s", "^T", "\\e[A"]))
  }

  @Test func textsThatGrowTooLongAreNot() {
    var macros = KeyMacros()
    let taken = "abcdefghi".unicodeScalars.map { letter in
      let next = Character(Unicode.Scalar(letter.value + 1) ?? letter)
      return macros.take(["bind", "-s", "\(letter)", String(repeating: next, count: 10)])
    }
    #expect(taken == [true, true, true, true, false, true, true, true, true])
  }

  @Test func hostileNotationsDoNotTrap() {
    for text in ["^", "\\", "M-", "\\U+", "\\U+FFFFFFFF", "\\777", "^\u{10FFFF}", "^狗"] {
      #expect(!KeyMacros.characters(of: text).isEmpty)
    }
  }
}
