import TestSupport
import Testing

/// Files that are damaged, foreign or of another version: each is told by its own message and
/// status, never by a trap and never by an empty result.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct BadFileTests {
  /// A file and what opening it gives.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int32
    /// Part of the message.
    let message: String

    var testDescription: String { name }
  }

  static let unreadable = [
    Case(
      name: "bad-mnemonic", status: 4,
      message: "not a Realm file: bytes 16 to 19 are 58 2d 44 42, expected 54 2d 44 42"),
    Case(name: "format0-stamped", status: 4, message: "has format 0; formats 2 to 11 and"),
    Case(
      name: "format25-stamped", status: 4, message: "has format 25; formats 2 to 11 and 20 to 24"),
    Case(name: "short-header", status: 4, message: "it has 16 bytes, a database has at least 24"),
    Case(name: "text", status: 4, message: "it has 74 bytes, a size is a multiple of 8"),
    Case(name: "truncated-odd", status: 6, message: "the file has 5001 bytes, which is no"),
    Case(
      name: "top-ref-beyond-end", status: 6,
      message: "ref 1099511627776 is outside the file (24 to 8192)"),
    Case(name: "top-ref-misaligned", status: 6, message: "ref 5467 is not a multiple of 8"),
    Case(name: "truncated-half", status: 6, message: "ref 5464 is outside the file (24 to 4096)"),
  ]

  private static func path(_ name: String) throws -> String {
    try #require(Fixtures.shared("fixtures/bad/\(name).realm"))
  }

  @Test(arguments: unreadable)
  func isNotOpened(_ bad: Case) throws {
    let path = try Self.path(bad.name)
    for statement in ["info", "count Dog", "where Dog", "schema", "check"] {
      let result = Realmsh.run(path, statement)
      #expect(result.output.isEmpty)
      #expect(result.errorText.contains(bad.message))
      #expect(result.errorText.contains(path))
      #expect(result.status == bad.status)
    }
    for statement in ["open \"\(path)\"", "check \"\(path)\" deep"] {
      let result = Realmsh.run("-c", statement)
      #expect(result.output.isEmpty)
      #expect(result.errorText.contains(bad.message))
      #expect(result.status == bad.status)
    }
    let info = Realmsh.run("-c", "info file \"\(path)\"")
    #expect(info.outputText.hasPrefix("file  \(path)\nsize  "))
    #expect(info.errorText.hasPrefix("\(path): error: "))
    #expect(info.status == bad.status)
  }

  @Test(arguments: ["format10-stamped", "format20-stamped", "format23-stamped"])
  func olderFormatsAreRead(_ name: String) throws {
    let result = Realmsh.run(try Self.path(name), "count Item", "check deep")
    #expect(result.outputText.hasPrefix("60\nchecked 1 class, 60 objects, "))
    #expect(result.errors.isEmpty)
    #expect(result.status == 0)
  }

  /// The bodies of format 9 and 24 differ, so that the class of this file cannot be read.
  @Test func classesThatCannotBeReadAreTold() throws {
    let path = try Self.path("format9-stamped")
    for statement in ["count Item", "where Item", "get Item 1", "get Item#0", "schema Item"] {
      let result = Realmsh.run(path, statement)
      #expect(result.output.isEmpty)
      #expect(result.errorText.contains("error: class Item cannot be read: offset 0x0f88: "))
      #expect(result.status == 6)
    }
    let info = Realmsh.run(path, "info")
    #expect(info.outputText.contains("\nunreadable      class_Item: offset 0x0f88: "))
    #expect(info.errorText.hasPrefix("realmsh: warning: \(path): 2 classes or properties cannot"))
    #expect(Realmsh.run(path, "check").status == 7)
    let folder = TemporaryFolder()
    #expect(Realmsh.run(path, "export all to \"\(folder.file("out"))\"").status == 6)
  }

  @Test func theStateBeforeTheLastCommitCanBeOpened() throws {
    for name in ["top-ref-beyond-end", "top-ref-misaligned", "truncated-half"] {
      let path = try Self.path(name)
      let result = Realmsh.run("-c", "open \"\(path)\" snapshot previous", "-c", "count Dog")
      #expect(result.outputText.hasSuffix(", version 2, read-only\n0\n"))
      #expect(result.status == 0)
    }
  }

  @Test func filesWithoutObjectsAreNoErrors() throws {
    let empty = Realmsh.run(try Self.path("zero-length"), "info", "schema")
    #expect(empty.outputText.contains("\nformat          not decided yet\n"))
    #expect(empty.status == 0)
    let other = Realmsh.run(try Self.path("other-slot-selected"), "count Dog", "check deep")
    #expect(other.outputText.hasPrefix("0\n"))
    #expect(other.errors.isEmpty)
  }

  @Test func nothingBringsTheProgramDown() throws {
    let folder = try #require(Fixtures.shared("fixtures/bad"))
    for name in Files.names(in: folder) {
      for statement in ["info space; info versions; info history", "export all to /dev/null"] {
        let result = Realmsh.run("\(folder)/\(name)", statement, "check deep")
        #expect(!result.hasTimedOut)
        #expect(result.status < 128, "\(name): \(statement)")
      }
    }
  }
}
