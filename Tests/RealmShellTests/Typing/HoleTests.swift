import LineEditor
import RealmLanguage
import TestSupport
import Testing

@testable import RealmShell

/// Completion without holes: whatever the grammar allows next is among the candidates.
@Suite(.serialized) struct HoleTests {
  let completer: Completer
  let fixture: TypingFixture

  init() throws {
    fixture = try TypingFixture()
    completer = Completer(fixture.session)
  }

  @Test(arguments: Grammar.verbs.map(\.name))
  func everyNextTokenIsAmongTheCandidates(_ verb: String) {
    var generator = StatementGenerator(seed: UInt64(TestScale.number("TYPING_SEED", standard: 1)))
    for _ in 0..<TestScale.number("TYPING_STATEMENTS", standard: 12) {
      guard let tokens = generator.statement(of: verb) else {
        Issue.record("no production for \(verb)")
        return
      }
      let text = StatementGenerator.text(of: tokens)
      #expect((try? StatementParser.parse(text)) != nil, "\(text)")
      for index in tokens.indices { check(tokens, index) }
    }
  }

  private func check(_ tokens: [StatementGenerator.Token], _ index: Int) {
    let token = tokens[index]
    guard token.kind != .raw else { return }
    var prefix = StatementGenerator.text(of: tokens[..<index])
    if !token.isGlued, index > 0 { prefix += " " }
    let place = Array(prefix.utf8)
    guard token.kind == .word || token.kind == .name || token.kind == .sign else {
      let expected = StatementParser.followers(of: place).expected
      #expect(expected.contains { admits($0, token.kind) }, "\(prefix)|\(token.text)")
      return
    }
    let candidates =
      token.isGlued && token.kind == .sign
      ? completer.followers(of: place)
      : completer.completion(of: prefix, at: place.count).candidates
    let endsStatement = token.text == ";"
    let isContinued = token.isGlued && index > 0 && isPart(of: tokens, index)
    if endsStatement {
      #expect(StatementParser.followers(of: place).expected.contains(.endOfStatement))
      return
    }
    #expect(isContinued || candidates.contains { fits($0.text, token) }, "\(prefix)|\(token.text)")
    guard token.kind != .sign else { return }
    for count in 1...token.text.count {
      let typed = prefix + token.text.prefix(count)
      let candidates = completer.completion(of: typed, at: typed.utf8.count).candidates
      #expect(
        candidates.contains { fits($0.text, token) }, "\(typed)|\(token.text.dropFirst(count))")
    }
  }

  /// The sign came with the word before it, as the parenthesis of a function does.
  private func isPart(of tokens: [StatementGenerator.Token], _ index: Int) -> Bool {
    let before =
      StatementGenerator.text(of: tokens[..<(index - 1)])
      + (tokens[index - 1].isGlued ? "" : " ")
    return completer.completion(of: before, at: before.utf8.count).candidates.contains {
      $0.text.hasPrefix(tokens[index - 1].text + tokens[index].text)
    }
  }

  private func fits(_ candidate: String, _ token: StatementGenerator.Token) -> Bool {
    guard token.kind == .word else {
      let isStep = candidate.hasSuffix(":") && token.text.hasPrefix(candidate)
      return isStep || ["", "(", "()", "#", "/", "."].contains { candidate == token.text + $0 }
    }
    let word = candidate.prefix { $0 != "(" && $0 != " " && $0 != "." }
    return word.lowercased() == token.text.lowercased()
      || candidate.split(separator: " ").contains(token.text[...])
  }

  private func admits(_ expectation: RealmLanguage.Expectation, _ kind: StatementGenerator.Kind)
    -> Bool
  {
    switch expectation {
    case .newName: kind == .new
    case .variable: kind == .new
    case .value, .primaryKey, .integer, .string, .duration, .settingValue: kind == .literal
    default: false
    }
  }
}
