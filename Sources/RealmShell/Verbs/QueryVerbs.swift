import ByteKernels
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// `where`, `count`, `get`, `more`, `last`, `print`, `assert`.
extension Session {
  /// The variables, and the text, of the present statement.
  var scope: Scope { Scope(source: source, variables: threads.variables, locals: locals) }

  /// An evaluator for expressions of the present statement, or of another one.
  func evaluator(_ database: Database?, scope: Scope? = nil) -> Evaluator {
    let scope = scope ?? self.scope
    let evaluator = evaluator(database, in: scope)
    if let migration = database?.migration {
      let old = self.evaluator(database, in: scope)
      old.fixedSchema = migration.oldSchema
      evaluator.old = old
    }
    return evaluator
  }

  private func evaluator(_ database: Database?, in scope: Scope) -> Evaluator {
    let evaluator = Evaluator(
      database, source: scope.source,
      variable: { [unowned self] (name) throws(ShellError) in
        try value(of: name, in: scope)
      },
      variableNames: { scope.names }, projections: { [threads] in threads.projections },
      frozenSchema: { [unowned self] (version) throws(ShellError) in
        try frozenDatabase(version).realm.schema
      },
      sharing: { [unowned self] (function, argument, row, range) throws(ShellError) in
        try value(
          of: SharingCall(
            function: function, argument: argument, row: row, scope: scope, range: range))
      },
      query: { [unowned self] (statement) throws(ShellError) in
        try value(of: statement, in: scope)
      })
    evaluator.scope = scope
    return evaluator
  }

  /// The evaluator for objects of a class: that of their version, if they are frozen.
  func evaluator(
    for objectClass: ObjectClass, _ evaluator: Evaluator, _ scope: Scope? = nil
  ) throws(ShellError) -> Evaluator {
    guard let version = objectClass.frozen else { return evaluator }
    return self.evaluator(try frozenDatabase(version), scope: scope)
  }

  /// The value of a statement in parentheses.
  private func value(
    of statement: StatementBody, in scope: Scope
  ) throws(ShellError) -> ShellValue {
    switch statement {
    case .count(let count):
      return .scalar(.int(Int64(try number(of: count, scope: scope))))
    case .where(let query):
      if let table = try values(of: query, scope: scope) { return table.list }
      return .results(try find(query, scope: scope))
    case .sections(let sections): return .results(try find(sections, scope: scope))
    case .aggregate(let aggregate):
      return try table(of: aggregate, scope: scope).value(isGrouped: !aggregate.keys.isEmpty)
    case .get(let get):
      let database = try current(at: get.target.range)
      return try evaluator(database, scope: scope).value(of: get.target, row: nil)
    case .add(let add):
      throw ShellError(
        .illegalOperation, "a new object is no value here", at: add.className.range,
        remedy: "let $x = add \(quotedName(add.className.text)) ...")
    case .upsert(let upsert):
      throw ShellError(
        .illegalOperation, "a changed object is no value here", at: upsert.className.range,
        remedy: "let $x = upsert \(quotedName(upsert.className.text)) ...")
    default: throw ShellError(.illegalOperation, "the statement gives no value")
    }
  }

  // MARK: where, count

  /// The objects of a query.
  ///
  /// - Parameter database: Where they are looked for; nil for the current one.
  func find(
    _ query: WhereStatement, scope: Scope? = nil, in database: Database? = nil
  ) throws(ShellError) -> ResultSet {
    let (objects, evaluator) = try objects(of: query.source, scope: scope, in: database)
    let columns = try ColumnMaker.columns(
      query.columns, of: objects.objectClass, evaluator: evaluator)
    let keys = try keys(of: objects, query.condition, evaluator)
    return ResultSet(objects.objectClass, keys, columns: columns, evaluator: evaluator)
  }

  func find(_ query: WhereStatement, to writer: ByteWriter) throws(ShellError) {
    if let table = try values(of: query) {
      let scope = usedScope()
      let shown = ShownTable(kind: .values) { [unowned self] () throws(ShellError) in
        guard let table = try values(of: query, scope: scope) else {
          throw ShellError(.staleAccessor, "the values are gone")
        }
        return table
      }
      try show(shown, table, table.list, to: writer)
      return
    }
    let database = try current(at: query.source.range)
    let result = try find(query)
    let live = live(result, from: query.source, database) { .query(query, $0) }
    try show(result, live, to: writer)
  }

  /// Prints a result and makes it the last one.
  func show(_ result: ResultSet, _ live: LiveResults, to writer: ByteWriter) throws(ShellError) {
    let printed = printedCount(of: result.rowCount)
    locals["_"] = .results(Bound(live, owner(try current())))
    (printedRowCount, shownTable) = (printed, nil)
    try print(result, 0..<printed, hasMore: printed < result.rowCount, outputSettings, to: writer)
  }

