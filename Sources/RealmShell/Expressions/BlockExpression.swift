import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Computes expressions for all objects of a class, block by block.
///
/// What most of them consist of, plain properties, operators and functions, is found out once; the
/// rest is left to the evaluator.
final class BlockEvaluator {
  private let evaluator: Evaluator
  private let objectClass: ObjectClass
  /// Positions of the columns that are read, in the table and in the table before a migration.
  private var positions: [Int] = []
  private var oldPositions: [Int] = []
  private let oldClass: ObjectClass?
  private var nodes: [BlockNode] = []
  private let block = Block()
  private var text: [UInt8] = []

  /// What is read.
  final class Block {
    fileprivate var cursor: TableCursor?
    /// The properties that are read from the cursor.
    fileprivate var properties: [PropertyNode] = []
    fileprivate var oldReader: ObjectReader?
    /// The row that the old reader is at, and whether it found its object.
    fileprivate var oldRow = -1
    fileprivate var hasOld = false

    /// Moves the old reader to the object of a row; false if there was none.
    @inline(__always)
    fileprivate func moveOld(to row: Int) throws(StorageError) -> Bool {
      guard oldRow != row else { return hasOld }
      guard let oldReader, let cursor else { return false }
      hasOld = try oldReader.move(to: cursor.key(at: row))
      oldRow = row
      return hasOld
    }
  }

  /// - Parameter expressions: Those to be computed.
  init(
    _ expressions: [Expression], _ objectClass: ObjectClass, _ evaluator: Evaluator
  ) throws(ShellError) {
    (self.evaluator, self.objectClass) = (evaluator, objectClass)
    oldClass = evaluator.old?.schema.objectClass(objectClass.table.key)
    for expression in expressions { nodes.append(try node(expression)) }
    block.cursor = try evaluator.reading { () throws(StorageError) in
      try TableCursor(objectClass.table, columns: positions)
    }
    if let oldClass, !oldPositions.isEmpty {
      block.oldReader = ObjectReader(oldClass.table, columns: oldPositions)
    }
  }

  /// Moves to the next block; false at the end.
  ///
  /// - Returns: the number of objects; nil at the end.
  func next() throws(ShellError) -> Int? {
    try evaluator.reading { () throws(StorageError) in
      guard let cursor = block.cursor, try cursor.next() else { return nil }
      block.oldRow = -1
      if cursor.count > 0 {
        for property in block.properties { try property.begin(cursor) }
      }
      return cursor.count
    }
  }

  /// The key of an object of the block.
  func key(at row: Int) -> ObjectKey { block.cursor?.key(at: row) ?? .null }

  /// The value of the i-th expression for an object of the block.
  @inline(__always)
  func value(_ i: Int, at row: Int) throws(ShellError) -> ShellValue {
    try nodes[i].value(at: row)
  }

  /// Whether the i-th expression is a text, or null, for every object.
  func isText(_ i: Int) -> Bool { nodes[i].isText }

