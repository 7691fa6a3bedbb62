import Glibc
import TestSupport
import Testing

/// No statement and no option writes text over a database or a file beside one.
struct OutputGuardTests {
  private let folder = Realmsh.folderWithDogs()

  @Test(arguments: [
    "output other.realm", "observe Dog to other.realm", "export Dog to other.realm format csv",
    "schema to other.realm", "output dogs.realm", "output dogs.realm.note",
    "output other.realm.lock", "output link", "dump to other.realm",
    "export all to other.realm format sql",
    "export all to other.realm format sqlite", "export Dog to dogs.realm.note format sqlite",
  ])
  func isRefused(_ statement: String) {
    let bytes = Files.read(folder.file("dogs.realm"))
    _ = folder.write(bytes, to: "other.realm")
    _ = folder.write([], to: "dogs.realm.lock")
    #expect(symlink("dogs.realm.lock", folder.file("link")) == 0)
    let result = Realmsh.run("dogs.realm", statement, folder: folder.path)
    #expect(result.status == 1)
    #expect(result.errorText.contains("[FileBusy]"))
    #expect(Files.read(folder.file("other.realm")) == bytes)
    #expect(Files.read(folder.file("dogs.realm")) == bytes)
    #expect(Files.read(folder.file("dogs.realm.lock")).isEmpty)
  }

  @Test func theOptionIsRefused() {
    let bytes = Files.read(folder.file("dogs.realm"))
    let result = Realmsh.run("-o", "dogs.realm", "-c", "open dogs.realm", folder: folder.path)
    #expect(result.status == 2)
    #expect(Files.read(folder.file("dogs.realm")) == bytes)
  }

  @Test func whereResultsGoIsNoDatabase() {
    let result = Realmsh.run(
      "-c", "output new.realm", "-c", "open new.realm create", folder: folder.path)
    #expect(result.status == 3)
    #expect(result.errorText.contains("[FileBusy]"))
  }
}
