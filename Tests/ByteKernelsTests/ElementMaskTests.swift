import ByteKernels
import Testing

// Goal: masks of elements agree with their one-line definition, for all widths and counts.

@Test func elementPatternsAgreeWithBytes() {
  var random = RandomSource(seed: 70)
  for width in [1, 2, 4, 8, 16, 32, 64] {
    for count in [0, 1, 2, 15, 63, 64, 65, 130, 256] {
      let bytes = randomBytes(width * count, of: [0x41, 0x61], &random)
      for wantedCount in Set([0, 1, min(2, width), width]) {
        var pattern = ElementPattern(width: width)
        var wanted: [Int: (byte: UInt8, ignored: UInt8)] = [:]
        for position in (0..<width).shuffled(using: &random).prefix(min(wantedCount, 5)) {
          let ignored: UInt8 = Bool.random(using: &random) ? 0x20 : 0
          let byte: UInt8 = Bool.random(using: &random) ? 0x41 : 0x61
          wanted[position] = (byte, ignored)
          pattern.want(byte, at: position, ignoring: ignored)
        }
        var mask = [UInt64](repeating: .max, count: maskWordCount(count) + 1)
        withBytes(bytes) { data in
          if let base = data.baseAddress { pattern.fillMask(&mask, base: base, count: count) }
        }
        for i in 0..<maskWordCount(count) * 64 {
          let expected =
            i < count
            && wanted.allSatisfy { position, test in
              (bytes[i * width + position] ^ test.byte) & ~test.ignored == 0
            }
          #expect(mask[i / 64] >> UInt64(i % 64) & 1 == (expected ? 1 : 0), "\(width) \(i)")
        }
        #expect(mask.last == .max)
      }
    }
  }
}

@Test func patternsOfTextsAgreeWithEqualsFolded() {
  let texts = ["a", "A", "[", "{", "à", "À", "×", "÷", "ß", "Ÿ", "ÿ", "aÀ", "Aà", "é", "É", "z`"]
  for isFolded in [false, true] {
    for wanted in texts {
      var pattern = ElementPattern(width: 4)
      withBytes(wanted) { pattern.want($0, isFolded: isFolded) }
      for text in texts where text.utf8.count == wanted.utf8.count {
        let element = Array(text.utf8) + [0, 0, 0]
        var mask: UInt64 = 0
        withBytes(Array(element.prefix(4))) { data in
          if let base = data.baseAddress { pattern.fillMask(&mask, base: base, count: 1) }
        }
        let expected = withBytes(text) { a in
          withBytes(wanted) { b in isFolded ? equalsFolded(a, b) : Array(a) == Array(b) }
        }
        #expect(mask == (expected ? 1 : 0), "\(text) \(wanted) \(isFolded)")
      }
    }
  }
}
