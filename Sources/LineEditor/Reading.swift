import CLibEdit
import Glibc

/// A key as the functions see it that read keys themselves.
struct KeyPress {
  enum Key: Equatable {
    case character(Unicode.Scalar)
    case up, down, left, right
    case tab, backTab, enter, escape, backspace
    /// A control character or a sequence without a meaning of its own.
    case other
  }

  var key: Key
  /// What the terminal has sent.
  var scalars: [Unicode.Scalar]
}

extension LineEditor {
  /// Stands for the Escape key, which begins no sequence, where keys are those of vi.
  static let bareEscape: Unicode.Scalar = "\u{9B}"
  /// How long the rest of a sequence may be late.
  private static let sequenceMilliseconds: Int32 = 30

  // MARK: Characters

  /// The next character for libedit, which calls this between keys and inside of sequences; nil at
  /// the end of the input or when a signal has ended the line.
  func readCharacter() -> Unicode.Scalar? {
    placeInitialText()
    dropUnknownSequence()
    // The movements of vi are libedit's, which knows no clusters.
    if hasViKeys { noteChange() }
    guard var scalar = readScalar() else { return nil }
    if scalar == "\u{1B}", hasViKeys, !isSequenceAhead { scalar = Self.bareEscape }
    editing.sequence = editing.sequence.followed(by: scalar)
    editline_forget_drawing(handle)
    return scalar
  }

  /// Waits for one character.
  func readScalar() -> Unicode.Scalar? {
    while ending == nil {
      if let scalar = input.next() {
        _ = history
        return scalar
      }
      noteChange()
      paint()
      wait()
    }
    return nil
  }

  private func placeInitialText() {
    guard !editing.initialText.isEmpty else { return }
    buffer.insert(editing.initialText)
    editing.initialText = ""
  }

  /// Takes note of what the last key has done, before the result is painted.
  private func noteChange() {
    let former = editing.undo.current
    // A movement of libedit may have stopped inside of a cluster.
    if text.bytes == former.bytes { leaveCluster(from: former.cursor) }
    editing.undo.note(text)
  }

  /// Moves the cursor out of a cluster, in the direction in which it came there.
  func leaveCluster(from former: Int = 0) {
    let text = text
    guard !text.isBoundary(text.cursor) else { return }
    let cluster = text.clusterRange(around: text.cursor)
    buffer.move(from: text, to: text.cursor < former ? cluster.lowerBound : cluster.upperBound)
  }

  /// Drops the rest of a sequence that libedit does not know and has rung the bell about.
  private func dropUnknownSequence() {
    guard editing.sequence == .parameters, takeBell() else { return }
    while editing.sequence == .parameters, let scalar = input.next() {
      editing.sequence = editing.sequence.followed(by: scalar)
    }
    editing.sequence = .none
  }

  /// Whether what follows an Escape makes a sequence with it; waits a moment for it.
  private var isSequenceAhead: Bool {
    if input.peek() == nil, Terminal.hasInput(within: Self.sequenceMilliseconds) {
      _ = readInput()
    }
    guard let next = input.peek() else { return false }
    return next == "[" || next == "O" || next == "\r" || next == "\n"
  }

  // MARK: Keys

  /// Waits for one key; nil at the end of the input.
  func readKey() -> KeyPress? {
    guard let first = readScalar() else { return nil }
    switch first {
    case "\u{1B}": return readEscape()
    case "\r", "\n": return KeyPress(key: .enter, scalars: [first])
    case "\t": return KeyPress(key: .tab, scalars: [first])
    case "\u{08}", "\u{7F}": return KeyPress(key: .backspace, scalars: [first])
    case "\u{00}"..."\u{1F}": return KeyPress(key: .other, scalars: [first])
    default: return KeyPress(key: .character(first), scalars: [first])
    }
  }

  private func readEscape() -> KeyPress? {
    if input.peek() == nil, Terminal.hasInput(within: Self.sequenceMilliseconds) {
      _ = readInput()
    }
    guard let lead = input.peek() else { return KeyPress(key: .escape, scalars: ["\u{1B}"]) }
    var scalars: [Unicode.Scalar] = ["\u{1B}", lead]
    _ = input.next()
    if lead == "[" || lead == "O" {
      while let scalar = readScalar() {
        scalars.append(scalar)
        if !("\u{20}"..."\u{3F}").contains(scalar) { break }
      }
    }
    let key: KeyPress.Key
    switch scalars.count == 3 ? scalars[2] : "\0" {
    case "A": key = .up
    case "B": key = .down
    case "C": key = .right
    case "D": key = .left
    case "Z": key = .backTab
    default: key = .other
    }
    return KeyPress(key: key, scalars: scalars)
  }

  // MARK: Waiting

  /// Waits until something has happened, and does what signals and events ask for.
  private func wait() {
    var sources = ([signals.readEnd, STDIN_FILENO] + (events?.descriptors() ?? [])).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let count = poll(&sources, nfds_t(sources.count), millisecondsToSettling)
    settleColors()
    guard count > 0 else { return }
    while let signal = signals.next() {
      act(on: signal)
    }
    if ending == nil, sources.dropFirst(2).contains(where: { $0.revents != 0 }) {
      events?.handle { [unowned self] in printAbove($0) }
    }
    if ending == nil, sources[1].revents != 0, !readInput() {
      ending = .hungUp
    }
  }

  /// Reads what has been typed; false at the end of the input.
  private func readInput() -> Bool {
    let count = input.fill { Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count) }
    return count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN)
  }

  private func act(on signal: Int32) {
    guard ending == nil else { return }
    switch signal {
    case SIGINT:
      input.removeAll()
      ending = .interrupted
      editing.wasEmpty = text.bytes.isEmpty
      leaveLine(mark: "^C")
    case SIGTSTP:
      suspendingLine { TerminalSignals.stop() }
    case SIGWINCH:
      // The next paint looks at the size.
      break
    default:
      ending = .terminated(signal: signal)
      leaveLine()
    }
  }
}
