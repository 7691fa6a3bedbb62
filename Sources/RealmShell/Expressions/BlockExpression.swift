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

  /// What is read.
  final class Block {
    fileprivate var cursor: TableCursor?
    /// The leaves of the block at hand.
    fileprivate var leaves: [ColumnLeaf] = []
    fileprivate var oldReader: ObjectReader?
    /// The row that the old reader is at, and whether it found its object.
    fileprivate var oldRow = -1
    fileprivate var hasOld = false
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
      block.leaves.removeAll(keepingCapacity: true)
      if cursor.count > 0 {
        for i in positions.indices { block.leaves.append(try cursor.leaf(i)) }
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
        return PropertyNode(block, place(property.position, in: &positions), evaluator)
      case .old:
        guard let oldClass, let property = plain(name, oldClass) else { break }
        return OldPropertyNode(block, place(property.position, in: &oldPositions), evaluator)
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
  func value(at row: Int) throws(ShellError) -> ShellValue { .null }
}

private final class ConstantNode: BlockNode {
  private let constant: ShellValue

  init(_ constant: ShellValue) { self.constant = constant }

  override func value(at row: Int) throws(ShellError) -> ShellValue { constant }
}

private final class PropertyNode: BlockNode {
  private let block: BlockEvaluator.Block
  private let place: Int
  private let evaluator: Evaluator

  init(_ block: BlockEvaluator.Block, _ place: Int, _ evaluator: Evaluator) {
    (self.block, self.place, self.evaluator) = (block, place, evaluator)
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    do throws(StorageError) {
      switch block.leaves[place] {
      case .int(let leaf): return leaf.value(at: row).map { .scalar(.int($0)) } ?? .null
      default:
        guard let cursor = block.cursor else { return .null }
        return .scalar(try cursor.value(place, at: row).scalar ?? .null)
      }
    } catch {
      throw StorageMessages.error(error, path: evaluator.path)
    }
  }
}

private final class OldPropertyNode: BlockNode {
  private let block: BlockEvaluator.Block
  private let place: Int
  private let evaluator: Evaluator

  init(_ block: BlockEvaluator.Block, _ place: Int, _ evaluator: Evaluator) {
    (self.block, self.place, self.evaluator) = (block, place, evaluator)
  }

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    guard let reader = block.oldReader, let cursor = block.cursor else { return .null }
    do throws(StorageError) {
      if block.oldRow != row {
        block.hasOld = try reader.move(to: cursor.key(at: row))
        block.oldRow = row
      }
      guard block.hasOld else { return .null }
      return .scalar(try reader.value(place).scalar ?? .null)
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

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    try Arithmetic.apply(
      sign, try left.value(at: row), try right.value(at: row), at: range)
  }
}

private final class CallNode: BlockNode {
  private let name: String
  private let operands: [BlockNode]
  private let range: SourceRange

  init(_ name: String, _ operands: [BlockNode], _ range: SourceRange) {
    (self.name, self.operands, self.range) = (name, operands, range)
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

  override func value(at row: Int) throws(ShellError) -> ShellValue {
    for operand in operands {
      let value = try operand.value(at: row)
      if !value.isNull { return value }
    }
    return .null
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
