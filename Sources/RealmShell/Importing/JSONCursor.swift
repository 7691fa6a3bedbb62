import ByteKernels
import Glibc

/// Reads JSON token by token.
///
/// Places in problems count from the begin of the text, which is UTF-8.
struct JSONCursor {
  /// Brackets may be nested this deep.
  static let maximumDepth = 200

  let text: UnsafeRawBufferPointer
  private(set) var place: Int
  /// Strings without their escapes.
  private let scratch: Scratch

  init(_ text: UnsafeRawBufferPointer, at place: Int = 0, scratch: Scratch) {
    (self.text, self.place, self.scratch) = (text, place, scratch)
  }

  /// What a value begins with.
  enum Kind {
    case null
    case bool(Bool)
    case number, string, array, object
  }

  /// The bytes of a range.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[range])
  }

  /// Passes over blanks; the byte that follows, nil at the end.
  @inline(__always)
  mutating func next() -> UInt8? {
    while place < text.count {
      let byte = text[place]
      if byte > 0x20 || (byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09) {
        return byte
      }
      place &+= 1
    }
    return nil
  }

  /// Takes a sign if it follows.
  @inline(__always)
  mutating func take(_ sign: UInt8) -> Bool {
    guard next() == sign else { return false }
    place &+= 1
    return true
  }

  /// Takes a sign that has to follow.
  mutating func require(_ sign: StaticString) throws(ImportProblem) {
    guard take(sign.utf8Start.pointee) else { throw unexpected("expected \(sign)") }
  }

  /// Makes sure that nothing follows.
  mutating func requireEnd() throws(ImportProblem) {
    if next() != nil { throw unexpected("text behind the value") }
  }

  /// The problem that something else stands here.
  func unexpected(_ message: String) -> ImportProblem {
    let isEnd = place >= text.count
    let length = isEnd ? 0 : max(1, characterByteCount(in: text, at: place))
    return ImportProblem(
      .importFailed, isEnd ? "\(message), not the end" : message,
      at: place..<min(text.count, place + length))
  }

  /// What the value is that follows; null, true and false are taken.
  mutating func kind() throws(ImportProblem) -> Kind {
    switch next() ?? 0 {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "n") where takeWord("null"): return .null
    case UInt8(ascii: "t") where takeWord("true"): return .bool(true)
    case UInt8(ascii: "f") where takeWord("false"): return .bool(false)
    default: throw unexpected("expected a JSON value")
    }
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard text.count - place >= count, let base = text.baseAddress,
      memcmp(base + place, word.utf8Start, count) == 0
    else { return false }
    place += count
    return true
  }

  // MARK: Numbers

  /// Takes a number; whether it has a point or an exponent.
  mutating func number() throws(ImportProblem) -> (range: Range<Int>, isInteger: Bool) {
    let start = place
    if take(UInt8(ascii: "-")) {}
    let digits = place
    takeDigits()
    let hasLeadingZero = place - digits > 1 && text[digits] == UInt8(ascii: "0")
    guard place > digits, !hasLeadingZero else { throw badNumber(start) }
    var isInteger = true
    if place < text.count, text[place] == UInt8(ascii: ".") {
      isInteger = false
      place += 1
      let fraction = place
      takeDigits()
      guard place > fraction else { throw badNumber(start) }
    }
    if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      place += 1
      if place < text.count, text[place] == UInt8(ascii: "+") || text[place] == UInt8(ascii: "-") {
        place += 1
      }
      let exponent = place
      takeDigits()
      guard place > exponent else { throw badNumber(start) }
    }
    return (start..<place, isInteger)
  }

  private mutating func takeDigits() {
    while place < text.count, text[place] &- 0x30 < 10 { place &+= 1 }
  }

  private func badNumber(_ start: Int) -> ImportProblem {
    ImportProblem(.importFailed, "not a number of JSON", at: start..<max(place, start + 1))
  }

  // MARK: Strings

  /// Takes a string; its text is valid until the next one.
  mutating func string() throws(ImportProblem) -> UnsafeRawBufferPointer {
    let open = place
    place += 1
    let start = place
    while place < text.count {
      let byte = text[place]
      if byte == 0x22 {
        place &+= 1
        return bytes(start..<place - 1)
      }
      if byte == 0x5C { return try escapedString(from: start, open: open) }
      guard byte >= 0x20 else { throw control() }
      place &+= 1
    }
    throw missingQuote(open)
  }

  private func missingQuote(_ open: Int) -> ImportProblem {
    ImportProblem(.importFailed, "the closing quote is missing", at: open..<open + 1)
  }

  private func control() -> ImportProblem {
    ImportProblem(
      .importFailed, "a control character in a string has to be escaped", at: place..<place + 1)
  }

  private mutating func escapedString(
    from start: Int, open: Int
  ) throws(ImportProblem) -> UnsafeRawBufferPointer {
    scratch.clear()
    scratch.append(bytes(start..<place))
    while place < text.count {
      let byte = text[place]
      place += 1
      if byte == 0x22 { return scratch.bytes }
      if byte == 0x5C {
        try escape()
      } else if byte < 0x20 {
        place -= 1
        throw control()
      } else {
        scratch.append(byte)
      }
    }
    throw missingQuote(open)
  }

  /// Takes what follows a backslash.
  private mutating func escape() throws(ImportProblem) {
    let start = place - 1
    guard place < text.count else { return }
    let byte = text[place]
    place += 1
    switch byte {
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case 0x22, 0x5C, UInt8(ascii: "/"): scratch.append(byte)
    case UInt8(ascii: "u"): try unicodeEscape(start)
    default:
      throw ImportProblem(.importFailed, "an unknown escape", at: start..<place)
    }
  }

  private mutating func unicodeEscape(_ start: Int) throws(ImportProblem) {
    guard var code = takeHexadecimal() else {
      throw ImportProblem(.importFailed, "\\u needs four digits", at: start..<place)
    }
    if code & 0xFC00 == 0xD800, place + 1 < text.count, text[place] == 0x5C,
      text[place + 1] == UInt8(ascii: "u")
    {
      let back = place
      place += 2
      if let low = takeHexadecimal(), low & 0xFC00 == 0xDC00 {
        code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
      } else {
        place = back
      }
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw ImportProblem(.importFailed, "half of a surrogate pair", at: start..<place)
    }
    for byte in String(Character(scalar)).utf8 { scratch.append(byte) }
  }

  private mutating func takeHexadecimal() -> UInt32? {
    guard text.count - place >= 4 else { return nil }
    var code: UInt32 = 0
    for i in 0..<4 {
      guard let digit = hexadecimalDigit(text[place + i]) else { return nil }
      code = code << 4 | UInt32(digit)
    }
    place += 4
    return code
  }

  // MARK: Whole values

  /// Passes over the value that follows and returns where it is.
  mutating func skip() throws(ImportProblem) -> Range<Int> {
    _ = next()
    let start = place
    var ends: [UInt8] = []
    repeat {
      switch try kind() {
      case .string: _ = try string()
      case .number: _ = try number()
      case .null, .bool: break
      case .array, .object:
        guard ends.count < JSONCursor.maximumDepth else { throw tooDeep() }
        ends.append(text[place] == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        place += 1
        if let last = ends.last, take(last) {
          ends.removeLast()
        } else {
          if ends.last == UInt8(ascii: "}") { try skipKey() }
          continue
        }
      }
      while let last = ends.last {
        if take(last) {
          ends.removeLast()
        } else {
          try require(",")
          if last == UInt8(ascii: "}") { try skipKey() }
          break
        }
      }
    } while !ends.isEmpty
    return start..<place
  }

  private mutating func skipKey() throws(ImportProblem) {
    guard next() == 0x22 else { throw unexpected("expected a key in quotes") }
    _ = try string()
    try require(":")
  }

  /// The problem that brackets are nested too deep.
  func tooDeep() -> ImportProblem {
    ImportProblem(
      .limitExceeded, "brackets are nested more than \(JSONCursor.maximumDepth) deep",
      at: place..<min(text.count, place + 1))
  }
}
