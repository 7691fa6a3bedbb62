import RealmStorage
import RealmValues

/// `+= -= *= /=` on numbers, and `+=` on strings.
///
/// As in expressions the result has the higher type of int < float < double < decimal, null gives
/// null, and overflow of integers and division by zero are errors.
///
/// Source: shell.md 9, 11.
enum Arithmetic {
  private enum Sign { case add, subtract, multiply, divide }

  /// The new value.
  ///
  /// - Throws: `typeMismatch`, `arithmetic`; `illegalOperation` if the old value is neither a number
  ///   nor a string to be added to.
  static func apply(
    _ action: PropertyChange.Action, to old: MixedValue, _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) -> ScalarValue {
    let (sign, value): (Sign, InputValue)
    switch action {
    case .add(let right): (sign, value) = (.add, right)
    case .subtract(let right): (sign, value) = (.subtract, right)
    case .multiply(let right): (sign, value) = (.multiply, right)
    case .divide(let right): (sign, value) = (.divide, right)
    case .replace, .call: throw layout.error(.illegalOperation(.wrongKind), property)
    }
    guard case .scalar(let left) = old, allows(sign, left, layout.properties[property].kind) else {
      throw layout.error(.illegalOperation(.wrongKind), property)
    }
    let right: ScalarValue
    var text: String?
    switch value {
    case .scalar(let scalar): right = scalar
    case .number(let scalar, let written): (right, text) = (scalar, written)
    default: throw layout.error(.typeMismatch(value.found), property)
    }
    if case .null = left { return .null }
    if case .null = right { return .null }
    if case .string(let a) = left {
      guard case .string(let b) = right else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      return .string(a + b)
    }
    guard right.isNumeric else { throw layout.error(.typeMismatch(value.found), property) }
    return try number(sign, left, right, text, layout, property)
  }

  /// Whether values of a type have the operation; null has what its property has.
  private static func allows(_ sign: Sign, _ value: ScalarValue, _ kind: ValueKind) -> Bool {
    switch value.kind ?? kind {
    case .int, .float, .double, .decimal, .mixed: true
    case .string: sign == .add
    default: false
    }
  }

  private static func number(
    _ sign: Sign, _ a: ScalarValue, _ b: ScalarValue, _ text: String?, _ layout: ClassLayout,
    _ property: Int
  ) throws(ObjectError) -> ScalarValue {
    let isZero =
      switch b {
      case .int(let number): number == 0
      case .float(let number): number == 0
      case .double(let number): number == 0
      case .decimal(let number): number.isZero
      default: false
      }
    if sign == .divide, isZero {
      throw layout.error(.arithmetic(isDivisionByZero: true), property)
    }
    switch (a, b) {
    case (.int(let x), .int(let y)):
      let (value, overflow) =
        switch sign {
        case .add: x.addingReportingOverflow(y)
        case .subtract: x.subtractingReportingOverflow(y)
        case .multiply: x.multipliedReportingOverflow(by: y)
        case .divide: x.dividedReportingOverflow(by: y)
        }
      if overflow { throw layout.error(.arithmetic(isDivisionByZero: false), property) }
      return .int(value)
    case (.decimal, _), (_, .decimal):
      guard case .decimal(let x)? = ValueFitting.decimal(a, nil),
        case .decimal(let y)? = ValueFitting.decimal(b, text)
      else { return .null }
      return switch sign {
      case .add: .decimal(x + y)
      case .subtract: .decimal(x - y)
      case .multiply: .decimal(x * y)
      case .divide: .decimal(x / y)
      }
    case (.float, .float), (.float, .int), (.int, .float):
      return .float(Float(floating(sign, double(a), double(b))))
    default: return .double(floating(sign, double(a), double(b)))
    }
  }

  private static func floating(_ sign: Sign, _ a: Double, _ b: Double) -> Double {
    switch sign {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }

  private static func double(_ value: ScalarValue) -> Double {
    switch value {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    default: 0
    }
  }
}
