import Glibc
import Synchronization

/// Keeps the program alive when another process cuts off a mapped file.
///
/// Reading a mapped page that the file no longer has raises SIGBUS. The handler puts a page of
/// zeros in its place, if the address belongs to a watched mapping; the reader then meets nodes that
/// do not validate and reports damage, and the check of the snapshot finds the file changed.
enum TruncationGuard {
  private static let state = Mutex(0)

  /// How many pages have been replaced; mappings from before a change can hold zeros for ever.
  static var replacedPageCount: Int { replacedPages.load(ordering: .relaxed) }

  /// Starts watching a mapping; mappings beyond the capacity are not watched.
  static func watch(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    state.withLock { handlerCount in
      if handlerCount == 0 {
        install()
        handlerCount = 1
      }
      let table = watchedRanges
      for slot in 0..<watchedRangeCount where table[2 * slot] == 0 {
        table[2 * slot + 1] = UInt(bitPattern: start) + UInt(byteCount)
        table[2 * slot] = UInt(bitPattern: start)
        return
      }
    }
  }

  /// Ends watching a mapping.
  static func unwatch(_ start: UnsafeMutableRawPointer) {
    state.withLock { _ in
      let table = watchedRanges
      for slot in 0..<watchedRangeCount where table[2 * slot] == UInt(bitPattern: start) {
        table[2 * slot] = 0
      }
    }
  }

  private static func install() {
    var action = sigaction()
    action.__sigaction_handler.sa_sigaction = replaceMissingPage
    action.sa_flags = SA_SIGINFO | SA_NODEFER
    sigaction(SIGBUS, &action, nil)
  }
}

private let replacedPages = Atomic(0)
private let watchedRangeCount = 64
/// Pairs of start and end. A plain table, since a signal handler may not take locks; entries are
/// written under the lock of `TruncationGuard`, the start last.
// The handler only compares numbers; a torn entry cannot occur, words are written whole.
nonisolated(unsafe) private let watchedRanges: UnsafeMutablePointer<UInt> = {
  let table = UnsafeMutablePointer<UInt>.allocate(capacity: 2 * watchedRangeCount)
  table.initialize(repeating: 0, count: 2 * watchedRangeCount)
  return table
}()

private func replaceMissingPage(
  _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
  let pageByteCount: UInt = 4096
  let address = UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
  for slot in 0..<watchedRangeCount {
    let start = watchedRanges[2 * slot]
    guard start != 0, address >= start, address < watchedRanges[2 * slot + 1] else { continue }
    let page = UnsafeMutableRawPointer(bitPattern: address & ~(pageByteCount - 1))
    let replaced = mmap(
      page, Int(pageByteCount), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
    if replaced != MAP_FAILED {
      replacedPages.add(1, ordering: .relaxed)
      return
    }
  }
  var action = sigaction()
  action.__sigaction_handler.sa_handler = SIG_DFL
  sigaction(SIGBUS, &action, nil)
}
