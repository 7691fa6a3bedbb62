import ByteKernels
import Glibc
import Synchronization

/// How far something long has come, told on the terminal of standard error.
///
/// One line that appears after half a second and is laid out anew each time it is drawn. It is gone
/// before anything else is printed, and when this object is. Source: shell.md 2, 23.
final class Progress {
  private static let patience = 500.0
  private static let milliseconds = 100.0

  private let label: String
  private let isShown: Bool
  private var nextTime: Double

  /// - Parameter label: What is being done, such as `checking`.
  init(_ label: String, for session: Session) {
    self.label = label
    isShown =
      session.outputDescriptor != nil && session.commandInput == nil && ProgressLine.isPossible
    nextTime = isShown ? monotonicMilliseconds() + Progress.patience : .infinity
  }

  /// Draws the line if it is time; to be called now and then.
  func update(_ done: Int, of total: Int) {
    guard isShown else { return }
    let now = monotonicMilliseconds()
    guard now >= nextTime else { return }
    nextTime = now + Progress.milliseconds
    ProgressLine.draw(label, done, of: max(total, 1))
  }

  /// Draws the line if it is time.
  ///
  /// - Returns: whether to go on, since the user has not interrupted.
  func goesOn(_ done: Int, _ total: Int) -> Bool {
    update(done, of: total)
    return !Interruption.isRequested
  }

  deinit {
    if isShown { ProgressLine.erase() }
  }
}

/// The line at the end of the terminal's text.
enum ProgressLine {
  /// Columns of the line that is shown; 0 if none is.
  private static let shownWidth = Mutex(0)
  /// The same for the signal handler, which must not wait for a lock.
  private static let isVisible = Atomic<Bool>(false)
  private static let widestBar = 40

  /// Whether standard error is a terminal on which a line can be taken back.
  static let isPossible = isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb"

  fileprivate static func draw(_ label: String, _ done: Int, of total: Int) {
    let width = screenWidth
    let fraction = min(1, max(0, Double(done) / Double(total)))
    let percent = String(Int(fraction * 100))
    var text = "\(label) \(String(repeating: " ", count: 3 - percent.count))\(percent) %"
    let room = min(widestBar, width - 1 - text.count - 3)
    if room > 0 {
      let filled = Int(fraction * Double(room))
      let rest = String(repeating: " ", count: room - filled)
      text += " [\(String(repeating: "=", count: filled))\(rest)]"
    }
    text = String(text.prefix(width - 1))
    shownWidth.withLock { shown in
      write(erasing(shown, on: width) + text)
      shown = text.count
      isVisible.store(true, ordering: .relaxed)
    }
  }

  /// Takes the line away, if it is there.
  static func erase() {
    shownWidth.withLock { shown in
      guard shown > 0 else { return }
      write(erasing(shown, on: screenWidth))
      shown = 0
      isVisible.store(false, ordering: .relaxed)
    }
  }

  /// Called from the signal handler.
  static func eraseAtEnd() {
    guard isVisible.load(ordering: .relaxed) else { return }
    let text: StaticString = "\r\u{1B}[K"
    _ = Glibc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  /// A window that has become narrower has broken the line into rows.
  private static func erasing(_ shown: Int, on width: Int) -> String {
    let rowsAbove = max(0, shown - 1) / width
    return "\r\u{1B}[K" + String(repeating: "\u{1B}[1A\u{1B}[K", count: rowsAbove)
  }

  private static var screenWidth: Int {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// A writer in front of a descriptor; before it writes to the terminal the line is taken away.
  static func writer(_ descriptor: Int32) -> ByteWriter {
    guard isPossible, isatty(descriptor) == 1 else { return ByteWriter(descriptor: descriptor) }
    let target = ByteWriter(descriptor: descriptor)
    return ByteWriter(bufferByteCount: 1 << 16) { bytes in
      erase()
      target.write(bytes)
      target.flush()
      return target.failure
    }
  }
}
