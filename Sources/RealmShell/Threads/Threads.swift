import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage
import Synchronization

/// What all threads of the program share.
///
/// ```
///            on NAME: ...                       work is done
///   (none) ----------------> idle <----------------------------+
///                             |  takes the next piece of work  |
///                             +-----------------------> working -+
///                             |  stop NAME, end of the program   |
///                             v                                  |
///                           ended <------------------------------+
/// ```
///
/// Invariants:
///
/// 1. Everything in `State` is reached under the lock of the monitor, which is held for no longer than
///    a look at it; nobody waits for a file, the screen or another thread with it.
/// 2. Statements run on the thread whose `Session` they use. A `Session` is not `Sendable`; what
///    crosses is, or is `Bound` to its thread.
/// 3. A thread that waits for another one, or for a write lock, says so in `waiting`; before it waits
///    for ever it looks whether that would close a circle.
/// 4. A thread ends its transactions before it ends, and nobody else ends them.
final class Threads: Sendable {
  /// What a thread waits for without limit of time.
  enum Obstacle: Sendable {
    case thread(ThreadIdentity)
    case writeLock(FileIdentity)
  }

  /// A thread and its work.
  struct Member: Sendable {
    let identity: ThreadIdentity
    var queue: [Work] = []
    /// The piece of work that it does now.
    var current: Work?
    var isStopping = false
    var status = ThreadStatus()

    /// Whether asynchronous work is under way or waits for its turn.
    var isBusy: Bool { current?.isAsync == true || queue.contains(where: \.isAsync) }
  }

  /// Finished asynchronous work that was not printed yet.
  struct Finished: Sendable {
    let number: Int
    let thread: ThreadIdentity
    let output: [UInt8]
    let messages: [UInt8]
  }

  struct State: Sendable {
    /// The variables, by name.
    var variables: [String: Variable] = [:]
    /// The projections, by name.
    var projections: [String: Projection] = [:]
    /// The threads, `main` first, then in the order of their beginning.
    var members: [Member]
    /// The databases of `main`.
    var databases: [SharedDatabase] = []
    /// What was stated about the classes of files, by path, also of those that are closed again.
    var defaults: [String: Defaults] = [:]
    /// The thread that the statements of the prompt and of scripts run on.
    var promptName = ThreadIdentity.mainName
    /// The threads with an open `begin` or `write`, by file.
    var writers: [FileIdentity: ThreadIdentity] = [:]
    var waiting: [ThreadIdentity: Obstacle] = [:]
    var outcomes: [Int: WorkOutcome] = [:]
    var finished: [Finished] = []
    /// Failures of asynchronous work that no `wait` has told yet.
    var failures: [(thread: ThreadIdentity, error: ShellError)] = []
    var threadCount = 1
    var workCount = 0

    func index(of identity: ThreadIdentity) -> Int? {
      members.firstIndex { $0.identity === identity }
    }

    func index(of name: String) -> Int? { members.firstIndex { $0.identity.name == name } }

    /// Whether a thread other than `main` waits for work.
    func isIdle(_ thread: ThreadIdentity) -> Bool {
      guard !thread.isMain, let i = index(of: thread) else { return false }
      return members[i].current == nil && members[i].queue.isEmpty && !members[i].isStopping
    }

    /// Whether `thread` waits, over others, for `target`.
    func waits(_ thread: ThreadIdentity, for target: ThreadIdentity) -> Bool {
      var current = thread
      for _ in 0...members.count {
        if current === target { return true }
        switch waiting[current] {
        case .thread(let next): current = next
        case .writeLock(let file):
          guard let writer = writers[file] else { return false }
          current = writer
        case nil: return false
        }
      }
      return false
    }
  }

  let monitor: Monitor<State>
  let main: ThreadIdentity
  /// Told, by the thread that did it, when asynchronous work is finished.
  let listener = Mutex<(@Sendable () -> Void)?>(nil)
  private static let instances = Atomic<Int>(0)
  private let lastObserver = Atomic<Int>(0)

  /// A number that no observer of any thread has had.
  func nextObserverNumber() -> Int {
    lastObserver.add(1, ordering: .relaxed).newValue
  }

  init() {
    main = ThreadIdentity(name: ThreadIdentity.mainName, number: 0)
    main.adoptCallingThread()
    monitor = Monitor(State(members: [Member(identity: main)]))
  }

