/// What a TEXT search wants of a text.
struct FullTextSearch {
  /// Why a search text cannot be used.
  enum Problem: Error {
    case empty, severalWords, excludedAndIncluded
  }

  private(set) var words: [[UInt8]] = []
  private var prefixes: [[UInt8]] = []
  private(set) var exclusions: [[UInt8]] = []
  /// A part that nothing matches.
  private var isHopeless = false

  init(_ text: UnsafeRawBufferPointer) throws(Problem) {
    let parts = text.split { $0 == 0x20 || (9...13).contains($0) }
    guard !parts.isEmpty else { throw .empty }
    for part in parts {
      let isExclusion = part.first == UInt8(ascii: "-")
      let isPrefix = !isExclusion && part.last == UInt8(ascii: "*")
      var tokens = FullTextTokens(UnsafeRawBufferPointer(rebasing: part))
      var word: [UInt8] = []
      guard tokens.next(into: &word) else {
        if !isExclusion { isHopeless = true }
        continue
      }
      var second: [UInt8] = []
      if tokens.next(into: &second) { throw .severalWords }
      if isExclusion {
        exclusions.append(word)
      } else if isPrefix {
        prefixes.append(word)
      } else {
        words.append(word)
      }
    }
    if words.contains(where: exclusions.contains) { throw .excludedAndIncluded }
  }

  /// Whether a text fits; null has no words.
  ///
  /// - Parameter isFiled: Whether the index also files the text under a word that it does not have.
  func matches(
    _ text: UnsafeRawBufferPointer?, isFiled: ([UInt8]) -> Bool
  ) -> Bool {
    if isHopeless { return false }
    var found = words.map(isFiled) + [Bool](repeating: false, count: prefixes.count)
    if exclusions.contains(where: isFiled) { return false }
    var tokens = FullTextTokens(text ?? UnsafeRawBufferPointer(start: nil, count: 0))
    var word: [UInt8] = []
    while tokens.next(into: &word) {
      if exclusions.contains(word) { return false }
      for i in words.indices where words[i] == word { found[i] = true }
      for i in prefixes.indices where word.starts(with: prefixes[i]) {
        found[words.count + i] = true
      }
    }
    return found.allSatisfy { $0 }
  }
}
