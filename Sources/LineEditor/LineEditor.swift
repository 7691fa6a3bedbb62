import CLibEdit
import Glibc

/// What the user did with the line.
public enum ReadResult: Equatable, Sendable {
  /// Enter on a complete statement; rows are separated by newlines, no newline ends it.
  case statement(String)
  /// Ctrl-C: the line was dropped.
  case interrupted
  /// Ctrl-D on an empty line, or the terminal is gone.
  case endOfFile
}

/// The names of keys.
public enum KeyBindings: Sendable {
  /// The keys of emacs.
  case emacs
  /// The keys of vi.
  case vi
}

/// The line being typed on a terminal.
///
/// libedit supplies keys, modes, the edit buffer, undo and `~/.editrc`; input goes through a
/// function of ours, so that signals and keys are waited for in one place. All calls must come
/// from one thread. Signals are caught only while a statement is read: between two statements
/// they have the actions that the rest of the program has given them.
public final class LineEditor {
  let handle: OpaquePointer
  private let wideHistory: OpaquePointer
  private let messages: UnsafeMutablePointer<FILE>
  private var historySource: (path: String?, limit: Int) = (nil, 10_000)
  private var loadedHistory: LineHistory?
  private var signals: TerminalSignals
  private var input = InputDecoder()
  /// What ended the last call of libedit, if it was no key.
  private var ending: Ending?
  /// The prompt as libedit takes it: it keeps no copy.
  private(set) var promptText = UnsafeMutableBufferPointer<wchar_t>.allocate(capacity: 0)

  /// What may print something while a row is typed.
  public struct Events {
    /// What is to be watched.
    public var descriptors: () -> [Int32]
    /// Called when one of the descriptors can be read. What it prints goes through its argument,
    /// which puts it above the line being typed; text without a newline at its end gets one.
    public var handle: (_ printAbove: (String) -> Void) -> Void

    /// Events with what to do about them.
    public init(
      descriptors: @escaping () -> [Int32],
      handle: @escaping (_ printAbove: (String) -> Void) -> Void
    ) {
      (self.descriptors, self.handle) = (descriptors, handle)
    }
  }

  /// What may be shown and coloured.
  public struct Options: Equatable, Sendable {
    /// Dim text after the cursor: how the statement could go on.
    public var showsHints = true
    /// Colours of the text while it is typed.
    public var highlights = true
    /// Whether anything may be coloured, bold or dim; if not, there are no hints either.
    public var usesColor = true

    /// Everything is shown.
    public init() {}
  }

  /// What may print something while a row is typed.
  public var events: Events?
  /// What knows the language of the text.
  public var assistance = Assistance()
  /// What may be shown and coloured.
  public var options = Options()
  /// Text that is placed in the line when libedit asks for the first character.
  private var initialText = ""
  /// Columns of the prompt.
  private var promptWidth = 0

  private enum Ending: Equatable {
    case interrupted
    case hungUp
    case terminated(signal: Int32)
  }

