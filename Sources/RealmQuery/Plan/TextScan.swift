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
        if condition.comparison == .contains, !pattern.isEmpty {
          return search(elements) & rows
        }
        if let found = compare(elements) { return found & rows }
      }
      return each(rows) { elements.text(at: $0) }
    }
    if let blob = leaf.contiguousText {
      var rows = rows
      if isDense, !pattern.isEmpty, !matchesNull {
        switch condition.comparison {
        case .contains: return search(leaf, blob, count) & rows
        case .equal, .beginsWith, .endsWith:
          // What matches contains the pattern, and few texts do.
          rows = search(leaf, blob, count) & rows
        default: break
        }
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

  // MARK: Whole short texts and their beginnings

  /// Compares whole elements: the bytes of the text and the last byte, which tells its length. Nil
  /// for other conditions.
  private func compare(_ texts: ShortTexts) -> RowMask? {
    guard !pattern.isEmpty else { return nil }
    let isTooLong = pattern.count >= texts.width
    switch condition.comparison {
    case .equal where !matchesNull: return isTooLong ? .empty : equal(texts)
    case .notEqual where matchesNull || !isNullable:
      return isTooLong ? texts.all : texts.all.subtracting(equal(texts))
    case .beginsWith where !matchesNull: return isTooLong ? .empty : beginning(texts)
    default: return nil
    }
  }

  private func equal(_ texts: ShortTexts) -> RowMask {
    var wanted = ElementPattern(width: texts.width)
    wanted.want(pattern, isFolded: condition.ignoresCase)
    wanted.want(UInt8(texts.width - 1 - pattern.count), at: texts.width - 1)
    return RowMask.filled { wanted.fillMask($0, base: texts.base, count: texts.count) }
  }

  private func beginning(_ texts: ShortTexts) -> RowMask {
    var wanted = ElementPattern(width: texts.width)
    wanted.want(pattern, isFolded: condition.ignoresCase)
    let found = RowMask.filled { wanted.fillMask($0, base: texts.base, count: texts.count) }
    // The bytes behind the end of a text, and those of null, can look like the pattern.
    return found.filter { texts.byteCount(at: $0) >= pattern.count }
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

  /// The number of bytes of a row; 0 if it is null.
  @inline(__always)
  func byteCount(at row: Int) -> Int {
    max(
      0, width &- 1 &- Int((base + row &* width).load(fromByteOffset: width &- 1, as: UInt8.self)))
  }

  /// The text of a row; nil if it is null.
  @inline(__always)
  func text(at row: Int) -> UnsafeRawBufferPointer? {
    let start = base + row &* width
    let pad = Int(start.load(fromByteOffset: width &- 1, as: UInt8.self))
    if pad >= width { return isNullable ? nil : UnsafeRawBufferPointer(start: start, count: 0) }
    return UnsafeRawBufferPointer(start: start, count: width &- 1 &- pad)
  }
}
