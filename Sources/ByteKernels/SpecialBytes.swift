// Searches for the bytes that a text format cannot hold as they are, eight at a time.

/// The position of the first byte at or after `start` that JSON and quoted literals may not hold as
/// it is: a control, a double quote, a backslash, or a byte above ASCII; the count if there is none.
public func firstEscapableByte(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
  scan(bytes, from: start) { word in
    belowBlank(word) | equal(word, 0x22) | equal(word, 0x5C) | equal(word, 0x7F)
      | word & highBits
  }
}

/// The position of the first control or byte above ASCII at or after `start`; the count if there is
/// none.
public func firstUnprintableByte(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
  scan(bytes, from: start) { belowBlank($0) | equal($0, 0x7F) | $0 & highBits }
}

/// Whether a CSV field has to stand in quotes.
///
/// Source: RFC 4180.
public func needsQuotesInRecord(_ bytes: UnsafeRawBufferPointer, separator: UInt8) -> Bool {
  scan(bytes, from: 0) { word in
    equal(word, 0x22) | equal(word, 0x0A) | equal(word, 0x0D) | equal(word, separator)
  } < bytes.count
}

/// The position of the first tab, line end or backslash at or after `start`; the count if there is
/// none.
public func firstTabbedSpecial(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
  scan(bytes, from: start) { word in
    equal(word, 0x09) | equal(word, 0x0A) | equal(word, 0x0D) | equal(word, 0x5C)
  }
}

private let highBits: UInt64 = 0x8080_8080_8080_8080
private let lowBits: UInt64 = 0x0101_0101_0101_0101
/// Eight letters, which no test finds.
private let filler: UInt64 = 0x6161_6161_6161_6161

// The tests set the high bit of each byte they find. Above the first one found there may be wrong
// ones, so that only the lowest bit set counts.

@inline(__always)
private func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
  let difference = word ^ (lowBits &* UInt64(byte))
  return (difference &- lowBits) & ~difference & highBits
}

@inline(__always)
private func belowBlank(_ word: UInt64) -> UInt64 {
  (word &- lowBits &* 0x20) & ~word & highBits
}

/// - Precondition: `start` is not negative.
@inline(__always)
private func scan(
  _ bytes: UnsafeRawBufferPointer, from start: Int, _ test: (UInt64) -> UInt64
) -> Int {
  precondition(start >= 0)
  let count = bytes.count
  guard start < count, let base = bytes.baseAddress else { return count }
  var i = start
  while count &- i >= 8 {
    let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
    let found = test(word)
    if found != 0 { return i &+ found.trailingZeroBitCount / 8 }
    i &+= 8
  }
  guard i < count else { return count }
  let rest = count &- i
  var word: UInt64
  if count >= 8 {
    // The last eight bytes, without those that were looked at.
    word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
    word &>>= UInt64(8 &* (8 &- rest))
  } else {
    word = 0
    for k in 0..<rest {
      let byte = base.load(fromByteOffset: i &+ k, as: UInt8.self)
      word |= UInt64(byte) &<< UInt64(8 &* k)
    }
  }
  let found = test(word | filler &<< UInt64(8 &* rest))
  return found == 0 ? count : i &+ found.trailingZeroBitCount / 8
}