  /// A number for an instance of a database, or for a database; never given twice.
  static func newNumber() -> Int { instances.wrappingAdd(1, ordering: .relaxed).newValue }

  // MARK: Variables

  var variables: [String: Variable] { monitor.withLock { $0.variables } }

  /// Binds a name, or forgets it.
  func set(_ name: String, _ variable: Variable?) {
    // What is dropped may be large, or the last holder of a snapshot: it goes outside of the lock.
    let old = monitor.withLock { state in
      let old = state.variables[name]
      state.variables[name] = variable
      return old
    }
    withExtendedLifetime(old) {}
  }

  var projections: [String: Projection] { monitor.withLock { $0.projections } }

  /// Adds a projection, or replaces the one with its name.
  func set(_ projection: Projection) {
    let old = monitor.withLock { $0.projections.updateValue(projection, forKey: projection.name) }
    withExtendedLifetime(old) {}
  }

  /// Replaces variables that satisfy a condition.
  func replace(_ variable: Variable, where condition: (Variable) -> Bool) {
    let old = monitor.withLock { state in
      let old = state.variables
      for (name, value) in old where condition(value) { state.variables[name] = variable }
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// What was stated about the classes of a file in this run of the program.
  func defaults(ofFile path: String, isNew: Bool) -> Defaults {
    guard let path = realPath(path) else { return Defaults() }
    return monitor.withLock { state in
      if !isNew, let known = state.defaults[path] { return known }
      let defaults = Defaults()
      state.defaults[path] = defaults
      return defaults
    }
  }

  // MARK: Waiting

  /// Whether a thread that asks for the write lock of a file would wait for itself, and for whom:
  /// for a thread that waits for it, or that does nothing until `main`, which waits, gives it work.
  func deadlock(
    of thread: ThreadIdentity, on file: FileIdentity, waitingForever isForever: Bool
  ) -> ThreadIdentity? {
    monitor.withLock { state in
      guard let writer = state.writers[file], writer !== thread else { return nil }
      if state.waits(writer, for: thread) { return writer }
      let holdsMain = thread.isMain || state.waits(main, for: thread)
      return isForever && holdsMain && state.isIdle(writer) ? writer : nil
    }
  }

  /// Whether a thread waits for work.
  func isIdle(_ thread: ThreadIdentity) -> Bool { monitor.withLock { $0.isIdle(thread) } }

  /// Notes that a thread waits for something while `body` runs.
  func during<Result>(
    _ obstacle: Obstacle?, of thread: ThreadIdentity, _ body: () throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    setObstacle(obstacle, of: thread)
    defer { setObstacle(nil, of: thread) }
    return try body()
  }

  /// Notes what a thread waits for; nil for nothing.
  func setObstacle(_ obstacle: Obstacle?, of thread: ThreadIdentity) {
    monitor.withLock { $0.waiting[thread] = obstacle }
  }

  /// The thread with an open `begin` or `write` on a file.
  func writer(of file: FileIdentity) -> ThreadIdentity? { monitor.withLock { $0.writers[file] } }

  /// Notes who has a write transaction open that lasts longer than a statement.
  func setWriter(_ thread: ThreadIdentity, of file: FileIdentity?, _ isWriting: Bool) {
    guard let file else { return }
    monitor.change { state in
      if isWriting {
        state.writers[file] = thread
      } else if state.writers[file] === thread {
        state.writers[file] = nil
      }
    }
  }

  // MARK: Threads

  /// The names of all threads.
  var names: [String] { monitor.withLock { $0.members.map(\.identity.name) } }

  /// Whether there are others than `main`.
  var hasOthers: Bool { monitor.withLock { $0.members.count > 1 } }

  /// Whether a thread is to end after its present statement.
  func isStopping(_ thread: ThreadIdentity) -> Bool {
    monitor.withLock { state in state.index(of: thread).map { state.members[$0].isStopping } ?? true
    }
  }

  func status(of thread: ThreadIdentity) -> ThreadStatus? {
    monitor.withLock { state in state.index(of: thread).map { state.members[$0].status } }
  }

  /// The thread that statements run on, and what it has told. A thread whose database `main` has
  /// closed meanwhile, or that had none, will use that of `main`.
  var promptStatus: (name: String, status: ThreadStatus) {
    monitor.withLock { state in
      let status =
        state.index(of: state.promptName).map { state.members[$0].status } ?? ThreadStatus()
      let isClosed = status.adoptedNumber.map { number in
        !state.databases.contains { $0.number == number }
      }
      guard isClosed ?? (status.name == nil) else { return (state.promptName, status) }
      var coming = state.members[0].status
      (coming.stateText, coming.version) = ("", nil)
      return (state.promptName, coming)
    }
  }

  /// The thread that has an observer of a name or number.
  func owner(ofObserver operand: ObserverOperand) -> ThreadIdentity? {
    monitor.withLock { state in
      state.members.first { member in
        member.status.observers.contains { number, name in
          switch operand {
          case .name(let wanted): wanted.text == name
          case .number(let wanted): Int64(number) == wanted.value
          }
        }
      }?.identity
    }
  }

  func setStatus(_ status: ThreadStatus, of thread: ThreadIdentity) {
    monitor.withLock { state in
      if let index = state.index(of: thread) { state.members[index].status = status }
    }
  }

  // MARK: Work

  /// The next piece of work of a thread; nil when it is to end.
  func nextWork(of thread: ThreadIdentity) -> Work? {
    let next: Work?? = monitor.wait { state -> Work?? in
      guard let index = state.index(of: thread) else { return .some(nil) }
      if state.members[index].isStopping { return .some(nil) }
      guard !state.members[index].queue.isEmpty else { return nil }
      let work = state.members[index].queue.removeFirst()
      state.members[index].current = work
      return .some(work)
    }
    return next ?? nil
  }

  /// Hands the outcome of a piece of work to the one who waits, or keeps it for printing.
  func finish(_ work: Work, of thread: ThreadIdentity, _ outcome: WorkOutcome) {
    monitor.change { state in
      guard let index = state.index(of: thread) else { return }
      state.members[index].current = nil
      guard work.isAsync else {
        state.outcomes[work.number] = outcome
        return
      }
      if let failure = outcome.failure { state.failures.append((thread, failure)) }
      let finished = Finished(
        number: work.number, thread: thread, output: outcome.output, messages: outcome.messages)
      let place = state.finished.firstIndex { $0.number > work.number } ?? state.finished.count
      state.finished.insert(finished, at: place)
    }
    if work.isAsync { listener.withLock { $0 }?() }
  }

  /// Removes a thread that has ended; those who wait for its work get an error.
  func remove(_ thread: ThreadIdentity) {
    monitor.change { state in
      guard let index = state.index(of: thread) else { return }
      let member = state.members.remove(at: index)
      for work in member.queue where !work.isAsync {
        state.outcomes[work.number] = WorkOutcome(
          failure: ShellError(.unknownThread, "the thread \(thread.name) was stopped"),
          settings: work.settings)
      }
      state.writers = state.writers.filter { $0.value !== thread }
      if state.promptName == thread.name { state.promptName = ThreadIdentity.mainName }
      if state.members.count == 1 {
        for index in state.databases.indices { state.databases[index].handle = nil }
      }
    }
  }

  /// Tells a thread to end after its present statement, and drops the work that has not begun.
  ///
  /// - Returns: the number of pieces of asynchronous work that were dropped.
  func stop(_ thread: ThreadIdentity) -> Int {
    monitor.change { state in
      guard let index = state.index(of: thread) else { return 0 }
      state.members[index].isStopping = true
      let dropped = state.members[index].queue.count(where: \.isAsync)
      state.members[index].queue.removeAll(where: \.isAsync)
      return dropped
    }
  }

  /// Whether there is finished work to print.
  var hasFinishedWork: Bool { monitor.withLock { !$0.finished.isEmpty } }

  /// Takes finished work to print it, in the order in which it was started: of one thread or of all.
  func takeFinished(of thread: ThreadIdentity?) -> [Finished] {
    monitor.withLock { state in
      let taken = state.finished.filter { thread == nil || $0.thread === thread }
      state.finished.removeAll { thread == nil || $0.thread === thread }
      return taken
    }
  }

  /// Takes the failures of asynchronous work that nobody was told of.
  func takeFailures(of thread: ThreadIdentity?) -> [ShellError] {
    monitor.withLock { state in
      let taken = state.failures.filter { thread == nil || $0.thread === thread }
      state.failures.removeAll { thread == nil || $0.thread === thread }
      return taken.map(\.error)
    }
  }
}
