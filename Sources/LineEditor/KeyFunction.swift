import CLibEdit

/// A function that keys can be bound to, also by the user.
struct KeyFunction {
  /// What libedit is told when a function has ended; the numbers are those of `histedit.h`.
  enum Outcome: UInt8 {
    /// Nothing is left to do.
    case done = 0
    /// The line is entered.
    case newline = 1
    /// There are no more lines.
    case endOfFile = 2
    /// The cursor may stand where the command mode of vi does not allow it.
    case moved = 5
  }

  let name: String
  let help: String
  /// The keys of emacs and those of the insert mode of vi, as `bind` takes them.
  let keys: [String]
  /// The keys of the command mode of vi.
  var commandKeys: [String] = []
  let function: @convention(c) (OpaquePointer?, wint_t) -> UInt8

  /// Calls a function of the editor for libedit.
  static func call(
    _ handle: OpaquePointer?, _ body: (LineEditor) -> Outcome
  ) -> UInt8 {
    guard let editor = editor(of: handle) else { return Outcome.done.rawValue }
    // A character that has joined the next one has left the cursor between them.
    editor.leaveCluster()
    // What was typed since the last paint can be taken back by itself.
    editor.editing.undo.note(editor.text)
    let outcome = body(editor)
    return outcome == .done && editor.hasViKeys ? Outcome.moved.rawValue : outcome.rawValue
  }

  /// Calls a function that leaves the line as it is or changes it.
  static func call(_ handle: OpaquePointer?, _ body: (LineEditor) -> Void) -> UInt8 {
    call(handle) { editor -> Outcome in
      body(editor)
      return .done
    }
  }

  // MARK: libedit

  /// Makes all functions known to libedit.
  static func addAll(to handle: OpaquePointer) {
    for function in all {
      _ = editline_add_function(
        handle, lastingText(function.name), lastingText(function.help), function.function)
    }
  }

  /// Binds the keys of all functions in the maps of emacs or vi that are in use.
  static func bindAll(in handle: OpaquePointer) {
    let hasViKeys = editline_has_vi_keys(handle) != 0
    for function in all + (hasViKeys ? viOnly : emacsOnly) {
      withWideText(function.name) { name in
        for key in function.keys {
          _ = withWideText(key) { editline_bind(handle, $0, name) }
        }
        for key in hasViKeys ? function.commandKeys : [] {
          _ = withWideText(key) { editline_bind_in_command_mode(handle, $0, name) }
        }
      }
    }
    guard hasViKeys else { return }
    _ = withWideText("\\233") { key in
      withWideText("vi-command-mode") { editline_bind(handle, key, $0) }
    }
    _ = withWideText("\\233") { key in
      withWideText("ed-ignore") { editline_bind_in_command_mode(handle, key, $0) }
    }
  }

  /// Text for libedit, which keeps the pointer.
  private static func lastingText(_ text: String) -> UnsafePointer<wchar_t> {
    withWideText(text) { wide in
      let count = wcslen(wide) + 1
      let copy = UnsafeMutablePointer<wchar_t>.allocate(capacity: count)
      copy.initialize(from: wide, count: count)
      return UnsafePointer(copy)
    }
  }
}

// MARK: - The functions

extension KeyFunction {
  /// `ESC [ 1 ; MODIFIER letter` for all modifiers but those given.
  private static func modified(_ letter: String, except: [Int] = []) -> [String] {
    (2...8).filter { !except.contains($0) }.map { "\\e[1;\($0)\(letter)" }
  }

  /// Functions with the same keys everywhere.
  static let all: [KeyFunction] =
    ending + movements + deletions + others + [
      KeyFunction(
        name: "line-kill", help: "Cut the whole statement", keys: [],
        function: { handle, _ in call(handle) { $0.killAll() } }),
      KeyFunction(
        name: "line-kill-row-start", help: "Cut to the start of the row", keys: [],
        function: { handle, _ in call(handle) { $0.killToRowStart() } }),
    ]

  /// More keys of emacs.
  static let emacsOnly = keys(["line-kill": ["^U"]])
  /// More keys of the insert mode of vi.
  static let viOnly = keys(["line-kill-row-start": ["^U"]])

  private static func keys(_ keys: [String: [String]]) -> [KeyFunction] {
    all.compactMap { function in
      keys[function.name].map { keys in
        KeyFunction(
          name: function.name, help: function.help, keys: keys, function: function.function)
      }
    }
  }

  private static let ending = [
    KeyFunction(
      name: "line-enter", help: "Run the statement if it is complete, else open a row",
      keys: ["^M", "^J"], commandKeys: ["^M", "^J"],
      function: { handle, _ in call(handle) { $0.enter() } }),
    KeyFunction(
      name: "line-new-row", help: "Open a row", keys: ["\\e^M", "\\e^J"],
      function: { handle, _ in call(handle) { $0.openRow() } }),
    KeyFunction(
      name: "line-delete-or-leave", help: "Delete a character, or leave if there is none",
      keys: ["^D"], commandKeys: ["^D"],
      function: { handle, _ in call(handle) { $0.deleteOrLeave() } }),
    KeyFunction(
      name: "line-comment", help: "Put the line into the history as a comment", keys: ["\\e#"],
      commandKeys: ["#"], function: { handle, _ in call(handle) { $0.comment() } }),
  ]