  /// Prepares the terminal.
  ///
  /// - Parameter programName: Name for which `~/.editrc` may hold lines.
  /// - Returns: nil when standard input or output is no terminal, when TERM is `dumb` or unset,
  ///   or when the user's `~/.editrc` has switched editing off: then lines are to be read plainly.
  public init?(programName: String) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, Self.terminalCanEdit else {
      return nil
    }
    Self.useUTF8()
    guard let signals = TerminalSignals() else { return nil }
    guard let messages = fopen("/dev/null", "we"), let wideHistory = history_winit(),
      let handle = editline_open(programName, messages)
    else {
      signals.close()
      return nil
    }
    self.signals = signals
    self.messages = messages
    self.wideHistory = wideHistory
    self.handle = handle
    configure()
    guard editline_is_editing(handle) != 0 else { return nil }
  }

  deinit {
    el_end(handle)
    history_wend(wideHistory)
    fclose(messages)
    promptText.deallocate()
    signals.close()
  }

  // MARK: Settings

  /// Chooses the keys; lines of `~/.editrc` are obeyed again afterwards.
  public func use(_ keys: KeyBindings) {
    _ = withWideText(keys == .vi ? "vi" : "emacs") { editline_set_keys(handle, $0) }
    bindKeys()
    el_source(handle, nil)
  }

  /// Names the history file, which is read with the first key, not before.
  ///
  /// - Parameter path: The file, or nil to keep nothing beyond this run.
  /// - Parameter limit: Entries that are kept.
  public func useHistory(path: String?, limit: Int) {
    historySource = (path, limit)
    loadedHistory = nil
  }

  /// The statements entered so far; reads the file if that has not been done.
  public var history: LineHistory {
    if let loadedHistory {
      return loadedHistory
    }
    let history = LineHistory(path: historySource.path, limit: historySource.limit)
    _ = editline_history_clear(wideHistory)
    _ = editline_history_set_limit(wideHistory, Int32(clamping: history.limit))
    for entry in history.entries {
      _ = withWideText(entry) { editline_history_add(wideHistory, $0) }
    }
    loadedHistory = history
    return history
  }

  /// Puts a statement into the history; to be called before it runs.
  public func remember(_ statement: String) {
    var changed = history
    loadedHistory = nil
    if changed.append(statement) {
      _ = withWideText(statement) { editline_history_add(wideHistory, $0) }
    }
    loadedHistory = changed
  }

  // MARK: Reading

  /// Reads one statement, which may have several rows.
  ///
  /// - Parameter prompt: Stands before the first row; further rows are indented by its width. Text
  ///   must follow each colour sequence in it.
  /// - Parameter initialText: Stands in the line from the start, with the cursor at its end.
  public func readStatement(prompt: String, initialText: String = "") -> ReadResult {
    self.initialText = initialText
    signals.startCatching()
    defer { endCatching() }
    el_resize(handle)
    let indentation = String(repeating: " ", count: Self.displayWidth(of: prompt))
    var text = ""
    while true {
      setPrompt(text.isEmpty ? prompt : indentation)
      promptWidth = indentation.utf8.count
      switch readRow() {
      case .statement(let row):
        text += row
        if assistance.isComplete(text) {
          return .statement(text)
        }
        text += "\n"
      case .endOfFile where !text.isEmpty && ending == nil:
        // Ctrl-D in an empty row of a longer statement, which is not an empty line.
        continue
      case let result:
        return result
      }
    }
  }

  private func readRow() -> ReadResult {
    ending = nil
    // libedit does this only after it has shown the prompt, and keys typed in between would be
    // treated by the terminal.
    _ = editline_set_raw_mode(handle, 1)
    var count: Int32 = 0
    if let line = el_wgets(handle, &count), count > 0 {
      let endsWithNewline = line[Int(count) - 1] == wchar_t(UInt8(ascii: "\n"))
      return .statement(text(from: line, count: Int(count) - (endsWithNewline ? 1 : 0)))
    }
    if ending == .interrupted {
      Self.write("^C\n")
      return .interrupted
    }
    // Ctrl-D gives an empty line, a terminal that is gone an error.
    if count < 0 && ending == nil {
      ending = .hungUp
    }
    Self.write("\n")
    return .endOfFile
  }

  /// Gives signals back to the program; one that ends programs then has its former action.
  private func endCatching() {
    signals.stopCatching()
    if case .terminated(let signal) = ending {
      raise(signal)
    }
  }

  /// Waits for one character: libedit calls this between keys and inside a key sequence.
  ///
  /// - Returns: nil at the end of the input or when a signal has ended the line.
  func readCharacter() -> Unicode.Scalar? {
    if !initialText.isEmpty {
      input.append(Array(initialText.utf8)[...])
      initialText = ""
    }
    while true {
      if let character = input.next() {
        _ = history
        return character
      }
      var sources = ([signals.readEnd, STDIN_FILENO] + (events?.descriptors() ?? [])).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard poll(&sources, nfds_t(sources.count), -1) > 0 else { continue }
      if sources.dropFirst(2).contains(where: { $0.revents != 0 }) { tellEvents() }
      while let signal = signals.next() {
        act(on: signal)
      }
      if ending == nil && sources[1].revents != 0 && !readInput() {
        ending = .hungUp
      }
      if ending != nil {
        return nil
      }
    }
  }

  /// Lets others print above the row that is being typed.
  private func tellEvents() {
    var isCleared = false
    events?.handle { text in
      if !isCleared {
        isCleared = true
        clearRow()
      }
      Self.write(text.hasSuffix("\n") ? text : text + "\n")
    }
    if isCleared { _ = editline_redraw(handle) }
  }

  /// Takes prompt and row off the screen, and leaves the cursor where the prompt began.
  private func clearRow() {
    var size = winsize()
    var rowsAbove = 0
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      let line = el_wline(handle)?.pointee, let start = line.buffer, let cursor = line.cursor
    {
      let typed = text(from: start, count: cursor - start)
      let width = promptWidth + Self.displayWidth(of: typed)
      rowsAbove = width / Int(size.ws_col)
    }
    Self.write("\r" + (rowsAbove > 0 ? "\u{1B}[\(rowsAbove)A" : "") + "\u{1B}[J")
  }

  /// Reads what has been typed; false at the end of the input.
  private func readInput() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = read(STDIN_FILENO, &chunk, chunk.count)
    guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) }
    input.append(chunk[..<count])
    return true
  }

  private func act(on signal: Int32) {
    switch signal {
    case SIGINT:
      input.removeAll()
      moveToEndOfLine()
      ending = .interrupted
    case SIGTSTP:
      _ = editline_set_raw_mode(handle, 0)
      TerminalSignals.stop()
      _ = editline_set_raw_mode(handle, 1)
      _ = editline_redraw(handle)
    case SIGWINCH:
      el_resize(handle)
      Self.write("\r\u{1B}[K")
      _ = editline_redraw(handle)
    default:
      ending = .terminated(signal: signal)
    }
  }

  /// Moves the cursor behind the line by writing once more what stands there.
  private func moveToEndOfLine() {
    guard let line = el_wline(handle)?.pointee, let cursor = line.cursor else { return }
    Self.write(text(from: cursor, count: line.lastchar - cursor))
  }
}

