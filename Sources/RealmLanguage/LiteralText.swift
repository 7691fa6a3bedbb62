import RealmValues

/// Reads numbers from their text.
enum NumberText {
  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  static func isHexadecimal(_ text: ArraySlice<UInt8>) -> Bool {
    text.count > 2 && text[text.startIndex + 1] | 0x20 == UInt8(ascii: "x")
  }

  /// The value of unsigned decimal or `0x` digits; nil if there is anything else or it does not fit.
  static func integer(_ text: ArraySlice<UInt8>, isNegative: Bool) -> Int64? {
    let isHex = isHexadecimal(text)
    guard
      let magnitude = magnitude(
        isHex ? text.dropFirst(2) : text, base: isHex ? 16 : 10, stopsAtOtherBytes: false)
    else { return nil }
    if isNegative {
      return magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// The value of an optionally signed number as C reads it with base 0, clamped to 64 bits: `0x` is
  /// hexadecimal, a leading `0` octal, reading stops at the first other digit.
  /// Source: query-language.md 5.
  static func integerOfBase0(_ text: ArraySlice<UInt8>) -> Int64 {
    var digits = text
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    let isHex = isHexadecimal(digits)
    let base: UInt64 = isHex ? 16 : digits.first == UInt8(ascii: "0") ? 8 : 10
    if isHex { digits = digits.dropFirst(2) }
    let magnitude = magnitude(digits, base: base, stopsAtOtherBytes: true) ?? .max
    if isNegative {
      return magnitude > UInt64(Int64.max) ? .min : -Int64(magnitude)
    }
    return Int64(clamping: magnitude)
  }

  /// nil if the value does not fit or, unless `stopsAtOtherBytes`, another byte occurs.
  private static func magnitude(
    _ digits: ArraySlice<UInt8>, base: UInt64, stopsAtOtherBytes: Bool
  ) -> UInt64? {
    guard !digits.isEmpty else { return stopsAtOtherBytes ? 0 : nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = hexDigit(byte), digit < base else {
        return stopsAtOtherBytes ? value : nil
      }
      let (product, overflow) = value.multipliedReportingOverflow(by: base)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  /// The double a lexically correct number stands for; overflow gives infinity.
  static func double(_ text: String) -> Double { Double(normalized(text)) ?? .nan }

  /// The float a lexically correct number stands for; overflow gives infinity.
  static func float(_ text: String) -> Float { Float(normalized(text)) ?? .nan }

  /// Puts digits on both sides of the point, as the standard library wants them.
  private static func normalized(_ text: String) -> String {
    guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return text }
    let whole = text[..<point]
    let rest = text[text.index(after: point)...]
    let hasWhole = whole.utf8.last.map(Lexer.isDigit) ?? false
    let hasFraction = rest.utf8.first.map(Lexer.isDigit) ?? false
    return whole + (hasWhole ? "." : "0.") + (hasFraction ? rest : "0" + rest)
  }
}

/// Reads dates from their text.
enum DateText {
  /// The timestamp of seconds and nanoseconds; nil if their signs differ or there are 10^9
  /// nanoseconds or more.
  static func timestamp(_ seconds: Int64, _ nanoseconds: Int64) -> Timestamp? {
    guard nanoseconds.magnitude < 1_000_000_000, haveSameSign(seconds, nanoseconds) else {
      return nil
    }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  /// Not one of the two is positive and the other negative.
  static func haveSameSign(_ seconds: Int64, _ nanoseconds: Int64) -> Bool {
    seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
  }

  /// The date of one of the shell's forms: `YYYY-MM-DD`, a time after `T` or `@`, a fraction after
  /// `.` or nanoseconds after `:`, `Z` or an offset. The parts must be in their ranges.
  /// Source: shell.md 4.
  static func parse(_ text: ArraySlice<UInt8>) -> Timestamp? {
    var rest = text
    func number(_ count: Int) -> Int64? {
      let digits = rest.prefix(count)
      rest = rest.dropFirst(count)
      return digits.count == count ? NumberText.integerOfDigits(digits) : nil
    }
    func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      (1...12).contains(month), day >= 1, day <= dayCount(month: month, year: year)
    else { return nil }
    var seconds = daysSinceEpoch(year: year, month: month, day: day) * 86400
    var nanoseconds: Int64 = 0
    if skip("T") || skip("@") {
      guard let hour = number(2), skip(":"), let minute = number(2), skip(":"),
        let second = number(2), hour < 24, minute < 60, second < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60 + second
      if skip(".") {
        let digits = rest.prefix(while: Lexer.isDigit)
        guard digits.count <= 9, let value = number(digits.count) else { return nil }
        nanoseconds = (digits.count..<9).reduce(value) { value, _ in value * 10 }
      } else if skip(":") {
        let digits = rest.prefix(while: Lexer.isDigit)
        guard digits.count <= 9, let value = number(digits.count) else { return nil }
        nanoseconds = value
      }
    }
    if !skip("Z"), !rest.isEmpty {
      let isEast = skip("+")
      guard isEast || skip("-"), let hour = number(2), skip(":"), let minute = number(2),
        hour < 24, minute < 60
      else { return nil }
      seconds -= (hour * 3600 + minute * 60) * (isEast ? 1 : -1)
    }
    guard rest.isEmpty else { return nil }
    // Before 1970 both parts are negative.
    if seconds < 0, nanoseconds > 0 {
      seconds += 1
      nanoseconds -= 1_000_000_000
    }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  private static func dayCount(month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 to a date of the proleptic Gregorian calendar; `month` is 1 to 12, `day`
  /// may be any number.
  static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Years that start in March put the leap day at their end.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5
    return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear + day - 1
      - 719468
  }
}

extension NumberText {
  /// The value of plain decimal digits, nil if one is something else or there are more than 18.
  static func integerOfDigits(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.count <= 18 else { return nil }
    var value: Int64 = 0
    for byte in digits {
      guard Lexer.isDigit(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return value
  }
}

/// Decodes Base64 with or without padding. Source: query-language.md 5.
enum Base64 {
  /// nil if a character is none of the alphabet, the length is impossible, or data follows padding.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var digits = text
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    let padding = text.count - digits.count
    guard digits.count % 4 != 1, padding <= 2, padding == 0 || text.count.isMultiple(of: 4) else {
      return nil
    }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 4 * 3 + 2)
    var buffer: UInt32 = 0
    var bits = 0
    for byte in digits {
      guard let value = value(of: byte) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return result
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

extension DateText {
  /// The date of the calendar form of predicates, UTC: parts carry over, the seconds are cut to 32
  /// bits as realm-core does; nil for a year before 1900. Source: query-language.md 5.
  static func calendar(_ text: ArraySlice<UInt8>) -> Timestamp? {
    let parts = text.split { !Lexer.isDigit($0) }.map { digits in
      Int64(Int32(clamping: NumberText.integerOfDigits(digits) ?? .max))
    }
    guard parts.count >= 6, parts[0] >= 1900 else { return nil }
    let month = parts[1] - 1
    let carried = month >= 0 ? month / 12 : -1
    let days = daysSinceEpoch(
      year: parts[0] + carried, month: month - carried * 12 + 1, day: parts[2])
    let exact = days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
    let seconds = Int64(Int32(truncatingIfNeeded: exact))
    let nanoseconds = parts.count > 6 ? Int32(truncatingIfNeeded: parts[6]) : 0
    return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
  }
}

extension Base64 {
  /// Appends the encoded form, padded.
  static func append(_ data: [UInt8], to text: inout [UInt8]) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let digits = Array(alphabet.description.utf8)
    text.reserveCapacity(text.count + (data.count + 2) / 3 * 4)
    for start in stride(from: 0, to: data.count, by: 3) {
      var group: UInt32 = 0
      for index in start..<start + 3 {
        group = group << 8 | (index < data.count ? UInt32(data[index]) : 0)
      }
      for place in 0..<4 {
        let isPadding = start + place > data.count
        let digit = digits[Int(group >> UInt32(18 - 6 * place) & 63)]
        text.append(isPadding ? UInt8(ascii: "=") : digit)
      }
    }
  }
}

extension DateText {
  /// The date in UTC, `2024-05-01T12:00:00.5Z`; nil outside the years 0 to 9999.
  static func utc(_ date: Timestamp) -> String? {
    var seconds = date.seconds
    var nanoseconds = Int64(date.nanoseconds)
    if nanoseconds < 0 {
      seconds &-= 1
      nanoseconds += 1_000_000_000
    }
    guard seconds >= -62_167_219_200, seconds < 253_402_300_800,
      (0..<1_000_000_000).contains(nanoseconds)
    else { return nil }
    let day = seconds >= 0 ? seconds / 86400 : -((86399 - seconds) / 86400)
    let (year, month, dayOfMonth) = civil(day)
    let second = seconds - day * 86400
    func padded(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
    text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if nanoseconds > 0 {
      var fraction = padded(nanoseconds, 9)
      while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
      text += "." + fraction
    }
    return text + "Z"
  }

  /// Year, month and day of a day counted from 1970-01-01.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Days of the era of 400 years that starts on March 1st of a year divisible by 400.
    let shifted = day + 719468
    let era = (shifted >= 0 ? shifted : shifted - 146096) / 146097
    let dayOfEra = shifted - era * 146097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }
}
