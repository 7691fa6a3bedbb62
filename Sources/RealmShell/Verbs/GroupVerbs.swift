import ByteKernels
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// `aggregate`, `sections`.
///
/// Source: shell.md 10, object-model.md 5.7, 5.8.
extension Session {
  // MARK: aggregate

  func aggregate(_ statement: AggregateStatement, to writer: ByteWriter) throws(ShellError) {
    let table = try table(of: statement)
    let scope = usedScope()
    let shown = ShownTable(kind: .groups) { [unowned self] () throws(ShellError) in
      try self.table(of: statement, scope: scope)
    }
    try show(shown, table, table.value(isGrouped: !statement.keys.isEmpty), to: writer)
  }

  /// The rows of an `aggregate`.
  func table(
    of statement: AggregateStatement, scope: Scope? = nil
  ) throws(ShellError) -> ValueTable {
    let (objects, evaluator) = try objects(of: statement.source, scope: scope)
    let maker = GroupingMaker(objects.objectClass, statement.keys, evaluator)
    var columns: [ResultColumn] = []
    var keys: [GroupingSource] = []
    for key in statement.keys {
      let (source, column) = try maker.key(key)
      keys.append(source)
      columns.append(column)
    }
    var aggregates: [Aggregate] = []
    for column in statement.columns {
      let (aggregate, result) = try maker.aggregate(column)
      aggregates.append(aggregate)
      columns.append(result)
    }
    let grouping = Grouping(by: keys, aggregates)
    let condition = statement.condition ?? .everything(at: statement.source.range)
    try maker.running { () throws(ShellError) in
      if objects.keys != nil {
        let members = try self.keys(of: objects, condition, evaluator)
        try run(evaluator.path) { () throws(QueryFailure) in
          try grouping.add(members) { Interruption.isRequested }
        }
      } else {
        let query = try bind(condition, objects.objectClass, evaluator)
        try run(evaluator.path) { () throws(QueryFailure) in
          measurement?.begin(query, condition)
          try query.add(to: grouping) { Interruption.isRequested }
          measurement?.end(query, condition, objectCount: grouping.objectCount)
        }
      }
    }
    let schema = evaluator.schema
    let rows = try maker.running { () throws(ShellError) in
      try run(evaluator.path) { () throws(QueryFailure) in try grouping.rows() }
    }.map { row in row.map { ShellValue(key: $0, schema) } }
    return ValueTable(rows, columns: columns, schema: schema, path: evaluator.path)
  }

  // MARK: sections

  func sections(_ statement: SectionsStatement, to writer: ByteWriter) throws(ShellError) {
    let database = try current(at: statement.source.range)
    let result = try find(statement)
    let live = live(result, from: statement.source, database) { .sections(statement, $0) }
    try show(result, live, to: writer)
  }

  /// The objects of a query in sections.
  func find(
    _ statement: SectionsStatement, scope: Scope? = nil, in database: Database? = nil
  ) throws(ShellError) -> ResultSet {
    let divided = try divide(statement, scope: scope, in: database)
    let columns = try ColumnMaker.columns(
      statement.columns, of: divided.objectClass, evaluator: divided.evaluator)
    var ordered: [ObjectKey] = []
    ordered.reserveCapacity(divided.objects.count)
    var rows: [Range<Int>] = []
    for section in divided.sections {
      rows.append(ordered.count..<ordered.count + section.objects.count)
      ordered += section.objects
    }
    let schema = divided.evaluator.schema
    let parts = ResultSections(
      column: divided.column, keys: divided.sections.map { ShellValue(key: $0.key, schema) },
      rows: rows)
    return ResultSet(
      divided.objectClass, ordered, sections: parts, columns: columns,
      evaluator: divided.evaluator)
  }

  /// Objects that are divided into sections.
  struct DividedObjects {
    let objectClass: ObjectClass
    let evaluator: Evaluator
    /// The column with the keys of the sections.
    let column: ResultColumn
    /// The objects in the order from which the sections follow.
    let objects: [ObjectKey]
    let sections: [RealmQuery.Section]
  }

