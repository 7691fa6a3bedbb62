import CLibEdit
import Glibc

/// The line in libedit, with places in bytes.
struct LineBuffer {
  let handle: OpaquePointer

  /// What stands in the line; characters that are no Unicode scalars become U+FFFD.
  var text: TypedText {
    guard let line = el_wline(handle)?.pointee, let start = line.buffer, let end = line.lastchar
    else { return TypedText() }
    let characters = UnsafeBufferPointer(start: start, count: max(0, end - start))
    let cursor = min(max(0, line.cursor - start), characters.count)
    var text = TypedText()
    text.bytes.reserveCapacity(characters.count + 16)
    for (i, character) in characters.enumerated() {
      if i == cursor { text.cursor = text.bytes.count }
      if character >= 0, character < 0x80 {
        text.bytes.append(UInt8(truncatingIfNeeded: character))
      } else {
        text.bytes += UTF8.encode(scalar(character)) ?? UTF8.encodedReplacementCharacter
      }
    }
    if cursor == characters.count { text.cursor = text.bytes.count }
    return text
  }

  /// Moves the cursor.
  func move(from text: TypedText, to place: Int) {
    let range = min(place, text.cursor)..<max(place, text.cursor)
    let count = Int32(clamping: Self.scalarCount(text.bytes[range]))
    el_cursor(handle, place < text.cursor ? -count : count)
  }

  /// Inserts text at the cursor.
  func insert(_ text: String) {
    guard !text.isEmpty else { return }
    withWideText(text) { _ = el_winsertstr(handle, $0) }
  }

  /// Deletes a part of the text and leaves the cursor there.
  func delete(_ range: Range<Int>, of text: TypedText) {
    guard !range.isEmpty else { return }
    move(from: text, to: range.upperBound)
    el_deletestr(handle, Int32(clamping: Self.scalarCount(text.bytes[range])))
  }

  /// Replaces the whole text; the cursor stands behind the new one.
  func replace(_ text: TypedText, by new: String) {
    delete(0..<text.bytes.count, of: text)
    insert(new)
  }

  private static func scalarCount(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }
}