  /// The text of the i-th expression for an object of the block, which is handed to `body`; nil for null.
  ///
  /// - Precondition: the expression is a text.
  @inline(__always)
  func withText(
    _ i: Int, at row: Int, _ body: (UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(ShellError) {
    text.removeAll(keepingCapacity: true)
    let isNull = try !nodes[i].append(to: &text, at: row)
    try evaluator.reading { () throws(StorageError) in
      if isNull { return try body(nil) }
      try text.withUnsafeBufferPointer { (bytes) throws(StorageError) in
        try body(UnsafeRawBufferPointer(bytes))
      }
    }
  }

  // MARK: Preparing

  private func node(_ expression: Expression) throws(ShellError) -> BlockNode {
    if expression.isConstant {
      return ConstantNode(try evaluator.value(of: expression, row: nil))
    }
    switch expression {
    case .path(let path): if let node = node(path) { return node }
    case .binary(let sign, let folding, let left, let right, let range):
      let operands = (try node(left), try node(right))
      switch sign {
      case .add, .subtract, .multiply, .divide, .remainder:
        return ArithmeticNode(sign, operands.0, operands.1, range)
      case .and, .or: break
      default: return ComparisonNode(sign, folding, operands.0, operands.1, range)
      }
    case .call(let function, let arguments, let range):
      if let node = try node(function, arguments, range) { return node }
    case .literal, .unary, .query, .array, .object: break
    }
    return OtherNode(block, expression, objectClass, evaluator)
  }

  private func node(_ path: PathExpression) -> BlockNode? {
    var names: [String] = []
    for step in path.steps {
      guard case .property(let name) = step.kind else { return nil }
      names.append(name)
    }
    switch path.base {
    case .row:
      guard names.count == 1 else { return links(names, objectClass, evaluator) }
      guard let property = plain(names[0], objectClass) else { return nil }
      let node = PropertyNode(
        block, place(property.position, in: &positions), property.kind, evaluator)
      block.properties.append(node)
      return node
    case .old:
      guard let old = evaluator.old, let oldClass else { return nil }
      guard names.count == 1 else { return links(names, oldClass, old) }
      guard let property = plain(names[0], oldClass) else { return nil }
      return OldPropertyNode(
        block, place(property.position, in: &oldPositions), property.kind, evaluator)
    case .variable, .object: return nil
    }
  }

  /// A path through links, each to one object, to a plain property.
  private func links(
    _ names: [String], _ start: ObjectClass, _ evaluator: Evaluator
  ) -> BlockNode? {
    var (objectClass, readers): (ObjectClass, [ObjectReader]) = (start, [])
    for (i, name) in names.enumerated() {
      let isLast = i == names.count - 1
      guard objectClass.view == nil, let property = objectClass.property(named: name),
        property.collection == .none, property.kind != .mixed, (property.kind == .link) != isLast
      else { return nil }
      readers.append(ObjectReader(objectClass.table, columns: [property.position]))
      if isLast { return LinksNode(block, readers, property.kind, evaluator) }
      guard let target = property.target.flatMap({ evaluator.schema.objectClass($0) }) else {
        return nil
      }
      objectClass = target
    }
    return nil
  }

  private func node(
    _ function: Name, _ arguments: [Expression], _ range: SourceRange
  ) throws(ShellError) -> BlockNode? {
    let name = function.text.lowercased()
    guard let known = Grammar.function(named: name),
      known.argumentCount.contains(arguments.count), SharingFunction(rawValue: name) == nil,
      name != "index"
    else { return nil }
    var operands: [BlockNode] = []
    for argument in arguments { operands.append(try node(argument)) }
    switch name {
    case "if": return ChoiceNode(operands, arguments[0].range, evaluator)
    case "coalesce": return CoalesceNode(operands)
    default: return CallNode(name, operands, range)
    }
  }

  /// A stored property with a single value that is no link.
  private func plain(_ name: String, _ objectClass: ObjectClass) -> Property? {
    guard objectClass.view == nil, let property = objectClass.property(named: name),
      property.collection == .none, property.kind != .link, property.kind != .mixed
    else { return nil }
    return property
  }

  private func place(_ position: Int, in positions: inout [Int]) -> Int {
    if let known = positions.firstIndex(of: position) { return known }
    positions.append(position)
    return positions.count - 1
  }
}

/// A part of an expression.
private class BlockNode {
  /// Whether its value is a text or null.
  var isText: Bool { false }

  func value(at row: Int) throws(ShellError) -> ShellValue { .null }

  /// Adds the text for a row to a buffer; false if it is null.
  func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    guard case .scalar(.string(let bytes)) = try value(at: row) else { return false }
    text += bytes
    return true
  }

  /// Whether its value is an int or null.
  var isInt: Bool { false }

  /// The int for a row; nil if it is null.
  ///
  /// - Precondition: `isInt`.
  func int(at row: Int) throws(ShellError) -> Int64? {
    guard case .scalar(.int(let number)) = try value(at: row) else { return nil }
    return number
  }
}

private final class ConstantNode: BlockNode {
  private let constant: ShellValue
  private let bytes: [UInt8]?
  private let number: Int64?

  init(_ constant: ShellValue) {
    self.constant = constant
    if case .scalar(.string(let bytes)) = constant { self.bytes = bytes } else { bytes = nil }
    if case .scalar(.int(let number)) = constant { self.number = number } else { number = nil }
  }

  override var isText: Bool { bytes != nil }
  override var isInt: Bool { number != nil }

  override func value(at row: Int) throws(ShellError) -> ShellValue { constant }

  override func int(at row: Int) throws(ShellError) -> Int64? { number }

  override func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    guard let bytes else { return false }
    text += bytes
    return true
  }
}