  private func print(
    _ result: ResultSet, _ rows: Range<Int>, hasMore: Bool = false, _ settings: OutputSettings,
    to writer: ByteWriter
  ) throws(ShellError) {
    if let sections = result.sections {
      try SectionRenderer(result: result, sections: sections, settings: settings, out: writer)
        .render(rows: rows, hasMore: hasMore)
    } else {
      try Renderer(result, settings, to: writer).render(rows: rows, hasMore: hasMore)
    }
  }

  private func number(
    of count: CountStatement, scope: Scope? = nil
  ) throws(ShellError) -> Int {
    let (objects, evaluator) = try objects(of: count.source, scope: scope)
    guard let condition = count.condition else { return try self.count(objects, evaluator) }
    guard objects.keys == nil else {
      return try keys(of: objects, condition, evaluator).count
    }
    let bound = try bind(condition, objects.objectClass, evaluator)
    return try run(evaluator.path) { () throws(QueryFailure) in
      measurement?.begin(bound, condition)
      let total = try bound.count { Interruption.isRequested }
      measurement?.end(bound, condition, objectCount: total)
      return total
    }
  }

  func count(_ count: CountStatement, to writer: ByteWriter) throws(ShellError) {
    writer.write("\(try number(of: count))\n")
  }

  // MARK: get

  func get(_ get: GetStatement, to writer: ByteWriter) throws(ShellError) {
    let database = try current(at: get.target.range)
    var evaluator = evaluator(database)
    let value = try evaluator.value(of: get.target, row: nil)
    guard case .object(let objectClass, let key) = value else {
      try printValue(value, evaluator, to: writer)
      return
    }
    evaluator = try self.evaluator(for: objectClass, evaluator)
    let everything = [Column.everything(get.target.range)]
    var columns = try ColumnMaker.columns(
      get.columns.isEmpty ? everything : get.columns, of: objectClass, evaluator: evaluator)
    if get.columns.isEmpty {
      try evaluator.reading { () throws(StorageError) in
        try Session.dropEmptyWaysBack(from: &columns, of: objectClass, key, evaluator.schema)
      }
    }
    let result = ResultSet(objectClass, [key], columns: columns, evaluator: evaluator)
    var settings = outputSettings
    settings.showsFooter = false
    let isForPeople = [.table, .box, .markdown].contains(settings.mode)
    if isForPeople { settings.mode = .lines }
    // Objects that have been chosen are all printed.
    if settings.mode == .lines, outputIsTerminal, redirection == nil, get.columns.isEmpty {
      result.inverseLimit = self.settings.rowLimit
    }
    let renderer = Renderer(result, settings, to: writer)
    if settings.mode == .json {
      try renderer.renderJSONObjects(0..<1)
    } else {
      try renderer.render(rows: 0..<1)
    }
  }

  /// Leaves out the ways back through mixed properties that no computed property names and that no
  /// object has taken.
  private static func dropEmptyWaysBack(
    from columns: inout [ResultColumn], of objectClass: ObjectClass, _ key: ObjectKey,
    _ schema: Schema
  ) throws(StorageError) {
    guard let row = try objectClass.table.row(of: key) else { return }
    var isKept: [Bool] = []
    for column in columns {
      guard case .inverse(let inverse) = column.source, inverse.name == nil,
        let origin = schema.objectClass(named: inverse.originClass),
        origin.property(named: inverse.originProperty)?.kind == .mixed
      else {
        isKept.append(true)
        continue
      }
      isKept.append(try objectClass.table.backlinkCount(inverse.backlink, to: row) > 0)
    }
    columns = zip(columns, isKept).filter(\.1).map(\.0)
  }

  private func printValue(
    _ value: ShellValue, _ evaluator: Evaluator, to writer: ByteWriter
  ) throws(ShellError) {
    let form: ValueWriter.Form
    switch settings.mode {
    case .json: form = .json
    case .jsonl: form = .compactJSON
    default: form = .literal
    }
    try evaluator.reading { () throws(StorageError) in
      try ValueWriter(evaluator.schema, to: writer).write(value, isMixed: true, form)
    }
    writer.byte(0x0A)
  }

  // MARK: more, last

  /// The last result as it is now.
  private func previous(at range: SourceRange) throws(ShellError) -> ResultSet {
    guard case .results(let results)? = locals["_"],
      let database = databases.first(where: { $0.instance == results.owner.instance })
    else {
      throw ShellError(
        .illegalOperation, "there is no result yet", at: range, remedy: "where CLASS")
    }
    guard let value = try value(of: Name("_", range: range), in: scope),
      case .results(let result) = value
    else { return try present(results.value, in: database) }
    return result
  }

