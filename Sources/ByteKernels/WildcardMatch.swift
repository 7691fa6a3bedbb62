import Glibc

/// Whether a whole text matches a pattern in which `*` stands for any number of characters and `?`
/// for exactly one.
///
/// A character is one UTF-8 sequence; an invalid byte is a character of its own. When the text is
/// used up only one star is skipped, so `a**` does not match `a` but matches `ab`.
/// Source: query-language.md 12.4.
///
/// - Parameter isFolded: Whether letters are compared without case, as by `equalsFolded`.
/// - Complexity: O(text x pattern) at worst, without recursion.
public func matchesWildcards(
  _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, isFolded: Bool = false
) -> Bool {
  guard let pattern0 = pattern.baseAddress, pattern.count > 0 else { return text.count == 0 }
  let anyString = UInt8(ascii: "*")
  let anyCharacter = UInt8(ascii: "?")
  var t = 0
  var p = 0
  var star: Int?
  var mark = 0
  while t < text.count, let text0 = text.baseAddress {
    if p < pattern.count {
      if pattern[p] == anyString {
        star = p
        mark = t
        p &+= 1
        continue
      }
      let byteCount = characterByteCount(in: text, at: t)
      if pattern[p] == anyCharacter {
        t &+= byteCount
        p &+= 1
        continue
      }
      if byteCount == characterByteCount(in: pattern, at: p),
        isFolded
          ? equalsFoldedBytes(text0 + t, pattern0 + p, byteCount)
          : memcmp(text0 + t, pattern0 + p, byteCount) == 0
      {
        t &+= byteCount
        p &+= byteCount
        continue
      }
    }
    guard let star else { return false }
    mark &+= characterByteCount(in: text, at: mark)
    t = mark
    p = star &+ 1
  }
  if p < pattern.count, pattern[p] == anyString { p &+= 1 }
  return p == pattern.count
}
