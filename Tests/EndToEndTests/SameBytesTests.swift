import TestSupport
import Testing

/// A script prints the same bytes wherever it runs: whatever the language, the time zone and the
/// size of the window.
struct SameBytesTests {
  /// Surroundings that differ in everything that must not matter.
  static let surroundings = [
    ["LC_ALL": "C", "TZ": "PST8PDT", "COLUMNS": "31", "LINES": "5"],
    [
      "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de", "TZ": "NPT-5:45",
      "COLUMNS": "300", "LINES": "90", "TERM": "xterm-256color",
    ],
  ]

  @Test(arguments: Transcript.names)
  func transcriptsDoNotDependOnTheSurroundings(_ name: String) {
    let transcript = Transcript(named: name)
    for environment in Self.surroundings {
      let output = transcript.run(environment: environment).outputText
      #expect(
        output == transcript.expectedOutput,
        "\(environment): \(firstDifference(transcript.expectedOutput, output))")
    }
  }

  /// Only standard output is a file: the terminal is there, but tells nothing.
  @Test(arguments: Transcript.names)
  func transcriptsDoNotDependOnTheTerminal(_ name: String) {
    let transcript = Transcript(named: name)
    let texts = [(rows: 6, columns: 31), (rows: 70, columns: 250)].map { size in
      let folder = transcript.makeFolder()
      let terminal = PseudoTerminal(
        "/usr/bin/env",
        ["-C", folder.path, "/bin/sh", "-c", #"exec "$0" "$@" >printed"#, Fixtures.realmsh]
          + transcript.arguments, rows: size.rows, columns: size.columns)
      // The end of standard input, for who reads it.
      terminal.type("\u{4}")
      #expect(terminal.waitForEnd(timeoutSeconds: 60) == transcript.expectedStatus)
      return Files.readText(folder.file("printed"))
    }
    #expect(texts[0] == texts[1], "\(firstDifference(texts[0], texts[1]))")
  }

  /// The examples print what stands beside them.
  @Test(arguments: surroundings)
  func examplesDoNotDependOnTheSurroundings(_ environment: [String: String]) {
    let examples = "\(Fixtures.root)/examples"
    let names = Files.names(in: examples).sorted()
    let folder = TemporaryFolder()
    for file in names { folder.copy("\(examples)/\(file)", as: file) }
    // In their order, since later ones use what earlier ones have made.
    for script in names where script.hasSuffix(".realmsh") {
      let result = Process.run(
        "/bin/sh", ["-c", #"exec "$0" -f "$1" 2>&1"#, Fixtures.realmsh, script],
        environment: Process.plainEnvironment.merging(environment) { $1 }, folder: folder.path)
      let expected = Files.readText("\(examples)/\(script.dropLast(8)).out")
      #expect(result.status == 0, "\(script)")
      #expect(
        result.outputText == expected,
        "\(script): \(firstDifference(expected, result.outputText))")
    }
  }
}
