import Glibc
import LineEditor

// A program for the tests of the line editor: reads statements and shows what it has read.
//
// - `--history PATH`: keeps the history there.
// - `--lines PATH`: prints above the line what comes through this pipe.
// - `--language`: completes, colours and hints in a language of a few words.
// - `--initial TEXT`: stands in the first line from the start.
// - `--vi`: the keys of vi. `--plain`: no colours. `--silent`: answers nothing.
//
// A statement is complete when each `(` has its `)`. The key for help writes an empty update,
// which changes nothing on the screen and tells the test that all keys before have been obeyed.

/// What the command line says.
struct Settings {
  var values: [String: String] = [:]
  var flags: Set<String> = []

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if ["--history", "--lines", "--initial", "--prompt"].contains(name) {
        values[name] = rest.popFirst()
      } else {
        flags.insert(name)
      }
    }
  }
}

/// Whether all parentheses are closed.
func isBalanced(_ text: String) -> Bool {
  openBrackets(text) == 0
}

/// The number of parentheses that are open at the end.
func openBrackets(_ text: String) -> Int {
  max(0, text.utf8.count { $0 == 0x28 } - text.utf8.count { $0 == 0x29 })
}

/// Prints above the line what comes through a pipe, row by row.
final class Lines {
  let descriptor: Int32
  private var rest: [UInt8] = []

  init(_ path: String) {
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
  }

  func print(_ printAbove: (String) -> Void) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &chunk, chunk.count)
    guard count > 0 else { return }
    rest += chunk[..<count]
    guard let end = rest.lastIndex(of: 0x0A) else { return }
    printAbove(String(decoding: rest[...end], as: UTF8.self))
    rest.removeSubrange(...end)
  }
}

/// A language of a few words.
func addLanguage(to assistance: inout Assistance) {
  let words = ["count", "colour", "column", "delete", "delegate", "where"]
  assistance.highlight = { text, cursor, isSettled in
    var ranges: [StyledRange] = []
    var start = 0
    for word in text.utf8.split(separator: 0x20, omittingEmptySubsequences: false) {
      let range = start..<start + word.count
      start = range.upperBound + 1
      if words.contains(String(decoding: word, as: UTF8.self)) {
        ranges.append(StyledRange(range, TextStyle(isBold: true)))
      } else if isSettled, !word.isEmpty, cursor > range.upperBound {
        ranges.append(StyledRange(range, TextStyle(.red)))
      }
    }
    return ranges
  }
  assistance.hint = { $0 == "count" ? " CLASS [RQL]" : nil }
  assistance.complete = { text, cursor in
    let before = Array(text.utf8)[..<cursor]
    let start = before.lastIndex(of: 0x20).map { $0 + 1 } ?? 0
    let typed = String(decoding: before[start...], as: UTF8.self)
    let candidates = words.filter { $0.hasPrefix(typed) }.map {
      Completion.Candidate($0, comment: "\($0.count) letters")
    }
    return Completion(range: start..<cursor, candidates: candidates)
  }
  assistance.edit = { "edited " + $0 }
}

/// Reads until the end and returns the exit code.
func runProbe() -> Int32 {
  let settings = Settings(Array(CommandLine.arguments.dropFirst()))
  guard let editor = LineEditor(programName: "probe") else {
    print("no editor")
    return 2
  }
  if let path = settings.values["--history"] { editor.useHistory(path: path, limit: 100) }
  if settings.flags.contains("--vi") { editor.use(.vi) }
  editor.options.usesColor = !settings.flags.contains("--plain")
  editor.assistance.isComplete = isBalanced
  editor.assistance.openBrackets = openBrackets
  if settings.flags.contains("--language") { addLanguage(to: &editor.assistance) }
  editor.assistance.help = { _, _ in
    let mark = "\u{1B}[?2026h\u{1B}[?2026l"
    _ = write(STDOUT_FILENO, mark, mark.utf8.count)
    return ""
  }
  if let path = settings.values["--lines"] {
    let lines = Lines(path)
    editor.events = LineEditor.Events(
      descriptors: { [lines.descriptor] }, handle: { lines.print($0) })
  }
  var initialText = settings.values["--initial"] ?? ""
  while true {
    let result = editor.readStatement(
      prompt: settings.values["--prompt"] ?? "\u{1B}[33mprobe\u{1B}[0m> ", initialText: initialText)
    initialText = ""
    switch result {
    case .statement(let text):
      editor.remember(text)
      if !settings.flags.contains("--silent") { print("read \(text.debugDescription)") }
    case .interrupted:
      print("interrupted")
    case .endOfFile:
      print("end")
      return 0
    }
    fflush(nil)
  }
}

exit(runProbe())
