import CLibEdit
import Glibc

/// The lines of the user's `~/.editrc`, or of the file that EDITRC names.
///
/// They are not left to libedit: a line that chooses the keys of emacs or vi resets all bindings,
/// and it has to come before those of this module, the other lines after them.
struct UserBindings {
  private let lines: [String]
  /// Characters of a line that is obeyed: libedit writes longer keys and texts beyond its memory.
  private static let longestLine = 1000
  /// Bytes of the file that are read.
  private static let greatestByteCount = 1 << 20

  /// Reads the file, if there is one.
  init() {
    let path =
      getenv("EDITRC").map { String(cString: $0) }
      ?? getenv("HOME").map { String(cString: $0) + "/.editrc" } ?? ""
    guard !path.isEmpty, let bytes = LineHistory.contents(of: path) else {
      lines = []
      return
    }
    lines = String(decoding: bytes.prefix(Self.greatestByteCount), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Gives lines to libedit, which obeys those for this program.
  ///
  /// - Parameter choosingKeys: Whether the lines are included that choose the keys.
  func apply(to handle: OpaquePointer, choosingKeys: Bool) {
    var macros = KeyMacros()
    for line in lines {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.hasPrefix("#") || !choosingKeys && Self.choosesKeys(line) { continue }
      guard line.unicodeScalars.count <= Self.longestLine else { continue }
      Self.obey(String(line), in: handle, &macros)
    }
  }

  private static func choosesKeys(_ line: Substring) -> Bool {
    let words = line.split { $0 == " " || $0 == "\t" }
    let command = words.first?.split(separator: ":").last
    return command == "bind" && words.count == 2 && ["-v", "-e"].contains(words[1])
  }

  private static func obey(
    _ line: String, in handle: OpaquePointer, _ macros: inout KeyMacros
  ) {
    guard let tokenizer = tok_winit(nil) else { return }
    defer { tok_wend(tokenizer) }
    var count: Int32 = 0
    var words: UnsafeMutablePointer<UnsafePointer<wchar_t>?>?
    withWideText(line) { line in
      guard tok_wstr(tokenizer, line, &count, &words) == 0, count > 0, let words else { return }
      let texts = UnsafeBufferPointer(start: words, count: Int(count)).compactMap { word in
        word.map { wideText($0, count: wcslen($0)) }
      }
      guard macros.take(texts) else { return }
      _ = el_wparse(handle, count, words)
    }
  }
}
