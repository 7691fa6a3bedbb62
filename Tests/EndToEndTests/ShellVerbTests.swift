import TestSupport
import Testing

/// `help`, `output`, pipes, `--safe`, `exit`, `cd`: the verbs of the program itself.
struct ShellVerbTests {
  private let folder = Realmsh.folderWithDogs()

  private func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) -> Process.Result {
    Realmsh.run(arguments, input: input, environment: environment, folder: folder.path)
  }

  /// Runs statements one after the other, without a database.
  private func runAlone(
    _ statements: String..., environment: [String: String] = [:]
  ) -> Process.Result {
    Realmsh.run(
      statements.flatMap { ["-c", $0] }, environment: environment, folder: folder.path)
  }

  private func text(_ name: String) -> String { Files.readText(folder.file(name)) }

  // MARK: help

  @Test func helpOfAVerbIsThatOfTheSpecification() {
    let expected = """
      count SOURCE [where RQL [args (...)]]
        Prints the number of objects.
        SOURCE  a class, a projection, a collection (Person(1).dogs) or a variable
        count Dog
        count Dog where age > 3 and ANY owners.name == "Ann"
        count Person(1).dogs
        See also: where, aggregate, let

      """
    for arguments in [["-c", "help count"], ["-c", "? COUNT"], ["--help", "count"]] {
      #expect(Realmsh.run(arguments).outputText == expected)
    }
  }

  @Test func theOverviewLeadsToATextForEachWord() {
    let lines = run("-c", "help").outputText.split(separator: "\n")
    let words = lines.dropLast().flatMap { $0.dropFirst(13).split(separator: " ") }
    #expect(words.count > 40)
    let statements = words.map { "help \($0)" }.joined(separator: "\n")
    let result = run("-f", "-", input: statements)
    #expect(result.errorText == "")
    #expect(!result.outputText.contains("nothing is known"))
    #expect(result.outputText.split(separator: "\n").count > 4 * words.count)
  }

  @Test func everyTopicSaysSomething() {
    let lines = run("-c", "help").outputText.split(separator: "\n")
    let rows = lines.drop { !$0.hasPrefix("Topics") }.dropLast()
    let topics = rows.flatMap { $0.split(separator: " ") }.dropFirst()
    #expect(topics.count > 7)
    for topic in topics {
      let lines = run("-c", "help \(topic)").outputText.split(separator: "\n")
      #expect(lines.count >= 4, "\(topic)")
      #expect(!lines.contains { $0.hasPrefix("nothing") || $0.hasSuffix(" ") }, "\(topic)")
    }
  }

  @Test func everyErrorHasACauseAndARemedy() {
    let names = run("-c", "help errors").outputText.split(separator: "\n").compactMap {
      $0.split(separator: " ").first
    }
    let texts = run("-f", "-", input: names.map { "help \($0)" }.joined(separator: "\n"))
    let remedies = texts.outputText.split(separator: "\n").filter { $0.hasPrefix("  Remedy  ") }
    #expect(remedies.count == names.count)
    #expect(remedies.allSatisfy { $0.hasSuffix(".") && $0.count > 20 })
  }

  @Test func everySettingHasAText() {
    let names = run("-c", "config").outputText.split(separator: "\n").compactMap {
      $0.split(separator: " ").first
    }
    #expect(names.count == 24)
    for name in names where !["errors", "keys", "mode", "history", "prompt"].contains(name) {
      #expect(run("-c", "help \(name)").outputText.contains("  VALUE    "), "\(name)")
    }
  }

  @Test func otherWordsAreSearchedFor() {
    let found = run("-c", "help write lock").outputText
    #expect(found.hasPrefix("begin [nowait | timeout DURATION]\n"))
    #expect(run("-c", "help XDG_STATE").outputText.contains("see help environment"))
    #expect(
      run("-c", "help cuont").outputText
        == "nothing is known about cuont; did you mean count?\n")
    #expect(run("-c", "help NEEDSALL").outputText.hasPrefix("NeedsAll\n"))
    #expect(run("-c", "help upper").outputText.hasPrefix("upper(s)\n  the text in upper case\n"))
  }

  // MARK: output

  @Test func outputSendsResultsToAFile() {
    let result = run(
      "dogs.realm", "observe Dog as d", "output \"a b.txt\"", "where Dog LIMIT(1) show name",
      "set Dog#1 age = 6", "print 1", "output off", "print 2")
    #expect(result.errorText == "")
    #expect(
      result.outputText == """
        ~ [1] d: Dog: initial, version 3, 7 objects
        ~ [1] d: version 4, 7 objects (~1)
          ~ 1  Dog#1  age 5 -> 6
        2

        """)
    #expect(
      text("a b.txt") == """
        #  name
        -  ----
        0  Rex
        1 object
        changed Dog#1: age
        1

        """)
  }

  @Test func outputReplacesOrAppends() {
    _ = run("-c", "output a.txt; print 1; output b.txt; print 2; output a.txt append; print 3")
    #expect(text("a.txt") == "1\n3\n")
    #expect(text("b.txt") == "2\n")
    _ = run("-c", "output a.txt; print 4")
    #expect(text("a.txt") == "4\n")
  }

  @Test func errorsAreNotResults() {
    let result = run("dogs.realm", "output a.txt", "print 1", "count Dgo")
    #expect(result.status == 1)
    #expect(result.errorText.contains("[NoSuchTable]"))
    #expect(text("a.txt") == "1\n")
  }

  @Test func otherThreadsWriteToTheSameFile() {
    _ = run(
      "dogs.realm", "output a.txt", "print 1", "on w: count Dog", "on w { print 2; print 3 }",
      "print 4")
    #expect(text("a.txt") == "1\n7\n2\n3\n4\n")
  }

  @Test(arguments: [
    "dogs.realm", "./dogs.realm", "dogs.realm.lock", "dogs.realm.note", "dogs.realm.management/x",
  ])
  func outputNeverGoesOverADatabase(_ path: String) {
    let before = FolderSnapshot(of: folder.path)
    for statement in ["output \"\(path)\"", "observe Dog to \"\(path)\"", "schema to \"\(path)\""] {
      let result = run("-r", "dogs.realm", statement)
      #expect(result.status != 0, "\(statement)")
      #expect(before.differences(to: FolderSnapshot(of: folder.path)) == [])
    }
  }

  @Test func aFileThatTakesNoMoreIsAnError() {
    let result = runAlone("output /dev/full", "print 1", "print 2")
    #expect(result.status == 1)
    #expect(result.errorText.contains("cannot write /dev/full: no space left on device"))
  }

  // MARK: Pipes

  @Test func aPipeTakesTheOutputOfABlock() {
    let result = run(
      "dogs.realm", "write { count Dog; count Person } | tr 0-9 a-j", "on w: count Dog | tr 7 x",
      "source \"/dev/null\" | cat")
    #expect(result.outputText.hasPrefix("h\ne\n"))
    #expect(result.outputText.hasSuffix("x\n"))
  }

  @Test func aCommandThatEndsEarlyIsNoError() {
    let rows = String(repeating: "print 1\n", count: 20_000)
    folder.write(Array(rows.utf8), to: "many.realmsh")
    let result = runAlone("source many.realmsh | head -n 1", "print 2")
    #expect(result.outputText == "1\n2\n")
    #expect(result.errorText == "")
    #expect(result.status == 0)
  }

  @Test func aCommandThatFailsIsAWarning() {
    let result = runAlone("print 1 | cat", "print 2 | (cat; exit 9)", "print 3")
    #expect(result.outputText == "1\n2\n3\n")
    #expect(
      result.errorText
        == "<command 2>: warning: the command ended with status 9 [CommandFailed]\n")
    #expect(result.status == 0)
  }

  @Test func diffsDoNotGoThroughThePipe() {
    let result = run("dogs.realm", "observe Dog#0 as d", "set Dog#0 age = 9 | tr a-z A-Z")
    #expect(
      result.outputText == """
        ~ [1] d: Dog#0: watching from version 3
        CHANGED DOG#0: AGE
        ~ [1] d: version 4: age 1 -> 9

        """)
  }

  @Test func pipedStatementsRunAsTheyCome() {
    // The second statement comes only when the first has been answered.
    let script = """
      mkfifo gate
      { echo 'print 1'; cat gate; } | "$0" | { read line; echo "$line first" ; echo 'print 2' > gate; cat; }
      """
    let result = Process.run(
      "/usr/bin/timeout", ["60", "/bin/sh", "-c", script, Fixtures.realmsh], folder: folder.path)
    #expect(result.outputText == "1 first\n2\n")
  }

  @Test func pipedTextKeepsItsPlaces() {
    let blank = String(repeating: "print [1,\n2]\n", count: 200_000)
    let result = run("-q", "-m", "none", input: blank + "print \"a\nb\"; prnt 1\n")
    #expect(result.errorText.hasPrefix("<stdin>:400002:5: error: no verb prnt"))
    let invalid = Process.run(
      Fixtures.realmsh, [], input: Array("print 1\nprint \"".utf8) + [0xFF] + Array("\"\n".utf8))
    #expect(invalid.outputText == "1\n")
    #expect(invalid.errorText.hasPrefix("<stdin>:2:8: error: text that is not UTF-8"))
  }

  @Test func anErrorInAPipedTransactionSkipsItsRest() {
    let result = run(
      "--keep-going", "-q", "dogs.realm",
      input: "begin\ncuont Dog\nprint 1\ncommit\nprint 2\n")
    #expect(result.outputText == "2\n")
    #expect(result.status == 1)
  }

  // MARK: --safe

  @Test(arguments: [
    "! true", "print 1 | cat", "edit", "output a.txt", "export Dog to a.csv",
    "export all to all format csv", "export all to a.sqlite", "dump to a.realmsh",
    "schema to a.txt", "observe Dog to a.txt", "copy to a.realm",
    "compact to a.realm", "upgrade to a.realm", "open a.realm create", "open a.realm new",
    "open dogs.realm as d key \"cmd:true\"", "info file dogs.realm key \"cmd:true\"",
  ])
  func safeRefuses(_ statement: String) {
    let before = FolderSnapshot(of: folder.path)
    let result = run("--safe", "dogs.realm", statement)
    #expect(result.errorText.contains("[NotSafe]"))
    #expect(result.status != 0)
    #expect(before.differences(to: FolderSnapshot(of: folder.path)) == [])
  }

  @Test func safeChangesTheDatabase() {
    let result = run("--safe", "dogs.realm", "set Dog#0 age = 9", "get Dog#0.age")
    #expect(result.outputText == "changed Dog#0: age\n9\n")
  }

  // MARK: exit, cd

  @Test func exitWithAStatusDropsTheTransaction() {
    let result = run("dogs.realm", "begin", "exit 4", "print 1")
    #expect(result.status == 4)
    #expect(result.errorText == "note: the transaction on dogs was cancelled: nothing\n")
    let refused = run("dogs.realm", "begin; exit; print 1")
    #expect(refused.status == 1)
    #expect(
      refused.errorText.hasPrefix(
        """
        <command 1>:1:8: error: a write transaction is open [WrongTransactionState]
          1 | begin; exit; print 1
            |        ^^^^ commit or cancel it

        """))
  }

  @Test func cdChangesTheFolder() {
    let result = runAlone(
      "! mkdir sub", "cd sub; cd; cd ~; cd", environment: ["HOME": folder.path])
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.first?.hasSuffix("/sub") == true)
    #expect(lines.last.map { "\($0)/sub" } == lines.first.map(String.init))
    #expect(run("-c", "cd nowhere").errorText.contains("[FileNotFound]"))
  }

  @Test func noHistoryWithoutAPrompt() {
    #expect(run("-c", "history").errorText.contains("there is no history without a prompt"))
  }
}
