import TestSupport
import Testing

/// The manual pages say what the program says: lists in them are compared with those of `help`.
struct ManualTests {
  private static let program = ManualPage("realmsh.1")
  private static let language = ManualPage("realmsh-language.7")

  /// The lines that `help` prints about a topic.
  private static func help(_ topic: String? = nil) -> [String] {
    let result = Process.run(Fixtures.realmsh, [topic.map { "--help=\($0)" } ?? "--help"])
    #expect(result.status == 0 && result.errors.isEmpty)
    return result.outputText.split(separator: "\n").map(String.init)
  }

  /// The first words of the lines about a topic.
  private static func words(_ topic: String) -> [String] {
    help(topic).compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  /// The verbs in the overview, whose lines begin with the name of a group and two blanks.
  private static let verbs = Process.run(Fixtures.realmsh, ["-c", "help"]).outputText
    .split(separator: "\n").prefix { !$0.hasPrefix("Prefixes") }
    .flatMap { line in
      let parts = line.split(separator: "  ", maxSplits: 1)
      return parts.count == 2 ? parts[1].split(separator: " ").map(String.init) : []
    }

  @Test func optionsAreInTheManual() {
    let options = Self.help("options").map { line in
      line.split(separator: " ").prefix { $0.hasPrefix("-") }.map { word in
        String(word.prefix { $0 != "," && $0 != "[" }.dropFirst())
      }
    }
    #expect(options.count > 20)
    let documented = Self.program.items(of: "OPTIONS").map { item in
      item.indices.dropLast().filter { item[$0] == "Fl" }.map { item[$0 + 1] }
    }
    #expect(Set(documented) == Set(options))
    #expect(documented.count == options.count)
  }

  @Test func verbsAreInBothPages() {
    #expect(Self.verbs.count > 15)
    let overview = Self.program.items(of: "STATEMENTS").compactMap(\.last)
    #expect(overview == Self.verbs)
    let documented = Self.language.words(behind: "Ic", in: "STATEMENTS")
    #expect(Set(Self.verbs).subtracting(documented).isEmpty)
  }

  @Test func verbsAreInTheREADME() {
    let text = Files.readText("\(Fixtures.root)/README.md")
    #expect(Self.verbs.filter { !text.contains("`\($0)`") } == [])
  }

  @Test func settingsAreInTheManual() {
    let settings = Process.run(Fixtures.realmsh, ["-c", "config"]).outputText
      .split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(settings.count > 10)
    #expect(Self.language.items(of: "SETTINGS").compactMap(\.last) == settings)
  }

  @Test func errorNamesAreInTheManual() {
    let names = Self.words("errors")
    #expect(names.count > 30)
    #expect(Self.language.items(of: "ERROR NAMES").compactMap(\.last) == names)
  }

  @Test func exitStatusesAreInTheManual() {
    let statuses = Self.words("status")
    #expect(statuses.count > 7)
    #expect(Self.program.items(of: "EXIT STATUS").compactMap(\.last) == statuses)
  }

  @Test func modesAndFunctionsAreInTheManual() {
    let modes = Self.words("modes")
    #expect(modes.count == 10)
    #expect(Self.language.items(of: "OUTPUT MODES").compactMap(\.last) == modes)
    #expect(Set(modes).subtracting(Self.program.words(behind: "Cm", in: "OUTPUT")).isEmpty)
    let functions = Self.words("functions").map { String($0.prefix { $0 != "(" }) }
    #expect(functions.count > 30)
    #expect(Self.language.words(behind: "Fn", in: "DESCRIPTION") == Set(functions))
  }

  @Test func helpTopicsAreInTheManual() {
    // The rows behind the prefixes; the last line is a sentence.
    let rows = Self.help().drop { !$0.hasPrefix("Topics") }.dropLast()
    let topics = rows.flatMap { $0.split(separator: " ") }.dropFirst()
    #expect(topics.count > 7)
    let documented = Self.language.words(behind: "Cm", in: "STATEMENTS")
    #expect(Set(topics.map(String.init)).subtracting(documented).isEmpty)
  }

  @Test func everyExampleHasItsOutput() {
    let names = Files.names(in: "\(Fixtures.root)/examples")
    let scripts = names.filter { $0.hasSuffix(".realmsh") }.map { $0.dropLast(8) }
    #expect(!scripts.isEmpty)
    #expect(scripts.filter { !names.contains("\($0).out") } == [])
  }
}

/// The source of a manual page in mdoc.
private struct ManualPage {
  private let lines: [[String]]

  init(_ name: String) {
    lines = Files.readText("\(Fixtures.root)/man/\(name)").split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
  }

  /// The words of the lines of a section.
  private func section(_ name: String) -> ArraySlice<[String]> {
    let heading = [".Sh"] + name.split(separator: " ").map(String.init)
    let rest = lines.drop { $0 != heading }.dropFirst()
    return rest.prefix { $0.first != ".Sh" }
  }

  /// The words of the lines that begin an item of a list, without the macro for that.
  func items(of sectionName: String) -> [[String]] {
    section(sectionName).filter { $0.first == ".It" }.map { Array($0.dropFirst()) }
  }

  /// All arguments of a macro that marks up names, in a section.
  func words(behind macro: String, in sectionName: String) -> Set<String> {
    var words: Set<String> = []
    for line in section(sectionName) where line.first?.hasPrefix(".") == true {
      var isMarked = false
      for word in line {
        let name = word.hasPrefix(".") ? String(word.dropFirst()) : word
        if name.count == 2, name.first?.isUppercase == true, name.last?.isLowercase == true {
          isMarked = name == macro
        } else if isMarked {
          words.insert(word)
          isMarked = macro != "Fn"
        }
      }
    }
    return words
  }
}
