import CLibEdit
import Glibc

/// What the user did with the line.
public enum ReadResult: Equatable, Sendable {
  /// Enter on a complete statement; rows are separated by newlines, no newline ends it.
  case statement(String)
  /// Ctrl-C: the line was dropped, which may have been empty.
  case interrupted(wasEmpty: Bool)
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
/// libedit supplies keys, modes, the edit buffer and `~/.editrc`; what it draws goes into a sink,
/// and the screen is painted by this module. Input goes through a function of ours, so that signals
/// and keys are waited for in one place. All calls must come from one thread. Signals are caught
/// only while a statement is read: between two statements they have the actions that the rest of
/// the program has given them.
public final class LineEditor {
  /// What may print something while a line is typed.
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

  /// What may print something while a line is typed.
  public var events: Events?
  /// What knows the language of the text.
  public var assistance = Assistance()
  /// What may be shown and coloured.
  public var options = Options()

  let handle: OpaquePointer
  let buffer: LineBuffer
  var signals: TerminalSignals
  var input = InputDecoder()
  var screen = Screen()
  var editing = EditingState()
  /// What was cut last.
  var killed = ""
  /// What ended the call of libedit, if it was no key.
  var ending: Ending?

  private let programName: String
  private let wideHistory: OpaquePointer
  /// Where libedit draws.
  private let sink: UnsafeMutablePointer<FILE>
  /// Set when libedit has rung the bell.
  private let bell: UnsafeMutablePointer<Int32>
  private var historySource: (path: String?, limit: Int) = (nil, 10_000)
  private var loadedHistory: LineHistory?

  enum Ending: Equatable {
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
    guard Terminal.canEdit else { return nil }
    Terminal.useUTF8()
    guard let signals = TerminalSignals() else { return nil }
    bell = .allocate(capacity: 1)
    bell.initialize(to: 0)
    guard let sink = editline_open_sink(bell), let wideHistory = history_winit(),
      let handle = editline_open(programName, sink)
    else {
      signals.close()
      bell.deallocate()
      return nil
    }
    self.programName = programName
    self.signals = signals
    self.sink = sink
    self.wideHistory = wideHistory
    self.handle = handle
    buffer = LineBuffer(handle: handle)
    _ = editline_set_client_data(handle, Unmanaged.passUnretained(self).toOpaque())
    _ = editline_set_reader(handle, libeditReader)
    _ = editline_remove_prompt(handle)
    _ = editline_leave_signals_alone(handle)
    _ = editline_keep_returns(handle)
    _ = editline_set_history(handle, wideHistory)
    KeyFunction.addAll(to: handle)
    use(.emacs)
    guard editline_is_editing(handle) != 0 else { return nil }
  }

  deinit {
    loadedHistory?.trimFile()
    el_end(handle)
    history_wend(wideHistory)
    fclose(sink)
    bell.deallocate()
    signals.close()
  }

  // MARK: Settings

  /// Chooses the keys; lines of `~/.editrc` are obeyed again afterwards, and win.
  public func use(_ keys: KeyBindings) {
    _ = withWideText(keys == .vi ? "vi" : "emacs") { editline_set_keys(handle, $0) }
    let file = UserBindings()
    // Which keys the user wants decides what is bound here, before his own bindings.
    file.apply(to: handle, choosingKeys: true)
    KeyFunction.bindAll(in: handle)
    file.apply(to: handle, choosingKeys: false)
  }

  /// Whether the keys are those of vi.
  var hasViKeys: Bool { editline_has_vi_keys(handle) != 0 }

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

  /// Keeps in mind whether a statement of the history has failed.
  public func note(_ statement: String, hasFailed: Bool) {
    _ = history
    loadedHistory?.note(statement, hasFailed: hasFailed)
  }

  /// Whether libedit has rung the bell since the last call.
  func takeBell() -> Bool {
    let hasRung = bell.pointee != 0
    bell.pointee = 0
    return hasRung
  }

  /// Rings the bell with the next paint.
  func ring() {
    bell.pointee = 1
  }

  // MARK: Reading

  /// Reads one statement, which may have several rows.
  ///
  /// - Parameter prompt: Stands before the first row; further rows are indented by its width.
  ///   Colour sequences in it are obeyed, unless the options say no.
  /// - Parameter initialText: Stands in the line from the start, with the cursor at its end.
  public func readStatement(prompt: String, initialText: String = "") -> ReadResult {
    signals.startCatching()
    defer { endCatching() }
    screen.prompt = StyledText(prompt)
    editing = EditingState(initialText: initialText)
    while true {
      if let result = readLine() { return result }
      editing = EditingState()
    }
  }

  /// Reads one line; nil if it was a comment, which is in the history now.
  private func readLine() -> ReadResult? {
    ending = nil
    el_resize(handle)
    // libedit does this only after it has shown the prompt, and keys typed in between would be
    // treated by the terminal.
    _ = editline_set_raw_mode(handle, 1)
    startShowing()
    var count: Int32 = 0
    let line = el_wgets(handle, &count)
    var result = ReadResult.endOfFile
    if let line, count > 0, ending == nil {
      let endsWithNewline = line[Int(count) - 1] == wchar_t(UInt8(ascii: "\n"))
      result = .statement(wideText(line, count: Int(count) - (endsWithNewline ? 1 : 0)))
    } else if ending == .interrupted {
      result = .interrupted(wasEmpty: editing.wasEmpty)
    }
    // Keys of the user may end a line without a function of ours.
    leaveLine()
    return editing.isComment ? nil : result
  }

  /// Gives signals back to the program; one that ends programs then has its former action.
  private func endCatching() {
    signals.stopCatching()
    if case .terminated(let signal) = ending {
      raise(signal)
    }
  }
}
