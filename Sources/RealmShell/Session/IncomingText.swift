import Glibc
import RealmLanguage

/// The text of a pipe, a terminal or a file, in pieces of whole statements as they come.
struct IncomingText {
  /// Bytes after which a piece is handed out although more are there. Looking for the end of the last
  /// statement costs time that is saved if all of the text is there at once.
  private static let pieceByteCount = 128 << 20
  /// Bytes from which on a pipe that is empty is given a moment to be filled again.
  private static let patientByteCount = 1 << 16
  private static let patienceMilliseconds: Int32 = 2
  /// Most bytes of one statement; that of a dump makes a whole database.
  private static let maximumByteCount = 4 << 30

  private let descriptor: Int32
  private let name: String
  /// What was read and not handed out yet.
  private var bytes: [UInt8] = []
  private var statements = StatementBounds.GrowingText()
  /// The number of the line that `bytes` begins with.
  private var line = 1
  private var isAtEnd = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameter name: What messages call the text.
  init(_ descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
  }

  /// The next piece, waited for if none has come; nil at the end.
  ///
  /// - Throws: `ShellError`: the text cannot be read, a statement is too large, or the user
  ///   interrupts.
  mutating func next() throws(ShellError) -> SourceText? {
    while !isAtEnd {
      try read()
      if isAtEnd || hasMore && bytes.count < IncomingText.pieceByteCount { continue }
      withExtendedLifetime(bytes) { text in statements.read(text.span) }
      if statements.end > 0 { return take(statements.end) }
      guard bytes.count <= IncomingText.maximumByteCount else {
        throw ShellError(
          .limitExceeded,
          "\(name) has a statement of more than \(IncomingText.maximumByteCount >> 20) MiB")
      }
    }
    return bytes.isEmpty ? nil : take(bytes.count)
  }

  private mutating func read() throws(ShellError) {
    let count = try repeatingCall { Glibc.read(descriptor, &buffer, buffer.count) }
    guard count >= 0 else {
      throw ShellError(
        .fileOperationFailed, "cannot read \(name): \(StorageMessages.systemText(errno))")
    }
    try Interruption.check()
    bytes += buffer[..<count]
    isAtEnd = count == 0
  }

  /// Whether reading would not wait, or hardly.
  private var hasMore: Bool {
    let isPatient = bytes.count >= IncomingText.patientByteCount
    var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&source, 1, isPatient ? IncomingText.patienceMilliseconds : 0) > 0
  }

  /// Hands out the first bytes. Of a text that is not UTF-8 the statements before the bad place come
  /// first, then the rest of its line, so that the pieces that came make no difference.
  private mutating func take(_ count: Int) -> SourceText {
    var count = count
    var piece = Array(bytes[..<count])
    if let invalid = IncomingText.firstInvalidOffset(in: piece) {
      var before = StatementBounds.GrowingText()
      let start = piece[..<invalid].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      before.read(Array(piece[..<start]).span)
      count =
        before.end > 0 ? before.end : piece[invalid...].firstIndex(of: 0x0A).map { $0 + 1 } ?? count
      piece.removeLast(piece.count - count)
    }
    defer { line += piece.count { $0 == 0x0A } }
    bytes = count == bytes.count ? [] : Array(bytes[count...])
    statements = StatementBounds.GrowingText()
    return SourceText(fileName: name, bytes: piece, baseLine: line)
  }

  private static func firstInvalidOffset(in bytes: [UInt8]) -> Int? {
    do {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }
}