  /// Divides the objects of a query into sections.
  func divide(
    _ statement: SectionsStatement, scope: Scope? = nil, in database: Database? = nil
  ) throws(ShellError) -> DividedObjects {
    let (objects, evaluator) = try objects(of: statement.source, scope: scope, in: database)
    let objectClass = objects.objectClass
    let maker = GroupingMaker(objectClass, [statement.key], evaluator)
    let (source, column) = try maker.sectionKey(statement.key)
    let condition = statement.condition ?? .everything(at: statement.source.range)
    let isSorted = try isSorted(objectClass, by: statement.key, condition, evaluator)
    let keys = try keys(of: objects, condition, evaluator)
    let sections = try maker.running { () throws(ShellError) in
      try run(evaluator.path) { () throws(QueryFailure) in
        try RealmQuery.Section.sections(of: keys, by: source, isSorted: !isSorted) {
          Interruption.isRequested
        }
      }
    }
    for section in sections where section.key.kind == .typedLink {
      throw ShellError.objectAsKey(at: statement.key.range)
    }
    return DividedObjects(
      objectClass: objectClass, evaluator: evaluator, column: column,
      // Without SORT the objects are sorted by their keys.
      objects: isSorted ? keys : sections.flatMap(\.objects), sections: sections)
  }

  /// Whether a condition sorts the objects, so that sections come as their keys come.
  ///
  /// - Throws: `InvalidArgument` if the key is a property and not what is sorted by first.
  private func isSorted(
    _ objectClass: ObjectClass, by key: Expression, _ condition: Condition, _ evaluator: Evaluator
  ) throws(ShellError) -> Bool {
    // Of several SORT clauses the last one decides first.
    var sort: (first: SortCriterion, range: SourceRange)?
    for clause in condition.query.ordering {
      if case .sort(let criteria) = clause.kind, let first = criteria.first {
        sort = (first, clause.range)
      }
    }
    guard let sort else { return false }
    guard case .path(let path) = key, let names = objectClass.storedNames(along: path) else {
      return true
    }
    let sorted = sort.first.path.elements.map { element in
      if case .name(let name) = element.kind { name } else { "" }
    }
    guard names == sorted else {
      let text = evaluator.text(of: path.range)
      throw ShellError(
        .invalidArgument, "the objects have to be sorted by \(text) first", at: sort.range,
        remedy: "SORT(\(text) ASC, ...)")
    }
    return true
  }
}

/// Makes the sources of groups from expressions.
private final class GroupingMaker {
  private let objectClass: ObjectClass
  private let evaluator: Evaluator
  /// The first key, for errors without a place.
  private let place: SourceRange?
  /// Why a value could not be computed.
  private var failure: ShellError?

  init(_ objectClass: ObjectClass, _ keys: [Expression], _ evaluator: Evaluator) {
    self.objectClass = objectClass
    self.evaluator = evaluator
    place = keys.first?.range
  }

  /// Runs what reads the sources; throws what a computation has thrown.
  func running<Result>(
    _ body: () throws(ShellError) -> Result
  ) throws(ShellError) -> Result {
    do throws(ShellError) {
      return try body()
    } catch {
      if let failure { throw failure }
      var error = error
      if error.range?.length == 0 { error.range = place }
      throw error
    }
  }

  // MARK: Keys

  /// A key of `aggregate` with its column; it may be an object.
  func key(
    _ expression: Expression
  ) throws(ShellError) -> (source: GroupingSource, column: ResultColumn) {
    let type = try type(of: expression)
    return (source(expression, type, allowsObjects: true), column(expression, type, .row))
  }

  /// The key of `sections` with its column; it may be no object.
  func sectionKey(
    _ expression: Expression
  ) throws(ShellError) -> (source: GroupingSource, column: ResultColumn) {
    let type = try type(of: expression)
    guard type.objectClass == nil else {
      throw ShellError.objectAsKey(at: expression.range)
    }
    return (source(expression, type, allowsObjects: false), column(expression, type, .section))
  }

  private func type(of expression: Expression) throws(ShellError) -> StaticType {
    let type = try evaluator.type(of: expression, for: objectClass)
    guard !type.isCollection else {
      throw ShellError(.invalidArgument, "a collection cannot be a key", at: expression.range)
    }
    return type
  }