private final class PropertyNode: BlockNode {
  private let block: BlockEvaluator.Block
  private let place: Int
  private let kind: ValueKind
  private let evaluator: Evaluator
  /// The leaf of the block at hand, if it is of one of these kinds.
  private var strings: StringLeaf?
  private var ints: IntegerLeaf?
  private var doubles: FloatingLeaf<Double>?

  init(_ block: BlockEvaluator.Block, _ place: Int, _ kind: ValueKind, _ evaluator: Evaluator) {
    (self.block, self.place, self.kind, self.evaluator) = (block, place, kind, evaluator)
  }

  func begin(_ cursor: TableCursor) throws(StorageError) {
    switch kind {
    case .string: strings = try cursor.strings(place)
    case .int: ints = try cursor.ints(place)
    case .double: doubles = try cursor.doubles(place)
    default: break
    }
  }

  override var isText: Bool { kind == .string }
  override var isInt: Bool { kind == .int }

  override func int(at row: Int) throws(ShellError) -> Int64? {
    ints.flatMap { $0.value(at: row) }
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    if let ints { return ints.value(at: row).map { .scalar(.int($0)) } ?? .null }
    if let doubles { return doubles.value(at: row).map { .scalar(.double($0)) } ?? .null }
    return try evaluator.reading { () throws(StorageError) in
      if let strings {
        return try strings.value(at: row).map { .scalar(.string([UInt8]($0))) } ?? .null
      }
      guard let cursor = block.cursor else { return .null }
      return .scalar(try cursor.value(place, at: row).scalar ?? .null)
    }
  }

  override func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    guard let strings else { return try super.append(to: &text, at: row) }
    do throws(StorageError) {
      guard let bytes = try strings.value(at: row) else { return false }
      text.append(contentsOf: bytes)
      return true
    } catch {
      throw StorageMessages.error(error, path: evaluator.path)
    }
  }
}

private final class OldPropertyNode: BlockNode {
  private let block: BlockEvaluator.Block
  private let place: Int
  private let kind: ValueKind
  private let evaluator: Evaluator

  init(_ block: BlockEvaluator.Block, _ place: Int, _ kind: ValueKind, _ evaluator: Evaluator) {
    (self.block, self.place, self.kind, self.evaluator) = (block, place, kind, evaluator)
  }

  override var isText: Bool { kind == .string }
  override var isInt: Bool { kind == .int }

  override func int(at row: Int) throws(ShellError) -> Int64? {
    do throws(StorageError) {
      guard try block.moveOld(to: row), let reader = block.oldReader,
        case .int(let number) = try reader.value(place)
      else { return nil }
      return number
    } catch {
      throw StorageMessages.error(error, path: evaluator.path)
    }
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    try evaluator.reading { () throws(StorageError) in
      guard try block.moveOld(to: row), let reader = block.oldReader else { return .null }
      return .scalar(try reader.value(place).scalar ?? .null)
    }
  }

  override func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    do throws(StorageError) {
      guard try block.moveOld(to: row), let reader = block.oldReader,
        case .string(let bytes) = try reader.value(place)
      else { return false }
      text.append(contentsOf: bytes)
      return true
    } catch {
      throw StorageMessages.error(error, path: evaluator.path)
    }
  }
}

private final class ArithmeticNode: BlockNode {
  private let sign: BinaryOperator
  private let left: BlockNode
  private let right: BlockNode
  private let range: SourceRange
  private let hasInts: Bool

  init(_ sign: BinaryOperator, _ left: BlockNode, _ right: BlockNode, _ range: SourceRange) {
    (self.sign, self.left, self.right, self.range) = (sign, left, right, range)
    hasInts = left.isInt && right.isInt
  }

  override var isText: Bool { sign == .add && left.isText && right.isText }
  override var isInt: Bool { hasInts }

  override func int(at row: Int) throws(ShellError) -> Int64? {
    let (a, b) = (try left.int(at: row), try right.int(at: row))
    guard let a, let b else { return nil }
    return try Arithmetic.int(sign, a, b, range)
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    if hasInts { return try int(at: row).map { .scalar(.int($0)) } ?? .null }
    return try Arithmetic.apply(
      sign, try left.value(at: row), try right.value(at: row), at: range)
  }

