import TestSupport
import Testing

/// Rows of observers and threads that come while a statement is typed at the prompt.
struct WatchingPromptTests {
  private let folder = TemporaryFolder()

  @Test func changesAreToldAboveTheLine() {
    let path = folder.file("dogs.realm")
    let made = Realmsh.run([
      "-c", "open \"\(path)\" new; class Dog { _id: int primary, name: string, age: int }",
    ])
    #expect(made.status == 0, "\(made.errorText)")
    let terminal = EmulatedTerminal(
      Fixtures.realmsh, ["--no-history", "--color", "never", path],
      environment: ["HOME": folder.path, "REALMSH_HISTORY": ""], rows: 12, columns: 50)
    #expect(terminal.wait { $0.marksPaste && $0.texts.contains("dogs>") })
    terminal.type("config prompt \"> \"\r")
    #expect(terminal.wait { $0.texts.contains(">") && $0.marksPaste })
    terminal.type("observe Dog where age > 100 as old\r")
    #expect(terminal.wait { $0.texts.contains { $0.contains("0 objects") } && $0.marksPaste })
    let statement = "where Dog name == \"狗狗\" or name == \"Étude\" SORT(age ASC)"
    var typed = ""
    for (number, character) in statement.enumerated() {
      typed.append(character)
      terminal.type(String(character))
      // Every tenth key, another program commits.
      guard number % 10 == 5 else { continue }
      let key = 1000 + number
      let result = Realmsh.run([path, "add Dog {_id: \(key), name: \"New\", age: 101}"])
      #expect(result.status == 0, "\(result.errorText)")
      let told = terminal.wait { screen in
        screen.allTexts.contains { $0.contains("Dog(\(key))") } && !screen.isUpdating
          && screen.lastLine == withoutBlanks("> \(typed)")
      }
      #expect(told, "\(terminal.screen.texts)")
    }
    #expect(terminal.wait { $0.lastLine == "> \(statement)" })
    // All changes were told, once and in order.
    let told = terminal.screen.allTexts.compactMap { text in
      text.contains("Dog(1") ? text.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" } : nil
    }
    #expect(
      told.map(String.init)
        == stride(from: 1005, to: 1000 + statement.count, by: 10).map(String.init))
    #expect(terminal.screen.failure == nil)
    terminal.type("\u{15}exit\r")
    #expect(terminal.waitForEnd() == 0)
  }

  /// A text as a row shows it.
  private func withoutBlanks(_ text: String) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension TerminalEmulator {
  /// The last line that is not empty.
  fileprivate var lastLine: String? { lines.last { !$0.isEmpty } }
}
