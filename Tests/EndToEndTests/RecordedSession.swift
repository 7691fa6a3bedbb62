import TestSupport
import Testing

/// What a person types at a terminal, and what it shows then.
///
/// A file holds several sessions, each behind a line `%% TITLE`. The lines below it are what stands
/// on the screen: rows that begin with a prompt, `$ ` of the system's shell or that of realmsh, are
/// typed, the others are printed. Each session has a folder of its own with `dogs.realm`. Lines that
/// begin with `%` are not shown:
///
/// * `%# TEXT`: a comment.
/// * `%< STATEMENT`: runs on `dogs.realm` before the session.
/// * `%$ COMMAND`: runs in the folder before the session.
/// * `%columns N`: the width of the window, else 100.
/// * `%& COMMAND`: runs in the folder when the lines above it are on the screen.
///
/// A row `^C` is that key. If the first row is one of realmsh, it has `dogs.realm` open for writing
/// with the classes of `models.realmsh`.
struct RecordedSession: CustomTestStringConvertible, Sendable {
  /// Something that happens, and what is shown then.
  fileprivate struct Step {
    enum Event {
      case typed([Substring], promptLength: Int)
      case interrupt
      case command(Substring)
    }

    let event: Event
    /// The rows of the file that stand for it.
    let rows: [Substring]
    /// The rows that are shown then, with comments between them.
    var output: [Substring] = []

    /// Number of rows that are printed.
    var outputCount: Int { output.filter { !$0.hasPrefix("%") }.count }
  }

  let title: String
  /// The lines `%` before the first row.
  private let preparations: [Substring]
  private var steps: [Step] = []

  var testDescription: String { title }

  private init(title: String, lines: [Substring]) {
    self.title = title
    let body = lines.drop { $0.hasPrefix("%") }
    preparations = Array(lines.prefix(lines.count - body.count))
    var rest = body[...]
    while let line = rest.popFirst() {
      if line.hasPrefix("%& ") {
        steps.append(Step(event: .command(line.dropFirst(3)), rows: [line]))
      } else if line == "^C" {
        steps.append(Step(event: .interrupt, rows: [line]))
      } else if let length = Self.promptLength(line) {
        var rows = [line]
        while line.first != "$", Self.openBrackets(rows) > 0, let row = rest.popFirst() {
          rows.append(row)
        }
        steps.append(Step(event: .typed(rows, promptLength: length), rows: rows))
      } else {
        steps[steps.count - 1].output.append(line)
      }
    }
  }

  /// The length of the prompt that a row begins with; nil if it does not.
  private static func promptLength(_ row: Substring) -> Int? {
    if row.hasPrefix("$ ") { return 2 }
    guard row.first?.isLowercase == true, let blank = row.firstIndex(of: " ") else { return nil }
    let word = row[..<blank]
    return word.last == ">" ? word.count + 1 : nil
  }

  private static func openBrackets(_ rows: [Substring]) -> Int {
    var count = 0
    var isInString = false
    for character in rows.joined() {
      switch character {
      case "\"": isInString.toggle()
      case "{", "[", "(": count += isInString ? 0 : 1
      case "}", "]", ")": count -= isInString ? 0 : 1
      default: break
      }
    }
    return count
  }

  // MARK: Running

  /// What the screen is to show.
  var expected: String {
    steps.flatMap { step in step.shownRows.map { $0 + "\n" } }.joined()
  }

  /// What is typed or pressed, run in a folder of its own.
  ///
  /// - Parameter environment: Variables that the terminal has besides the usual ones.
  /// - Returns: what the screen shows after each step, and whether each step ended in time.
  func run(environment: [String: String] = [:]) -> (shown: [String], isInTime: Bool) {
    let folder = TemporaryFolder()
    let environment = Self.environment(folder).merging(environment) { $1 }
    prepare(folder, environment)
    let columns = preparations.first { $0.hasPrefix("%columns ") }.flatMap { Int($0.dropFirst(9)) }
    let terminal = PseudoTerminal(
      "/usr/bin/env", ["-C", folder.path, "/bin/sh", "-i"], environment: environment, rows: 50,
      columns: columns ?? 100)
    var isInTime = terminal.read { Self.endsInPrompt($0) }
    if case .typed(_, let length)? = steps.first?.event, length > 2 {
      terminal.type("realmsh -i -c 'open dogs.realm shared schema models.realmsh'\n")
      isInTime = terminal.read { $0.rowCount > 1 && Self.endsInPrompt($0) } && isInTime
    }
    var shown: [String] = []
    // The prompt that waits belongs to the step that comes.
    var start = terminal.transcript.lastRowStart
    for (i, step) in steps.enumerated() {
      let goesOn = i + 1 < steps.count && !steps[i + 1].isTyped
      isInTime = step.run(on: terminal, folder, environment, goesOn: goesOn) && isInTime
      let text = terminal.transcript
      let end = goesOn ? text.utf8.count : text.lastRowStart
      let rows = Array(text.utf8)[start..<end].filter { $0 != 0x0D }
      shown.append(String(decoding: rows, as: UTF8.self))
      start = end
    }
    terminal.send(9)
    return (shown, isInTime)
  }

