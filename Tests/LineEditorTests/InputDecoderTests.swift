import TestSupport
import Testing

@testable import LineEditor

/// Characters come out as from the whole text, however the bytes arrive.
struct InputDecoderTests {
  private static func decoded(_ pieces: [[UInt8]]) -> String {
    var decoder = InputDecoder()
    var scalars = String.UnicodeScalarView()
    for piece in pieces {
      decoder.append(piece[...])
      while let scalar = decoder.next() {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  @Test func piecesMakeTheSameTextAsTheWhole() {
    let bytes = Array("a\u{7F}é狗🐕\u{10FFFF}\r".utf8)
    #expect(Self.decoded([bytes]) == String(decoding: bytes, as: UTF8.self))
    #expect(Self.decoded(bytes.map { [$0] }) == String(decoding: bytes, as: UTF8.self))
  }

  @Test func invalidBytesAreReplaced() {
    #expect(Self.decoded([[0x61, 0x80, 0x62]]) == "a\u{FFFD}b")
    // A sequence that breaks off, with the next character intact.
    #expect(Self.decoded([[0xE7, 0x8B], [0x61]]) == "\u{FFFD}a")
    // A surrogate, and an overlong form of a slash.
    #expect(Self.decoded([[0xED, 0xA0, 0x80, 0x61]]).hasSuffix("a"))
    #expect(Self.decoded([[0xC0, 0xAF]]) == "\u{FFFD}\u{FFFD}")
  }

  @Test func anyBytesAreConsumed() {
    var random = SplitMix64.fresh(for: "InputDecoder")
    for _ in 0..<1000 {
      let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // Four ASCII bytes complete whatever the random bytes began.
      let scalars = Self.decoded([bytes, Array("done".utf8)]).unicodeScalars
      #expect(scalars.suffix(4).elementsEqual("done".unicodeScalars))
    }
  }
}
