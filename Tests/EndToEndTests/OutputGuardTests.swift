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

  /// All who open a database lock the same file, whatever links they come by.
  @Test func aLinkToADatabaseIsTheDatabase() {
    #expect(symlink("dogs.realm", folder.file("other.realm")) == 0)
    let result = Realmsh.run(
      "other.realm", "class Cat { name: string }", "compact", folder: folder.path)
    #expect(result.status == 0)
    #expect(access(folder.file("dogs.realm.lock"), F_OK) == 0)
    #expect(access(folder.file("other.realm.lock"), F_OK) != 0)
    var status = stat()
    #expect(lstat(folder.file("other.realm"), &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    #expect(Realmsh.run("dogs.realm", "count Cat", folder: folder.path).outputText == "0\n")
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