// MARK: - Terminal

extension LineEditor {
  private static var terminalCanEdit: Bool {
    guard let name = getenv("TERM"), name.pointee != 0 else { return false }
    return strcmp(name, "dumb") != 0
  }

  /// libedit drops every character outside the character set of the locale.
  private static func useUTF8() {
    setlocale(LC_CTYPE, "")
    if strcmp(nl_langinfo(Int32(CODESET)), "UTF-8") != 0 {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
  }

  private func configure() {
    _ = editline_set_client_data(handle, Unmanaged.passUnretained(self).toOpaque())
    _ = editline_set_reader(handle, readCharacterForLibedit)
    _ = editline_set_prompt(handle, promptForLibedit, sequenceMark)
    _ = editline_set_history(handle, wideHistory)
    use(.emacs)
  }

  private func setPrompt(_ prompt: String) {
    withWideText(Self.markingSequences(in: prompt)) { wide in
      let characters = UnsafeBufferPointer(start: wide, count: wcslen(wide) + 1)
      promptText.deallocate()
      promptText = .allocate(capacity: characters.count)
      _ = promptText.initialize(from: characters)
    }
  }

  private func bindKeys() {
    for (key, function) in [("^R", "em-inc-search-prev"), ("^I", "ed-insert")] {
      withWideText(key) { key in
        _ = withWideText(function) { editline_bind(handle, key, $0) }
      }
    }
  }

  /// Writes to the terminal; the terminal's going away shows at the next read.
  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      _ = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
