import Glibc
import Synchronization

/// Another process at work on a file, played by a thread of the test.
final class OtherWriter: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let work: @Sendable () -> Void
  /// The thread, once it runs.
  private let thread = Mutex(pthread_t(0))

  /// Starts to do something over and over.
  init(_ work: @escaping @Sendable () -> Void) {
    self.work = work
    let box = Unmanaged.passRetained(self).toOpaque()
    thread.withLock { thread in
      let result = pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          let writer = Unmanaged<OtherWriter>.fromOpaque(context).takeRetainedValue()
          while !writer.isStopped.load(ordering: .relaxed) {
            writer.work()
          }
          return nil
        }, box)
      precondition(result == 0, "no thread: errno \(result)")
    }
  }

  /// Ends the work, and waits until it has ended.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    thread.withLock { _ = pthread_join($0, nil) }
  }
}

/// Writing into a file without making a new one, as a database does.
enum InPlace {
  /// Writes bytes at an offset.
  static func write(_ bytes: some Sequence<UInt8>, to path: String, at offset: Int) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    precondition(file >= 0, "cannot write \(path): errno \(errno)")
    defer { close(file) }
    let bytes = Array(bytes)
    let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
    precondition(count == bytes.count, "cannot write \(path): errno \(errno)")
  }

  /// Replaces the contents; the header, which tells which version counts, comes last.
  static func replace(_ path: String, with bytes: [UInt8]) {
    let headerByteCount = 24
    write(bytes[headerByteCount...], to: path, at: headerByteCount)
    write(bytes[..<headerByteCount], to: path, at: 0)
    truncate(path, off_t(bytes.count))
  }
}
