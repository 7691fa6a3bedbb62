import Glibc
import TestSupport
import Testing

/// Keys of encrypted files: the sources they come from, and what a wrong one gives.
struct KeyTests {
  private static let keyHex = Files.readText(Realmsh.fixture("key-a.hex")).filter { $0 != "\n" }
  private static let database = Realmsh.fixture("dogs-encrypted.realm")
  private static let keyBytes = (0..<64).map { UInt8($0) }
  private let folder = TemporaryFolder()

  private func run(
    key source: String?, _ path: String = database, environment: [String: String] = [:]
  ) -> Process.Result {
    Realmsh.run(
      (source.map { ["-k", $0] } ?? []) + [path, "count Dog"], environment: environment,
      folder: folder.path)
  }

  @Test func everySourceGivesTheKey() {
    let base64 =
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
    folder.write(Self.keyBytes, to: "raw.key")
    folder.write(Array((Self.keyHex + "\n").utf8), to: "hex.key")
    folder.write(Array((base64 + "\n").utf8), to: "base64.key")
    folder.write(Array(Self.keyHex.uppercased().utf8), to: "upper.key")
    let environment = ["KEY": Self.keyHex, "KEY64": base64]
    for source in [
      "raw.key", "file:raw.key", "hex.key", "upper.key", "base64.key", "env:KEY", "env:KEY64",
      "cmd:cat hex.key", "cmd:cat raw.key", "cmd:cat hex.key; echo more",
    ] {
      let result = run(key: source, environment: environment)
      #expect(result.outputText == "7\n", "\(source)")
      #expect(result.errors.isEmpty, "\(source)")
      #expect(result.status == 0, "\(source)")
      let other = run(key: nil, environment: environment.merging(["REALMSH_KEY": source]) { $1 })
      #expect(other.outputText == "7\n", "\(source)")
      #expect(other.errors.isEmpty, "\(source)")
    }
  }

  /// The variable hides the instructions of x86-64 for AES; other processors ignore it.
  @Test func processorsWithoutInstructionsForEncryptionGiveTheSame() {
    let environment = ["KEY": Self.keyHex, "OPENSSL_ia32cap": "~0x200000000000000"]
    let result = run(key: "env:KEY", environment: environment)
    #expect(result.outputText == "7\n")
    let encrypted = Realmsh.run(
      [
        "-k", "env:KEY", Self.database, "decrypt to plain.realm", "open plain.realm",
        #"encrypt to again.realm key "env:KEY""#,
      ],
      environment: environment, folder: folder.path)
    #expect(encrypted.status == 0, "\(encrypted.errorText)")
    #expect(run(key: "env:KEY", "again.realm", environment: ["KEY": Self.keyHex]).status == 0)
  }

  @Test func aKeyOnTheCommandLineIsReadWithAWarning() {
    let numbers = Self.keyBytes.map { String($0) }
    for source in ["hex:" + Self.keyHex, "bytes:" + numbers.joined(separator: ",")] {
      let result = run(key: source)
      #expect(result.outputText == "7\n")
      #expect(
        result.errorText == """
          realmsh: warning: other users of the machine can read a key on the command line \
          [InvalidEncryptionKey]
            hint: --key file:PATH

          """)
    }
  }

  @Test func noMessageRepeatsAKey() {
    let digits = Self.keyHex.dropLast(2)
    for source in [
      Self.keyHex, String(digits), "hexx:" + digits, "HEX:" + digits, "cmd:false " + digits,
    ] {
      let script = "open x key \"\(source)\"\n print \"a\" key \"\(source)\"\n"
      folder.write(Array(script.utf8), to: "keys.realmsh")
      for form in ["human", "json"] {
        for arguments in [
          ["-k", source, Self.database, "count Dog"], ["-e", "-f", "keys.realmsh"],
        ] {
          let result = Realmsh.run(
            ["--errors", form, "--keep-going"] + arguments, folder: folder.path)
          #expect(result.status != 0)
          #expect(!result.errorText.isEmpty)
          #expect(!(result.outputText + result.errorText).contains(Self.keyHex.prefix(20)))
        }
      }
    }
  }

  @Test func aDescriptorGivesTheKey() {
    folder.write(Self.keyBytes, to: "raw.key")
    let result = Process.run(
      "/bin/sh",
      ["-c", #""$0" -k fd:3 "$1" 'count Dog' 3< raw.key"#, Fixtures.realmsh, Self.database],
      folder: folder.path)
    #expect(result.outputText == "7\n")
    #expect(run(key: "fd:x").errorText.contains("[InvalidEncryptionKey]"))
    #expect(run(key: "fd:77").status != 0)
  }

  @Test func fourCasesAreToldApart() {
    folder.write(Self.keyBytes + [1, 2], to: "long.key")
    folder.write(Array(Self.keyBytes.reversed()), to: "other.key")
    folder.write(Self.keyBytes, to: "right.key")
    folder.copy(Realmsh.fixture("dogs.realm"), as: "dogs.realm")

    let none = run(key: nil)
    #expect(none.errorText.hasPrefix("realmsh: error: \(Self.database) is encrypted and no key"))
    #expect(none.errorText.contains("[NoKey]\n  hint: --key file:PATH"))
    #expect(none.status == 5)

    let long = run(key: "long.key")
    #expect(
      long.errorText
        == "realmsh: error: key has 66 bytes, 64 are needed [InvalidEncryptionKey]\n")
    #expect(long.status == 5)

    let other = run(key: "other.key")
    #expect(
      other.errorText == """
        realmsh: error: \(Self.database): wrong key, or the first page is damaged [WrongKey]

        """)
    #expect(other.status == 5)

    let plain = run(key: "right.key", "dogs.realm")
    #expect(plain.outputText == "7\n")
    #expect(
      plain.errorText
        == "realmsh: warning: dogs.realm: the file is not encrypted [InvalidEncryptionKey]\n")
    #expect(plain.status == 0)
  }

  @Test(arguments: [
    ("hex:0011", "key has 2 bytes, 64 are needed"),
    ("bytes:1,2,3", "key has 3 bytes, 64 are needed"),
    ("bytes:1,,3", "bytes: needs numbers from -128 to 255"),
    ("bytes:256", "bytes: needs numbers from -128 to 255"),
    ("env:NO_SUCH_VARIABLE", "the environment has no variable NO_SUCH_VARIABLE"),
    ("cmd:exit 3", "the key command failed: exit 3"),
    ("missing.key", "cannot read the key from missing.key: no such file or directory"),
    ("prompt", "there is no terminal to ask for the key"),
  ])
  func unusableSourcesAreErrors(_ source: String, _ message: String) {
    let result = run(key: source)
    #expect(result.errorText.contains("realmsh: error: \(message) ["))
    #expect(result.output.isEmpty)
    #expect(result.status != 0)
  }

  @Test func aDamagedPageIsNotAWrongKey() {
    folder.write(Self.keyBytes, to: "right.key")
    var bytes = Files.read(Self.database)
    // The last page holds objects; the first one, by which the key is told, stays.
    bytes[bytes.count - 100] ^= 0xFF
    folder.write(bytes, to: "damaged.realm")
    let result = run(key: "right.key", "damaged.realm")
    #expect(
      result.errorText.contains("damaged.realm: key is right; page 1 (offset 4096) is damaged"))
    #expect(result.status == 6)
  }
}
