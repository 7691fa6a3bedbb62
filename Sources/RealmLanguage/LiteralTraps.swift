import RealmValues

/// Finds literals of a predicate that are read otherwise than they look.
/// Source: query-language.md 2, 5.
public struct LiteralTraps {
  private let text: [UInt8]
  private var warnings: [TrapWarning] = []

  private init(_ text: [UInt8]) { self.text = text }

  /// The warnings about a query; `text` is what its places refer to.
  public static func all(in query: QuerySyntax, text: [UInt8]) -> [TrapWarning] {
    var traps = LiteralTraps(text)
    traps.visit(query.predicate)
    for clause in query.ordering {
      switch clause.kind {
      case .limit, .offset: traps.checkNumbers(in: clause.range)
      case .sort, .distinct: break
      }
    }
    return traps.warnings
  }

  // MARK: Walk

  private mutating func visit(_ predicate: Predicate) {
    switch predicate {
    case .truePredicate, .falsePredicate: break
    case .and(let operands, _), .or(let operands, _):
      for operand in operands { visit(operand) }
    case .not(let operand, _): visit(operand)
    case .comparison(let comparison):
      visit(comparison.lhs)
      visit(comparison.rhs)
    case .between(let operand, let bounds, _):
      visit(operand)
      for element in bounds.elements { visit(element) }
    case .geoWithin(let property, let region, _):
      visit(property.path)
      checkNumbers(in: region.range)
    }
  }

  private mutating func visit(_ operand: Operand) {
    switch operand {
    case .constant(let constant): visit(constant)
    case .property(let property): visit(property.path)
    case .list(let list):
      for element in list.elements { visit(element) }
    case .aggregate(let aggregate): visit(aggregate.path)
    case .subquery(let subquery):
      visit(subquery.path)
      visit(subquery.predicate)
    case .arithmetic(_, let left, let right, _):
      visit(left)
      visit(right)
    }
  }

  private mutating func visit(_ path: PropertyPath) {
    for element in path.elements {
      if case .index = element.kind { checkNumbers(in: element.range) }
    }
  }

  private mutating func visit(_ constant: Constant) {
    switch constant.kind {
    case .integer, .objectKey, .typedLink: checkNumbers(in: constant.range)
    case .timestamp(let value):
      if byte(at: constant.range.start) == UInt8(ascii: "T") {
        checkNumbers(in: constant.range)
      } else {
        checkCalendar(constant.range, value)
      }
    case .string:
      let written = slice(constant.range)
      if let i = written.firstIndex(of: UInt8(ascii: "\\")), written.first != UInt8(ascii: "B") {
        let range = SourceRange(start: i, end: min(i + 2, constant.range.end))
        warnings.append(
          TrapWarning(
            .escape,
            "predicates do not translate \(string(range)): it is a backslash and what follows",
            at: range, remedy: "pass the text as an argument: $0 ... args (...)"))
      }
    case .object(_, let key): visit(key)
    default: break
    }
  }

  // MARK: Numbers

  /// Checks each whole number in a part of the text that holds no quotes.
  private mutating func checkNumbers(in range: SourceRange) {
    var start = range.start
    while start < range.end {
      guard Lexer.isDigit(byte(at: start)) else {
        start += 1
        continue
      }
      var end = start
      // A number goes on with the signs of fractions and with the letters of hexadecimal ones.
      while end < range.end, isPartOfNumber(byte(at: end)) { end += 1 }
      let isNegative = start > range.start && byte(at: start - 1) == UInt8(ascii: "-")
      let number = SourceRange(start: isNegative ? start - 1 : start, end: end)
      check(number, digits: text[start..<end])
      start = end
    }
  }

  private func isPartOfNumber(_ byte: UInt8) -> Bool {
    Lexer.isDigit(byte) || Lexer.isASCIINameStart(byte) || byte == UInt8(ascii: ".")
  }

  private mutating func check(_ range: SourceRange, digits: ArraySlice<UInt8>) {
    guard digits.allSatisfy(Lexer.isDigit) || NumberText.isHexadecimal(digits.span) else { return }
    let value = NumberText.integerOfBase0(slice(range).span)
    let isOctal = digits.count > 1 && digits.allSatisfy(Lexer.isDigit) && digits.first == 0x30
    let decimal = Int64(String(decoding: digits, as: UTF8.self))
    if isOctal {
      let isNegative = range.length > digits.count
      let meant = decimal.map { isNegative ? -$0 : $0 }
      guard meant != value else { return }
      warnings.append(
        TrapWarning(
          .octal, "a number with a leading zero is octal: \(string(range)) is \(value)", at: range,
          remedy: meant.map { "write \($0)" }))
      return
    }
    guard NumberText.integer(digits.span, isNegative: range.length > digits.count) == nil else {
      return
    }
    warnings.append(
      TrapWarning(
        .clamped, "\(string(range)) does not fit into 64 bits and is read as \(value)", at: range))
  }

  // MARK: Dates

  private mutating func checkCalendar(_ range: SourceRange, _ value: Timestamp) {
    guard let (parts, exact) = DateText.exactCalendar(slice(range)) else { return }
    var meant: [UInt8] = []
    value.append(to: &meant)
    let reading = String(decoding: meant, as: UTF8.self)
    if exact != value.seconds {
      var full: [UInt8] = []
      Timestamp(seconds: exact, nanoseconds: 0).append(to: &full)
      warnings.append(
        TrapWarning(
          .date, "a date of this form is cut to 32 bits and means \(reading)", at: range,
          remedy: "write \(String(decoding: full, as: UTF8.self))"))
      return
    }
    let limits: [ClosedRange<Int64>] = [1...12, 1...31, 0...23, 0...59, 0...59]
    let isOut = zip(parts.dropFirst(), limits).contains { !$1.contains($0) }
    guard isOut || DateText.isBeyondMonth(parts) else { return }
    warnings.append(
      TrapWarning(.calendar, "there is no such date; it is read as \(reading)", at: range))
  }

  // MARK: Text

  private func byte(at offset: Int) -> UInt8 {
    text.indices.contains(offset) ? text[offset] : 0
  }

  private func slice(_ range: SourceRange) -> ArraySlice<UInt8> {
    let end = min(range.end, text.count)
    return text[min(range.start, end)..<end]
  }

  private func string(_ range: SourceRange) -> String {
    String(decoding: slice(range), as: UTF8.self)
  }
}
