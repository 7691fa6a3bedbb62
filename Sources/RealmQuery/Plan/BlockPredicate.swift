import RealmObjects
import RealmStorage
import RealmValues

/// A predicate made ready for blocks of objects.
///
/// Conditions on plain properties are tested a whole leaf at a time; the others row by row, for
/// those rows only that are left.
final class BlockPredicate {
  indirect enum Node {
    case always(Bool)
    case and([Node])
    case or([Node])
    case not(Node)
    /// A test of the i-th column of the cursor.
    case column(ColumnTest, Int)
    case condition(Condition)

    /// Rank for the order of evaluation.
    var cost: Int {
      switch self {
      case .always: 0
      case .column(let test, _): test.cost
      case .not(let part): part.cost
      case .and(let parts), .or(let parts): parts.map(\.cost).max() ?? 0
      case .condition: 100
      }
    }
  }

  private(set) var root = Node.always(true)
  /// Measures the tests; nil if nobody wants to know.
  var profile: QueryProfile?
  /// Positions of the columns that are tested by leaves.
  private(set) var columns: [Int] = []

  /// - Parameter positions: Positions of columns that the caller will read, which become the first
  ///   ones of the cursor.
  init(_ predicate: BoundPredicate, reading positions: [Int] = []) {
    columns = positions
    root = prepare(predicate)
  }

  private func prepare(_ predicate: BoundPredicate) -> Node {
    switch predicate {
    case .always(let value): return .always(value)
    case .vacuous: return .always(true)
    case .and(let parts): return .and(prepare(parts))
    case .or(let parts): return .or(prepare(parts))
    case .not(let part): return .not(prepare(part))
    case .condition(let condition):
      for position in condition.columns where !columns.contains(position) {
        columns.append(position)
      }
      return .condition(condition)
    case .column(let test):
      if let i = columns.firstIndex(of: test.position) { return .column(test, i) }
      columns.append(test.position)
      return .column(test, columns.count - 1)
    }
  }

  /// The cheapest first; equally cheap ones in the order written.
  private func prepare(_ parts: [BoundPredicate]) -> [Node] {
    let nodes = parts.map(prepare)
    let order = nodes.indices.sorted { (nodes[$0].cost, $0) < (nodes[$1].cost, $1) }
    return order.map { nodes[$0] }
  }

  /// Whether every object matches.
  var isAlwaysTrue: Bool { if case .always(true) = root { true } else { false } }

  /// Walks all objects of a class until `body`, which gets the rows of each block that match,
  /// returns false.
  func forEachBlock(
    of objectClass: ObjectClass, _ run: QueryRun,
    _ body: (TableCursor, RowMask) throws(QueryFailure) -> Bool
  ) throws(QueryFailure) {
    let cursor = try reading { () throws(StorageError) in
      try TableCursor(objectClass.table, columns: columns)
    }
    while try reading({ () throws(StorageError) in try cursor.next() }) {
      try run.visit(cursor.count)
      let rows: RowMask
      if let profile { rows = try matches(cursor, profile) } else { rows = try matches(cursor) }
      if !rows.isEmpty, try !body(cursor, rows) { return }
    }
  }

  /// The rows of the present block of `cursor` that match.
  private func matches(_ cursor: TableCursor) throws(QueryFailure) -> RowMask {
    try narrow(.first(cursor.count), root, cursor)
  }

  /// The rows of `rows` that match.
  func narrow(
    _ rows: RowMask, _ node: Node, _ cursor: TableCursor
  ) throws(QueryFailure) -> RowMask {
    switch node {
    case .always(let value): return value ? rows : .empty
    case .and(let parts):
      var rest = rows
      for part in parts {
        if rest.isEmpty { break }
        rest = try narrow(rest, part, cursor)
      }
      return rest
    case .or(let parts):
      var rest = rows
      for part in parts {
        if rest.isEmpty { break }
        rest = rest.subtracting(try narrow(rest, part, cursor))
      }
      return rows.subtracting(rest)
    case .not(let part): return rows.subtracting(try narrow(rows, part, cursor))
    case .column(let test, let i): return try test.matches(rows, cursor, i)
    case .condition(let condition): return try condition.matches(rows, cursor)
    }
  }
}
