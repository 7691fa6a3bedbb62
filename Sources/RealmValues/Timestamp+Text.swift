extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC, for example `2024-05-01T12:00:00.5Z`.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Room that any point in time needs as text.
  public static let maximumByteCount = 48

  /// Appends the description; see `print(to:)`.
  public func append(to out: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: Self.maximumByteCount, alignment: 1) { buffer in
      guard let start = buffer.baseAddress else { return }
      out.append(contentsOf: buffer[..<print(to: start)])
    }
  }

  /// Stores the description and returns its number of bytes: as many digits of a fraction as
  /// needed, years outside 0 ... 9999 with a sign.
  ///
  /// - Parameter out: Room for `maximumByteCount` bytes.
  public func print(to out: UnsafeMutableRawPointer) -> Int {
    var (days, rest) = Self.floorDivide(seconds, Self.secondsPerDay)
    // The nanoseconds of a damaged file may be up to three seconds of either sign.
    let (carry, fraction) = Self.floorDivide(Int64(nanoseconds), 1_000_000_000)
    let (dayCarry, second) = Self.floorDivide(rest + carry, Self.secondsPerDay)
    days += dayCarry
    rest = second
    let date = CivilDate(days: days)
    var writer = DigitWriter(
      UnsafeMutableBufferPointer(
        start: out.assumingMemoryBound(to: UInt8.self), count: Self.maximumByteCount))
    if date.year < 0 || date.year > 9999 { writer.put(date.year < 0 ? "-" : "+") }
    writer.put(date.year.magnitude, digits: max(4, DigitWriter.digitCount(date.year.magnitude)))
    writer.put("-")
    writer.put(date.month.magnitude, digits: 2)
    writer.put("-")
    writer.put(date.day.magnitude, digits: 2)
    writer.put("T")
    writer.put((rest / 3600).magnitude, digits: 2)
    writer.put(":")
    writer.put((rest / 60 % 60).magnitude, digits: 2)
    writer.put(":")
    writer.put((rest % 60).magnitude, digits: 2)
    if fraction != 0 {
      var digits = 9
      var shown = fraction.magnitude
      while shown % 10 == 0 {
        shown /= 10
        digits -= 1
      }
      writer.put(".")
      writer.put(shown, digits: digits)
    }
    writer.put("Z")
    return writer.written.count
  }
}

extension Timestamp {
  /// Reads `2024-05-01`, `2024-05-01T12:00:00.5+02:00`, `2024-05-01@12:00:00:500` or `T<s>:<ns>`.
  ///
  /// Without a zone the time is UTC. The number after a third colon is nanoseconds. Nil if the text
  /// has another form or a part is out of its range.
  public init?(parsing text: UnsafeRawBufferPointer) {
    var cursor = TextCursor(text)
    let value = cursor.skip("T") ? Self.rawParts(&cursor) : Self.calendarTime(&cursor)
    guard let value, cursor.isAtEnd else { return nil }
    self = value
  }

  /// Reads a text; see the initialiser for a buffer.
  public init?(parsing text: [UInt8]) {
    guard let value = text.withUnsafeBytes({ Timestamp(parsing: $0) }) else { return nil }
    self = value
  }

  private static let secondsPerDay: Int64 = 86_400

  /// The two stored numbers, which must not have opposite signs.
  private static func rawParts(_ cursor: inout TextCursor) -> Timestamp? {
    let secondsAreNegative = cursor.skipSign()
    guard let seconds = cursor.number(digits: 1...19), cursor.skip(":") else { return nil }
    let nanosecondsAreNegative = cursor.skipSign()
    guard let nanoseconds = cursor.number(digits: 1...9),
      seconds == 0 || nanoseconds == 0 || secondsAreNegative == nanosecondsAreNegative,
      let whole = Int64(exactly: secondsAreNegative ? -Int128(seconds) : Int128(seconds))
    else { return nil }
    let part = Int32(nanoseconds)
    return Timestamp(seconds: whole, nanoseconds: nanosecondsAreNegative ? -part : part)
  }

  private static func calendarTime(_ cursor: inout TextCursor) -> Timestamp? {
    let isNegative = cursor.skipSign()
    // Twelve digits are the year in which 64-bit seconds end.
    guard let yearNumber = cursor.number(digits: 4...12), cursor.skip("-"),
      let month = part(&cursor, 1...12), cursor.skip("-"),
      let day = part(&cursor, 1...31)
    else { return nil }
    let year = isNegative ? -Int64(yearNumber) : Int64(yearNumber)
    guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
    // 128 bits: days of twelve-digit years exceed 64-bit seconds, and so may steps in between.
    var total = Int128(date.days) * Int128(secondsPerDay)
    var nanoseconds: Int64 = 0
    let isPlain = cursor.skip("@")
    if isPlain || cursor.skip("T") {
      guard let hour = part(&cursor, 0...23), cursor.skip(":"),
        let minute = part(&cursor, 0...59), cursor.skip(":"),
        let second = part(&cursor, 0...59)
      else { return nil }
      total += Int128(hour * 3600 + minute * 60 + second)
      if cursor.skip(":") {
        guard let number = cursor.number(digits: 1...9) else { return nil }
        // As in predicates, these count away from 1970. Source: query-language.md 5.
        nanoseconds = total < 0 ? -Int64(number) : Int64(number)
      } else if !isPlain {
        guard let number = fraction(&cursor), let offset = zoneOffset(&cursor) else { return nil }
        nanoseconds = number
        total -= Int128(offset)
      }
    }
    if total < 0, nanoseconds > 0 {
      total += 1
      nanoseconds -= 1_000_000_000
    }
    return Int64(exactly: total).map { Timestamp(seconds: $0, nanoseconds: Int32(nanoseconds)) }
  }

  /// One or two digits within a range.
  private static func part(_ cursor: inout TextCursor, _ range: ClosedRange<Int64>) -> Int64? {
    guard let number = cursor.number(digits: 1...2), range.contains(Int64(number)) else {
      return nil
    }
    return Int64(number)
  }

  /// Nanoseconds of a point and one to nine digits, 0 if there is no point.
  private static func fraction(_ cursor: inout TextCursor) -> Int64? {
    guard cursor.skip(".") else { return 0 }
    var value: Int64 = 0
    var digits = 0
    while let digit = cursor.digit() {
      guard digits < 9 else { return nil }
      value = value * 10 + Int64(digit)
      digits += 1
    }
    guard digits > 0 else { return nil }
    for _ in digits..<9 { value *= 10 }
    return value
  }

  /// Seconds that the zone is ahead of UTC; 0 for `Z` and at the end of the text.
  private static func zoneOffset(_ cursor: inout TextCursor) -> Int64? {
    if cursor.isAtEnd || cursor.skip("Z") { return 0 }
    let isNegative = cursor.next == UInt8(ascii: "-")
    guard isNegative || cursor.next == UInt8(ascii: "+") else { return nil }
    cursor.advance()
    guard let hours = part(&cursor, 0...23), cursor.skip(":"), let minutes = part(&cursor, 0...59)
    else { return nil }
    let offset = hours * 3600 + minutes * 60
    return isNegative ? -offset : offset
  }

  /// Quotient towards minus infinity, and the remainder, which is never negative.
  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
