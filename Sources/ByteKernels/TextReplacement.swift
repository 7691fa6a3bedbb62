// The library that Swift has for these links an engine for regular expressions, 1.3 MB.
extension String {
  /// Whether `part` occurs in the text, compared by bytes; the empty text does.
  public func contains(_ part: String) -> Bool {
    part.isEmpty || !occurrences(of: part, in: self).isEmpty
  }

  /// The text with `replacement` where `part` was, compared by bytes.
  ///
  /// - Parameter part: Not empty.
  public func replacing(_ part: String, with replacement: String) -> String {
    pieces(separatedBy: part).joined(separator: replacement)
  }

  /// The texts before, between and after all `separator`s, compared by bytes; empty ones too.
  ///
  /// - Parameter separator: Not empty.
  public func pieces(separatedBy separator: String) -> [Substring] {
    var parts: [Substring] = []
    var start = startIndex
    for range in occurrences(of: separator, in: self) {
      parts.append(self[start..<range.lowerBound])
      start = range.upperBound
    }
    parts.append(self[start...])
    return parts
  }
}

/// Where `part`, which is not empty, occurs, from left to right and without overlap.
private func occurrences(of part: String, in text: String) -> [Range<String.Index>] {
  precondition(!part.isEmpty)
  let (hay, needle) = (Array(text.utf8), Array(part.utf8))
  var ranges: [Range<String.Index>] = []
  hay.withUnsafeBytes { hay in
    needle.withUnsafeBytes { needle in
      var (last, index) = (0, text.startIndex)
      while let found = firstIndex(of: needle, in: hay, from: last) {
        let start = text.utf8.index(index, offsetBy: found - last)
        (last, index) = (found + needle.count, text.utf8.index(start, offsetBy: needle.count))
        ranges.append(start..<index)
      }
    }
  }
  return ranges
}