  private static let movements = [
    KeyFunction(
      name: "line-left", help: "Go to the character before",
      keys: ["^B", "\\e[D", "\\eOD", "\\e[1;2D"],
      function: { handle, _ in call(handle) { $0.moveLeft() } }),
    KeyFunction(
      name: "line-right", help: "Go to the next character, or take the hint",
      keys: ["^F", "\\e[C", "\\eOC", "\\e[1;2C"],
      function: { handle, _ in call(handle) { $0.moveRight() } }),
    KeyFunction(
      name: "line-word-left", help: "Go to the start of the word",
      keys: ["\\eb", "\\eB", "\\e\\e[D", "\\eOd"] + modified("D", except: [2]),
      function: { handle, _ in call(handle) { $0.moveWordLeft() } }),
    KeyFunction(
      name: "line-word-right", help: "Go to the end of the word, or take a word of the hint",
      keys: ["\\ef", "\\eF", "\\e\\e[C", "\\eOc"] + modified("C", except: [2]),
      function: { handle, _ in call(handle) { $0.moveWordRight() } }),
    KeyFunction(
      name: "line-home", help: "Go to the start of the row, then of the statement",
      keys: ["^A", "\\e[H", "\\eOH", "\\e[1~", "\\e[7~"] + modified("H"),
      function: { handle, _ in call(handle) { $0.moveHome() } }),
    KeyFunction(
      name: "line-end", help: "Go to the end of the row, then of the statement",
      keys: ["^E", "\\e[F", "\\eOF", "\\e[4~", "\\e[8~"] + modified("F"),
      function: { handle, _ in call(handle) { $0.moveEnd() } }),
    KeyFunction(
      name: "line-up", help: "Go to the row above, or to an older entry",
      keys: ["^P", "\\e[A", "\\eOA"] + modified("A"), commandKeys: ["k", "^P"],
      function: { handle, _ in call(handle) { $0.moveUp() } }),
    KeyFunction(
      name: "line-down", help: "Go to the row below, or to a newer entry",
      keys: ["^N", "\\e[B", "\\eOB"] + modified("B"), commandKeys: ["j", "^N"],
      function: { handle, _ in call(handle) { $0.moveDown() } }),
    KeyFunction(
      name: "line-older", help: "Show an older entry", keys: ["\\e[5~"],
      function: { handle, _ in call(handle) { $0.showOlderOrRing() } }),
    KeyFunction(
      name: "line-newer", help: "Show a newer entry", keys: ["\\e[6~"],
      function: { handle, _ in call(handle) { $0.showNewerOrRing() } }),
  ]

  private static let deletions = [
    KeyFunction(
      name: "line-backspace", help: "Delete the character before", keys: ["^H", "^?"],
      function: { handle, _ in call(handle) { $0.deleteLeft() } }),
    KeyFunction(
      name: "line-delete", help: "Delete the character under the cursor", keys: ["\\e[3~"],
      function: { handle, _ in call(handle) { $0.deleteRight() } }),
    KeyFunction(
      name: "line-kill-word-left", help: "Cut to the start of the word",
      keys: ["^W", "\\e^H", "\\e^?"],
      function: { handle, _ in call(handle) { $0.killWordLeft() } }),
    KeyFunction(
      name: "line-kill-word-right", help: "Cut to the end of the word",
      keys: ["\\ed", "\\eD", "\\e[3;5~", "\\e[3;3~"],
      function: { handle, _ in call(handle) { $0.killWordRight() } }),
    KeyFunction(
      name: "line-kill-row-end", help: "Cut to the end of the row", keys: ["^K"],
      function: { handle, _ in call(handle) { $0.killToRowEnd() } }),
    KeyFunction(
      name: "line-yank", help: "Insert what was cut", keys: ["^Y"],
      function: { handle, _ in call(handle) { $0.yank() } }),
    KeyFunction(
      name: "line-undo", help: "Take back the last change", keys: ["^_", "^X^U"],
      function: { handle, _ in call(handle) { $0.undo() } }),
  ]

  private static let others = [
    KeyFunction(
      name: "line-complete", help: "Complete the word", keys: ["^I", "\\e[Z"],
      function: { handle, _ in call(handle) { $0.complete() } }),
    KeyFunction(
      name: "line-search", help: "Search the history", keys: ["^R"], commandKeys: ["^R"],
      function: { handle, _ in call(handle) { $0.search() } }),
    KeyFunction(
      name: "line-paste", help: "Insert pasted text", keys: ["\\e[200~"],
      function: { handle, _ in call(handle) { $0.paste() } }),
    KeyFunction(
      name: "line-help", help: "Print help for the word above the line",
      keys: ["\\eh", "\\eH", "\\eOP", "\\e[11~", "\\e[[A"],
      function: { handle, _ in call(handle) { $0.showHelp() } }),
    KeyFunction(
      name: "line-edit", help: "Change the line in the editor", keys: ["^X^E"],
      commandKeys: ["v"], function: { handle, _ in call(handle) { $0.edit() } }),
    KeyFunction(
      name: "line-clear-screen", help: "Clear the screen", keys: ["^L", "\\e^L"],
      commandKeys: ["^L"], function: { handle, _ in call(handle) { $0.clearScreen() } }),
    KeyFunction(
      // The last ones would let libedit read a command of its own over the line.
      name: "line-ignore", help: "Do nothing", keys: ["\\e[201~", "\\e[2~", "\\ex", "\\eX"],
      commandKeys: [":"],
      function: { handle, _ in call(handle) { _ in } }),
  ]
}
