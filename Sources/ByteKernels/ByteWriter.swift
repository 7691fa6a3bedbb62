import Glibc

/// A buffered sink of bytes, in front of a file descriptor or a function, or growing in memory.
///
/// Errors never trap: the first failed `write(2)` is kept in `failure` and everything after it is
/// discarded, so a printing loop can look at `failure` once in a while and stop quietly.
/// Not for use from several threads.
public final class ByteWriter {
  private static let initialCapacity = 64 * 1024

  /// The errno of the first failed write, for example `EPIPE`; nil while all went well.
  public private(set) var failure: Int32?

  /// The number of bytes that have left the buffer.
  public private(set) var sentByteCount = 0

  /// The buffer. Behind a pointer, since the fields of a class cost a check at each access.
  @usableFromInline let buffer: UnsafeMutablePointer<Buffer>
  private let sink: Sink

  @usableFromInline struct Buffer {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0

    init(capacity: Int) {
      self.capacity = capacity
      base = .allocate(byteCount: capacity, alignment: 16)
    }
  }

  private enum Sink {
    case memory
    case descriptor(Int32)
    case function((UnsafeRawBufferPointer) -> Int32?)
  }

  /// Makes a writer in front of an open descriptor, which stays the caller's to close.
  ///
  /// Bytes not flushed when the writer goes away are lost.
  public init(descriptor: Int32) {
    precondition(descriptor >= 0)
    sink = .descriptor(descriptor)
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: Buffer(capacity: Self.initialCapacity))
  }

  /// Makes a writer that hands a function all bytes each time the buffer is full or flushed.
  ///
  /// - Parameter sink: Takes bytes, which it may not keep; a result that is not nil is the errno of
  ///   `failure`.
  public init(bufferByteCount: Int, sink: @escaping (UnsafeRawBufferPointer) -> Int32?) {
    self.sink = .function(sink)
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: Buffer(capacity: bufferByteCount))
  }

  /// Makes a writer that keeps everything in memory until `takeBytes()`.
  public init() {
    sink = .memory
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: Buffer(capacity: Self.initialCapacity))
  }

  deinit {
    base.deallocate()
    buffer.deallocate()
  }

  @inlinable @inline(__always)
  var base: UnsafeMutableRawPointer { buffer.pointee.base }

  @inlinable @inline(__always)
  var capacity: Int { buffer.pointee.capacity }

  @inlinable @inline(__always)
  var used: Int {
    get { buffer.pointee.used }
    set { buffer.pointee.used = newValue }
  }

  /// The number of bytes waiting in the buffer; for a memory sink all bytes written.
  public var bufferedByteCount: Int { used }

  /// Appends bytes.
  @inlinable @inline(__always)
  public func write(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let byteCount = bytes.count
    if byteCount <= capacity &- used {
      (base + used).copyMemory(from: source, byteCount: byteCount)
      used &+= byteCount
    } else {
      writeSlowly(source, byteCount)
    }
  }

  /// Appends the UTF-8 of a literal.
  @inlinable @inline(__always)
  public func write(_ text: StaticString) {
    if text.hasPointerRepresentation {
      write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    } else {
      write(String(text.unicodeScalar))
    }
  }

  /// Appends the UTF-8 of a text; a literal takes the overload for literals.
  @_disfavoredOverload
  public func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// Appends bytes.
  public func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  /// Appends one byte.
  @inlinable @inline(__always)
  public func byte(_ byte: UInt8) {
    if used == capacity { makeRoom(1) }
    base.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
    used &+= 1
  }

  /// Appends blanks; none when the count is not positive.
  public func pad(_ count: Int) {
    var rest = count
    while rest > 0 {
      let piece = min(rest, 4096)
      if capacity &- used < piece { makeRoom(piece) }
      memset(base + used, 0x20, piece)
      used &+= piece
      rest &-= piece
    }
  }

  /// Appends at most `limit` bytes stored by a closure, with a single check of the capacity.
  ///
  /// - Parameter body: Gets room for `limit` bytes and returns how many it has stored.
  /// - Precondition: `limit` is not negative and the closure returns a number in `0...limit`.
  @inlinable @inline(__always)
  public func write(atMost limit: Int, _ body: (UnsafeMutableRawPointer) -> Int) {
    precondition(limit >= 0)
    if capacity &- used < limit { makeRoom(limit) }
    let stored = body(base + used)
    precondition(stored >= 0 && stored <= limit)
    used &+= stored
  }

  private var isMemory: Bool {
    if case .memory = sink { true } else { false }
  }

  /// Empties the buffer into the sink; does nothing for a memory sink.
  public func flush() {
    guard !isMemory, used > 0 else { return }
    send(base, used)
    used = 0
  }

  /// The bytes of a memory sink, which is empty afterwards.
  ///
  /// - Precondition: The writer was made by `init()`.
  public func takeBytes() -> [UInt8] {
    precondition(isMemory)
    let bytes = [UInt8](UnsafeRawBufferPointer(start: base, count: used))
    used = 0
    return bytes
  }

  /// Hands the bytes of a memory sink to a closure, without a copy; the sink is empty afterwards.
  ///
  /// - Precondition: The writer was made by `init()`, and the closure does not write to it.
  public func drain<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    precondition(isMemory)
    let result = body(UnsafeRawBufferPointer(start: base, count: used))
    used = 0
    return result
  }

  /// Makes at least `byteCount` bytes of the buffer free.
  @usableFromInline @inline(never)
  func makeRoom(_ byteCount: Int) {
    flush()
    guard capacity &- used < byteCount else { return }
    let newCapacity = max(capacity &* 2, used + byteCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    memcpy(larger, base, used)
    base.deallocate()
    buffer.pointee.base = larger
    buffer.pointee.capacity = newCapacity
  }

  @usableFromInline @inline(never)
  func writeSlowly(_ source: UnsafeRawPointer, _ byteCount: Int) {
    if !isMemory, byteCount >= capacity {
      flush()
      send(source, byteCount)
      return
    }
    makeRoom(byteCount)
    memcpy(base + used, source, byteCount)
    used &+= byteCount
  }

  private func send(_ source: UnsafeRawPointer, _ byteCount: Int) {
    sentByteCount &+= byteCount
    switch sink {
    case .memory: break
    case .descriptor(let descriptor): send(source, byteCount, to: descriptor)
    case .function(let function):
      guard failure == nil else { return }
      failure = function(UnsafeRawBufferPointer(start: source, count: byteCount))
    }
  }

  /// Loops over `write(2)` until all is out or the first error.
  private func send(_ source: UnsafeRawPointer, _ byteCount: Int, to descriptor: Int32) {
    var sent = 0
    while sent < byteCount, failure == nil {
      let result = Glibc.write(descriptor, source + sent, byteCount &- sent)
      if result >= 0 {
        sent &+= result
      } else if errno != EINTR {
        failure = errno
      }
    }
  }
}

extension ByteWriter {
  /// Appends a number in decimal.
  @inlinable @inline(__always)
  public func writeInt(_ value: Int64) {
    write(atMost: maximumIntegerByteCount) { printInt(value, to: $0) }
  }

  /// Appends a number in decimal.
  @inlinable @inline(__always)
  public func writeUInt(_ value: UInt64) {
    write(atMost: maximumIntegerByteCount) { printUInt(value, to: $0) }
  }

  /// Appends the shortest text that reads back as the same double (see `printDouble`).
  public func writeDouble(_ value: Double) {
    write(atMost: maximumDoubleByteCount) { printDouble(value, to: $0) }
  }

  /// Appends the shortest text that reads back as the same float (see `printFloat`).
  public func writeFloat(_ value: Float) {
    write(atMost: maximumDoubleByteCount) { printFloat(value, to: $0) }
  }
}
