import ByteKernels
import Glibc
import RealmStorage

/// Tests the texts of a leaf against one pattern.
///
/// The forms of leaves are told apart once; texts are looked at where they lie.
struct TextScan {
  let condition: ValueCondition
  let pattern: UnsafeRawBufferPointer
  /// Whether null matches.
  let matchesNull: Bool
  /// Whether the column has nulls; what stands for null elsewhere is the empty text.
  let isNullable: Bool

  /// Below this share of wanted rows, one in so many, rows are tested one at a time.
  private static let sparseShare = 8

  /// The rows of `rows` that match; `count` is that of the leaf.
  func matches(
    _ leaf: StringLeaf, _ count: Int, _ rows: RowMask
  ) throws(StorageError) -> RowMask {
    let isDense = rows.count &* TextScan.sparseShare >= count
    if let (base, width) = leaf.shortElements {
      let elements = ShortTexts(base: base, width: width, count: count, isNullable: isNullable)
      if isDense {
        switch (condition.comparison, condition.ignoresCase) {
        case (.contains, _) where !pattern.isEmpty: return search(elements) & rows
        case (.equal, false): return equal(elements) & rows
        default: break
        }
      }
      return each(rows) { elements.text(at: $0) }
    }
    if let blob = leaf.contiguousText {
      if isDense, condition.comparison == .contains, !pattern.isEmpty {
        return search(leaf, blob, count) & rows
      }
      return try each(rows) { (row) throws(StorageError) in
        let start = row == 0 ? 0 : leaf.end(ofRow: row &- 1)
        let end = leaf.end(ofRow: row) &- 1
        // What looks like an empty text can be null or wrong.
        guard start >= 0, start < end, end < blob.count else { return try leaf.value(at: row) }
        return UnsafeRawBufferPointer(rebasing: blob[start..<end])
      }
    }
    return try each(rows) { (row) throws(StorageError) in try leaf.value(at: row) }
  }

  @inline(__always)
  private func each<Failure: Error>(
    _ rows: RowMask, _ text: (Int) throws(Failure) -> UnsafeRawBufferPointer?
  ) throws(Failure) -> RowMask {
    try rows.filter { (row) throws(Failure) in
      try text(row).map { condition.matches($0, pattern) } ?? matchesNull
    }
  }

  // MARK: Equality with short texts

  /// Compares whole elements: the bytes of the text and the last byte, which tells its length.
  private func equal(_ texts: ShortTexts) -> RowMask {
    guard pattern.count < texts.width else {
      return matchesNull ? each(texts.all, texts.text) : .empty
    }
    if texts.width < 4 || texts.width > 16 || matchesNull || pattern.isEmpty {
      return each(texts.all, texts.text)
    }
    // What an element must be, and which of its bytes matter.
    var wanted: (UInt64, UInt64) = (0, 0)
    var mask: (UInt64, UInt64) = (0, 0)
    func want(_ byte: UInt8, at i: Int) {
      let shift = UInt64(truncatingIfNeeded: 8 * (i % 8))
      if i < 8 {
        wanted.0 |= UInt64(byte) &<< shift
        mask.0 |= 0xFF &<< shift
      } else {
        wanted.1 |= UInt64(byte) &<< shift
        mask.1 |= 0xFF &<< shift
      }
    }
    for (i, byte) in pattern.enumerated() { want(byte, at: i) }
    want(UInt8(texts.width - 1 - pattern.count), at: texts.width - 1)
    switch texts.width {
    case 4:
      let key = UInt32(truncatingIfNeeded: wanted.0)
      let bits = UInt32(truncatingIfNeeded: mask.0)
      return texts.filter { ($0.loadUnaligned(as: UInt32.self) ^ key) & bits == 0 }
    case 8:
      return texts.filter { ($0.loadUnaligned(as: UInt64.self) ^ wanted.0) & mask.0 == 0 }
    case 16:
      return texts.filter {
        let low = ($0.loadUnaligned(as: UInt64.self) ^ wanted.0) & mask.0
        let high = ($0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ wanted.1) & mask.1
        return low | high == 0
      }
    default: return each(texts.all, texts.text)
    }
  }

  // MARK: Search in all texts at once

  @inline(__always)
  private func next(_ hay: UnsafeRawBufferPointer, from position: Int) -> Int? {
    condition.ignoresCase
      ? firstIndexFolded(of: pattern, in: hay, from: position)
      : firstIndex(of: pattern, in: hay, from: position)
  }

  private func search(_ texts: ShortTexts) -> RowMask {
    let hay = UnsafeRawBufferPointer(start: texts.base, count: texts.count &* texts.width)
    var result = RowMask.empty
    var position = 0
    while let hit = next(hay, from: position) {
      let row = hit / texts.width
      if let text = texts.text(at: row),
        hit &+ pattern.count <= row &* texts.width &+ text.count
      {
        result.insert(row)
        position = (row &+ 1) &* texts.width
      } else {
        position = hit &+ 1
      }
    }
    return result
  }

  private func search(
    _ leaf: StringLeaf, _ blob: UnsafeRawBufferPointer, _ count: Int
  ) -> RowMask {
    var result = RowMask.empty
    var position = 0
    var row = 0
    while let hit = next(blob, from: position) {
      while row < count, leaf.end(ofRow: row) <= hit { row &+= 1 }
      guard row < count else { break }
      let end = leaf.end(ofRow: row)
      // The last byte of each text is a zero that does not belong to it.
      if hit &+ pattern.count < end {
        result.insert(row)
        position = max(hit &+ 1, end)
      } else {
        position = hit &+ 1
      }
    }
    return result
  }
}

/// Texts in elements of one width, the last byte of which tells how many are not used.
struct ShortTexts {
  let base: UnsafeRawPointer
  let width: Int
  let count: Int
  let isNullable: Bool

  var all: RowMask { RowMask.first(count) }

  /// The text of a row; nil if it is null.
  @inline(__always)
  func text(at row: Int) -> UnsafeRawBufferPointer? {
    let start = base + row &* width
    let pad = Int(start.load(fromByteOffset: width &- 1, as: UInt8.self))
    if pad >= width { return isNullable ? nil : UnsafeRawBufferPointer(start: start, count: 0) }
    return UnsafeRawBufferPointer(start: start, count: width &- 1 &- pad)
  }

  /// The rows whose element passes a test.
  @inline(__always)
  func filter(_ test: (UnsafeRawPointer) -> Bool) -> RowMask {
    var result = RowMask.empty
    var element = base
    for word in 0..<4 {
      let rows = min(64, count &- word &* 64)
      if rows <= 0 { break }
      var bits: UInt64 = 0
      for i in 0..<rows {
        bits |= (test(element) ? 1 : 0) &<< UInt64(truncatingIfNeeded: i)
        element += width
      }
      result.words[word] = bits
    }
    return result
  }
}
