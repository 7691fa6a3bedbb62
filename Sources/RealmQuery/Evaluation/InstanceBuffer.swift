import RealmStorage
import RealmValues

/// The instances of an operand for one object: each a list of values, or one value.
///
/// Source: query-language.md 7.
struct InstanceBuffer {
  /// A run of `values`.
  struct Instance {
    var start: Int
    var end: Int
    /// Whether the values are those of a list, maybe empty; otherwise there is exactly one.
    var isList: Bool
  }

  private(set) var values: [QueryValue] = []
  private(set) var instances: [Instance] = []

  /// Empties the buffer.
  @inline(__always)
  mutating func reset() {
    values.removeAll(keepingCapacity: true)
    instances.removeAll(keepingCapacity: true)
  }

  /// Starts an instance; values appended from now on belong to it.
  @inline(__always)
  mutating func begin(isList: Bool) {
    instances.append(Instance(start: values.count, end: values.count, isList: isList))
  }

  /// Adds a value to the instance begun last.
  @inline(__always)
  mutating func append(_ value: QueryValue) {
    values.append(value)
    instances[instances.count - 1].end = values.count
  }

  /// Adds an instance of one value that is not from a list.
  @inline(__always)
  mutating func single(_ value: QueryValue) {
    begin(isList: false)
    append(value)
  }

  /// Makes all instances that have exactly one value instances that are not from a list.
  mutating func markSingles() {
    for i in instances.indices where instances[i].end - instances[i].start == 1 {
      instances[i].isList = false
    }
  }

  /// Replaces each value.
  mutating func mapValues(_ transform: (QueryValue) -> QueryValue) {
    for i in values.indices { values[i] = transform(values[i]) }
  }
}

/// Yields the instances of an operand.
class OperandSource {
  /// Whether instances can be lists.
  var yieldsLists: Bool { true }

  /// Replaces the content of `buffer` by the instances for an object.
  func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    preconditionFailure("abstract")
  }
}

/// Yields exactly one value, not from a list, for each object.
class SingleSource: OperandSource {
  override final var yieldsLists: Bool { false }

  /// The value for an object.
  func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    preconditionFailure("abstract")
  }

  override final func load(
    _ key: ObjectKey, into buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    buffer.reset()
    buffer.single(try value(of: key))
  }

  /// Positions of the columns that a block should have for it.
  var columns: [Int] { [] }

  /// Calls `body` with the value for each of some rows of a block, in ascending order.
  func forEachValue(
    _ rows: RowMask, _ cursor: TableCursor,
    _ body: (Int, QueryValue) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    try rows.forEachRow { (row) throws(QueryFailure) in
      try body(row, try value(of: cursor.key(at: row)))
    }
  }
}

/// One constant.
final class SingleConstantSource: SingleSource {
  let constant: QueryValue

  init(_ constant: QueryValue) { self.constant = constant }

  override func value(of key: ObjectKey) -> QueryValue { constant }
}

/// A list of constants.
final class ConstantListSource: OperandSource {
  private let values: [QueryValue]

  init(_ values: [QueryValue]) { self.values = values }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) {
    buffer.reset()
    buffer.begin(isList: true)
    for value in values { buffer.append(value) }
  }
}
