import ByteKernels
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// `where` on lists, sets and dictionaries of values: they are ordered by `self`.
///
/// Source: object-model.md 5.3, 5.6.
extension Session {
  /// The members of a collection of values, ordered by the clauses of a query; nil if its source is
  /// another one.
  func values(
    of query: WhereStatement, scope: Scope? = nil
  ) throws(ShellError) -> ValueTable? {
    guard case .path(let path) = query.source else { return nil }
    let evaluator = evaluator(try? current(), scope: scope)
    let type = try evaluator.type(of: path, for: nil)
    guard type.objectClass == nil else { return nil }
    let value = try evaluator.value(of: path, row: nil)
    if case .results = value { return nil }
    guard var members = value.members, !members.contains(where: \.isObject),
      type.isCollection || !members.isEmpty
    else { return nil }
    if case .truePredicate = query.condition.query.predicate {
    } else {
      throw ShellError(
        .illegalOperation, "values can be ordered, but not filtered",
        at: query.condition.query.predicate.range)
    }
    guard query.columns.isEmpty else {
      throw ShellError(.illegalOperation, "values have no columns to show", at: path.range)
    }
    for clause in query.condition.query.ordering { try apply(clause, to: &members) }
    let column = ResultColumn(
      title: "self", source: .row, isMixed: type.isMixed, isNumeric: type.hasNumbers)
    return ValueTable(
      members.map { [$0] }, columns: [column], schema: evaluator.schema, path: evaluator.path)
  }

  private func apply(
    _ clause: OrderingClause, to members: inout [ShellValue]
  ) throws(ShellError) {
    switch clause.kind {
    case .offset(let count): members = Array(members.dropFirst(Int(clamping: max(0, count))))
    case .limit(let count): members = Array(members.prefix(Int(clamping: max(0, count))))
    case .distinct(let paths):
      guard let path = paths.first, paths.count == 1, path.isSelf else {
        throw ShellError(.invalidArgument, "values are distinct by self alone", at: clause.range)
      }
      let order = ValueOrder.sorted(members, isAscending: true)
      let firsts = order.indices.filter {
        $0 == 0 || ValueOrder.order(members[order[$0 - 1]], members[order[$0]]) != 0
      }
      members = firsts.map { order[$0] }.sorted().map { members[$0] }
    case .sort(let criteria):
      guard let criterion = criteria.first, criteria.count == 1, criterion.path.isSelf else {
        throw ShellError(.invalidArgument, "values are sorted by self alone", at: clause.range)
      }
      members = ValueOrder.sorted(members, isAscending: criterion.isAscending).map { members[$0] }
    }
  }
}

extension ValueTable {
  /// The only column as a list.
  var list: ShellValue { .list(rows.map { $0[0] }) }
}

/// The order of values of all types.
private enum ValueOrder {
  static func order(_ a: ShellValue, _ b: ShellValue) -> Int {
    switch (a, b) {
    case (.scalar(let x), .scalar(let y)): x.totalOrder(y)
    default: rank(a) - rank(b)
    }
  }

  /// The positions of values in their order; equal ones stay as they are.
  static func sorted(_ values: [ShellValue], isAscending: Bool) -> [Int] {
    values.indices.sorted {
      let order = order(values[$0], values[$1])
      return order != 0 ? (order < 0) == isAscending : $0 < $1
    }
  }

  /// Collections come after single values. Source: object-model.md 10.1.
  private static func rank(_ value: ShellValue) -> Int {
    switch value {
    case .scalar, .object, .reference: 0
    case .list, .results: 1
    case .dictionary, .record: 2
    }
  }
}

extension PropertyPath {
  /// Whether it means a value itself.
  fileprivate var isSelf: Bool {
    guard elements.count == 1, case .name("self") = elements[0].kind else { return false }
    return true
  }
}