  private func column(
    _ expression: Expression, _ type: StaticType, _ source: ResultColumn.Source
  ) -> ResultColumn {
    ResultColumn(
      title: evaluator.text(of: expression.range), source: source, isMixed: type.isMixed,
      isNumeric: type.isNumber)
  }

  private func source(
    _ expression: Expression, _ type: StaticType, allowsObjects: Bool
  ) -> GroupingSource {
    if case .path(let path) = expression, let names = objectClass.storedNames(along: path),
      let property = SingleProperty(names, of: objectClass, schema: evaluator.schema)
    {
      return .property(property)
    }
    let (objectClass, evaluator) = (objectClass, evaluator)
    return .computed(type.kind ?? .mixed) { [unowned self] (key) throws(QueryFailure) in
      do throws(ShellError) {
        let value = try evaluator.value(of: expression, row: .object(objectClass, key))
        switch value {
        case .scalar(let scalar): return scalar
        case .object(let target, let key) where allowsObjects:
          return .link(target.table.key, key)
        default:
          throw ShellError(
            .invalidArgument, "\(value.kindText) cannot be a key", at: expression.range)
        }
      } catch {
        failure = error
        throw .interrupted
      }
    }
  }

  // MARK: Aggregates

  /// An aggregate with its column.
  func aggregate(
    _ column: AggregateColumn
  ) throws(ShellError) -> (aggregate: Aggregate, column: ResultColumn) {
    guard let path = column.path, column.function != .count else {
      return (
        .count,
        ResultColumn(
          title: column.name?.text ?? "count", source: .row, isMixed: false, isNumeric: true)
      )
    }
    let expression = Expression.path(path)
    let type = try evaluator.type(of: expression, for: objectClass)
    try check(type, column, path)
    let source = source(expression, type, allowsObjects: false)
    let aggregate: Aggregate
    var result = StaticType(kind: type.kind)
    switch column.function {
    case .count: aggregate = .count
    case .sum:
      aggregate = .sum(source)
      result.kind = type.kindOfSum
    case .avg:
      aggregate = .average(source)
      result.kind = type.kindOfAverage
    case .min: aggregate = .minimum(source)
    case .max: aggregate = .maximum(source)
    }
    let title = column.name?.text ?? evaluator.text(of: column.range)
    return (
      aggregate,
      ResultColumn(
        title: title, source: .row, isMixed: result.isMixed, isNumeric: result.isNumber)
    )
  }

  /// Refuses values that cannot be aggregated so.
  private func check(
    _ type: StaticType, _ column: AggregateColumn, _ path: PathExpression
  ) throws(ShellError) {
    let isExtreme = column.function == .min || column.function == .max
    let isPossible =
      switch type.kind {
      case .int, .float, .double, .decimal, .mixed, nil: true
      case .date: isExtreme
      default: false
      }
    guard isPossible, !type.isCollection else {
      let text = evaluator.text(of: path.range)
      let kind = type.isCollection ? "a collection" : type.kind.map(ShellValue.kindText) ?? ""
      throw ShellError(
        .illegalOperation, "\(text) is \(kind), which has no \(column.function.noun)",
        at: path.range)
    }
  }
}

extension ShellError {
  fileprivate static func objectAsKey(at range: SourceRange) -> ShellError {
    ShellError(.invalidArgument, "an object cannot be the key of a section", at: range)
  }
}

extension AggregateColumn.Function {
  /// What it computes.
  fileprivate var noun: String {
    switch self {
    case .count: "number"
    case .sum: "sum"
    case .avg: "average"
    case .min: "minimum"
    case .max: "maximum"
    }
  }
}

extension ShellValue {
  /// The value of a key or an aggregate.
  init(key: ScalarValue, _ schema: Schema) {
    if case .link(let table, let object) = key {
      self = schema.objectClass(table).map { .object($0, object) } ?? .null
    } else {
      self = .scalar(key)
    }
  }
}

extension ValueTable {
  /// The table as a value: of one row the record, or the only value; else a list of records.
  func value(isGrouped: Bool) -> ShellValue {
    let records = rows.map { row in
      ShellValue.dictionary(zip(columns, row).map { (Array($0.title.utf8), $1) })
    }
    if isGrouped { return .list(records) }
    guard let first = rows.first else { return .scalar(.null) }
    return columns.count == 1 ? first[0] : records[0]
  }
}
