import Glibc
import Synchronization

/// Which thread something belongs to. A thread that begins anew under an old name is another one.
final class ThreadIdentity: Sendable, Hashable {
  /// The name of the thread that the program starts with.
  static let mainName = "main"

  /// The name that statements use.
  let name: String
  /// 0 for `main`, then in the order of their beginning.
  let number: Int
  private let handle = Atomic<UInt>(0)

  init(name: String, number: Int) { (self.name, self.number) = (name, number) }

  var isMain: Bool { number == 0 }

  /// Makes the calling thread the one that this stands for.
  func adoptCallingThread() { handle.store(UInt(pthread_self()), ordering: .relaxed) }

  /// Whether the calling thread is the one.
  var isCalling: Bool { handle.load(ordering: .relaxed) == UInt(pthread_self()) }

  static func == (a: ThreadIdentity, b: ThreadIdentity) -> Bool { a === b }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A thread of the operating system.
enum SystemThread {
  /// Address room for the stack; what is not used takes no memory. Statements may be nested deeply.
  private static let stackByteCount = 64 << 20

  /// Starts a thread that nobody has to wait for.
  ///
  /// - Returns: whether the system had room for it.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Start: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackByteCount)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    if status != 0 { start.release() }
    return status == 0
  }
}

/// What objects, results and collections belong to: one instance of a database on one thread.
///
/// Source: object-model.md 9.1.
struct Owner: Equatable, Sendable {
  let thread: ThreadIdentity
  /// The number of the instance.
  let instance: Int
  /// How often the instance was invalidated before.
  let generation: Int
}

/// A value that one thread alone may use. Others can hold it and ask whose it is.
// Reason for `@unchecked Sendable`: only the owner's thread gets at the value.
struct Bound<Value>: @unchecked Sendable {
  let owner: Owner
  private let content: Value

  /// - Precondition: called by the thread of the owner.
  init(_ value: Value, _ owner: Owner) {
    precondition(owner.thread.isCalling, "a value is bound by the thread that owns it")
    (content, self.owner) = (value, owner)
  }

  /// The value.
  ///
  /// - Precondition: called by the thread of the owner.
  var value: Value {
    precondition(owner.thread.isCalling, "the value belongs to another thread")
    return content
  }
}

/// Which file a path leads to.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let inode: UInt

  /// nil if there is no file.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}
