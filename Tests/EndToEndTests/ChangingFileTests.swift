import Glibc
import TestSupport
import Testing

/// Files that another process changes while they are read: what is printed comes from one version,
/// or there is an error; the program never goes down.
struct ChangingFileTests {
  /// Offset of the byte whose lowest bit selects one of the two versions that the header names.
  private static let flagsOffset = 23
  private static let dogs = Files.read(Realmsh.fixture("dogs.realm"))
  /// The state before the last commit: the same file with the other version selected.
  private static let dogsBefore = {
    var bytes = dogs
    bytes[flagsOffset] ^= 1
    return bytes
  }()
  private static let others = ["rql-mixed", "rql-scalars", "empty"].map {
    Files.read(Realmsh.fixture("\($0).realm"))
  }

  private let folder = Realmsh.folderWithDogs()
  private var path: String { folder.file("dogs.realm") }

  /// Runs statements many times, each time with a line in front that separates the outputs.
  private func run(_ statement: String, times: Int, options: [String] = []) -> Process.Result {
    let script = Array(repeating: "print \"@@\"\n\(statement)\n", count: times).joined()
    return Realmsh.run(options + ["--keep-going", path, "-f", "-"], input: script)
  }

  /// The outputs of the statements.
  private static func outputs(_ result: Process.Result) -> Set<String> {
    Set(
      result.outputText.split(separator: "@@\n", omittingEmptySubsequences: false).dropFirst()
        .map(String.init))
  }

  /// What a statement prints for each of the two versions.
  private static func outputsOfVersions(_ statement: String) -> Set<String> {
    Set(
      [dogs, dogsBefore].map { bytes in
        let folder = TemporaryFolder()
        folder.write(bytes, to: "dogs.realm")
        return Realmsh.run("dogs.realm", statement, folder: folder.path).outputText
      })
  }

  private static func expectNoCrash(
    _ result: Process.Result, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(!result.hasTimedOut, sourceLocation: sourceLocation)
    #expect(result.status < 128, sourceLocation: sourceLocation)
    #expect(!result.errorText.contains("Fatal error"), sourceLocation: sourceLocation)
  }

  // MARK: Between statements

  @Test func aCommitBetweenStatementsIsSeen() {
    folder.write(Self.dogsBefore, to: "before.realm")
    folder.copy(path, as: "after.realm")
    let result = Realmsh.run(
      [
        "dogs.realm",
        """
        count Dog
        ! dd if=before.realm of=dogs.realm conv=notrunc status=none
        count Dog
        ! dd if=after.realm of=dogs.realm conv=notrunc status=none
        count Dog
        ! cp before.realm new.realm && mv new.realm dogs.realm
        count Dog
        """,
      ], folder: folder.path)
    #expect(result.outputText == "7\n0\n7\n0\n")
    #expect(result.errors.isEmpty)
  }

