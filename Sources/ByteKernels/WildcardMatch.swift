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
        if p &+ 1 == pattern.count { return true }
        star = p
        mark = t
        p &+= 1
        continue
      }
      if pattern[p] == text[t], pattern[p] < 0x80, pattern[p] != anyCharacter {
        t &+= 1
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
    guard let next = nextCandidate(text, mark, pattern, star &+ 1, isFolded) else { return false }
    mark = next
    t = mark
    p = star &+ 1
  }
  if p < pattern.count, pattern[p] == anyString { p &+= 1 }
  return p == pattern.count
}

/// The next place for what follows a star: where the byte after the star occurs; nil if nowhere.
///
/// Characters in between need no look. A byte that begins a character is found only where a
/// character begins; before other bytes and wildcards nothing is skipped.
@inline(__always)
private func nextCandidate(
  _ text: UnsafeRawBufferPointer, _ mark: Int, _ pattern: UnsafeRawBufferPointer,
  _ afterStar: Int, _ isFolded: Bool
) -> Int? {
  let wanted = pattern[afterStar]
  if wanted == UInt8(ascii: "*") || wanted == UInt8(ascii: "?") || wanted & 0xC0 == 0x80 {
    return mark
  }
  let ignored: UInt8 = isFolded ? 0x20 : 0
  var i = mark
  while i < text.count, (text[i] ^ wanted) & ~ignored != 0 { i &+= 1 }
  return i < text.count ? i : nil
}
