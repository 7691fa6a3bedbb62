import Glibc
import TestSupport
import Testing

/// The command line: options, where statements come from, where output goes, and the status.
struct CommandLineTests {
  private let folder = Realmsh.folderWithDogs()

  private func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) -> Process.Result {
    Realmsh.run(arguments, input: input, environment: environment, folder: folder.path)
  }

  private func expect(
    _ result: Process.Result, output: String = "", errors: String = "", status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.outputText == output, sourceLocation: sourceLocation)
    #expect(result.errorText == errors, sourceLocation: sourceLocation)
    #expect(result.status == status, sourceLocation: sourceLocation)
  }

  // MARK: What stands in the wrong place

  @Test func aStatementInPlaceOfTheFileIsTold() {
    for (arguments, hint) in [
      (["recover", "a.realm", "to", "b.realm"], "-c: realmsh -c 'recover a.realm to b.realm'"),
      (["check", "dogs.realm"], "a file: realmsh dogs.realm check"),
      (["count", "Dog", "dogs.realm"], "a file: realmsh dogs.realm 'count Dog'"),
      (["print 'x'"], #"a file: realmsh FILE 'print '\''x'\'''"#),
    ] {
      let result = Realmsh.run(arguments, folder: folder.path)
      let verb = arguments[0].prefix { $0 != " " }
      #expect(
        result.errorText.hasSuffix(
          "no such file [FileNotFound]\n"
            + "  hint: \(verb) is a statement, which stands behind \(hint)\n"))
      #expect(result.status == 3)
    }
  }

  @Test func aStatementWithoutQuotesIsTold() {
    let note = "note: each argument is a statement; several words stand in quotes: "
    #expect(run("dogs.realm", "count", "Dog").errorText.hasSuffix("\(note)'count Dog'\n"))
    #expect(
      run("dogs.realm", "where", "Dog", "show", "name").errorText
        .hasSuffix("\(note)'where Dog show name'\n"))
    #expect(!run("dogs.realm", "count", "count Dog").errorText.contains("note"))
    #expect(!run("dogs.realm", "count Dgo", "Dog").errorText.contains("note"))
  }

  @Test(arguments: [
    ["link.realm", "info"], ["--create", "link.realm", "info"], ["--new", "link.realm", "info"],
    ["dogs.realm", "copy to link.realm"], ["dogs.realm", "compact to link.realm"],
    ["dogs.realm", "upgrade to link.realm"], ["dogs.realm", "check link.realm"],
    ["dogs.realm", "diff link.realm"], ["-c", "open link.realm"],
    ["-c", "open link.realm create"], ["-c", "info file link.realm"],
    ["-c", "recover link.realm to a.realm"], ["-c", "recover dogs.realm to link.realm"],
    ["-f", "link.realm"], ["-c", "source link.realm"],
    ["dogs.realm", "import Dog from link.realm format csv"],
    ["dogs.realm", "encrypt to a.realm key \"new:link.realm\""],
  ])
  func aLinkThatLeadsNowhereIsTold(_ arguments: [String]) {
    #expect(symlink("nowhere", folder.file("link.realm")) == 0)
    let result = Realmsh.run(arguments, folder: folder.path)
    #expect(result.status != 0)
    #expect(
      result.errorText.contains("link.realm is a symbolic link to nowhere, which does not exist ["))
    let names = Files.names(in: folder.path)
    #expect(!names.contains("nowhere") && !names.contains("a.realm"), "\(names)")
    #expect(!names.contains("link.realm.lock"), "\(names)")
  }

  // MARK: Reading only

  /// What is only tried writes nothing, not even a lock.
  @Test func whatIsOnlyTriedCanBeDoneWithReadOnlyFiles() throws {
    folder.write(Array("name,age,color,currentCity\nx,1,y,z\n".utf8), to: "a.csv")
    let before = try #require(FileSnapshot(of: folder.file("dogs.realm")))
    let migrate = "migrate dry to 4 { set Dog age = age + 1 all }"
    let result = run(
      "-r", "dogs.realm", migrate, "import Dog from a.csv dry", "count Dog",
      "expect error ReadOnlyDatabase: import Dog from a.csv",
      "expect error ReadOnlyDatabase: migrate to 4 { set Dog age = age + 1 all }",
      "expect error ReadOnlyDatabase: delete Dog all")
    #expect(
      result.outputText.hasPrefix("schema version 1 -> 4 (dry run)\n  Dog  7 objects rewritten"))
    #expect(
      result.outputText.hasSuffix(
        "nothing was changed\n1 Dog can be imported from a.csv\n7\n"))
    expect(
      run("-r", "dogs.realm", "migrate dry to 1 { }"),
      output: "schema version is 1; nothing to migrate\n")
    #expect(result.errorText.isEmpty)
    #expect(FileSnapshot(of: folder.file("dogs.realm")) == before)
    #expect(!Files.names(in: folder.path).contains("dogs.realm.lock"))
  }

  // MARK: Where statements come from

  @Test func statementsAreArguments() {
    expect(run("dogs.realm", "count Dog", "count Person"), output: "7\n4\n")
    expect(run("dogs.realm", "count Dog; count Person\nprint 1"), output: "7\n4\n1\n")
    expect(run("dogs.realm", "--", "count Dog"), output: "7\n")
  }

  @Test func commandsAndScriptsRunInTheOrderGiven() {
    folder.write(Array("print 2\nprint 3".utf8), to: "a.realmsh")
    expect(
      run("-c", "print 1", "--file=a.realmsh", "--command", "print 4"), output: "1\n2\n3\n4\n")
    expect(
      run("dogs.realm", "print 5", "-c", "print 1", "-f", "a.realmsh"),
      output: "1\n2\n3\n5\n")
    expect(run("-c", "print 1", "-f", "-", "-c", "print 3", input: "print 2"), output: "1\n2\n3\n")
  }

  @Test func standardInputIsAScript() {
    expect(run("dogs.realm", input: "count Dog\ncount Person"), output: "7\n4\n")
    expect(
      run(input: "open dogs.realm\r\ncount Dog\r\n"),
      output: """
        opened dogs.realm: format 24, schema version 1, 5 classes, version 3
        7

        """)
    expect(run("dogs.realm", input: ""))
    expect(
      run(input: "print 1\ncount Dog\nprint 2"), output: "1\n",
      errors: """
        <stdin>:2:7: error: no database is open [NoDatabase]
          2 | count Dog
            |       ^^^ open PATH

        """, status: 1)
  }

  @Test func optionsMayFollowTheFile() {
    expect(run("dogs.realm", "-m", "csv", "get Dog#0 show name, age"), output: "name,age\nRex,1\n")
    expect(run("dogs.realm", "-mjsonl", "get Dog#0 show name"), output: "{\"name\":\"Rex\"}\n")
    expect(run("-qe", "dogs.realm", "count Dog"), output: "> count Dog\n7\n")
  }

  @Test func theConfigurationIsNotForScripts() {
    folder.write(Array("config mode csv".utf8), to: "config.realmsh")
    let environment = ["REALMSH_CONFIG": folder.file("config.realmsh")]
    expect(
      run("dogs.realm", "config mode", environment: environment), output: "table\n")
    expect(
      run("dogs.realm", input: "config mode", environment: environment), output: "table\n")
  }

  // MARK: Options

  @Test func variablesAreDefined() {
    expect(
      run(
        "-D", "n=3", "-D", "s=some text", "-D", "q=\"x\"", "-D", "d=2024-05-01", "-D", "e=",
        "-c", "print $n + 1, $s, $q, $d, [$e]"),
      output: "4 some text x 2024-05-01T00:00:00Z [\"\"]\n")
    expect(
      run("dogs.realm", "-D", "age=7", "where Dog age > $age SORT(age ASC) show name", "-m", "tsv"),
      output: "name\nMaui\nŁajka\n")
  }

  @Test func outputGoesToAFile() {
    expect(run("-o", "out.txt", "dogs.realm", "count Dog", "count Person"))
    #expect(Files.readText(folder.file("out.txt")) == "7\n4\n")
    expect(
      run("-o", "nowhere/out.txt", "dogs.realm", "count Dog"),
      errors: "realmsh: error: cannot write nowhere/out.txt: no such file or directory [Usage]\n",
      status: 2)
  }

  @Test func safeRunsWriteNoOtherFile() {
    let before = FolderSnapshot(of: folder.path)
    expect(
      run("--safe", "-o", "out.txt", "dogs.realm", "count Dog"),
      errors: "realmsh: error: writing files is refused by --safe [NotSafe]\n", status: 1)
    #expect(before.differences(to: FolderSnapshot(of: folder.path)) == [])
  }

  @Test func outputNeverReplacesADatabase() {
    let before = FolderSnapshot(of: folder.path)
    for arguments in [
      ["-o", "dogs.realm", "dogs.realm", "count Dog"],
      ["dogs.realm", "schema to \"./dogs.realm\""],
      ["dogs.realm", "export Dog to dogs.realm format csv"],
      ["dogs.realm", "export Dog to dogs.realm format csv append"],
    ] {
      let result = Realmsh.run(arguments, folder: folder.path)
      #expect(result.status != 0)
      #expect(!result.errors.isEmpty)
    }
    #expect(before.differences(to: FolderSnapshot(of: folder.path)) == [])
  }

  @Test func quietLeavesOutAcknowledgementsAndFooters() {
    expect(run("-q", "-c", "open dogs.realm; count Dog; close"), output: "7\n")
    expect(
      run("-q", "dogs.realm", "where Dog name == 'Rex' show name"),
      output: "#  name\n-  ----\n0  Rex\n")
  }

  @Test func echoPrintsEachStatement() {
    expect(
      run("-e", "dogs.realm", "count Dog\n\nprint (1\n+ 2)"),
      output: "> count Dog\n7\n> print (1\n+ 2)\n3\n")
  }

  @Test func timesGoToStandardError() {
    let result = run("--timing", "dogs.realm", "count Dog")
    #expect(result.outputText == "7\n")
    #expect(result.errorText.hasPrefix("("))
    #expect(result.errorText.hasSuffix(" ms)\n"))
    #expect(run("-c", "time print 1").outputText == "1\n")
  }

  @Test func theFirstErrorEndsTheRun() {
    let error = """
      <command 2>:1:7: error: no class Dgo [NoSuchTable]
        1 | count Dgo
          |       ^^^ did you mean Dog?

      """
    expect(
      run("dogs.realm", "count Dog", "count Dgo", "count Person"), output: "7\n", errors: error,
      status: 1)
    expect(
      run("--keep-going", "dogs.realm", "count Dog", "count Dgo", "count Person"),
      output: "7\n4\n", errors: error, status: 1)
  }

  @Test func errorsAreJSONOnDemand() {
    expect(
      run("--errors", "json", "dogs.realm", "count Dgo"),
      errors: #"{"error":"NoSuchTable","message":"no class Dgo","file":"<command 1>","line":1,"#
        + #""column":7,"length":3,"suggestion":"Dog","statement":"count Dgo"}"# + "\n",
      status: 1)
    let missing = run("--errors", "json", "missing.realm", "count Dgo")
    #expect(JSONValue(missing.errors)?["error"]?.text == "FileNotFound")
    #expect(missing.status == 3)
  }

  @Test func coloursAreForTerminals() {
    let statement = "where Dog name == 'Rex' show age"
    #expect(!run("dogs.realm", statement).outputText.contains("\u{1B}"))
    #expect(run("--color", "always", "dogs.realm", statement).outputText.contains("\u{1B}[36m"))
    #expect(
      run("dogs.realm", statement, environment: ["CLICOLOR_FORCE": "1"]).outputText
        .contains("\u{1B}"))
    #expect(
      !run(
        "dogs.realm", statement, environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]
      ).outputText.contains("\u{1B}"))
  }

  @Test func safeRunsNoCommandsAndWritesNoFiles() {
    for statement in [
      "! touch made", "print 1 | cat > made", "export Dog to made.csv", "export all to made",
      "schema to made", "info file dogs.realm key \"cmd:touch made\"",
    ] {
      let result = run("--safe", "dogs.realm", statement)
      #expect(result.errorText.contains("[NotSafe]"), "\(statement)")
      #expect(result.status != 0, "\(statement)")
    }
    #expect(Files.names(in: folder.path) == ["dogs.realm"])
  }

  @Test func helpAndVersionAreForPipes() {
    expect(run("--version"), output: "realmsh 0.1.0\n")
    expect(run("-V", "dogs.realm", "count Dog"), output: "realmsh 0.1.0\n")
    for option in ["--help", "-h"] {
      let result = run(option)
      #expect(result.outputText.hasPrefix("realmsh [options] [FILE [STATEMENT ...]]\n"))
      #expect(result.errors.isEmpty)
      #expect(result.status == 0)
    }
    for arguments in [["--help=count"], ["-h", "count"], ["-c", "help count"]] {
      let result = Realmsh.run(arguments)
      #expect(result.outputText.hasPrefix("count SOURCE"), "\(arguments)")
      #expect(result.status == 0)
    }
  }

  @Test(arguments: [
    (["--bogus"], "unknown option --bogus"),
    (["-x"], "unknown option -x"),
    (["-qx"], "unknown option -x"),
    (["-"], "- is no database; a script is read with -f -"),
    (["-c"], "-c needs a value"),
    (["--mode"], "--mode needs a value"),
    (["--quiet=yes"], "--quiet takes no value"),
    (["-D", "x"], "-D needs NAME=LITERAL, not x"),
    (["-D", "=x"], "-D needs NAME=LITERAL, not =x"),
    (["--mode", "xml"], "--mode xml: it is one of: table box"),
    (["--errors", "xml"], "--errors xml: it is one of: human json"),
    (["--color", "maybe"], "--color maybe: it is one of: auto always never"),
    (["--width", "3"], "--width 3: it is one of: auto, 20-10000"),
  ])
  func wrongCommandLinesEndWith2(_ arguments: [String], _ message: String) {
    let result = Realmsh.run(arguments)
    #expect(result.errorText.hasPrefix("realmsh: error: \(message)"))
    #expect(result.errorText.contains("[Usage]\n"))
    #expect(result.output.isEmpty)
    #expect(result.status == 2)
  }

  // MARK: Status

  @Test func exitEndsWithItsNumber() {
    expect(run("-c", "print 1; exit 42; print 2", "-c", "print 3"), output: "1\n", status: 42)
    expect(run("-c", "exit 125"), status: 125)
    expect(run("-c", "exit; print 1"))
    #expect(run("-c", "exit 126").errorText.contains("[InvalidArgument]"))
    expect(run(input: "exit 3\nprint 1"), status: 3)
  }

  @Test func checkEndsWith7IfItFindsSomething() throws {
    #expect(run("dogs.realm", "check deep").status == 0)
    let damaged = try #require(Self.damagedDogs())
    folder.write(damaged, to: "damaged.realm")
    let result = run("damaged.realm", "check deep")
    #expect(result.status == 7)
    #expect(result.outputText.hasPrefix("damaged.realm: "))
    #expect(result.outputText.contains(" finding"))
  }

  /// `dogs.realm` with a dog's name that is no text.
  private static func damagedDogs() -> [UInt8]? {
    var bytes = Files.read(Realmsh.fixture("dogs.realm"))
    let name = Array("Wolfie".utf8)
    let start = (0..<(bytes.count - name.count)).last { bytes[$0...].starts(with: name) }
    guard let start else { return nil }
    bytes[start] = 0xFF
    return bytes
  }

  @Test func aClosedPipeEndsWith141() {
    let script = #"{ "$0" dogs.realm "$1"; echo $? >&2; } | head -c 1 > /dev/null"#
    let statement = Array(repeating: "schema", count: 2000).joined(separator: ";")
    let result = Process.run(
      "/bin/sh", ["-c", script, Fixtures.realmsh, statement], folder: folder.path)
    #expect(result.errorText == "141\n")
  }

  @Test func prefixesAreLimited() {
    let prefixes = String(repeating: "expect error: ", count: 20_000)
    let result = run("dogs.realm", input: prefixes + "count Dog")
    #expect(result.errorText.contains("more than 20 prefixes [LimitExceeded]"))
    #expect(result.status == 1)
  }

  // MARK: Files that cannot be reached

  @Test func missingFilesEndWith3() {
    expect(
      run("missing.realm", "count Dog"),
      errors: """
        realmsh: error: cannot open missing.realm: no such file [FileNotFound]
          hint: add --create to make a new database

        """, status: 3)
    expect(
      run("-c", "open dog.realm"),
      errors: """
        <command 1>:1:6: error: no such file [FileNotFound]
          1 | open dog.realm
            |      ^^^^^^^^^ did you mean dogs.realm? or, for a new database: open dog.realm create

        """, status: 3)
    #expect(run("dogs.realm/x.realm").status == 3)
    #expect(run("-f", "missing.realmsh").status == 3)
    #expect(run("-c", "info file missing.realm").status == 3)
    #expect(Files.names(in: folder.path) == ["dogs.realm"])
  }

  @Test func foldersAndDevicesAreNoDatabases() {
    for path in [folder.path, "/dev/null"] {
      let result = run(path, "info")
      #expect(result.errorText.contains("[NotARealmFile]"))
      #expect(result.status == 4)
    }
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func forbiddenFilesEndWith3() {
    chmod(folder.file("dogs.realm"), 0)
    expect(
      run("dogs.realm", "count Dog"),
      errors: "realmsh: error: cannot open dogs.realm: permission denied [PermissionDenied]\n",
      status: 3)
  }
}
