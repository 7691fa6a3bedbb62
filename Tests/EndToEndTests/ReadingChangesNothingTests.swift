import Glibc
import TestSupport
import Testing

/// A file that is only read keeps its bytes, its time stamps and its folder.
struct ReadingChangesNothingTests {
  /// Everything a user can do with a database, by files of the package.
  private static let statements = [
    "info", "info space", "info versions", "info history",
    "schema", "schema as json", "schema as mermaid", "schema as dot", "schema version",
    "check quick", "check", "check deep", "use", "close", "count $class",
    "count $class where TRUEPREDICATE",
    "where $class", "where $class SORT($property ASC) DISTINCT($property) LIMIT(3) show $property",
    "where $class show **", "mode json; where $class", "mode jsonl; where $class",
    "mode csv; where $class", "mode literal; where $class", "where $class; last lines; more",
    "get $class#0", "print (count $class)", "assert (count $class) >= 0",
    "where $class | cat", "export $class to $out/one.csv", "export all to $out/all",
    "export all to $out/csv format csv", "schema to $out/schema.realmsh",
    "dump", "dump schema to $out/classes.realmsh", "export all to $out/all.sql", "schema as swift",
    "export all to $out/all.sqlite",
    "expect error: count NoSuchClass", "time count $class", "! true",
  ]
  /// The same for a database that the session opens itself; `$key` is the key or nothing.
  private static let openingStatements = [
    "open $path $key", "open $path readonly $key", "open $path $key; close",
    "open $path snapshot previous $key", "info file $path $key", "check $path $key deep",
    "open $path", "open $path key missing.key",
  ]

  /// A database and a class with a property that the statements use.
  struct Specimen: Sendable, CustomTestStringConvertible {
    let name: String
    let className: String
    let property: String
    var isEncrypted: Bool { name.contains("encrypted") }

    var testDescription: String { name }
  }

  static let specimens = [
    Specimen(name: "dogs.realm", className: "Dog", property: "name"),
    Specimen(name: "dogs-encrypted.realm", className: "Dog", property: "age"),
    Specimen(name: "rql-mixed.realm", className: "Cell", property: "num"),
    Specimen(name: "nohistory.realm", className: "Plain", property: "s"),
    Specimen(name: "empty.realm", className: "None", property: "none"),
  ]

  /// The times of a file; reading its contents would change one of them.
  private struct Times: Equatable {
    var accessed = timespec()
    var modified = timespec()
    var changed = timespec()

    init(of path: String) {
      var status = stat()
      #expect(stat(path, &status) == 0)
      (accessed, modified, changed) = (status.st_atim, status.st_mtim, status.st_ctim)
    }

    static func == (a: Times, b: Times) -> Bool {
      [(a.accessed, b.accessed), (a.modified, b.modified), (a.changed, b.changed)].allSatisfy {
        $0.tv_sec == $1.tv_sec && $0.tv_nsec == $1.tv_nsec
      }
    }
  }

  @Test(arguments: specimens)
  func everyVerbLeavesTheFileAlone(_ specimen: Specimen) {
    let folder = TemporaryFolder()
    let out = TemporaryFolder()
    let path = folder.copy(Realmsh.fixture(specimen.name), as: specimen.name)
    let keyPath = Realmsh.fixture("key-a.hex")
    // File systems update the time of access only if it is older than that of modification.
    var times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 2000, tv_nsec: 0)]
    let folderBefore = FolderSnapshot(of: folder.path)
    utimensat(AT_FDCWD, path, &times, 0)
    let before = Times(of: path)

    func expectNoChange(_ label: String) {
      #expect(Times(of: path) == before, "\(label)")
      #expect(Files.names(in: folder.path) == [specimen.name], "\(label)")
    }
    func filled(_ text: String) -> String {
      text.replacing("$class", with: specimen.className)
        .replacing("$property", with: specimen.property).replacing("$out", with: out.path)
        .replacing("$path", with: path)
        .replacing("$key", with: specimen.isEncrypted ? "key \"\(keyPath)\"" : "")
    }
    for statement in Self.statements.map(filled) {
      for options in [[], ["--readonly"]] {
        let result = Realmsh.run(
          (specimen.isEncrypted ? ["-k", keyPath] : []) + options + [path, statement],
          folder: out.path)
        #expect(result.status < 128, "\(statement): \(result.errorText)")
        #expect(
          specimen.name == "empty.realm" || result.status == 0, "\(statement): \(result.errorText)")
        expectNoChange(statement)
      }
    }
    for statement in Self.openingStatements.map(filled) {
      let result = Realmsh.run(["-c", statement], folder: out.path)
      #expect(result.status < 128, "\(statement): \(result.errorText)")
      expectNoChange(statement)
    }

    #expect(Files.read(path) == Files.read(Realmsh.fixture(specimen.name)))
    var original = [before.accessed, timespec(tv_sec: 2000, tv_nsec: 0)]
    utimensat(AT_FDCWD, path, &original, 0)
    #expect(
      folderBefore.differences(to: FolderSnapshot(of: folder.path)).filter {
        !$0.hasPrefix(specimen.name)
      } == [])
  }

  @Test(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
  func filesOfEveryKindStayAsTheyAre() throws {
    let fixtures = try #require(Fixtures.shared("fixtures"))
    let out = TemporaryFolder()
    for name in Files.allFiles(below: fixtures) where name.hasSuffix(".realm") {
      let bytes = Files.read("\(fixtures)/\(name)")
      guard bytes.count <= 300_000, !name.contains("encrypted") else { continue }
      let folder = TemporaryFolder()
      folder.write(bytes, to: "file.realm")
      let before = FolderSnapshot(of: folder.path)
      let result = Realmsh.run(
        [
          "--keep-going", folder.file("file.realm"), "info", "schema", "check deep",
          "export all to \"\(out.file(String(FileSnapshot.hash(of: Array(name.utf8)))))\"",
        ], folder: out.path)
      #expect(result.status < 128, "\(name): \(result.errorText)")
      #expect(before.differences(to: FolderSnapshot(of: folder.path)) == [], "\(name)")
    }
  }

  @Test func aFileThatMayNotBeWrittenIsRead() {
    let folder = Realmsh.folderWithDogs()
    chmod(folder.file("dogs.realm"), 0o444)
    chmod(folder.path, 0o555)
    let result = Realmsh.run("dogs.realm", "count Dog", "check deep", folder: folder.path)
    #expect(result.status == 0)
    #expect(result.outputText.hasPrefix("7\n"))
  }
}
