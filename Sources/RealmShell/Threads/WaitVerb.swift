import ByteKernels
import Glibc
import RealmLanguage

/// `wait`, and the end of the program.
///
/// Source: shell.md 12, 23; object-model.md 3.10.
extension Session {
  /// How long a thread that waits sleeps between two looks at Ctrl-C.
  static let pauseMilliseconds = 20
  /// The same when it is woken by whatever it waits for.
  static let longPauseMilliseconds = 10_000

  func wait(_ statement: WaitStatement, at range: SourceRange, to writer: ByteWriter)
    throws(ShellError)
  {
    let limit = statement.timeout.map { monotonicMilliseconds() + Double($0.milliseconds) }
    switch statement.event {
    case .interruption:
      try wait(until: limit, at: range) { _ in false }
    case .time(let duration):
      let end = monotonicMilliseconds() + Double(duration.milliseconds)
      try wait(until: min(limit ?? end, end), at: range) { _ in monotonicMilliseconds() >= end }
    case .work(let operand, let count):
      if case .name(let name) = operand, count == nil,
        !observers.all.contains(where: { $0.observer.isNamed(by: operand) })
      {
        guard threads.names.contains(name.text) else {
          if threads.owner(ofObserver: operand) != nil { _ = try observer(operand) }
          let known = threads.names + observers.all.compactMap(\.observer.name)
          throw ShellError(
            .unknownThread, "no thread or observer \(name.text)", at: name.range,
            suggestion: Spelling.nearest(to: name.text, among: known))
        }
        try wait(for: try existingThread(named: name), until: limit, at: name.range, to: writer)
        return
      }
      try wait(for: try observer(operand), changes: count, until: limit)
    }
  }

  /// Waits until the asynchronous work of a thread is done, and prints what it has given.
  ///
  /// - Throws: the first failure of the work that no `wait` has told yet.
  private func wait(
    for target: ThreadIdentity, until limit: Double?, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let me = thread
    if target !== thread {
      guard !threads.monitor.withLock({ $0.waits(target, for: me) }) else {
        throw ShellError(.deadlock, "thread \(target.name) waits for this one", at: range)
      }
      // Who waits for a limited time ends every circle.
      try threads.during(limit == nil ? .thread(target) : nil, of: thread) {
        () throws(ShellError) in
        try wait(until: limit, at: range) { state in
          state.index(of: target).map { !state.members[$0].isBusy } ?? true
        }
      }
    }
    printFinishedWork(of: target, to: writer)
    guard var failure = threads.takeFailures(of: target).first else { return }
    failure.message = "work of thread \(target.name) has failed: \(failure.message)"
    (failure.range, failure.suggestion, failure.remedy, failure.details) = (range, nil, nil, [])
    throw failure
  }

  /// Waits until something is so, or a point in time.
  ///
  /// - Parameter limit: Milliseconds of the monotonic clock; nil for never.
  /// - Throws: `Timeout` at the limit, `Interrupted` after Ctrl-C or when the thread is stopped.
  func wait(
    until limit: Double?, at range: SourceRange, _ isSo: (Threads.State) -> Bool
  ) throws(ShellError) {
    output.flush()
    while true {
      takeNews()
      if threads.monitor.withLock({ isSo($0) }) { return }
      let left = limit.map { max(0, Int($0 - monotonicMilliseconds() + 1)) }
      let pause = min(left ?? .max, Session.pauseMilliseconds)
      if !sleepUntilNews(atMost: min(left ?? .max, Session.longPauseMilliseconds)),
        threads.monitor.wait(atMost: pause, for: { isSo($0) ? true : nil }) != nil
      {
        return
      }
      try Interruption.check()
      if isToEnd { throw ShellError(.interrupted, "the thread was stopped") }
      if let limit, monotonicMilliseconds() >= limit {
        if threads.monitor.withLock({ isSo($0) }) { return }
        throw ShellError(.timeout, "the time is over", at: range)
      }
    }
  }

  // MARK: Results of asynchronous work

  /// Prints what asynchronous work has given, in the order in which it was started.
  ///
  /// - Parameter target: The thread that did it; nil for all.
  func printFinishedWork(of target: ThreadIdentity? = nil, to writer: ByteWriter) {
    for finished in threads.takeFinished(of: target) {
      var isAtStart = true
      for line in finished.output.split(separator: 0x0A, omittingEmptySubsequences: false) {
        if !isAtStart { writer.write("\n") }
        isAtStart = false
        if !line.isEmpty { writer.write("[\(finished.thread.name)] ") }
        writer.write(Array(line))
      }
      writer.flush()
      errorOutput.write(finished.messages)
      errorOutput.flush()
    }
  }

  /// Ends the other threads.
  ///
  /// - Parameter waits: Whether they do what they were given before; else work that has not begun is
  ///   dropped, and what is being done ends after its present statement.
  /// - Returns: whether all went well: no work has failed that nobody was told of, and no thread had
  ///   a transaction open.
  func endThreads(waiting waits: Bool) -> Bool {
    guard thread.isMain, threads.hasOthers else {
      return finishThreads()
    }
    let threads = threads
    var isGood = true
    if waits {
      do throws(ShellError) {
        try wait(until: nil, at: statementRange) { state in
          !state.members.contains { $0.isBusy }
        }
      } catch {
        isGood = false
        exitStatus = error.name.exitStatus
      }
      for writer in threads.monitor.withLock({ $0.writers.values.filter { !$0.isMain } }) {
        report(
          ShellError(
            .wrongTransactionState, "thread \(writer.name) ended inside of a write transaction"),
          origin: nil)
        isGood = false
      }
    }
    let others = threads.monitor.withLock { state in
      state.members.map(\.identity).filter { !$0.isMain }
    }
    for other in others { _ = threads.stop(other) }
    // What is being done is waited for, unless the user does not want that either.
    while threads.monitor.wait(
      atMost: Session.pauseMilliseconds, for: { $0.members.count == 1 ? true : nil }) == nil
    {
      if Interruption.isRequested { Interruption.requestOfAll() }
    }
    return finishThreads() && isGood
  }

  /// Prints what is left, and tells whether nothing has failed.
  private func finishThreads() -> Bool {
    printFinishedWork(to: output)
    return threads.takeFailures(of: nil).isEmpty
  }
}