  @Test func anotherDatabaseInPlaceOfTheFileIsSeen() {
    folder.copy(Realmsh.fixture("rql-mixed.realm"), as: "other.realm")
    let result = Realmsh.run(
      [
        "--keep-going", "dogs.realm", "count Dog; ! cp other.realm dogs.realm",
        "count Dog; count Cell",
      ],
      folder: folder.path)
    #expect(result.outputText == "7\n20\n")
    #expect(
      result.errorText == """
        <command 2>:1:7: error: no class Dog [NoSuchTable]
          1 | count Dog; count Cell
            |       ^^^

        """)
  }

  @Test(arguments: [
    (": > dogs.realm", "[NoSuchTable]"), ("truncate -s 16 dogs.realm", "[NotARealmFile]"),
    ("truncate -s 4096 dogs.realm", "[Damaged]"), ("rm dogs.realm", "[FileNotFound]"),
    ("echo text > dogs.realm", "[NotARealmFile]"),
    ("rm dogs.realm; mkdir dogs.realm", "[NotARealmFile]"),
  ])
  func whatBecameOfTheFileIsTold(_ command: String, _ error: String) {
    let result = Realmsh.run(
      ["--keep-going", "dogs.realm", "count Dog; ! \(command)", "where Dog", "get Dog#0", "close"],
      folder: folder.path)
    Self.expectNoCrash(result)
    #expect(result.outputText == "7\nclosed dogs.realm\n")
    #expect(result.errorText.split(separator: "\n").count { $0.hasSuffix(error) } == 2)
  }

  @Test func resultsOfALostFileDoNotCrash() {
    let result = Realmsh.run(
      [
        "--keep-going", "dogs.realm", "where Dog; ! truncate -s 4096 dogs.realm",
        "last json", "print $_[0].name", "more all", "where $_", "check deep", "info", "schema",
      ], folder: folder.path)
    Self.expectNoCrash(result)
    #expect(result.status != 0)
  }

  // MARK: During statements

  @Test func everyStatementReadsOneVersion() {
    let path = path
    let writer = OtherWriter {
      InPlace.write([Self.dogsBefore[Self.flagsOffset]], to: path, at: Self.flagsOffset)
      usleep(300)
      InPlace.write([Self.dogs[Self.flagsOffset]], to: path, at: Self.flagsOffset)
      usleep(300)
    }
    defer { writer.stop() }
    let statements = ["where Dog show name, age", "where Person show **", "check deep"]
    let allowed = statements.map { ($0, Self.outputsOfVersions($0)) }
    for (statement, versions) in allowed + [
      (
        "print (count Dog), count((where Dog)), count((where Person show name))",
        ["7 7 4\n", "0 0 0\n"]
      )
    ] {
      let result = run(statement, times: 150)
      Self.expectNoCrash(result)
      let errors = result.errorText.split(separator: "\n").filter { $0.contains(": error: ") }
      #expect(errors.allSatisfy { $0.hasSuffix("[BadVersion]") }, "\(statement): \(errors)")
      // After an error nothing is printed.
      let seen = Self.outputs(result).subtracting(errors.isEmpty ? [] : [""])
      #expect(seen.isSubset(of: versions), "\(statement)")
    }
  }

  @Test func aReplacedFileIsReadAsAWhole() {
    let (path, folderPath) = (path, folder.path)
    let versions = [Self.dogs, Self.dogsBefore]
    let writer = OtherWriter {
      for (number, bytes) in versions.enumerated() {
        Files.write(bytes, to: "\(folderPath)/\(number).new")
        rename("\(folderPath)/\(number).new", path)
        usleep(200)
      }
    }
    defer { writer.stop() }
    let result = run("print (count Dog), count((where Dog))", times: 300)
    Self.expectNoCrash(result)
    #expect(result.errors.isEmpty)
    #expect(Self.outputs(result).isSubset(of: ["7 7\n", "0 0\n"]))
  }

  /// No database writes like this, so that any answer may come; but one has to come.
  @Test func aFileThatIsOverwrittenDoesNotCrash() {
    let path = path
    let contents = Self.others + [Self.dogs]
    let writer = OtherWriter {
      for bytes in contents {
        InPlace.replace(path, with: bytes)
        usleep(500)
      }
    }
    defer { writer.stop() }
    for statement in ["where Dog; where Cell; where Gauge", "check deep", "info; schema"] {
      Self.expectNoCrash(run(statement, times: 60))
    }
  }

  @Test func aFileThatIsCutOffDoesNotCrash() {
    let path = path
    let contents = [Self.dogs] + Self.others
    let writer = OtherWriter {
      for bytes in contents {
        truncate(path, 0)
        usleep(100)
        InPlace.write(bytes, to: path, at: 0)
        usleep(400)
        truncate(path, off_t(bytes.count / 8192 * 4096))
        usleep(100)
        InPlace.write(bytes, to: path, at: 0)
        usleep(400)
      }
    }
    defer { writer.stop() }
    for statement in ["where Dog; where Cell; where Gauge", "check deep", "info; schema"] {
      Self.expectNoCrash(run(statement, times: 60))
    }
  }

  @Test func anEncryptedFileThatIsOverwrittenDoesNotCrash() {
    let encrypted = Files.read(Realmsh.fixture("dogs-encrypted.realm"))
    folder.write(encrypted, to: "dogs.realm")
    let path = path
    let contents = [Self.dogs, encrypted]
    let writer = OtherWriter {
      for bytes in contents {
        InPlace.replace(path, with: bytes)
        usleep(300)
        truncate(path, 4096)
        usleep(100)
      }
    }
    defer { writer.stop() }
    for statement in ["where Dog", "check deep", "info; schema"] {
      Self.expectNoCrash(
        run(statement, times: 40, options: ["-k", Realmsh.fixture("key-a.hex")]))
    }
  }
}
