import Testing

@testable import RealmShell

/// Reading the command line.
struct InvocationTests {
  @Test func operandsAreTheFileAndStatements() throws {
    let invocation = try Invocation(arguments: ["dogs.realm", "count Dog", "info"])
    #expect(invocation.target == .file("dogs.realm"))
    #expect(invocation.work == [.text("count Dog"), .text("info")])
    #expect(try Invocation(arguments: []).target == .none)
  }

  @Test func optionsStandAnywhere() throws {
    let invocation = try Invocation(
      arguments: ["-r", "dogs.realm", "--mode", "csv", "info", "-k", "file:key"])
    #expect(invocation.target == .file("dogs.realm"))
    #expect(invocation.work == [.text("info")])
    #expect(invocation.isReadOnly)
    #expect(invocation.mode == "csv")
    #expect(invocation.keySource == "file:key")
  }

  @Test func workKeepsItsOrder() throws {
    let invocation = try Invocation(
      arguments: ["-c", "a", "-f", "b", "--command=c", "--file=-", "x.realm", "d"])
    #expect(invocation.work == [.text("a"), .script("b"), .text("c"), .script("-"), .text("d")])
  }

  @Test func lettersStandTogether() throws {
    let invocation = try Invocation(arguments: ["-qem", "csv", "-mjson"])
    #expect(invocation.isQuiet)
    #expect(invocation.echoes)
    #expect(invocation.mode == "json")
    #expect(try Invocation(arguments: ["-qmcsv"]).mode == "csv")
  }

  @Test func longOptionsTakeValuesInBothForms() throws {
    #expect(try Invocation(arguments: ["--mode=a=b"]).mode == "a=b")
    #expect(try Invocation(arguments: ["--mode="]).mode == "")
    #expect(try Invocation(arguments: ["--mode", "-x"]).mode == "-x")
  }

  @Test func nothingIsAnOptionAfterTwoDashes() throws {
    let invocation = try Invocation(arguments: ["--", "-c", "-", "--mode"])
    #expect(invocation.target == .file("-c"))
    #expect(invocation.work == [.text("-"), .text("--mode")])
  }

  @Test func definitionsAreSplitAtTheFirstSign() throws {
    let invocation = try Invocation(arguments: ["-D", "a=b=c", "--let=d=", "-De=1"])
    #expect(invocation.definitions.map(\.name) == ["a", "d", "e"])
    #expect(invocation.definitions.map(\.value) == ["b=c", "", "1"])
  }

  @Test func helpTakesATopic() throws {
    #expect(try Invocation(arguments: ["-h"]).help == .some(nil))
    #expect(try Invocation(arguments: ["--help=count"]).help == .some("count"))
    #expect(try Invocation(arguments: ["-h", "count"]).help == .some("count"))
    #expect(try Invocation(arguments: []).help == nil)
  }

  @Test(arguments: [
    (["--nothing"], "unknown option --nothing"), (["-z"], "unknown option -z"),
    (["--quiet=on"], "--quiet takes no value"), (["-k"], "-k needs a value"),
    (["--key"], "--key needs a value"), (["-"], "- is no database; a script is read with -f -"),
    (["-D", "name"], "-D needs NAME=LITERAL, not name"),
  ])
  func mistakesAreExplained(_ arguments: [String], _ message: String) {
    #expect(throws: UsageError(message: message)) { try Invocation(arguments: arguments) }
  }

  @Test func everyOptionIsDistinct() {
    let names = CommandLineOption.all.map(\.name)
    let letters = CommandLineOption.all.compactMap(\.letter)
    #expect(Set(names).count == names.count)
    #expect(Set(letters).count == letters.count)
    #expect(CommandLineOption.all.allSatisfy { $0.form.contains("--" + $0.name) })
  }
}
