import ByteKernels
import Testing

@Suite struct TextReplacementTests {
  @Test func splitsAtEachSeparator() {
    func parts(_ text: String, _ separator: String) -> [String] {
      text.pieces(separatedBy: separator).map { String($0) }
    }
    #expect(parts("a--b--c", "--") == ["a", "b", "c"])
    #expect(parts("--a--", "--") == ["", "a", ""])
    #expect(parts("a---b", "--") == ["a", "-b"])
    #expect(parts("", "--") == [""])
    #expect(parts("größe", "ö") == ["gr", "ße"])
  }

  @Test func replacesWithoutOverlap() {
    #expect("aaa".replacing("aa", with: "b") == "ba")
    #expect("x.y.z".replacing(".", with: "") == "xyz")
    #expect("x".replacing("y", with: "z") == "x")
  }

  @Test func findsParts() {
    #expect("the text".contains("text"))
    #expect("the text".contains(""))
    #expect(!"the text".contains("Text"))
    // Compared by bytes: one scalar is not two.
    #expect(!"e\u{301}".contains("\u{E9}"))
  }
}

@Test func eitherByteIsFoundFirst() {
  var random = RandomSource(seed: 60)
  for count in 0..<70 {
    for _ in 0..<20 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0..<24, using: &random) }
      for start in [0, count / 2, count] {
        let wanted = bytes[start...].firstIndex { $0 == 3 || $0 == 7 } ?? count
        #expect(firstIndex(of: 3, or: 7, in: bytes.span, from: start) == wanted)
      }
    }
  }
}
