import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `observe`, `unobserve`.
///
/// Source: shell.md 12; object-model.md 6.1, 6.2.
extension Session {
  func observe(
    _ statement: ObserveStatement?, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    guard let statement else {
      listObservers(to: writer)
      return
    }
    // Before the database takes part in the session of its file, which leaves traces.
    if let file = statement.file { try permitWriting(to: resolve(file), at: file.range) }
    let database = try observable(at: range)
    if let name = statement.name, observers.all.contains(where: { $0.observer.name == name.text }) {
      throw ShellError(
        .invalidArgument, "there is an observer \(name.text) already", at: name.range,
        remedy: "unobserve \(quotedName(name.text))")
    }
    let (target, objectClass) = try target(of: statement, database)
    // Names in `show` are checked now and not at the first diff.
    guard statement.columns.isEmpty || objectClass != nil else {
      throw ShellError(
        .invalidArgument, "only objects have columns to show", at: statement.subjectRange)
    }
    if let objectClass {
      _ = try ColumnMaker.columns(
        statement.columns, of: objectClass, evaluator: evaluator(database))
    }
    let filter = try filter(statement, objectClass, database)
    let text = try observedText(statement, target, objectClass, database)
    let file = try diffFile(statement)
    let observer = Observer(
      number: threads.nextObserverNumber(), statement, text: text, target: target,
      filter: filter, handle: handle(of: statement), projection: objectClass?.projection,
      scope: usedScope(),
      isJSON: statement.form.map { $0 == .json }
        ?? [Settings.Mode.json, .jsonl].contains(settings.mode),
      file: file)
    try begin(observer, database)
    observers.add(observer, to: database)
  }

  /// The results in a variable that are watched as they are.
  private func handle(of statement: ObserveStatement) -> LiveResults? {
    guard case .source(.path(let path), nil) = statement.subject, path.steps.isEmpty,
      case .variable(let name) = path.base, case .results(let bound)? = scope[name.text]
    else { return nil }
    return bound.value
  }

  /// What is watched: the name of an object, or the words of the statement.
  private func observedText(
    _ statement: ObserveStatement, _ target: Observer.Target, _ objectClass: ObjectClass?,
    _ database: Database
  ) throws(ShellError) -> String {
    guard case .object(_, let key) = target, let objectClass else {
      return source.text(of: statement.subjectRange)
    }
    let memory = ByteWriter()
    try reading(database) { () throws(StorageError) in
      try ValueWriter(database.realm.schema, to: memory).name(of: key, in: objectClass)
    }
    return String(decoding: memory.takeBytes(), as: UTF8.self)
  }

