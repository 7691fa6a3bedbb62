import RealmLanguage
import RealmStorage
import RealmValues

/// A comparison of two operands that holds if it holds for some pair of their instances.
///
/// Source: query-language.md 7, 13.
final class GeneralCondition: Condition {
  private let left: OperandSource
  private let right: OperandSource
  private let isLeftConstant: Bool
  private let isRightConstant: Bool
  private var leftBuffer = InstanceBuffer()
  private var rightBuffer = InstanceBuffer()
  private var isLoaded = false
  private var comparison: InstanceComparison

  init(_ condition: ValueCondition, _ left: BoundOperand, _ right: BoundOperand) {
    self.left = left.source
    self.right = right.source
    isLeftConstant = left.constant != nil
    isRightConstant = right.constant != nil
    comparison = InstanceComparison(
      condition: condition, leftQualifier: left.qualifier, rightQualifier: right.qualifier)
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    if !isLoaded || !isLeftConstant { try left.load(key, into: &leftBuffer) }
    if !isLoaded || !isRightConstant { try right.load(key, into: &rightBuffer) }
    isLoaded = true
    return comparison.holds(leftBuffer, rightBuffer)
  }
}

/// A comparison of two operands that always have one value each.
final class SingleCondition: Condition {
  private let condition: ValueCondition
  private let left: SingleSource
  private let right: SingleSource

  init(_ condition: ValueCondition, _ left: SingleSource, _ right: SingleSource) {
    self.condition = condition
    self.left = left
    self.right = right
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    condition.holds(try left.value(of: key), try right.value(of: key))
  }

  override var columns: [Int] { left.columns + right.columns }

  override func matches(
    _ rows: RowMask, _ cursor: TableCursor
  ) throws(QueryFailure) -> RowMask {
    var result = RowMask.empty
    if let constant = (right as? SingleConstantSource)?.constant {
      try left.forEachValue(rows, cursor) { (row, value) in
        if condition.holds(value, constant) { result.insert(row) }
      }
      return result
    }
    if let constant = (left as? SingleConstantSource)?.constant {
      try right.forEachValue(rows, cursor) { (row, value) in
        if condition.holds(constant, value) { result.insert(row) }
      }
      return result
    }
    return try super.matches(rows, cursor)
  }
}

/// Compares instances of two operands. Source: query-language.md 13.
private struct InstanceComparison {
  let condition: ValueCondition
  let leftQualifier: Qualifier?
  let rightQualifier: Qualifier?
  private var sortedLeft: [QueryValue] = []
  private var sortedRight: [QueryValue] = []

  init(condition: ValueCondition, leftQualifier: Qualifier?, rightQualifier: Qualifier?) {
    self.condition = condition
    self.leftQualifier = leftQualifier
    self.rightQualifier = rightQualifier
  }

  /// Whether the condition holds for some pair of instances.
  mutating func holds(_ left: InstanceBuffer, _ right: InstanceBuffer) -> Bool {
    for l in left.instances {
      for r in right.instances {
        let isMatch =
          !l.isList && !r.isList
          ? condition.holds(left.values[l.start], right.values[r.start])
          : holds(
            left.values[l.start..<l.end], l.isList, right.values[r.start..<r.end], r.isList)
        if isMatch { return true }
      }
    }
    return false
  }

  private mutating func holds(
    _ l: ArraySlice<QueryValue>, _ isLeftList: Bool, _ r: ArraySlice<QueryValue>,
    _ isRightList: Bool
  ) -> Bool {
    if isLeftList, isRightList {
      if leftQualifier == nil, rightQualifier == nil { return holdsPairwise(l, r) }
      if l.count > 2, r.count > 2, let result = holdsSorted(l, r) { return result }
    }
    return holdsForEach(l, r)
  }

  /// Two lists without a word before either: element by element.
  private func holdsPairwise(_ l: ArraySlice<QueryValue>, _ r: ArraySlice<QueryValue>) -> Bool {
    guard l.count == r.count else {
      return condition.comparison == .notEqual && !condition.ignoresCase
    }
    return zip(l, r).allSatisfy { condition.holds($0, $1) }
  }

  /// `q_left l in L: q_right r in R: c(l, r)`; no word means ANY.
  private func holdsForEach(_ l: ArraySlice<QueryValue>, _ r: ArraySlice<QueryValue>) -> Bool {
    Quantifier(leftQualifier).holds(l) { value in
      Quantifier(rightQualifier).holds(r) { condition.holds(value, $0) }
    }
  }

  /// The shortcut of realm-core for two lists of more than two values each, whose result can differ
  /// from the definition; nil where it is not taken.
  private mutating func holdsSorted(
    _ l: ArraySlice<QueryValue>, _ r: ArraySlice<QueryValue>
  ) -> Bool? {
    let isMerge =
      condition.comparison == .equal && !condition.ignoresCase
      && (rightQualifier == nil || rightQualifier == .any) && leftQualifier != Qualifier.none
    guard isMerge || condition.isRelational else { return nil }
    sortedLeft.removeAll(keepingCapacity: true)
    sortedRight.removeAll(keepingCapacity: true)
    sortedLeft += l
    sortedRight += r
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

/// How many elements of a list have to satisfy a condition.
enum Quantifier {
  case any, all, none

  /// No word means ANY.
  init(_ qualifier: Qualifier?) {
    switch qualifier {
    case nil, .any: self = .any
    case .all: self = .all
    case Qualifier.none?: self = .none
    }
  }

  @inline(__always)
  func holds<Element>(
    _ elements: ArraySlice<Element>, _ body: (Element) -> Bool
  ) -> Bool {
    switch self {
    case .any: elements.contains(where: body)
    case .all: elements.allSatisfy(body)
    case .none: !elements.contains(where: body)
    }
  }
}

/// Whether any value of an operand equals a constant, whatever the lists.
final class AnyEqualCondition: Condition {
  private let source: OperandSource
  private let constant: QueryValue
  private var buffer = InstanceBuffer()

  init(_ source: OperandSource, _ constant: QueryValue) {
    self.source = source
    self.constant = constant
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    try source.load(key, into: &buffer)
    let equal = ValueCondition(.equal)
    return buffer.values.contains { equal.holds($0, constant) }
  }
}

/// A collection of links that has one of some objects, or one other than an object.
///
/// Source: query-language.md 9.3.
final class LinkCollectionCondition: Condition {
  private let reader: PropertyReader
  /// Ascending.
  private let keys: [ObjectKey]
  private let matchesNull: Bool
  private let isEqual: Bool
  private let index: Int64?
  private var linked: [ObjectKey] = []

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
    return try reading { () throws(StorageError) in
      switch value {
      case .dictionary(let dictionary):
        for entry in try dictionary.entries() {
          let linked = QueryValue(entry.value).linkKey
          if linked.map({ isAmongKeys($0) == isEqual }) ?? matchesNull { return true }
        }
        return false
      case .list(let list):
        if let index {
          guard case .link(_, let key)? = try list.element(at: index) else { return false }
          return isAmongKeys(key) == isEqual
        }
        linked.removeAll(keepingCapacity: true)
        try list.appendLinks(to: &linked)
        return linked.contains { isAmongKeys($0) == isEqual }
      default: return false
      }
    }
  }

  private func isAmongKeys(_ key: ObjectKey) -> Bool {
    keys.hasAscending { ScalarValue.compare($0, key) }
  }
}
