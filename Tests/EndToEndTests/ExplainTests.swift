import TestSupport
import Testing

/// `explain run`, whose times differ from run to run, and warnings on a terminal.
struct ExplainTests {
  private let folder = Realmsh.folderWithDogs()

  private func run(_ arguments: String...) -> Process.Result {
    Realmsh.run(["dogs.realm"] + arguments, folder: folder.path)
  }

  /// A text with `T` for each time, and one blank for several.
  private func withoutTimes(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var words = line.split(separator: " ").map(String.init)
      for i in words.indices.dropFirst() where words[i] == "ms" { words[i - 1] = "T" }
      return words.joined(separator: " ")
    }.joined(separator: "\n")
  }

  @Test func runMeasuresEachStep() {
    let result = run(
      "explain run where Dog age > 2 and name contains \"e\" SORT(age DESC) OFFSET(1) LIMIT(2)")
    #expect(result.errorText == "")
    let lines = withoutTimes(result.outputText).split(separator: "\n").map(String.init)
    #expect(
      lines.first == "Dog where age > 2 and name contains \"e\" SORT(age DESC) OFFSET(1) LIMIT(2)")
    #expect(lines.dropFirst().first == "1 scan Dog 7 objects T ms")
    #expect(lines.contains("2 test age > 2 5 objects T ms"))
    #expect(lines.last?.hasSuffix(" objects, T ms") == true)
    let found = run(
      "count Dog where age > 2 and name contains \"e\" SORT(age DESC) OFFSET(1) LIMIT(2)")
    #expect(lines.last?.hasPrefix(found.outputText.dropLast()) == true)
  }

  @Test func runTellsTheSameStepsAsExplain() {
    for statement in [
      "where Dog", "count Dog where age > 2", "where Person id == 1",
      "where Person(1).dogs age > 2 LIMIT(1)", "where Dog age > 2 DISTINCT(color)",
      "where Dog name == \"Rex\" or age in {1, 2} SORT(name ASC)",
    ] {
      let plain = run("explain \(statement)").outputText.split(separator: "\n")
      let measured = withoutTimes(run("explain run \(statement)").outputText)
        .split(separator: "\n")
      #expect(measured.count == plain.count + 1, "\(statement)")
      for (line, longer) in zip(plain, measured) {
        let words = line.split(separator: " ")
        #expect(longer.split(separator: " ").prefix(words.count).elementsEqual(words))
      }
    }
  }

  @Test func runMakesTheChangeAndExplainDoesNot() {
    let before = Files.contents("\(folder.path)/dogs.realm")
    #expect(run("explain set Dog age += 1 all", "explain delete Dog all").status == 0)
    #expect(Files.contents("\(folder.path)/dogs.realm") == before)
    let result = run("explain run set Dog age = 99 where age > 2", "count Dog where age == 99")
    let lines = withoutTimes(result.outputText).split(separator: "\n").map(String.init)
    #expect(lines.suffix(3) == ["3 set age 5 objects T ms", "5 objects, T ms", "5"])
  }

  @Test func programsGetNumbers() {
    let json = run("-m", "jsonl", "explain run count Dog where age > 2").outputText
    let value = JSONValue(Array(json.utf8))
    #expect(value?["objects"]?.int == 5)
    let steps = value?["steps"]?.elements ?? []
    #expect(steps.map { $0["step"]?.text } == ["scan", "test"])
    #expect(steps.map { $0["objects"]?.int } == [7, 5])
    let records = run("-m", "csv", "explain run count Dog where age > 2").outputText
    #expect(records.hasPrefix("step,kind,text,objects,milliseconds\n1,scan,Dog,7,"))
  }

  /// One warning for each statement on a terminal, none elsewhere.
  @Test func terminalWarnsOnce() {
    let statement = "count Dog where age == 010 or age == 011 or name == \"a\\n\""
    #expect(run(statement).errorText == "")
    let terminal = PseudoTerminal(
      Fixtures.realmsh,
      [
        "--no-config", "\(folder.path)/dogs.realm", statement, "count Dog where age == 8",
        statement,
      ])
    #expect(terminal.waitForEnd() == 0)
    #expect(terminal.transcript.split(separator: "warning: ").count == 3)
    #expect(terminal.transcript.contains("010 is 8\r\n  [Trap]"))
  }

  @Test func warningsAreInBothForms() {
    let statement = "explain count Dog where age == 010"
    #expect(
      run(statement).errorText == """
        <command 1>:1:32: warning: a number with a leading zero is octal: 010 is 8 [Trap]
          1 | explain count Dog where age == 010
            |                                ^^^ write 10

        """)
    let json = run("--errors", "json", statement).errorText
    let value = JSONValue(Array(json.utf8))
    #expect(value?["warning"]?.text == "Trap")
    #expect(value?["column"]?.int == 32)
    #expect(value?["suggestion"]?.text == "write 10")
  }
}
