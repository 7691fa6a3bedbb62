import RealmLanguage
import RealmStorage
import RealmValues

/// A comparison of two operands that holds if it holds for some pair of their instances.
///
/// Source: query-language.md 7, 13.
final class GeneralCondition: Condition {
  private let condition: ValueCondition
  private let left: OperandSource
  private let right: OperandSource
  private let leftQualifier: Qualifier?
  private let rightQualifier: Qualifier?
  private let leftBuffer = InstanceBuffer()
  private let rightBuffer = InstanceBuffer()
  private let isLeftConstant: Bool
  private let isRightConstant: Bool
  private var isLoaded = false
  private var sortedLeft: [QueryValue] = []
  private var sortedRight: [QueryValue] = []

  init(_ condition: ValueCondition, _ left: BoundOperand, _ right: BoundOperand) {
    self.condition = condition
    self.left = left.source
    self.right = right.source
    leftQualifier = left.qualifier
    rightQualifier = right.qualifier
    isLeftConstant = left.source is ConstantSource
    isRightConstant = right.source is ConstantSource
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    if !isLoaded || !isLeftConstant { try left.load(key, into: leftBuffer) }
    if !isLoaded || !isRightConstant { try right.load(key, into: rightBuffer) }
    isLoaded = true
    for l in leftBuffer.instances {
      for r in rightBuffer.instances where holds(l, r) { return true }
    }
    return false
  }

  /// Whether the condition holds for two instances.
  private func holds(_ l: InstanceBuffer.Instance, _ r: InstanceBuffer.Instance) -> Bool {
    let a = leftBuffer.values
    let b = rightBuffer.values
    if !l.isList, !r.isList { return condition.holds(a[l.start], b[r.start]) }
    if l.isList, r.isList, leftQualifier == nil, rightQualifier == nil {
      return holdsPairwise(l, r)
    }
    if l.isList, r.isList, l.end - l.start > 2, r.end - r.start > 2,
      let result = holdsSorted(l, r)
    {
      return result
    }
    return holdsForEach(a[l.start..<l.end], b[r.start..<r.end])
  }

  /// Two lists without a word before either: element by element.
  private func holdsPairwise(
    _ l: InstanceBuffer.Instance, _ r: InstanceBuffer.Instance
  ) -> Bool {
    let count = l.end - l.start
    guard count == r.end - r.start else {
      return condition.comparison == .notEqual && !condition.ignoresCase
    }
    for i in 0..<count
    where !condition.holds(leftBuffer.values[l.start + i], rightBuffer.values[r.start + i]) {
      return false
    }
    return true
  }

  /// `q_left l in L: q_right r in R: c(l, r)`; no word means ANY.
  private func holdsForEach(_ l: ArraySlice<QueryValue>, _ r: ArraySlice<QueryValue>) -> Bool {
    func inner(_ value: QueryValue) -> Bool {
      GeneralCondition.quantify(rightQualifier, r) { condition.holds(value, $0) }
    }
    return GeneralCondition.quantify(leftQualifier, l, inner)
  }

  @inline(__always)
  private static func quantify(
    _ qualifier: Qualifier?, _ values: ArraySlice<QueryValue>, _ body: (QueryValue) -> Bool
  ) -> Bool {
    switch qualifier {
    case nil, .any: values.contains(where: body)
    case .all: values.allSatisfy(body)
    case Qualifier.none?: !values.contains(where: body)
    }
  }

  /// The shortcut of realm-core for two lists of more than two values each, whose result can differ
  /// from the definition; nil where it is not taken.
  private func holdsSorted(
    _ l: InstanceBuffer.Instance, _ r: InstanceBuffer.Instance
  ) -> Bool? {
    let isMerge =
      condition.comparison == .equal && !condition.ignoresCase
      && (rightQualifier == nil || rightQualifier == .any) && leftQualifier != Qualifier.none
    guard isMerge || condition.isRelational else { return nil }
    sortedLeft.removeAll(keepingCapacity: true)
    sortedRight.removeAll(keepingCapacity: true)
    sortedLeft += leftBuffer.values[l.start..<l.end]
    sortedRight += rightBuffer.values[r.start..<r.end]
    sortedLeft.sort { QueryValue.order($0, $1) < 0 }
    sortedRight.sort { QueryValue.order($0, $1) < 0 }
    if isMerge { return mergeWalk() }
    let ends = [sortedLeft[0], sortedLeft[sortedLeft.count - 1]]
    let otherEnds = [sortedRight[0], sortedRight[sortedRight.count - 1]]
    return holdsForEach(ends[...], otherEnds[...])
  }

  /// Consumes one element on the right for each on the left.
  private func mergeWalk() -> Bool {
    let isAny = leftQualifier != .all
    var i = 0
    var j = 0
    while j < sortedRight.count {
      if condition.holds(sortedLeft[i], sortedRight[j]) {
        i += 1
        j += 1
        if isAny || i == sortedLeft.count { return true }
      } else if QueryValue.order(sortedLeft[i], sortedRight[j]) < 0 {
        guard isAny, i < sortedLeft.count - 1 else { return false }
        i += 1
      } else {
        j += 1
      }
    }
    return false
  }
}

/// Whether any value of an operand equals a constant, whatever the lists.
final class AnyEqualCondition: Condition {
  private let source: OperandSource
  private let constant: QueryValue
  private let buffer = InstanceBuffer()

  init(_ source: OperandSource, _ constant: QueryValue) {
    self.source = source
    self.constant = constant
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    try source.load(key, into: buffer)
    let equal = ValueCondition(.equal)
    return buffer.values.contains { equal.holds($0, constant) }
  }
}

/// A collection of links that has one of some objects, or one other than an object.
///
/// Source: query-language.md 9.3.
final class LinkCollectionCondition: Condition {
  private let reader: PropertyReader
  private let keys: [ObjectKey]
  private let matchesNull: Bool
  private let isEqual: Bool
  private let index: Int64?

  init(
    _ reader: PropertyReader, _ keys: [ObjectKey], matchesNull: Bool, isEqual: Bool, index: Int64?
  ) {
    self.reader = reader
    self.keys = keys
    self.matchesNull = matchesNull
    self.isEqual = isEqual
    self.index = index
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    guard let value = try reader.value(of: key) else { return false }
    if case .dictionary(let dictionary) = value {
      return try reading { () throws(StorageError) in
        for entry in try dictionary.entries() {
          let linked = QueryValue(entry.value).linkKey
          if linked.map({ keys.contains($0) == isEqual }) ?? matchesNull { return true }
        }
        return false
      }
    }
    var isFound = false
    try forEachLink(in: value, index: index) { linked in
      if keys.contains(linked) == isEqual { isFound = true }
    }
    return isFound
  }
}
