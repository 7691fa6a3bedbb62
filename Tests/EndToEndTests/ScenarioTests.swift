import TestSupport
import Testing

/// The handed scenarios of the object model, as scripts of the shell; each has the number it has
/// there.
struct ScenarioTests {
  @Test(arguments: Scenario.all)
  func behavesAsRealmDoes(_ scenario: Scenario) {
    let folder = TemporaryFolder()
    for (name, text) in scenario.setups { _ = folder.write(Array(text.utf8), to: name) }
    let result = Realmsh.run(
      "-q", input: scenario.script, environment: ["REALMSH": Fixtures.realmsh],
      folder: folder.path)
    #expect(!result.hasTimedOut)
    #expect(result.status == 0, "\(result.errorText)")
    if let expected = scenario.expectedOutput {
      #expect(result.outputText == expected)
    }
    guard Files.exists(folder.file("t.realm")) else { return }
    let check = Realmsh.run("t.realm", "check deep", folder: folder.path)
    #expect(check.status == 0, "\(check.outputText)")
  }
}

/// One scenario: a script that ends without an error if Realm's rules are kept.
struct Scenario: CustomTestStringConvertible, Sendable {
  /// Number and title.
  let title: String
  let script: String
  /// Scripts that it sources, by file name.
  let setups: [String: String]

  var testDescription: String { title }

  /// What the script prints: the lines behind `#> `; nil if there are none and that is not checked.
  var expectedOutput: String? {
    let lines = script.split(separator: "\n").filter { $0.hasPrefix("#> ") }
    return lines.isEmpty ? nil : lines.map { $0.dropFirst(3) + "\n" }.joined()
  }

  /// All scenarios: sections of the files, each behind a line `## NUMBER TITLE`. A section
  /// `## setup NAME` is a script for the others of its file.
  static let all: [Scenario] = {
    let folder = "\(Fixtures.root)/Tests/EndToEndTests/Scenarios"
    return Files.names(in: folder).sorted().flatMap { name in
      let text = String(decoding: Files.read("\(folder)/\(name)"), as: UTF8.self)
      var setups: [String: String] = [:]
      var sections: [(title: String, script: String)] = []
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("## ") {
          sections.append((String(line.dropFirst(3)), ""))
        } else if !sections.isEmpty {
          sections[sections.count - 1].script += line + "\n"
        }
      }
      for (title, script) in sections where title.hasPrefix("setup ") {
        setups[title.dropFirst(6) + ".realmsh"] = script
      }
      return sections.filter { !$0.title.hasPrefix("setup ") }.map {
        Scenario(title: $0.title, script: $0.script, setups: setups)
      }
    }
  }()
}
