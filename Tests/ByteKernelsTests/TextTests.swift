import ByteKernels
import Testing

// Goal: UTF-8 is judged as the standard library does, and columns are counted by cluster.

@Test func validationAgreesWithTheStandardLibrary() {
  var random = RandomSource(seed: 80)
  let alphabet: [UInt8] = [
    0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF,
    0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
  ]
  for _ in 0..<30_000 {
    let bytes = randomBytes(Int.random(in: 0...4, using: &random), of: alphabet, &random)
    let padded = [UInt8](repeating: 0x61, count: Int.random(in: 0...9, using: &random)) + bytes
    let invalid = padded.withUnsafeBytes { firstInvalidUTF8(in: $0) }
    #expect((invalid == nil) == (String(validating: padded, as: UTF8.self) != nil))
    if let invalid {
      #expect(String(validating: padded[..<invalid], as: UTF8.self) != nil)
    }
  }
}

@Test func scalarsAreDecoded() {
  for value in stride(from: UInt32(0), through: 0x10FFFF, by: 37) {
    guard let scalar = Unicode.Scalar(value) else { continue }
    withBytes(String(Character(scalar))) { bytes in
      let decoded = decodeScalar(in: bytes, at: 0)
      #expect(decoded?.scalar == scalar)
      #expect(decoded?.byteCount == bytes.count)
      #expect(characterByteCount(in: bytes, at: 0) == bytes.count)
    }
  }
}

private let widths: [(String, Int)] = [
  ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("ab\u{301}c", 3), ("狗狗", 4), ("한글", 4),
  ("\u{1112}\u{1161}\u{11AB}", 2), ("ｆｕｌｌ", 8), ("ﾊﾝ", 2), ("😀", 2), ("❤", 1), ("❤\u{FE0F}", 2),
  ("👩‍👩‍👧‍👦", 2), ("🇩🇰", 2), ("🇩🇰🇸🇪", 4), ("👍🏽", 2), ("1\u{FE0F}\u{20E3}", 2), ("a\u{FE0F}", 1),
  ("─", 1), ("…", 1), ("α", 1), ("\u{200B}", 0), ("x\u{200D}y", 2), ("क्षि", 1), ("¡", 1),
  ("日本語 text", 11), ("が", 2), ("か\u{3099}", 2), ("👩‍🚀!", 3), ("\u{301}", 0),
]

@Test func columnsAreCountedByCluster() {
  for (text, width) in widths {
    #expect(withBytes(Array(text.utf8)) { displayWidth(of: $0) } == width, "\(text)")
    let long = "padding " + text + " and more of it"
    #expect(withBytes(long) { displayWidth(of: $0) } == width + 23, "\(text)")
  }
  #expect(withBytes([0x61, 0xFF, 0xC3]) { displayWidth(of: $0) } == 3)
}

@Test func clustersAreTheCharactersOfTheStandardLibrary() {
  var random = RandomSource(seed: 81)
  let parts = widths.map(\.0) + ["\u{600}", "\u{94D}", "\u{1F1E9}", "\u{200D}", "\u{E0020}", "a"]
  for _ in 0..<5000 {
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      text += parts.randomElement(using: &random) ?? ""
    }
    var pieces: [String] = []
    var total = 0
    withBytes(text) { bytes in
      forEachCluster(in: bytes) { range, width in
        pieces.append(String(decoding: bytes[range], as: UTF8.self))
        total += width
        return true
      }
    }
    #expect(pieces == text.map { String($0) })
    #expect(withBytes(text) { displayWidth(of: $0) } == total)
  }
}

@Test func clusterLoopStopsWhenTold() {
  var seen = 0
  withBytes("a狗😀b") { bytes in
    forEachCluster(in: bytes) { _, width in
      seen += width
      return seen < 3
    }
  }
  #expect(seen == 3)
}
