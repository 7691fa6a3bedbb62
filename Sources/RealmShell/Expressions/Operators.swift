import RealmLanguage
import RealmObjects
import RealmQuery
import RealmValues

/// `+ - * / %` of expressions.
///
/// The result has the higher type of int < float < double < decimal. Unlike in predicates, integer
/// overflow and division by zero are errors.
///
/// Source: shell.md 11, query-language.md 21.
enum Arithmetic {
  static func apply(
    _ sign: BinaryOperator, _ a: ShellValue, _ b: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    if a.isNull || b.isNull { return .null }
    guard case .scalar(let x) = a, case .scalar(let y) = b else {
      throw mismatch(sign, a, b, range)
    }
    switch (x, y) {
    case (.string(let left), .string(let right)) where sign == .add:
      return .scalar(.string(left + right))
    case (.int(let left), .int(let right)): return .scalar(.int(try int(sign, left, right, range)))
    case (.decimal, _), (_, .decimal):
      guard let left = decimal(x), let right = decimal(y) else { break }
      return .scalar(.decimal(try decimal(sign, left, right, range)))
    case (.float, .float), (.float, .int), (.int, .float):
      guard let left = double(x), let right = double(y) else { break }
      return .scalar(.float(Float(try floating(sign, left, right, range))))
    default:
      guard let left = double(x), let right = double(y) else { break }
      return .scalar(.double(try floating(sign, left, right, range)))
    }
    throw mismatch(sign, a, b, range)
  }

  private static func mismatch(
    _ sign: BinaryOperator, _ a: ShellValue, _ b: ShellValue, _ range: SourceRange
  ) -> ShellError {
    ShellError(
      .typeMismatch, "\(a.kindText) \(sign.rawValue) \(b.kindText) is not possible", at: range)
  }

  static func int(
    _ sign: BinaryOperator, _ a: Int64, _ b: Int64, _ range: SourceRange
  ) throws(ShellError) -> Int64 {
    let (value, overflow) =
      switch sign {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide: a.dividedReportingOverflow(by: b)
      default: a.remainderReportingOverflow(dividingBy: b)
      }
    if b == 0, sign == .divide || sign == .remainder {
      throw ShellError(.arithmetic, "division by zero", at: range)
    }
    guard !overflow else {
      throw ShellError(.arithmetic, "the result does not fit an int", at: range)
    }
    return value
  }

  private static func floating(
    _ sign: BinaryOperator, _ a: Double, _ b: Double, _ range: SourceRange
  ) throws(ShellError) -> Double {
    if b == 0, sign == .divide || sign == .remainder {
      throw ShellError(.arithmetic, "division by zero", at: range)
    }
    switch sign {
    case .add: return a + b
    case .subtract: return a - b
    case .multiply: return a * b
    case .divide: return a / b
    default: return a.truncatingRemainder(dividingBy: b)
    }
  }

  private static func decimal(
    _ sign: BinaryOperator, _ a: Decimal128, _ b: Decimal128, _ range: SourceRange
  ) throws(ShellError) -> Decimal128 {
    if sign == .divide || sign == .remainder, b == Decimal128(0) {
      throw ShellError(.arithmetic, "division by zero", at: range)
    }
    switch sign {
    case .add: return a + b
    case .subtract: return a - b
    case .multiply: return a * b
    case .divide: return a / b
    default: throw ShellError(.typeMismatch, "% needs ints or doubles", at: range)
    }
  }

  /// A number as a double; nil for other values.
  static func double(_ value: ScalarValue) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): number.toDouble()
    default: nil
    }
  }

  /// A number as a decimal; nil for other values.
  static func decimal(_ value: ScalarValue) -> Decimal128? {
    switch value {
    case .int(let number): Decimal128(number)
    case .float(let number): Decimal128(rounding: number)
    case .double(let number): Decimal128(rounding: number)
    case .decimal(let number): number
    default: nil
    }
  }
}

/// The comparisons of expressions; nil stands for null.
enum Comparisons {
  static func apply(
    _ sign: BinaryOperator, _ folding: CaseFolding?, _ a: ShellValue, _ b: ShellValue,
    at range: SourceRange
  ) throws(ShellError) -> Bool? {
    switch sign {
    case .equal: return areEqual(a, b, folding)
    case .notEqual: return !areEqual(a, b, folding)
    default: break
    }
    if a.isNull || b.isNull { return nil }
    if sign == .in {
      guard let members = b.members else {
        throw ShellError(.typeMismatch, "in needs a collection, this is \(b.kindText)", at: range)
      }
      return members.contains { areEqual(a, $0, folding) }
    }
    if sign == .contains, let members = a.members {
      return members.contains { areEqual($0, b, folding) }
    }
    guard case .scalar(let x) = a, case .scalar(let y) = b else {
      throw mismatch(sign, a, b, range)
    }
    switch sign {
    case .contains, .beginswith, .endswith, .like:
      guard let result = text(sign, folding, x, y) else { throw mismatch(sign, a, b, range) }
      return result
    default:
      guard x.isComparable(with: y) else { throw mismatch(sign, a, b, range) }
      let order = x.totalOrder(y)
      switch sign {
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      default: return order >= 0
      }
    }
  }

  private static func mismatch(
    _ sign: BinaryOperator, _ a: ShellValue, _ b: ShellValue, _ range: SourceRange
  ) -> ShellError {
    ShellError(
      .typeMismatch, "\(a.kindText) cannot be compared with \(b.kindText) by \(sign.rawValue)",
      at: range)
  }

  /// Whether two values are equal; values of different kinds are not, numbers are by value.
  static func areEqual(_ a: ShellValue, _ b: ShellValue, _ folding: CaseFolding? = nil) -> Bool {
    switch (a, b) {
    case (.scalar(.string(let x)), .scalar(.string(let y))) where folding != nil:
      return matches(x, .equal, folding, y)
    case (.scalar(let x), .scalar(let y)): return x.isEqual(to: y)
    case (.object(let x, let key), .object(let y, let other)):
      return x.base === y.base && key == other
    case (.dictionary(let x), .dictionary(let y)):
      return x.count == y.count
        && zip(x, y).allSatisfy { $0.key == $1.key && areEqual($0.value, $1.value, folding) }
    default:
      guard let x = a.members, let y = b.members else { return false }
      return x.count == y.count && zip(x, y).allSatisfy { areEqual($0, $1, folding) }
    }
  }

  private static func text(
    _ sign: BinaryOperator, _ folding: CaseFolding?, _ a: ScalarValue, _ b: ScalarValue
  ) -> Bool? {
    switch (a, b) {
    case (.string(let text), .string(let pattern)), (.data(let text), .data(let pattern)):
      switch sign {
      case .contains: matches(text, .contains, folding, pattern)
      case .beginswith: matches(text, .beginsWith, folding, pattern)
      case .endswith: matches(text, .endsWith, folding, pattern)
      default: matches(text, .like, folding, pattern)
      }
    default: nil
    }
  }

  private static func matches(
    _ text: [UInt8], _ comparator: Comparator, _ folding: CaseFolding?, _ pattern: [UInt8]
  ) -> Bool {
    text.withUnsafeBytes { text in
      pattern.withUnsafeBytes { TextComparison.holds(text, comparator, folding, $0) }
    }
  }
}
