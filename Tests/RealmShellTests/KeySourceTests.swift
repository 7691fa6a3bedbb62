import TestSupport
import Testing

@testable import RealmShell

/// The forms of keys.
struct KeySourceTests {
  private static let digits = String(repeating: "0123456789abcdef", count: 8)
  private static let base64 = String(repeating: "QUJD", count: 21) + "QQ=="

  private static func error(_ source: String, isSafe: Bool = false) -> ShellError? {
    do throws(ShellError) {
      _ = try KeySource.read(source, isSafe: isSafe)
      return nil
    } catch {
      return error
    }
  }

  @Test func sixtyFourBytesAreAKeyInEveryForm() {
    let folder = TemporaryFolder()
    let bytes = [UInt8](repeating: 7, count: 64)
    let files = [
      folder.write(bytes, to: "raw"), folder.write(Array("\(Self.digits)\n".utf8), to: "hex"),
      folder.write(Array("\(Self.base64)\r\n".utf8), to: "base64"),
      folder.write(Array(Self.digits.map { "\($0) " }.joined().utf8), to: "blanks"),
    ]
    let numbers = (0..<64).map { String($0 * 2 - 64) }.joined(separator: ",")
    let sources =
      files + files.map { "file:" + $0 } + [
        "hex:" + Self.digits, "hex:" + Self.digits.uppercased(), "base64:" + Self.base64,
        "bytes:" + numbers, "cmd:cat \(files[0])", "cmd:cat \(files[1]); echo more",
      ]
    for source in sources {
      #expect(Self.error(source) == nil, "\(source)")
    }
  }

  @Test func pathsAreResolvedOnlyForFiles() throws {
    let folder = TemporaryFolder()
    folder.write([UInt8](repeating: 7, count: 64), to: "key")
    for source in ["key", "file:key"] {
      _ = try KeySource.read(source, isSafe: false) { folder.file($0) }
    }
    _ = try KeySource.read("hex:" + Self.digits, isSafe: false) { _ in "nowhere" }
  }

  @Test(arguments: [
    ("hex:" + digits.dropLast(2), "key has 63 bytes, 64 are needed"),
    ("hex:" + digits + "00", "key has 65 bytes, 64 are needed"),
    ("hex:", "key has 0 bytes, 64 are needed"),
    ("base64:QUJD", "key has 3 bytes, 64 are needed"),
    ("bytes:", "bytes: needs numbers from -128 to 255"),
    ("bytes:1,256", "bytes: needs numbers from -128 to 255"),
    ("bytes:-129", "bytes: needs numbers from -128 to 255"),
    ("bytes:1,2", "key has 2 bytes, 64 are needed"),
    ("env:NO_SUCH_VARIABLE", "the environment has no variable NO_SUCH_VARIABLE"),
    ("fd:one", "fd: needs the number of an open descriptor"),
    ("fd:-1", "fd: needs the number of an open descriptor"),
  ])
  func otherLengthsAreNone(_ source: String, _ message: String) {
    let error = Self.error(source)
    #expect(error?.message == message)
    #expect(error?.name == .invalidEncryptionKey)
    #expect(error?.name.exitStatus == 5)
  }

  @Test func failuresOfFilesAndCommandsAreTold() {
    #expect(Self.error("/nonexistent/key")?.name == .fileNotFound)
    #expect(Self.error("file:/nonexistent/key")?.name == .fileNotFound)
    #expect(Self.error("/")?.name == .fileOperationFailed)
    #expect(Self.error("cmd:exit 1")?.name == .commandFailed)
    #expect(Self.error("cmd:true")?.message == "key has 0 bytes, 64 are needed")
    #expect(Self.error("cmd:cat key", isSafe: true)?.name == .notSafe)
  }

  @Test func keysThatAreNotTextsAreNotReadWithoutEnd() {
    let error = Self.error("/dev/zero")
    #expect(error?.name == .invalidEncryptionKey)
  }
}
