import RealmObjects
import RealmStorage
import RealmValues

/// The operations on collections of numbers.
public enum AggregateOperation: Sendable {
  /// The least value.
  case minimum
  /// The greatest value.
  case maximum
  /// The sum; that of ints is an int, modulo 2^64.
  case sum
  /// The arithmetic mean.
  case average
}

/// Minimum, maximum, sum or average of values added one by one; nulls do not count.
///
/// Source: query-language.md 16.
struct Accumulator {
  let operation: AggregateOperation
  private let kind: ValueKind
  private var count: Int64 = 0
  private var intSum: Int64 = 0
  private var doubleSum = 0.0
  private var decimalSum = Decimal128(0)
  private var extreme = QueryValue.null

  /// - Parameter kind: Type of the values.
  init(_ operation: AggregateOperation, _ kind: ValueKind) {
    self.operation = operation
    self.kind = kind
  }

  /// Whether the order of the values changes the result: that of sums in floating-point numbers.
  var dependsOnOrder: Bool {
    switch kind {
    case .int: operation == .average
    case .float, .double: operation == .sum || operation == .average
    default: false
    }
  }

  mutating func add(_ value: QueryValue) {
    if value.isNull || isSkippedNaN(value) { return }
    switch operation {
    case .minimum:
      if extreme.isNull || QueryValue.order(value, extreme) < 0 { extreme = value }
    case .maximum:
      if extreme.isNull || QueryValue.order(value, extreme) > 0 { extreme = value }
    case .sum, .average: addToSum(value)
    }
  }

  /// Of the not-a-numbers only floats and doubles in mixed values count.
  private func isSkippedNaN(_ value: QueryValue) -> Bool {
    switch value {
    case .decimal(let value): value.isNaN
    case .double(let value): value.isNaN && kind != .mixed
    case .float(let value): value.isNaN && kind != .mixed
    default: false
    }
  }

  /// Adds an int.
  @inline(__always)
  mutating func add(_ number: Int64) {
    switch operation {
    case .sum, .average:
      intSum &+= number
      count &+= 1
    case .minimum, .maximum: add(.int(number))
    }
  }

  /// Adds ints of which the sum and the number are known.
  mutating func add(sum: Int64, of count: Int) {
    intSum &+= sum
    self.count += Int64(count)
  }

  /// Adds doubles in their order; what is no number, as null, does not count.
  @inline(__always)
  mutating func add(_ rows: RowMask, of leaf: FloatingLeaf<Double>) {
    var (sum, added) = (doubleSum, 0)
    rows.forEachRowQuickly { row in
      let value = leaf.number(at: row)
      if value == value {
        sum += value
        added &+= 1
      }
    }
    (doubleSum, count) = (sum, count + Int64(added))
  }

  private mutating func addToSum(_ value: QueryValue) {
    switch kind {
    case .int:
      guard case .int(let value) = value else { return }
      intSum &+= value
      // An average has no overflow.
      doubleSum += Double(value)
    case .float, .double:
      guard let value = value.asDouble else { return }
      doubleSum += value
    default:
      guard let value = value.asDecimal else { return }
      decimalSum = decimalSum + value
    }
    count += 1
  }

  var result: QueryValue {
    switch operation {
    case .minimum, .maximum: return extreme
    case .sum:
      switch kind {
      case .int: return .int(intSum)
      case .float, .double: return .double(doubleSum)
      default: return .decimal(decimalSum)
      }
    case .average:
      if count == 0 { return .null }
      switch kind {
      case .int, .float, .double: return .double(doubleSum / Double(count))
      default: return .decimal(decimalSum / Decimal128(count))
      }
    }
  }
}

/// `links.@max.property`.
final class LinkAggregateSource: SingleSource {
  private let walker: LinkWalker
  private let reader: PropertyReader
  private let accumulator: Accumulator
  private let gathered: GatheredInts

  init(_ walker: LinkWalker, _ reader: PropertyReader, _ accumulator: Accumulator) {
    self.walker = walker
    self.reader = reader
    self.accumulator = accumulator
    gathered = GatheredInts(reader.objectClass, reader.position, walker.run)
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    var accumulator = accumulator
    if walker.isUnary {
      if let owner = try walker.single(from: key), let value = try reader.value(of: owner) {
        accumulator.add(QueryValue(value))
      }
      return accumulator.result
    }
    var owners = try walker.reached(from: key)
    if accumulator.dependsOnOrder { owners.sort() }
    for owner in owners {
      if let value = try reader.value(of: owner) { accumulator.add(QueryValue(value)) }
    }
    return accumulator.result
  }

  override var columns: [Int] { walker.blocks?.columns ?? [] }

  override func forEachValue(
    _ rows: RowMask, _ cursor: TableCursor,
    _ body: (Int, QueryValue) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    guard let blocks = walker.blocks, cursor.hasClusters, !accumulator.dependsOnOrder else {
      return try super.forEachValue(rows, cursor, body)
    }
    let gathered = try gathered.value(for: rows.count)
    try blocks.forEachRow(rows, cursor) { (row, links) throws(QueryFailure) in
      var accumulator = accumulator
      for key in links {
        if let number = gathered?[key] {
          accumulator.add(number)
        } else if let value = try reader.value(of: ObjectKey(key)) {
          accumulator.add(QueryValue(value))
        }
      }
      try body(row, accumulator.result)
    }
  }
}

/// An aggregate of the elements of one collection.
struct ElementAggregate {
  private let reader: PropertyReader
  private let accumulator: Accumulator

  init(_ reader: PropertyReader, _ accumulator: Accumulator) {
    self.reader = reader
    self.accumulator = accumulator
  }

  /// The aggregate of an owner; nil stands for an empty collection.
  func value(of owner: ObjectKey?) throws(QueryFailure) -> QueryValue {
    var accumulator = accumulator
    switch try owner.flatMap(reader.value) {
    case .list(let list):
      for value in try reading({ () throws(StorageError) in try list.values() }) {
        accumulator.add(QueryValue(value))
      }
    case .dictionary(let dictionary):
      for entry in try reading({ () throws(StorageError) in try dictionary.entries() }) {
        accumulator.add(QueryValue(entry.value))
      }
    default: break
    }
    return accumulator.result
  }
}

/// `list.@max` of one owner.
final class ElementAggregateSource: SingleSource {
  private let walker: LinkWalker
  private let elements: ElementAggregate

  init(_ walker: LinkWalker, _ elements: ElementAggregate) {
    self.walker = walker
    self.elements = elements
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    try elements.value(of: try walker.single(from: key))
  }
}

/// `list.@max` of many owners.
final class ElementAggregatesSource: OperandSource {
  private let walker: LinkWalker
  private let elements: ElementAggregate

  init(_ walker: LinkWalker, _ elements: ElementAggregate) {
    self.walker = walker
    self.elements = elements
  }

  override func load(
    _ key: ObjectKey, into buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    buffer.reset()
    buffer.begin(isList: true)
    for owner in try walker.reached(from: key) {
      buffer.append(try elements.value(of: owner))
    }
  }
}
