import ByteKernels
import Glibc
import RealmLanguage

/// The bytes of a file that is imported, read piece by piece.
///
/// What was read and not used up stands in memory at `base`, from `start` to `end`.
final class ImportInput {
  private static let firstCapacity = 1 << 20
  /// Most bytes of one record.
  static let maximumCapacity = 256 << 20

  private let descriptor: Int32
  /// What messages call the file.
  let name: String
  /// Size of the file; 0 if it is not known.
  let byteCount: Int
  private(set) var base: UnsafeMutableRawPointer
  private var capacity = ImportInput.firstCapacity
  /// Where the next record begins.
  var start = 0
  private(set) var end = 0
  /// Whether all of the file has been read.
  private(set) var isAtEnd = false
  /// Bytes of the file in front of `base`.
  private var offset = 0
  /// Up to here all is known to be UTF-8.
  private var validEnd = 0
  /// Number of the line that the next record begins with.
  var line = 1

  /// - Parameter descriptor: Is closed in the end, unless it is standard input.
  init(_ descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
    base = .allocate(byteCount: capacity, alignment: 16)
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    byteCount = isFile ? Int(status.st_size) : 0
  }

  deinit {
    base.deallocate()
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Bytes that are used up.
  var position: Int { offset + start }

  /// What is there and not used up.
  var rest: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + start, count: end - start)
  }

  /// Reads until the memory is full or the file ends; what is not used up moves to the front.
  ///
  /// - Throws: `ShellError`: the file cannot be read, a record is too large, or the user interrupts.
  func fill() throws(ShellError) {
    if start > 0 {
      memmove(base, base + start, end - start)
      (offset, validEnd) = (offset + start, max(0, validEnd - start))
      (start, end) = (0, end - start)
    }
    if end == capacity { try grow() }
    while end < capacity, !isAtEnd {
      let room = capacity - end
      let count = try repeatingCall { read(descriptor, base + end, room) }
      guard count >= 0 else {
        throw ShellError(
          .fileOperationFailed, "cannot read \(name): \(StorageMessages.systemText(errno))")
      }
      try Interruption.check()
      end += count
      isAtEnd = count == 0
    }
    checkText()
  }

  private func grow() throws(ShellError) {
    guard capacity < ImportInput.maximumCapacity else {
      throw ShellError(
        .limitExceeded,
        "\(name) has a line of more than \(ImportInput.maximumCapacity >> 20) MiB")
    }
    let larger = UnsafeMutableRawPointer.allocate(byteCount: 2 * capacity, alignment: 16)
    memcpy(larger, base, end)
    base.deallocate()
    (base, capacity) = (larger, 2 * capacity)
  }

  private func checkText() {
    let part = UnsafeRawBufferPointer(start: base + validEnd, count: end - validEnd)
    validEnd = firstInvalidUTF8(in: part).map { validEnd + $0 } ?? end
  }

  /// The first byte that is not UTF-8 in a record that begins at `start`, from there; nil if all are.
  func firstInvalid(inRecordTo recordEnd: Int) -> Int? {
    if recordEnd <= validEnd { return nil }
    let record = UnsafeRawBufferPointer(start: base + start, count: recordEnd - start)
    let invalid = firstInvalidUTF8(in: record)
    validEnd = recordEnd
    checkText()
    return invalid
  }
}
