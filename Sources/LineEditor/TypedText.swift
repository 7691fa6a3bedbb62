import ByteKernels

/// The text being typed and the cursor in it.
///
/// All places are bytes of the UTF-8 text. Source: shell.md 21 (movement by grapheme clusters).
struct TypedText: Equatable {
  var bytes: [UInt8] = []
  var cursor = 0

  /// The text as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the cursor stands behind the text.
  var isAtEnd: Bool { cursor == bytes.count }

  // MARK: Rows

  /// The start of the row in which a place is.
  func rowStart(of place: Int) -> Int {
    bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
  }

  /// The end of the row in which a place is, without its newline.
  func rowEnd(of place: Int) -> Int {
    bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
  }

  /// Columns from the start of the row to the cursor.
  var column: Int {
    bytes.withUnsafeBytes {
      displayWidth(of: UnsafeRawBufferPointer(rebasing: $0[rowStart(of: cursor)..<cursor]))
    }
  }

  /// The place in the row at `start` that is nearest to a column.
  func place(inRowAt start: Int, column: Int) -> Int {
    var place = start
    var width = 0
    forEachCluster(in: start..<rowEnd(of: start)) { cluster, columns in
      guard width + columns <= column else { return false }
      width += columns
      place = cluster.upperBound
      return true
    }
    return place
  }

  // MARK: Clusters

  /// The end of the cluster that begins at a place; the place itself at the end of the text.
  func clusterEnd(after place: Int) -> Int {
    var end = place
    forEachCluster(in: place..<min(bytes.count, rowEnd(of: place) + 1)) { cluster, _ in
      end = cluster.upperBound
      return false
    }
    return end
  }

  /// The start of the cluster that ends at a place; the place itself at the start of the text.
  func clusterStart(before place: Int) -> Int {
    place > 0 ? clusterRange(around: place - 1).lowerBound : 0
  }

  /// The cluster that has the byte at a place in it.
  func clusterRange(around place: Int) -> Range<Int> {
    guard place < bytes.count else { return bytes.count..<bytes.count }
    var result = place..<place + 1
    forEachCluster(in: sureBoundary(before: place)..<rowEnd(of: place) + 1) { cluster, _ in
      result = cluster
      return cluster.upperBound <= place
    }
    return result
  }

  /// Whether no cluster has bytes on both sides of a place.
  func isBoundary(_ place: Int) -> Bool {
    guard place > 0, place < bytes.count else { return true }
    if bytes[place] < 0x80, bytes[place - 1] < 0x80 { return true }
    return clusterRange(around: place).lowerBound == place
  }

  /// A place at or before another one where a cluster begins whatever stands before it.
  private func sureBoundary(before place: Int) -> Int {
    var start = place
    while start > 0, bytes[start] >= 0x80 || bytes[start - 1] >= 0x80 { start -= 1 }
    return start
  }

  private func forEachCluster(
    in range: Range<Int>, _ body: (_ cluster: Range<Int>, _ width: Int) -> Bool
  ) {
    let range = range.clamped(to: 0..<bytes.count)
    bytes.withUnsafeBytes { bytes in
      ByteKernels.forEachCluster(in: UnsafeRawBufferPointer(rebasing: bytes[range])) {
        body($0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound, $1)
      }
    }
  }

  // MARK: Words

  /// The end of the word at or behind a place.
  func wordEnd(after place: Int) -> Int {
    var place = place
    while place < bytes.count, !isWord(at: place) { place = clusterEnd(after: place) }
    while place < bytes.count, isWord(at: place) { place = clusterEnd(after: place) }
    return place
  }

  /// The start of the word before a place.
  func wordStart(before place: Int) -> Int {
    var place = place
    while place > 0, !isWord(at: clusterStart(before: place)) {
      place = clusterStart(before: place)
    }
    while place > 0, isWord(at: clusterStart(before: place)) {
      place = clusterStart(before: place)
    }
    return place
  }

  /// Whether the cluster at a place is part of a word: letters, digits, and what libedit counts as
  /// such.
  private func isWord(at place: Int) -> Bool {
    let scalar = bytes.withUnsafeBytes { decodeScalar(in: $0, at: place)?.scalar }
    guard let scalar else { return false }
    if scalar.isASCII {
      return Character(scalar).isLetter || ("0"..."9").contains(scalar)
        || "*?_-.[]~=".unicodeScalars.contains(scalar)
    }
    return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}
