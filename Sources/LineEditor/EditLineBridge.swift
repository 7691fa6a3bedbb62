import CLibEdit
import Glibc

/// Gives `body` the text as libedit takes it: one 32-bit integer per Unicode scalar and a zero.
///
/// A zero inside the text, which would end it, becomes U+FFFD.
func withWideText<Result>(
  _ text: String, _ body: (UnsafePointer<wchar_t>) -> Result
) -> Result {
  let wide =
    text.unicodeScalars.map { wchar_t(bitPattern: $0.value == 0 ? 0xFFFD : $0.value) } + [0]
  return wide.withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("the array has an element") }
    return body(start)
  }
}

/// A character of libedit; what is no Unicode scalar becomes U+FFFD.
func scalar(_ character: wchar_t) -> Unicode.Scalar {
  Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}"
}

/// Text from libedit.
func wideText(_ wide: UnsafePointer<wchar_t>, count: Int) -> String {
  var scalars = String.UnicodeScalarView()
  for character in UnsafeBufferPointer(start: wide, count: count) {
    scalars.append(scalar(character))
  }
  return String(scalars)
}

/// The editor to which libedit's one belongs.
func editor(of handle: OpaquePointer?) -> LineEditor? {
  guard let handle, let data = editline_client_data(handle) else { return nil }
  return Unmanaged<LineEditor>.fromOpaque(data).takeUnretainedValue()
}

/// Reads one character for libedit: 1 with the character, 0 or less for none.
///
/// A global function, since a closure could be bound to an actor, which traps when C calls it.
func libeditReader(
  _ handle: OpaquePointer?, _ character: UnsafeMutablePointer<wchar_t>?
) -> Int32 {
  guard let scalar = editor(of: handle)?.readCharacter() else {
    errno = EINTR
    return -1
  }
  character?.pointee = wchar_t(bitPattern: scalar.value)
  return 1
}
