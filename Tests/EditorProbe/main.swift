import Glibc
import LineEditor

// A program for the tests of the line editor: reads statements and shows what it has read. A
// statement is complete when each `(` has its `)`. The only argument names the history file.

/// Whether all parentheses are closed.
func isBalanced(_ text: String) -> Bool {
  text.count { $0 == "(" } <= text.count { $0 == ")" }
}

/// Reads until the end and returns the exit code.
func runProbe() -> Int32 {
  guard let editor = LineEditor(programName: "probe") else {
    print("no editor")
    return 2
  }
  if CommandLine.arguments.count > 1 {
    editor.useHistory(path: CommandLine.arguments[1], limit: 100)
  }
  editor.assistance.isComplete = isBalanced
  while true {
    switch editor.readStatement(prompt: "\u{1B}[33mprobe\u{1B}[0m> ") {
    case .statement(let text):
      editor.remember(text)
      print("read \(text.debugDescription)")
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
