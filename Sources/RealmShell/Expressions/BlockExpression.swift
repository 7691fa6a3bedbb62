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
    case .path(let path):
      guard path.steps.count == 1, case .property(let name) = path.steps[0].kind else { break }
      switch path.base {
      case .row:
        guard let property = plain(name, objectClass) else { break }
        let node = PropertyNode(
          block, place(property.position, in: &positions), property.kind, evaluator)
        block.properties.append(node)
        return node
      case .old:
        guard let oldClass, let property = plain(name, oldClass) else { break }
        return OldPropertyNode(
          block, place(property.position, in: &oldPositions), property.kind, evaluator)
      case .variable, .object: break
      }
    case .binary(let sign, _, let left, let right, let range):
      switch sign {
      case .add, .subtract, .multiply, .divide, .remainder:
        return ArithmeticNode(sign, try node(left), try node(right), range)
      default: break
      }
    case .call(let function, let arguments, let range):
      let name = function.text.lowercased()
      guard let known = Grammar.function(named: name),
        known.argumentCount.contains(arguments.count), SharingFunction(rawValue: name) == nil,
        name != "if", name != "index"
      else { break }
      var operands: [BlockNode] = []
      for argument in arguments { operands.append(try node(argument)) }
      return name == "coalesce" ? CoalesceNode(operands) : CallNode(name, operands, range)
    case .literal, .unary, .query, .array, .object: break
    }
    return OtherNode(block, expression, objectClass, evaluator)
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
}

private final class ConstantNode: BlockNode {
  private let constant: ShellValue
  private let bytes: [UInt8]?

  init(_ constant: ShellValue) {
    self.constant = constant
    if case .scalar(.string(let bytes)) = constant { self.bytes = bytes } else { bytes = nil }
  }

  override var isText: Bool { bytes != nil }

  override func value(at row: Int) throws(ShellError) -> ShellValue { constant }

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

  init(_ sign: BinaryOperator, _ left: BlockNode, _ right: BlockNode, _ range: SourceRange) {
    (self.sign, self.left, self.right, self.range) = (sign, left, right, range)
  }

  override var isText: Bool { sign == .add && left.isText && right.isText }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    try Arithmetic.apply(
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
