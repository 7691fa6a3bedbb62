import ByteKernels
import Testing

// Goal: searching, folding and wildcards agree with naive versions on random texts.

private func folded(_ character: Unicode.Scalar) -> Unicode.Scalar {
  switch character.value {
  case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE: Unicode.Scalar(character.value + 32) ?? character
  default: character
  }
}

private func folded(_ text: String) -> String {
  String(String.UnicodeScalarView(text.unicodeScalars.map(folded)))
}

private func naiveIndex(_ needle: [UInt8], _ hay: [UInt8], _ start: Int) -> Int? {
  guard start + needle.count <= hay.count else { return nil }
  return (start...hay.count - needle.count).first { hay[$0...].starts(with: needle) }
}

@Test func searchFindsTheFirstMatch() {
  var random = RandomSource(seed: 50)
  for hayCount in 0...130 {
    for needleCount in [0, 1, 2, 3, 5, 16, 17, 40] {
      let hay = randomBytes(hayCount, of: [0x61, 0x62], &random)
      var needle = randomBytes(needleCount, of: [0x61, 0x62], &random)
      if needleCount > 3, needleCount <= hayCount {
        let position = Int.random(in: 0...hayCount - needleCount, using: &random)
        needle = Array(hay[position..<position + needleCount])
      }
      let start = Int.random(in: 0...hayCount + 1, using: &random)
      let found = withBytes(needle) { n in
        withBytes(hay) { h in firstIndex(of: n, in: h, from: start) }
      }
      #expect(found == naiveIndex(needle, hay, start))
    }
  }
}

private let letters: [Unicode.Scalar] = [
  "a", "A", "z", "Z", "[", "{", "@", "`", "à", "À", "×", "÷", "ß", "ÿ", "þ", "Þ", "ő", "Ő", "€",
]

private func randomText(_ count: Int, _ random: inout RandomSource) -> String {
  var text = String.UnicodeScalarView()
  for _ in 0..<count { text.append(letters.randomElement(using: &random) ?? "a") }
  return String(text)
}

@Test func searchWithoutCaseAgreesWithFoldedTexts() {
  var random = RandomSource(seed: 51)
  for count in 0...60 {
    for _ in 0..<20 {
      let hay = randomText(count, &random)
      let needle = randomText(Int.random(in: 0...2, using: &random), &random)
      let foldedHay = Array(folded(hay).utf8)
      let foldedNeedle = Array(folded(needle).utf8)
      withBytes(hay) { h in
        withBytes(needle) { n in
          #expect(firstIndexFolded(of: n, in: h) == naiveIndex(foldedNeedle, foldedHay, 0))
          #expect(containsFolded(h, n) == (naiveIndex(foldedNeedle, foldedHay, 0) != nil))
          #expect(hasPrefixFolded(h, n) == foldedHay.starts(with: foldedNeedle))
          #expect(
            hasSuffixFolded(h, n) == foldedHay.reversed().starts(with: foldedNeedle.reversed()))
          #expect(foldedCase(h) == foldedHay)
        }
      }
    }
  }
}

@Test func equalityWithoutCaseKnowsExactlyTheLettersOfLatin1() {
  for value in 0...UInt32(0x24FF) {
    guard let scalar = Unicode.Scalar(value) else { continue }
    for other in [value ^ 0x20, value + 1, value] {
      guard let otherScalar = Unicode.Scalar(other) else { continue }
      let expected = folded(scalar) == folded(otherScalar)
      for padding in ["", "seven b", "eight by"] {
        let isEqual = withBytes(padding + String(Character(scalar))) { a in
          withBytes(padding + String(Character(otherScalar))) { equalsFolded(a, $0) }
        }
        #expect(isEqual == expected)
      }
    }
  }
}

/// The definition with recursion, on characters, without the oddity of the single last star.
private func naiveLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>)
  -> Bool
{
  guard let first = pattern.first else { return text.isEmpty }
  if first == "*" {
    return (text.startIndex...text.endIndex).contains {
      naiveLike(text[$0...], pattern.dropFirst())
    }
  }
  guard let character = text.first, first == "?" || first == character else { return false }
  return naiveLike(text.dropFirst(), pattern.dropFirst())
}

private func like(_ text: String, _ pattern: String, isFolded: Bool = false) -> Bool {
  withBytes(text) { t in
    withBytes(pattern) { matchesWildcards(t, $0, isFolded: isFolded) }
  }
}

@Test func wildcardsAgreeWithTheirDefinition() {
  var random = RandomSource(seed: 52)
  let textLetters: [Unicode.Scalar] = ["a", "A", "é", "É", "狗"]
  let patternLetters = textLetters + ["*", "*", "?", "?"]
  for _ in 0..<20_000 {
    var text = String.UnicodeScalarView()
    var pattern = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...7, using: &random) {
      text.append(textLetters.randomElement(using: &random) ?? "a")
    }
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let letter = patternLetters.randomElement(using: &random) ?? "a"
      if letter != "*" || pattern.last != "*" { pattern.append(letter) }
    }
    #expect(like(String(text), String(pattern)) == naiveLike(Array(text)[...], Array(pattern)[...]))
    let foldedText = Array(folded(String(text)).unicodeScalars)
    let foldedPattern = Array(folded(String(pattern)).unicodeScalars)
    #expect(
      like(String(text), String(pattern), isFolded: true)
        == naiveLike(foldedText[...], foldedPattern[...]))
  }
}

@Test func onlyOneStarIsSkippedAtTheEndOfTheText() {
  #expect(!like("a", "a**"))
  #expect(!like("", "**"))
  #expect(like("ab", "a**"))
  #expect(like("", "*"))
  #expect(like("", ""))
  #expect(!like("a", ""))
}

@Test func invalidBytesAreCharactersOfTheirOwn() {
  func like(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    withBytes(text) { t in withBytes(pattern) { matchesWildcards(t, $0) } }
  }
  #expect(like([0xFF, 0xC3], Array("??".utf8)))
  #expect(!like([0xFF, 0xC3], Array("?".utf8)))
  #expect(like([0xE7, 0x8B, 0x61], Array("??a".utf8)))
  #expect(like([0x61, 0xC3], [0x61, 0xC3]))
}
