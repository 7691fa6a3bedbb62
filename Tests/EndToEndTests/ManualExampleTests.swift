import TestSupport
import Testing

/// The examples of the manual pages work.
struct ManualExampleTests {
  /// The literal blocks of a section; nil for those that need a prompt.
  private static func blocks(of section: String, in page: String) -> [String] {
    var blocks: [String] = []
    var isInSection = false
    var needsPrompt = false
    var block: [Substring]?
    for line in Files.readText("\(Fixtures.root)/man/\(page)").split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix(".Sh ") { isInSection = line.dropFirst(4) == section }
      if line == ".\\\" needs a prompt" { needsPrompt = true }
      if line.hasPrefix(".Bd -literal") {
        block = []
      } else if line == ".Ed" {
        if isInSection, !needsPrompt, let block { blocks.append(block.joined(separator: "\n")) }
        (block, needsPrompt) = (nil, false)
      } else {
        block?.append(line)
      }
    }
    return blocks.map { $0.replacing("\\e", with: "\\") }
  }

  /// A folder with the database that the page of the language is about.
  private static func makeFolder() -> TemporaryFolder {
    let folder = TemporaryFolder()
    for name in ["models", "dogs"] {
      folder.copy("\(RecordedSession.folder)/\(name).realmsh", as: "\(name).realmsh")
    }
    let commands = """
      "$0" -q --new dogs.realm -f dogs.realmsh && mkdir out
      head -c 64 /dev/zero | tr '\\000' k >vault.key
      "$0" -q --new -k vault.key vault.realm 'class Secret { text: string }'
      cp dogs.realm older.realm
      cp dogs.realm damaged.realm
      """
    let result = Process.run("/bin/sh", ["-ec", commands, Fixtures.realmsh], folder: folder.path)
    precondition(result.status == 0, result.errorText)
    return folder
  }

  /// Each verb has two examples, each of which is a script of its own.
  @Test func statementsRun() {
    let examples = Self.blocks(of: "STATEMENTS", in: "realmsh-language.7").flatMap { block in
      block.split(separator: "\n\n").map(String.init)
    }
    #expect(examples.count > 80)
    let template = Self.makeFolder()
    for example in examples {
      let folder = TemporaryFolder()
      for name in [
        "models.realmsh", "dogs.realm", "older.realm", "damaged.realm", "vault.realm", "vault.key",
      ] {
        folder.copy(template.file(name), as: name)
      }
      folder.write(Array((example + "\n").utf8), to: "example.realmsh")
      let result = Process.run(
        "/bin/sh",
        [
          "-c", "mkdir out; exec \"$0\" --schema models.realmsh dogs.realm -f example.realmsh",
          Fixtures.realmsh,
        ], folder: folder.path)
      #expect(result.status == 0, "\(example): \(result.errorText)")
    }
  }

  @Test func classesAreThoseOfTheExamples() {
    let block = Self.blocks(of: "SCHEMA NOTATION", in: "realmsh-language.7").first
    let models = Files.readText("\(RecordedSession.folder)/models.realmsh")
    #expect(block.map { $0 + "\n" } == models)
  }

  @Test func longExamplePrintsWhatStandsBelow() {
    let blocks = Self.blocks(of: "EXAMPLES", in: "realmsh-language.7")
    #expect(blocks.count == 2)
    let result = Realmsh.run("-f", "-", input: blocks[0] + "\n")
    #expect(result.outputText == blocks[1] + "\n", "\(result.errorText)")
  }

  /// In the folder of the examples, one after the other.
  @Test func commandsRun() {
    let folder = TemporaryFolder()
    let examples = "\(Fixtures.root)/examples"
    for file in Files.names(in: examples) { folder.copy("\(examples)/\(file)", as: file) }
    let path = Fixtures.realmsh.split(separator: "/").dropLast().joined(separator: "/")
    var environment = Process.plainEnvironment
    environment["PATH"] = "/\(path):\(environment["PATH"] ?? "")"
    let commands = Self.blocks(of: "EXAMPLES", in: "realmsh.1").flatMap { block in
      // jq need not be there.
      block.split(separator: "\n").map {
        String($0.dropFirst(2)).replacing("jq -r .name", with: "cat")
      }
    }
    #expect(commands.count > 8)
    for command in commands {
      let result = Process.run(
        "/bin/sh", ["-c", command], environment: environment, folder: folder.path)
      #expect(result.status == 0, "\(command): \(result.errorText)")
    }
  }
}