  override func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    guard try left.append(to: &text, at: row) else { return false }
    return try right.append(to: &text, at: row)
  }
}

private final class CallNode: BlockNode {
  private let name: String
  private let operands: [BlockNode]
  private let range: SourceRange

  init(_ name: String, _ operands: [BlockNode], _ range: SourceRange) {
    (self.name, self.operands, self.range) = (name, operands, range)
  }

  override var isText: Bool {
    ["string", "upper", "lower", "trim", "substr", "replace", "join"].contains(name)
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    var values: [ShellValue] = []
    values.reserveCapacity(operands.count)
    for operand in operands { values.append(try operand.value(at: row)) }
    return try Functions.call(name, values, at: range)
  }
}

private final class CoalesceNode: BlockNode {
  private let operands: [BlockNode]

  init(_ operands: [BlockNode]) { self.operands = operands }

  override var isText: Bool { operands.allSatisfy(\.isText) }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    for operand in operands {
      let value = try operand.value(at: row)
      if !value.isNull { return value }
    }
    return .null
  }

  override func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    let count = text.count
    for operand in operands {
      if try operand.append(to: &text, at: row) { return true }
      text.removeLast(text.count - count)
    }
    return false
  }
}

/// The value at the end of links; null if one of them is.
private final class LinksNode: BlockNode {
  private let block: BlockEvaluator.Block
  /// Each reads one property: all but the last a link.
  private let readers: [ObjectReader]
  private let kind: ValueKind
  private let evaluator: Evaluator

  init(
    _ block: BlockEvaluator.Block, _ readers: [ObjectReader], _ kind: ValueKind,
    _ evaluator: Evaluator
  ) {
    (self.block, self.readers, self.kind, self.evaluator) = (block, readers, kind, evaluator)
  }

  override var isText: Bool { kind == .string }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    try evaluator.reading { () throws(StorageError) in
      var key = block.cursor?.key(at: row) ?? .null
      for (i, reader) in readers.enumerated() {
        guard try reader.move(to: key) else { return .null }
        let value = try reader.value(0)
        if i == readers.count - 1 { return .scalar(value.scalar ?? .null) }
        guard case .link(_, let next) = value else { return .null }
        key = next
      }
      return .null
    }
  }
}

private final class ComparisonNode: BlockNode {
  private let sign: BinaryOperator
  private let folding: CaseFolding?
  private let left: BlockNode
  private let right: BlockNode
  private let range: SourceRange

  init(
    _ sign: BinaryOperator, _ folding: CaseFolding?, _ left: BlockNode, _ right: BlockNode,
    _ range: SourceRange
  ) {
    (self.sign, self.folding, self.left, self.right, self.range) =
      (sign, folding, left, right, range)
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    let result = try Comparisons.apply(
      sign, folding, try left.value(at: row), try right.value(at: row), at: range)
    return result.map { .scalar(.bool($0)) } ?? .null
  }
}

private final class ChoiceNode: BlockNode {
  private let operands: [BlockNode]
  private let range: SourceRange
  private let evaluator: Evaluator

  init(_ operands: [BlockNode], _ range: SourceRange, _ evaluator: Evaluator) {
    (self.operands, self.range, self.evaluator) = (operands, range, evaluator)
  }

  override var isText: Bool { operands[1].isText && operands[2].isText }

  private func chosen(at row: Int) throws(ShellError) -> BlockNode {
    let condition = try evaluator.truth(of: try operands[0].value(at: row), at: range)
    return operands[condition == true ? 1 : 2]
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    try chosen(at: row).value(at: row)
  }

  override func append(to text: inout [UInt8], at row: Int) throws(ShellError) -> Bool {
    try chosen(at: row).append(to: &text, at: row)
  }
}

/// What only the evaluator can compute.
private final class OtherNode: BlockNode {
  private let block: BlockEvaluator.Block
  private let expression: Expression
  private let objectClass: ObjectClass
  private let evaluator: Evaluator

  init(
    _ block: BlockEvaluator.Block, _ expression: Expression, _ objectClass: ObjectClass,
    _ evaluator: Evaluator
  ) {
    (self.block, self.expression) = (block, expression)
    (self.objectClass, self.evaluator) = (objectClass, evaluator)
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    let key = block.cursor?.key(at: row) ?? .null
    return try evaluator.value(of: expression, row: .object(objectClass, key))
  }
}
