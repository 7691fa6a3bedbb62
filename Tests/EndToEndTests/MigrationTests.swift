import Glibc
import TestSupport
import Testing

/// Migrations that end before their time, and the two ways in which values are computed.
struct MigrationTests {
  private let folder = TemporaryFolder()

  private static let migration = """
    migrate {
      version 1 {
        class Dog { label: string, n: int? }
        set Dog label = name + "!" all
        set Dog n = length(old.name) + age where age > 3
        alter Dog.age: string using string(old.age)
      }
      version 2 {
        rename Dog.label to title
        class Dog { id: int primary }
        set Dog id = int(old.age) all
        set Dog title = old.label + old.age all
        drop Dog.n
        delete Dog where age == "7"
      }
    }
    """

  init() {
    let dogs = (0..<2000).map { "  add Dog {name: \"dog number \($0)\", age: \($0)}\n" }.joined()
    let script = "class Dog { name: string, age: int }\nwrite {\n\(dogs)}\n"
    folder.write(Array(script.utf8), to: "dogs.realmsh")
    folder.write(Array(Self.migration.utf8), to: "migration.realmsh")
    let made = Realmsh.run(
      "-q", "--new", "base.realm", "-f", "dogs.realmsh", folder: folder.path)
    #expect(made.status == 0)
  }

  /// Classes, objects and version of a file.
  private func contents(_ name: String) -> String {
    let result = Realmsh.run(
      "-r", "-m", "jsonl", name, "schema version", "schema", "where Dog", folder: folder.path)
    #expect(result.status == 0)
    return result.outputText
  }

  /// Copies the file and begins to migrate it in the shell's way, with the program as `$0`.
  private func run(_ command: String) -> Process.Result {
    folder.copy(folder.file("base.realm"), as: "t.realm")
    return Process.run("/bin/sh", ["-c", command, Fixtures.realmsh], folder: folder.path)
  }

  private func check(_ before: String, _ after: String, sourceLocation: SourceLocation) {
    let found = contents("t.realm")
    #expect(found == before || found == after, sourceLocation: sourceLocation)
    let check = Realmsh.run("t.realm", "check deep", folder: folder.path)
    #expect(check.status == 0, "\(check.outputText)", sourceLocation: sourceLocation)
    // Whatever was left behind does not get in the way.
    let again = Realmsh.run(
      "t.realm", "-f", "migration.realmsh", folder: folder.path)
    #expect(again.status == 0, "\(again.errorText)", sourceLocation: sourceLocation)
    #expect(contents("t.realm") == after, sourceLocation: sourceLocation)
  }

  @Test(arguments: ["INT", "KILL"])
  func signalsLeaveAllOrNothing(signal: String) {
    let before = contents("base.realm")
    #expect(run("\"$0\" t.realm -f migration.realmsh").status == 0)
    let after = contents("t.realm")
    #expect(before != after)
    for milliseconds in [20, 60, 120, 250, 400] {
      _ = run(
        "env --default-signal=INT,QUIT \"$0\" t.realm -f migration.realmsh & "
          + "sleep 0.\(milliseconds < 100 ? "0" : "")\(milliseconds); kill -\(signal) $!; wait $!")
      check(before, after, sourceLocation: #_sourceLocation)
    }
  }

  @Test func fullDisksLeaveEverything() {
    let before = contents("base.realm")
    #expect(run("\"$0\" t.realm -f migration.realmsh").status == 0)
    let after = contents("t.realm")
    for kibibytes in [60, 100, 150] {
      // The limit is in units of 512 bytes.
      _ = run(
        "trap '' XFSZ; ulimit -f \(2 * kibibytes); exec \"$0\" t.realm -f migration.realmsh")
      check(before, after, sourceLocation: #_sourceLocation)
    }
  }

  /// A change that adds makes the statement one that is done object by object.
  @Test(arguments: [
    "name + \"!\"", "name + old.name", "age * 2 - old.age / 3 % 7", "coalesce(opt, age, 1)",
    "upper(name) + string(age)", "if(age > 1000, 1, opt)", "length(name) + old.opt", "-age",
    "opt", "old.opt", "substr(old.name, 2, age)", "age > 3 and opt != null", "abs(age - 1000)",
    "old.other.name", "other.age + 1", "double(age) / 3", "(count Dog) + age", "old.part.x",
    "$n + age", "null",
  ])
  func valuesAreTheSameInBothWays(_ expression: String) {
    let script = """
      let $n = 7
      class Part embedded { x: int }
      class Dog { opt: int?, other: Dog?, part: Part? }
      set Dog opt = age where age % 3 == 0
      let $first = get Dog#0
      set Dog other = $first where age % 5 == 0
      set Dog part = {x: age} where age % 4 == 0
      migrate to 1 {
        class Dog { step: int, a: mixed, one: TYPE?, two: TYPE? }
        set Dog age += 1 all
        delete Dog where age == 17
        add Dog {name: "new", age: 5, step: 0}
        set Dog one = \(expression) all
        set Dog two = \(expression), step += 1 all
        assert (count Dog where one == two) == (count Dog)
        assert (count Dog where step == 1) == (count Dog)
      }
      """
    var fitting = 0
    for type in ["int", "string", "double", "bool"] {
      folder.copy(folder.file("base.realm"), as: "t.realm")
      folder.write(Array(script.replacing("TYPE", with: type).utf8), to: "two.realmsh")
      let result = Realmsh.run("-q", "t.realm", "-f", "two.realmsh", folder: folder.path)
      if result.status == 0 { fitting += 1 } else { #expect(!result.errorText.contains("assert")) }
    }
    #expect(fitting > 0, "\(expression)")
  }
}