  /// The current database on its newest version, taking part in the session of its file.
  private func observable(at range: SourceRange) throws(ShellError) -> Database {
    let database = try current(at: verbRange(range))
    guard database.transaction == nil else {
      throw ShellError(
        .wrongTransactionState, "nothing can be observed in a write transaction",
        at: verbRange(range), remedy: "commit, or cancel")
    }
    guard !database.isReadOnly else {
      throw ShellError(
        .wrongTransactionState, "a database that is open for reading only is not observed",
        at: verbRange(range))
    }
    do throws(StorageError) {
      try database.realm.share()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    noteOpening(of: database)
    if settings.refreshesAlone { try refresh(database) }
    deliverChanges()
    return database
  }

  /// Tells the state that changes are told from.
  private func begin(_ observer: Observer, _ database: Database) throws(ShellError) {
    let writer = DiffWriter(
      observer, version: database.realm.snapshot.version, self,
      old: database.realm.schema, new: database.realm.schema)
    if observer.file == nil { printOpeningNote(to: output) }
    switch observer.target {
    case .realm, .object: writer.writeWatching()
    case .results(let results):
      let keys = try find(results, observer, database)
      writer.writeInitial(count: keys.count, counted(keys.count, "object", "objects"))
    case .sections(let sections):
      observer.sections = try sections.find()
      writer.writeInitial(
        count: observer.sections.count(of: sections.key),
        observer.sections.countText(of: sections.key))
    case .collection(let place):
      let elements = try reading(database) { () throws(StorageError) in
        try place.elements(in: database.realm.schema)
      }
      writer.writeInitial(count: elements?.count ?? 0, elements?.countText ?? "")
    }
    observer.file?.flush()
    if let file = observer.file, let number = file.failure {
      throw ShellError(
        .fileOperationFailed, "cannot write the diffs: \(StorageMessages.systemText(number))")
    }
  }

  func reading<Result>(
    _ database: Database, _ body: () throws(StorageError) -> Result
  ) throws(ShellError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  /// The variables that the statement names.
  func usedScope() -> Scope {
    let text = source.text(of: statementRange)
    let all = scope
    return Scope(
      source: source, variables: all.variables.filter { text.contains("$" + $0.key) },
      locals: all.locals.filter { text.contains("$" + $0.key) })
  }

  private func diffFile(_ statement: ObserveStatement) throws(ShellError) -> ByteWriter? {
    guard let file = statement.file else { return nil }
    let path = resolve(file)
    let descriptor = try repeatingCall {
      Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else {
      throw ShellError(
        ErrorName(systemError: errno), "cannot write \(path): \(StorageMessages.systemText(errno))",
        at: file.range)
    }
    return ByteWriter(descriptor: descriptor)
  }

  private func filter(
    _ statement: ObserveStatement, _ objectClass: ObjectClass?, _ database: Database
  ) throws(ShellError) -> KeyPathFilter? {
    let operands = statement.keyPaths
    let place = operands?.first?.range ?? statement.subjectRange
    guard let objectClass, operands != nil || objectClass.view != nil else {
      guard operands != nil else { return nil }
      throw ShellError(
        .invalidArgument, "only observers of objects can have key paths", at: place)
    }
    let schema = database.realm.schema
    var names: [[KeyPathFilter.Name]] =
      operands?.map { $0.steps.map(KeyPathFilter.Name.init) } ?? []
    if let projection = objectClass.projection {
      var fields: [(name: Name, rest: [KeyPathFilter.Name])]?
      if let operands, !operands.contains(where: \.startsWithAny) {
        fields = zip(operands, names).compactMap { operand, names in
          guard case .property(let name)? = operand.steps.first else { return nil }
          return (name, Array(names.dropFirst()))
        }
      }
      names = try projection.keyPaths(fields, of: objectClass, schema)
    }
    do throws(KeyPathFilter.Failure) {
      return try KeyPathFilter(names, of: objectClass, in: schema)
    } catch {
      switch error {
      case .noProperty(let className, let property, _):
        throw ShellError(
          .invalidArgument, "\(quotedName(className)) has no property \(quotedName(property))",
          at: place)
      case .noLink(let property, _):
        throw ShellError(
          .invalidArgument,
          property == "*"
            ? "\(quotedName(objectClass.name)) has no links" : "\(quotedName(property)) is no link",
          at: place)
      case .tooManyPaths:
        throw ShellError(.invalidArgument, "these are too many key paths", at: place)
      }
    }
  }

  // MARK: unobserve

  func unobserve(
    _ statement: UnobserveStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    switch statement {
    case .all:
      let count = observers.end { _ in true }
      acknowledge("\(counted(count, "observer", "observers")) ended", to: writer)
    case .observer(let operand):
      let observer = try observer(operand)
      observers.end { $0 === observer }
      acknowledge("observer \(observer.number) ended", to: writer)
    }
  }

  /// The observer that an operand names.
  func observer(_ operand: ObserverOperand) throws(ShellError) -> Observer {
    if let found = observers.all.first(where: { $0.observer.isNamed(by: operand) }) {
      return found.observer
    }
    if let owner = threads.owner(ofObserver: operand), owner !== thread {
      throw ShellError(
        .wrongThread,
        "observer \(source.text(of: operand.range)) belongs to thread \(owner.name)",
        at: operand.range,
        remedy: "on \(quotedName(owner.name)): \(source.text(of: bodyRange))")
    }
    throw ShellError(
      .unknownObserver, "no observer \(source.text(of: operand.range))", at: operand.range,
      suggestion: Spelling.nearest(
        to: source.text(of: operand.range), among: observers.all.compactMap(\.observer.name)))
  }

  // MARK: commit without

  /// The numbers of observers that are not to be told of a commit.
  func numbers(
    of operands: [ObserverOperand], of database: Database
  ) throws(ShellError) -> Set<Int> {
    var numbers: Set<Int> = []
    for operand in operands {
      let observer = try observer(operand)
      guard observers.watch(of: database)?.observers.contains(where: { $0 === observer }) == true
      else {
        throw ShellError(
          .invalidArgument, "observer \(source.text(of: operand.range)) watches another database",
          at: operand.range)
      }
      numbers.insert(observer.number)
    }
    return numbers
  }

  /// Has observers not be told of a commit that was just made.
  func skip(_ version: Int64, by numbers: Set<Int>, of database: Database) {
    if !numbers.isEmpty { observers.watch(of: database)?.skipped[version] = numbers }
  }

  private func listObservers(to writer: ByteWriter) {
    let rows = observers.all.map { observer, watch in
      let pin = observer.values == .none ? "" : "  pins version \(watch.snapshot.version)"
      return (
        "\(observer.number)", observer.name ?? "", observer.text,
        "values \(observer.values.rawValue)\(pin)"
      )
    }
    func width(_ texts: [String]) -> Int {
      texts.map { Array($0.utf8).withUnsafeBytes { displayWidth(of: $0) } }.max() ?? 0
    }
    let widths = (width(rows.map(\.0)), width(rows.map(\.1)), width(rows.map(\.2)))
    for row in rows {
      let name = widths.1 == 0 ? "" : padded(row.1, widths.1) + "  "
      writer.write(
        "\(padded(row.0, widths.0))  \(name)\(padded(row.2, widths.2))  \(row.3)\n")
    }
  }
}

extension KeyPathFilter.Name {
  fileprivate init(_ step: KeyPathOperand.Step) {
    switch step {
    case .property(let name): self = .property(name.text)
    case .any: self = .any
    case .backlinks(let className, let property):
      self = .backlinks(className: className.text, property: property.text)
    }
  }
}

extension KeyPathOperand {
  /// Whether it is about every property.
  fileprivate var startsWithAny: Bool {
    if case .any? = steps.first { true } else { false }
  }
}
