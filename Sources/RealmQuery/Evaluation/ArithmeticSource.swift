import RealmLanguage
import RealmValues

extension QueryValue {
  /// The result of an operation; null unless both are numbers.
  ///
  /// Beside a float, double or decimal, realm-core takes a bool, text, binary or date for zero.
  ///
  /// Source: query-language.md 21.
  static func compute(
    _ operation: ArithmeticOperator, _ a: QueryValue, _ b: QueryValue
  ) -> QueryValue {
    guard a.rank == 2, b.rank == 2 else {
      if let zero = a.zero, b.countsAsZero { return compute(operation, a, zero) }
      if let zero = b.zero, a.countsAsZero { return compute(operation, zero, b) }
      return .null
    }
    switch (a, b) {
    case (.decimal, _), (_, .decimal):
      guard let x = a.asDecimal, let y = b.asDecimal else { return .null }
      return .decimal(compute(operation, x, y))
    case (.double, _), (_, .double): return .double(compute(operation, a.widened, b.widened))
    case (.float(let x), .float(let y)): return .float(compute(operation, x, y))
    case (.float(let x), .int(let y)): return .float(compute(operation, x, Float(y)))
    case (.int(let x), .float(let y)): return .float(compute(operation, Float(x), y))
    case (.int(let x), .int(let y)): return .int(compute(operation, x, y))
    default: return .null
    }
  }

  /// The zero of the same type; nil for values that are no fractional numbers.
  private var zero: QueryValue? {
    switch self {
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(Decimal128(0))
    default: nil
    }
  }

  private var countsAsZero: Bool {
    switch self {
    case .bool, .string, .data, .date: true
    default: false
    }
  }

  /// A number that is no decimal as a double.
  private var widened: Double {
    if case .int(let value) = self { return Double(value) }
    return asDouble ?? 0
  }

  private static func compute(
    _ operation: ArithmeticOperator, _ a: Int64, _ b: Int64
  ) -> Int64 {
    switch operation {
    case .add: a &+ b
    case .subtract: a &- b
    case .multiply: a &* b
    case .divide: b == 0 ? (a >= 0 ? .max : .min) : a.dividedReportingOverflow(by: b).partialValue
    }
  }

  private static func compute<T: BinaryFloatingPoint>(
    _ operation: ArithmeticOperator, _ a: T, _ b: T
  ) -> T {
    let result =
      switch operation {
      case .add: a + b
      case .subtract: a - b
      case .multiply: a * b
      case .divide: a / b
      }
    // A new not-a-number has the sign that x86-64 gives it.
    if result.isNaN, !a.isNaN, !b.isNaN { return result.sign == .minus ? result : -result }
    return result
  }

  private static func compute(
    _ operation: ArithmeticOperator, _ a: Decimal128, _ b: Decimal128
  ) -> Decimal128 {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }
}

/// `left + right` of single values.
final class SingleArithmeticSource: SingleSource {
  private let operation: ArithmeticOperator
  private let left: SingleSource
  private let right: SingleSource

  init(_ operation: ArithmeticOperator, _ left: SingleSource, _ right: SingleSource) {
    self.operation = operation
    self.left = left
    self.right = right
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    QueryValue.compute(operation, try left.value(of: key), try right.value(of: key))
  }
}

/// `left + right` where one side is a list.
final class ArithmeticSource: OperandSource {
  private let operation: ArithmeticOperator
  private let left: OperandSource
  private let right: OperandSource
  private let range: SourceRange
  private var leftBuffer = InstanceBuffer()
  private var rightBuffer = InstanceBuffer()

  init(
    _ operation: ArithmeticOperator, _ left: OperandSource, _ right: OperandSource,
    _ range: SourceRange
  ) {
    self.operation = operation
    self.left = left
    self.right = right
    self.range = range
  }

  override var yieldsLists: Bool { left.yieldsLists || right.yieldsLists }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    try left.load(key, into: &leftBuffer)
    try right.load(key, into: &rightBuffer)
    buffer.reset()
    for a in leftBuffer.instances {
      for b in rightBuffer.instances {
        if a.isList, b.isList {
          throw .query(QueryError(.twoLists, "both sides are lists", at: range))
        }
        buffer.begin(isList: a.isList || b.isList)
        for i in a.start..<a.end {
          for j in b.start..<b.end {
            buffer.append(
              QueryValue.compute(operation, leftBuffer.values[i], rightBuffer.values[j]))
          }
        }
      }
    }
  }
}
