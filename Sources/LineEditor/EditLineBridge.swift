import CLibEdit
import Glibc

/// Stands before and after each terminal sequence in a prompt given to libedit.
let sequenceMark: wchar_t = 1

/// Gives `body` the text as libedit takes it: one 32-bit integer per Unicode scalar and a zero.
func withWideText<Result>(
  _ text: String, _ body: (UnsafePointer<wchar_t>) -> Result
) -> Result {
  let wide = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
  return wide.withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("the array has an element") }
    return body(start)
  }
}

/// Text from libedit; what is no Unicode scalar becomes U+FFFD.
func text(from wide: UnsafePointer<wchar_t>, count: Int) -> String {
  var scalars = String.UnicodeScalarView()
  for character in UnsafeBufferPointer(start: wide, count: count) {
    scalars.append(Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}")
  }
  return String(scalars)
}

private func editor(of handle: OpaquePointer?) -> LineEditor? {
  guard let handle, let data = editline_client_data(handle) else { return nil }
  return Unmanaged<LineEditor>.fromOpaque(data).takeUnretainedValue()
}

/// Reads one character for libedit: 1 with the character, 0 or less for none.
///
/// A global function, since a closure could be bound to an actor, which traps when C calls it.
func readCharacterForLibedit(
  _ handle: OpaquePointer?, _ character: UnsafeMutablePointer<wchar_t>?
) -> Int32 {
  guard let scalar = editor(of: handle)?.readCharacter() else {
    errno = EINTR
    return -1
  }
  character?.pointee = wchar_t(bitPattern: scalar.value)
  return 1
}

/// Gives libedit the prompt, which stays valid until the next row is read.
func promptForLibedit(_ handle: OpaquePointer?) -> UnsafeMutablePointer<wchar_t>? {
  editor(of: handle)?.promptText.baseAddress
}

// MARK: - Prompts

extension LineEditor {
  /// The parts of a prompt: text, and sequences `ESC [ ... letter` that take no room.
  private static func parts(of prompt: String) -> [(text: Substring, isSequence: Bool)] {
    var parts: [(text: Substring, isSequence: Bool)] = []
    var rest = prompt[...]
    while let escape = rest.firstIndex(of: "\u{1B}") {
      parts.append((rest[..<escape], false))
      let end = rest[escape...].firstIndex { $0.isLetter } ?? rest.index(before: rest.endIndex)
      parts.append((rest[escape...end], true))
      rest = rest[rest.index(after: end)...]
    }
    parts.append((rest, false))
    return parts
  }

  /// Columns that a prompt takes on the terminal.
  static func displayWidth(of prompt: String) -> Int {
    parts(of: prompt).filter { !$0.isSequence }.reduce(0) { width, part in
      part.text.unicodeScalars.reduce(width) { $0 + Int(max(0, wcwidth(wchar_t($1.value)))) }
    }
  }

  /// The prompt with a mark around each sequence.
  static func markingSequences(in prompt: String) -> String {
    parts(of: prompt).reduce(into: "") { marked, part in
      marked += part.isSequence ? "\u{1}\(part.text)\u{1}" : part.text
    }
  }
}
