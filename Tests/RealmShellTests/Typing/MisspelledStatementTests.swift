import ByteKernels
import RealmLanguage
import TestSupport
import Testing

@testable import RealmShell

/// Errors in statements that are one edit away from right ones: where they are said to be, and
/// which word is said to be meant.
@Suite(.serialized) struct MisspelledStatementTests {
  /// What an error says.
  private struct Report {
    let text: String
    let line: Int
    let column: Int
    let suggestion: String?
  }

  /// Verbs whose statements leave the process, the terminal or the folder, or wait.
  private static let leftOut: Set<String> = ["cd", "edit", "exit", "help", "wait", "open"]

  private var fixture: TypingFixture

  init() throws { fixture = try TypingFixture() }

  /// Runs a statement in the third line of a script.
  private func report(of statement: String) throws -> Report? {
    let session = fixture.session
    session.settings.errorForm = .json
    session.run(SourceText("# script\n\n" + statement, fileName: "a.realmsh"))
    _ = session.output.takeBytes()
    let messages = String(decoding: session.errorOutput.takeBytes(), as: UTF8.self)
    guard let line = messages.split(separator: "\n").first(where: { $0.hasPrefix("{\"error\"") })
    else { return nil }
    let json = try #require(JSONValue(Array(line.utf8)), "\(line)")
    // An import whose statement is right after all has read the file.
    if statement.hasPrefix("import"), json["file"]?.text == "data.csv" { return nil }
    #expect(json["file"]?.text == "a.realmsh", "\(statement)")
    return Report(
      text: String(line), line: Int(json["line"]?.int ?? 0),
      column: Int(json["column"]?.int ?? 0), suggestion: json["suggestion"]?.text)
  }

  /// A word with one letter left out, added or replaced, or two neighbours swapped.
  private func misspelled(_ word: String, _ random: inout SplitMix64) -> String {
    var letters = Array(word)
    let start = letters.first == "$" || letters.first == "@" ? 1 : 0
    let index = Int.random(in: start..<letters.count, using: &random)
    let letter = Array("abcdefghijklmnopqrstuvwxyz")[Int.random(in: 0..<26, using: &random)]
    switch Int.random(in: 0..<4, using: &random) {
    case 0: letters.remove(at: index)
    case 1: letters.insert(letter, at: index)
    case 2: letters[index] = letter
    default: letters.swapAt(index, index + 1 < letters.count ? index + 1 : index - 1)
    }
    return String(letters)
  }

  private func isWord(_ token: StatementGenerator.Token) -> Bool {
    guard token.kind == .word || token.kind == .name, token.text.count >= 3 else { return false }
    let letters = token.text.drop { $0 == "$" || $0 == "@" }
    return letters.count >= 3 && letters.allSatisfy { $0.isLetter || $0 == "_" }
      && !["null", "true", "false"].contains(token.text)
  }

  /// The statements to edit: those that run.
  private mutating func statements() throws -> [[StatementGenerator.Token]] {
    var result: [[StatementGenerator.Token]] = []
    var generator = StatementGenerator(seed: UInt64(TestScale.number("TYPING_SEED", standard: 3)))
    for verb in Grammar.verbs.map(\.name) where !Self.leftOut.contains(verb) {
      var count = 0
      for _ in 0..<60 where count < TestScale.number("TYPING_STATEMENTS", standard: 8) {
        guard let tokens = generator.statement(of: verb) else { continue }
        guard !tokens.contains(where: { $0.kind == .raw }) else { continue }
        let text = StatementGenerator.text(of: tokens)
        guard try report(of: text) == nil else { continue }
        fixture = try TypingFixture()
        result.append(tokens)
        count += 1
      }
    }
    return result
  }

  @Test mutating func misspelledNamesAreFoundAtTheirPlace() throws {
    var random = SplitMix64(seed: 11)
    var (count, placed, suggested) = (0, 0, 0)
    var failures: [String] = []
    for tokens in try statements() {
      for index in tokens.indices where isWord(tokens[index]) {
        let right = tokens[index].text
        let wrong = misspelled(right, &random)
        let before = StatementGenerator.text(of: tokens[..<index])
        let start = before + (tokens[index].isGlued || index == 0 ? "" : " ")
        let rest = StatementGenerator.text(of: tokens[index...]).dropFirst(right.count)
        guard wrong.lowercased() != right.lowercased(),
          let report = try report(of: start + wrong + rest)
        else { continue }
        fixture = try TypingFixture()
        count += 1
        let isPlaced = report.line == 3 && report.column == start.count + 1
        let isSuggested = report.suggestion?.lowercased() == right.lowercased()
        placed += isPlaced ? 1 : 0
        suggested += isSuggested ? 1 : 0
        if !isPlaced || !isSuggested {
          failures.append("\(start)<\(wrong)>\(rest)\n    \(report.text)")
        }
      }
    }
    print("misspelled words: \(count); place right: \(placed); suggestion right: \(suggested)")
    for failure in failures.prefix(TestScale.number("TYPING_SHOWN", standard: 0)) { print(failure) }
    #expect(placed * 100 >= count * 95)
    #expect(suggested * 100 >= count * 90)
  }

  @Test mutating func missingAndExtraTokensAreFoundNearTheirPlace() throws {
    var random = SplitMix64(seed: 12)
    var (count, placed) = (0, 0)
    var failures: [String] = []
    for tokens in try statements() where tokens.count > 1 {
      for _ in 0..<2 {
        let index = Int.random(in: 1..<tokens.count, using: &random)
        var edited = tokens
        switch Int.random(in: 0..<3, using: &random) {
        case 0: edited.remove(at: index)
        case 1: edited.insert(tokens[index], at: index)
        default: edited.insert(.init(text: "zzz", kind: .word, isGlued: false), at: index)
        }
        let text = StatementGenerator.text(of: edited)
        guard let report = try report(of: text) else { continue }
        fixture = try TypingFixture()
        count += 1
        // At the token before the change, or behind it: what is wrong may show later.
        let first = StatementGenerator.text(of: edited[..<(index - 1)]).count
        let isPlaced = report.line == 3 && report.column > first && report.column <= text.count + 1
        placed += isPlaced ? 1 : 0
        if !isPlaced { failures.append("\(text) at \(index)\n    \(report.text)") }
      }
    }
    print("missing and extra tokens: \(count); place right: \(placed)")
    for failure in failures.prefix(TestScale.number("TYPING_SHOWN", standard: 0)) { print(failure) }
    #expect(placed * 100 >= count * 95)
  }
}
