import Glibc
import TestSupport
import Testing

/// `format sql` and `format sqlite`, looked at with the program of SQLite.
struct SQLExportTests {
  private let folder = TemporaryFolder()

  private func shell(_ script: String) -> Process.Result {
    Process.run("/bin/sh", ["-c", script, Fixtures.realmsh], folder: folder.path)
  }

  private func make(_ name: String, _ script: String) {
    let result = Realmsh.run("-q", "--new", name, input: script, folder: folder.path)
    #expect(result.status == 0, "\(result.errorText.prefix(500))")
  }

  /// Exports `x.realm` in both ways and expects the same.
  ///
  /// - Returns: all of it as SQLite prints it.
  @discardableResult
  private func exportBoth(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    let result = shell(
      """
      rm -f x.db && "$0" x.realm 'export \(what) to x.sql' 'export \(what) to x.sqlite' &&
      sqlite3 x.db < x.sql && sqlite3 x.db .dump > 1 && sqlite3 x.sqlite .dump > 2 && cmp 1 2 &&
      sqlite3 x.sqlite 'PRAGMA foreign_key_check; PRAGMA integrity_check' > 3 &&
      sqlite3 x.db 'PRAGMA user_version' > 4 && sqlite3 x.sqlite 'PRAGMA user_version' | cmp - 4
      """)
    #expect(
      result.status == 0, "\(result.errorText)\(result.outputText)", sourceLocation: sourceLocation)
    #expect(Files.readText(folder.file("3")) == "ok\n", sourceLocation: sourceLocation)
    return Files.readText(folder.file("1"))
  }

  @Test(arguments: [
    "dogs.realm", "empty.realm", "nohistory.realm", "rql-mixed.realm", "rql-scalars.realm",
  ])
  func fixturesAreTheSameInBothForms(_ name: String) {
    folder.copy(Realmsh.fixture(name), as: "x.realm")
    exportBoth("all")
  }

  @Test(arguments: 0..<TestScale.number("DUMP_COUNT", standard: 4))
  func randomDatabasesAreTheSameInBothForms(_ seed: Int) {
    make("x.realm", RandomDatabase(seed: 100 + UInt64(seed), deletes: seed % 2 == 1).script)
    exportBoth("all")
    exportBoth("Keyed")
    let linked = exportBoth("Keyed where m != 5")
    #expect(linked.contains("CREATE TABLE"))
  }

  @Test func linksBringTheirTargets() {
    make(
      "x.realm",
      """
      class B { n: int }
      class P embedded { b: B? }
      class A { _id: int primary, to: A?, any: mixed, part: P? }
      add A {_id: 1}
      add A {_id: 2, to: A(1)}
      add B {n: 7}
      add A {_id: 3, any: [A(2)], part: {b: B#0}}
      """)
    let result = Realmsh.run(
      "x.realm", "export A where _id == 3 to out links", "export A where _id == 2 to two links",
      folder: folder.path)
    #expect(
      result.outputText == """
        exported 4 objects of 2 classes to out/
        exported 2 objects of 1 class to two/

        """)
    let lines = Files.readText(folder.file("out/A.jsonl")).split(separator: "\n")
    #expect(lines.map { $0.prefix(8) } == ["{\"_id\":3", "{\"_id\":1", "{\"_id\":2"])
    #expect(Files.readText(folder.file("out/B.jsonl")) == "{\"n\":7}\n")
    #expect(!Files.names(in: folder.file("two")).contains("B.jsonl"))
    // To-one links and all that they lead to are foreign keys that hold.
    #expect(exportBoth("A where _id == 3").contains("'list'"))
    let linked = Realmsh.run(
      "x.realm", "export A where _id == 3 to l.sql links", folder: folder.path)
    #expect(linked.outputText.contains("3 rows in \"A\"\n"))
  }

  @Test func namesThatOnlyDifferInCase() {
    make(
      "x.realm",
      "class a { x: int, X: int, `x\"y`: string[] }\nclass A { x_2: int }\nadd a {x: 1, X: 2}")
    let text = exportBoth("all")
    #expect(text.contains("\"X_2\" INTEGER"))
    #expect(text.contains("\"A_2\""))
  }

  /// A killed program cannot remove what it had begun; the next one does.
  @Test func whatAKilledProgramLeftIsReplaced() {
    folder.copy(Realmsh.fixture("dogs.realm"), as: "x.realm")
    for target in ["all.sqlite", "all.sql", "all.dump", "Dog.csv"] {
      folder.write(Array("half".utf8), to: target + ".realmsh-tmp")
      let statement =
        switch target {
        case "all.dump": "dump to all.dump"
        case "Dog.csv": "export Dog to Dog.csv"
        default: "export all to \(target)"
        }
      let result = Realmsh.run("x.realm", statement, folder: folder.path)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(!Files.names(in: folder.path).contains(target + ".realmsh-tmp"))
      #expect(Files.read(folder.file(target)).count > 4)
    }
  }

  @Test func aFailedExportLeavesNoFolder() {
    folder.copy(Realmsh.fixture("dogs.realm"), as: "x.realm")
    let result = shell("ulimit -f 0; exec \"$0\" x.realm 'export all to out'")
    #expect(result.status == 1)
    #expect(!Files.names(in: folder.path).contains("out"))
  }

  @Test func otherFilesStay() {
    folder.copy(Realmsh.fixture("dogs.realm"), as: "x.realm")
    let made = shell("sqlite3 other.sqlite 'CREATE TABLE t (x)'; echo text > text.db")
    #expect(made.status == 0)
    for name in ["other.sqlite", "text.db"] {
      let before = Files.read(folder.file(name))
      let result = Realmsh.run("x.realm", "export all to \(name)", folder: folder.path)
      #expect(result.status == 1)
      #expect(result.errorText.contains("FileAlreadyExists"))
      #expect(Files.read(folder.file(name)) == before)
    }
    // Its own files are replaced.
    for _ in 0..<2 {
      let result = Realmsh.run("x.realm", "export all to own.sqlite", folder: folder.path)
      #expect(result.status == 0, "\(result.errorText)")
    }
  }

  @Test func nothingIsLeftOfWhatFails() {
    var script = "write {\nclass T { s: string }\n"
    let text = String(repeating: "x", count: 500)
    for _ in 0..<4000 { script += "add T {s: \"\(text)\"}\n" }
    make("x.realm", script + "}\n")
    let before = Set(Files.names(in: folder.path))
    for name in ["x.sqlite", "x.sql"] {
      let full = shell("trap '' XFSZ; ulimit -f 200; \"$0\" x.realm 'export all to \(name)'")
      #expect(full.status == 1)
      #expect(full.errorText.contains("cannot write \(name)"), "\(full.errorText)")
    }
    #expect(Set(Files.names(in: folder.path)) == before)
  }

  @Test func whatCannotBeExported() {
    folder.copy(Realmsh.fixture("dogs.realm"), as: "x.realm")
    for statement in [
      "export Dog show name to x.sql", "export Dog to x.sql append", "export Dog to x.csv links",
      "export all to x.csv",
    ] {
      let result = Realmsh.run("x.realm", statement, folder: folder.path)
      #expect(result.status == 1, "\(statement)")
    }
    #expect(Files.names(in: folder.path).filter { $0.hasPrefix("x") } == ["x.realm"])
  }
}
