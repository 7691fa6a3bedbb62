import Glibc

/// The lines typed on a terminal that does the editing itself.
///
/// Not the library's way to read lines, which goes on for ever once Ctrl-C has stopped a read.
struct TypedLines {
  /// What was read and not handed out yet.
  private var bytes: [UInt8] = []

  /// The next line with its newline, waited for; nil at the end.
  ///
  /// - Throws: `ShellError`: the user interrupts, which drops what came of the line, or the input
  ///   cannot be read.
  mutating func next() throws(ShellError) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let newline = bytes.firstIndex(of: 0x0A) { return take(newline + 1) }
      let count: Int
      do throws(ShellError) {
        count = try repeatingCall { read(STDIN_FILENO, &buffer, buffer.count) }
      } catch {
        bytes.removeAll()
        throw error
      }
      guard count >= 0 else {
        throw ShellError(
          .fileOperationFailed, "cannot read the input: \(StorageMessages.systemText(errno))")
      }
      if count == 0 { return bytes.isEmpty ? nil : take(bytes.count) }
      bytes += buffer[..<count]
    }
  }

  private mutating func take(_ count: Int) -> String {
    defer { bytes.removeFirst(count) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