  func more(
    _ statement: MoreStatement, range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let shown = shownTable
    let table = try shown?.find()
    let result = shown == nil ? try previous(at: range) : nil
    let total = table?.rowCount ?? result?.rowCount ?? 0
    let start = min(printedRowCount, total)
    let wanted: Int
    switch statement {
    case .next: wanted = settings.rowLimit ?? total
    case .rows(let number): wanted = Int(max(0, min(number.value, Int64(total))))
    case .all: wanted = total
    }
    let end = min(total, start + wanted)
    printedRowCount = end
    let settings = outputSettings
    if start == total, [.table, .box, .markdown, .lines].contains(settings.mode) {
      if settings.showsFooter { writer.write("no more \(shown?.rowsText ?? "objects")\n") }
    } else if let shown, let table {
      try print(shown, table, start..<end, settings, to: writer)
    } else if let result {
      try print(result, start..<end, hasMore: end < total, settings, to: writer)
    }
  }

  func last(_ mode: Name?, range: SourceRange, to writer: ByteWriter) throws(ShellError) {
    var settings = outputSettings
    if let mode { settings.mode = try self.mode(named: mode) }
    if let shownTable {
      let table = try shownTable.find()
      printedRowCount = table.rowCount
      try print(shownTable, table, 0..<printedRowCount, settings, to: writer)
      return
    }
    let result = try previous(at: range)
    printedRowCount = result.rowCount
    try print(result, 0..<result.rowCount, settings, to: writer)
  }

  // MARK: print, assert

  func print(_ expressions: [Expression], to writer: ByteWriter) throws(ShellError) {
    let evaluator = evaluator(try? current())
    // A line is printed as a whole or, after an error, not at all.
    let line = ByteWriter()
    let values = ValueWriter(evaluator.schema, to: line)
    for (i, expression) in expressions.enumerated() {
      if i > 0 { line.byte(UInt8(ascii: " ")) }
      let value = try evaluator.value(of: expression, row: nil)
      if case .scalar(.string(let bytes)) = value {
        line.write(bytes)
      } else {
        try evaluator.reading { () throws(StorageError) in
          try values.write(value, isMixed: false, .literal)
        }
      }
    }
    line.byte(0x0A)
    writer.write(line.takeBytes())
  }

  func assert(_ statement: AssertStatement) throws(ShellError) {
    let evaluator = evaluator(try? current())
    let value = try evaluator.value(of: statement.condition, row: nil)
    if try evaluator.truth(of: value, at: statement.condition.range) == true { return }
    var message = statement.message
    if message == nil, case .binary(let sign, _, let left, let right, _) = statement.condition,
      sign != .and, sign != .or
    {
      let sides = [try text(of: left, evaluator), try text(of: right, evaluator)]
      message = "\(sides[0]) \(sign.rawValue) \(sides[1]) is false"
    }
    throw ShellError(
      .assertion, message ?? "the condition is \(value.isNull ? "null" : "false")",
      at: statement.condition.range)
  }

  private func text(of expression: Expression, _ evaluator: Evaluator) throws(ShellError) -> String
  {
    let value = try evaluator.value(of: expression, row: nil)
    let memory = ByteWriter()
    try evaluator.reading { () throws(StorageError) in
      try ValueWriter(evaluator.schema, to: memory).write(value, isMixed: true, .literal)
    }
    return String(decoding: memory.takeBytes(), as: UTF8.self)
  }
}

extension QueryArgument {
  /// The argument a value can be passed as; nil for dictionaries.
  init?(_ value: ShellValue) {
    func scalar(_ value: ShellValue) -> ScalarValue? {
      switch value {
      case .scalar(let scalar): scalar
      case .object(let objectClass, let key): .link(objectClass.table.key, key)
      default: nil
      }
    }
    switch value {
    case .scalar, .object:
      guard let single = scalar(value) else { return nil }
      self = .scalar(single)
    case .list, .results:
      let members = (value.members ?? []).compactMap(scalar)
      guard members.count == value.members?.count else { return nil }
      self = .list(members)
    case .dictionary, .record, .reference: return nil
    }
  }
}

extension ShellError {
  init(_ warning: TrapWarning) {
    self.init(.trap, warning.message, at: warning.range, remedy: warning.remedy)
  }

  init(_ error: QueryError) {
    let suggestion = error.unknownName.flatMap {
      Spelling.nearest(to: $0, among: error.candidates)
    }
    self.init(
      ErrorName(rawValue: error.name) ?? .illegalOperation, error.message, at: error.range,
      suggestion: suggestion)
  }
}
