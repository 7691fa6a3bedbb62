import Glibc

/// A record of fields between commas or tabs, and where its fields are.
///
/// Source: RFC 4180; shell.md 18 for tabs.
final class DelimitedText {
  /// Most fields of a record.
  static let maximumFieldCount = 65_536

  /// Where a field is, from the begin of the record; with its quotes.
  struct Field {
    var start: Int
    var end: Int
    /// Whether it stands in quotes.
    var isQuoted: Bool
    /// Whether it contains quotes that are doubled, or backslashes.
    var hasEscapes: Bool

    var range: Range<Int> { start..<end }
  }

  /// What `read` has found.
  enum Outcome {
    /// A record of so many bytes, which takes `next` bytes with its line end and holds so many line
    /// ends.
    case record(count: Int, next: Int, lines: Int)
    /// The record may go on behind the text.
    case incomplete
  }

  /// Whether fields may stand in quotes; else they have escapes.
  let hasQuotes: Bool
  /// The fields of the record that was read last.
  private(set) var fields: [Field] = []
  /// What is wrong with it.
  private(set) var problem: ImportProblem?

  /// The sign between fields.
  let separator: UInt8
  /// A field without its escapes.
  private let scratch = Scratch()

  /// - Parameter separator: The sign between fields in quotes; nil for fields between tabs without.
  init(separator: UInt8?) {
    hasQuotes = separator != nil
    self.separator = separator ?? 0x09
  }

  /// Reads the record at the begin of a text.
  ///
  /// - Parameter isComplete: Whether nothing follows the text.
  func read(_ text: UnsafeRawBufferPointer, isComplete: Bool) -> Outcome {
    fields.removeAll(keepingCapacity: true)
    problem = nil
    guard let base = text.baseAddress else { return .record(count: 0, next: 0, lines: 0) }
    let end = text.count
    var place = 0
    var lines = 0
    while true {
      var field = Field(start: place, end: place, isQuoted: false, hasEscapes: false)
      if hasQuotes, place < end, text[place] == 0x22 {
        guard let close = readQuoted(text, &field, &lines) else {
          guard isComplete else { return .incomplete }
          problem = ImportProblem(
            .importFailed, "the closing quote is missing", at: field.start..<field.start + 1)
          return .record(count: end, next: end, lines: lines)
        }
        place = close
        if place == end, !isComplete { return .incomplete }
      }
      let stop = self.stop(base, from: place, to: end)
      if stop == end, !isComplete { return .incomplete }
      let isLast = stop == end || text[stop] == 0x0A
      // A CR belongs to the line end, if there is one.
      let contentEnd =
        isLast && stop > place && text[stop - 1] == 0x0D ? stop - 1 : stop
      if field.isQuoted, contentEnd > place, problem == nil {
        problem = ImportProblem(
          .importFailed, "text behind a closing quote", at: place..<contentEnd,
          remedy: "a quote inside of quotes is doubled")
      }
      field.end = contentEnd
      if !hasQuotes, !field.isQuoted {
        field.hasEscapes = memchr(base + field.start, 0x5C, contentEnd - field.start) != nil
      }
      if fields.count < DelimitedText.maximumFieldCount {
        fields.append(field)
      } else if problem == nil {
        problem = ImportProblem(
          .limitExceeded, "more than \(grouped(DelimitedText.maximumFieldCount)) fields",
          at: field.range)
      }
      if isLast {
        let hasEnd = stop < end
        return .record(
          count: contentEnd, next: hasEnd ? stop + 1 : stop, lines: lines + (hasEnd ? 1 : 0))
      }
      place = stop + 1
    }
  }

  /// Reads a field in quotes; returns where it ends, nil if it does not.
  private func readQuoted(
    _ text: UnsafeRawBufferPointer, _ field: inout Field, _ lines: inout Int
  ) -> Int? {
    field.isQuoted = true
    var place = field.start + 1
    while place < text.count {
      let byte = text[place]
      place += 1
      if byte == 0x0A {
        lines += 1
      } else if byte == 0x22 {
        guard place < text.count, text[place] == 0x22 else { return place }
        field.hasEscapes = true
        place += 1
      }
    }
    return nil
  }

  /// The next separator or line feed.
  @inline(__always)
  private func stop(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let separators = UInt64(separator) &* ones
    let newlines = 0x0A &* ones
    var place = start
    while place &+ 8 <= end {
      let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let (a, b) = (word ^ separators, word ^ newlines)
      // The lowest mark is right; those above it may be wrong.
      let marks = (a &- ones) & ~a & tops | (b &- ones) & ~b & tops
      if marks != 0 { return place &+ marks.trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < end {
      let byte = base.load(fromByteOffset: place, as: UInt8.self)
      if byte == separator || byte == 0x0A { return place }
      place &+= 1
    }
    return end
  }

  /// The text of a field, valid until the next call.
  ///
  /// - Parameter record: The record that was read last.
  @inline(__always)
  func text(of field: Field, in record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if !field.isQuoted, !field.hasEscapes {
      return UnsafeRawBufferPointer(rebasing: record[field.start..<field.end])
    }
    return unquoted(field, record)
  }

  private func unquoted(
    _ field: Field, _ record: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let inner = UnsafeRawBufferPointer(
      rebasing: field.isQuoted
        ? record[(field.start + 1)..<(field.end - 1)] : record[field.start..<field.end])
    guard field.hasEscapes else { return inner }
    scratch.clear()
    var place = 0
    while place < inner.count {
      var byte = inner[place]
      place += 1
      if field.isQuoted {
        if byte == 0x22 { place += 1 }
      } else if byte == 0x5C, place < inner.count, let escaped = Self.escaped(inner[place]) {
        byte = escaped
        place += 1
      }
      scratch.append(byte)
    }
    return scratch.bytes
  }

  /// Where a part of the text of a field stands in the record.
  func range(
    of part: Range<Int>, in field: Field, of record: UnsafeRawBufferPointer
  ) -> Range<Int> {
    let end = field.isQuoted ? field.end - 1 : field.end
    var place = field.isQuoted ? field.start + 1 : field.start
    var count = 0
    func pass(to offset: Int) -> Int {
      while count < offset, place < end {
        let byte = record[place]
        let isPair =
          field.isQuoted
          ? byte == 0x22
          : field.hasEscapes && byte == 0x5C && place + 1 < end
            && Self.escaped(record[place + 1]) != nil
        place += isPair ? 2 : 1
        count += 1
      }
      return min(place, end)
    }
    let start = pass(to: part.lowerBound)
    return start..<pass(to: part.upperBound)
  }

  /// What a backslash and a character stand for between tabs; nil if the backslash is one.
  private static func escaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case 0x5C: 0x5C
    default: nil
    }
  }
}