  private static func environment(_ folder: TemporaryFolder) -> [String: String] {
    let binaries = Fixtures.realmsh.split(separator: "/").dropLast().joined(separator: "/")
    let path = Process.plainEnvironment["PATH"] ?? ""
    return Process.plainEnvironment.merging([
      "PATH": "/\(binaries):\(path)", "HOME": folder.path, "TERM": "dumb", "NO_COLOR": "1",
      "PS1": "$ ", "PS2": "",
    ]) { $1 }
  }

  private func prepare(_ folder: TemporaryFolder, _ environment: [String: String]) {
    folder.copy("\(Self.folder)/models.realmsh", as: "models.realmsh")
    folder.copy("\(Self.folder)/dogs.realmsh", as: "dogs.realmsh")
    let statements = preparations.filter { $0.hasPrefix("%< ") }.map { $0.dropFirst(3) + "\n" }
    var commands = ["realmsh -q --new dogs.realm -f dogs.realmsh", "rm dogs.realmsh"]
    if !statements.isEmpty {
      folder.write(Array(statements.joined().utf8), to: "before.realmsh")
      commands += ["realmsh -q dogs.realm -f before.realmsh", "rm before.realmsh"]
    }
    commands += preparations.filter { $0.hasPrefix("%$ ") }.map { String($0.dropFirst(3)) }
    for command in commands {
      let result = Process.run(
        "/bin/sh", ["-c", command], environment: environment, folder: folder.path)
      precondition(result.status == 0, "\(title): \(command): \(result.errorText)")
    }
  }

  /// Whether the last row of a terminal is a prompt that waits.
  fileprivate static func endsInPrompt(_ text: String) -> Bool {
    let row = String(decoding: text.utf8.dropFirst(text.lastRowStart), as: UTF8.self)
    return promptLength(row[...]) == row.count
  }

  // MARK: Files

  /// The session with what was shown now; in the form of the file.
  func text(showing shown: [String]) -> String {
    var text = "%% \(title)\n" + preparations.map { $0 + "\n" }.joined()
    for (step, new) in zip(steps, shown) {
      let old = step.shownRows.map { $0 + "\n" }.joined()
      let isCommand = if case .command = step.event { true } else { false }
      if new == old {
        text += (step.rows + step.output).map { $0 + "\n" }.joined()
      } else {
        text += (isCommand ? "\(step.rows[0])\n" : "") + new
      }
    }
    return text
  }

  /// The folder of the sessions.
  static let folder = "\(Fixtures.root)/Tests/EndToEndTests/Sessions"

  /// The names of the files.
  static let names = Files.names(in: folder).filter { $0.hasSuffix(".txt") }.sorted()

  /// The sessions of a file.
  static func sessions(of name: String) -> [RecordedSession] {
    let lines = Files.readText("\(folder)/\(name)").split(
      separator: "\n", omittingEmptySubsequences: false)
    let starts = lines.indices.filter { lines[$0].hasPrefix("%% ") } + [lines.count]
    return zip(starts, starts.dropFirst()).map { start, end in
      var body = Array(lines[(start + 1)..<end])
      while body.last == "" { body.removeLast() }
      return RecordedSession(title: String(lines[start].dropFirst(3)), lines: body)
    }
  }
}

extension RecordedSession.Step {
  /// The rows on the screen.
  fileprivate var shownRows: [Substring] {
    let isCommand = if case .command = event { true } else { false }
    return (isCommand ? [] : rows) + output.filter { !$0.hasPrefix("%") }
  }

  fileprivate var isTyped: Bool { if case .typed = event { true } else { false } }

  /// Does what happens, and waits until its output is there, or a prompt.
  fileprivate func run(
    on terminal: PseudoTerminal, _ folder: TemporaryFolder, _ environment: [String: String],
    goesOn: Bool
  ) -> Bool {
    let before = terminal.transcript.rowCount
    var echoCount = 0
    switch event {
    case .typed(let rows, let promptLength):
      echoCount = rows.count
      terminal.type(rows.joined(separator: "\n").dropFirst(promptLength) + "\n")
    case .interrupt: terminal.type("\u{3}")
    case .command(let command):
      _ = TestSupport.Process.run(
        "/bin/sh", ["-c", String(command)], environment: environment, folder: folder.path)
    }
    if goesOn {
      return terminal.read { $0.rowCount >= before + echoCount + outputCount }
    }
    let needed = before + max(echoCount, event.isWaitedFor ? outputCount : 0)
    return terminal.read { $0.rowCount >= needed && RecordedSession.endsInPrompt($0) }
  }
}

extension RecordedSession.Step.Event {
  /// Whether the prompt before it says nothing about its end.
  fileprivate var isWaitedFor: Bool { if case .command = self { true } else { false } }
}

extension String {
  /// Number of rows that are complete.
  fileprivate var rowCount: Int { utf8.count { $0 == 0x0A } }

  /// The offset in UTF-8 at which the last row begins.
  fileprivate var lastRowStart: Int {
    utf8.lastIndex(of: 0x0A).map { utf8.distance(from: startIndex, to: $0) + 1 } ?? 0
  }
}
