import ByteKernels
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// A prefix `explain` of the statement that comes.
struct ExplainRequest {
  /// Whether the statement runs, too.
  var runs: Bool
  var range: SourceRange
}

/// Measures one query of a statement: the one that selects its objects.
final class Measurement {
  private let place: SourceRange
  private(set) var explanation: QueryExplanation?

  /// - Parameter place: The place of the predicate.
  init(place: SourceRange) { self.place = place }

  /// Whether the query of a condition is the one to measure.
  func concerns(_ condition: Condition) -> Bool {
    explanation == nil && condition.query.range == place
  }

  /// Starts the clock if the query is the one to measure.
  func begin(_ query: Query, _ condition: Condition) {
    if concerns(condition) { query.startMeasuring() }
  }

  /// Stops the clock.
  func end(_ query: Query, _ condition: Condition, objectCount: Int) {
    if concerns(condition) { explanation = query.measured(objectCount: objectCount) }
  }
}

/// `explain`, `explain run`.
///
/// Source: shell.md 10.
extension Session {
  /// What is to be explained.
  private struct Subject {
    /// Where the objects come from.
    enum Origin {
      case source(Source)
      case object(ObjectName)
    }

    var origin: Origin
    var condition: Condition?
    /// What is done with the objects that were found.
    var effect: ExplainedPlan.Step?
    /// The verb of a change of many objects that says neither `where` nor `all`.
    var refusedVerb: String?

    init(_ origin: Origin, _ condition: Condition? = nil, _ effect: ExplainedPlan.Step? = nil) {
      self.origin = origin
      self.condition = condition
      self.effect = effect
    }

    init(_ subject: ChangeSubject, _ extent: ChangeExtent?, _ effect: ExplainedPlan.Step) {
      var condition: Condition?
      if case .condition(let given)? = extent { condition = given }
      switch subject {
      case .object(let name): self.init(.object(name), condition, effect)
      case .source(let source):
        self.init(.source(source), condition, effect)
        if extent == nil { refusedVerb = effect.word == "set" ? "change" : "delete" }
      }
    }
  }

  /// Explains a statement; `perform` runs it.
  func explain(
    _ body: StatementBody, _ request: ExplainRequest, range: SourceRange, to writer: ByteWriter,
    perform: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    let subject = try subject(of: body, at: request.range)
    var found: ExplainedPlan?
    // What a change is about has to be known before it is made.
    try read(range: range, to: writer) { (_) throws(ShellError) in found = try plan(subject) }
    guard var plan = found else { return }
    for warning in plan.warnings { warn(warning, origin: statementOrigin) }
    hasWarned = true
    if request.runs {
      let measurement = Measurement(place: place(of: subject))
      self.measurement = measurement
      defer { self.measurement = nil }
      let start = monotonicMilliseconds()
      try perform(ByteWriter(bufferByteCount: 1 << 16) { _ in nil })
      plan.complete(measurement.explanation, milliseconds: monotonicMilliseconds() - start)
    }
    plan.print(settings.mode, to: writer)
  }

  private func subject(
    of body: StatementBody, at range: SourceRange
  ) throws(ShellError) -> Subject {
    switch body {
    case .where(let query): return Subject(.source(query.source), query.condition)
    case .count(let count): return Subject(.source(count.source), count.condition)
    case .aggregate(let aggregate):
      let columns = aggregate.columns.map { source.text(of: $0.range) }.joined(separator: ", ")
      let keys = aggregate.keys.map { source.text(of: $0.range) }.joined(separator: ", ")
      let effect = ExplainedPlan.Step("aggregate", keys.isEmpty ? columns : "\(columns) by \(keys)")
      return Subject(.source(aggregate.source), aggregate.condition, effect)
    case .sections(let sections):
      let effect = ExplainedPlan.Step("sections", "by \(source.text(of: sections.key.range))")
      return Subject(.source(sections.source), sections.condition, effect)
    case .set(let set):
      let paths = set.changes.map { source.text(of: $0.path.range) }
      let effect = ExplainedPlan.Step("set", paths.joined(separator: ", "))
      return Subject(set.subject, set.extent, effect)
    case .delete(.objects(let subject, let extent)):
      return Subject(subject, extent, ExplainedPlan.Step("delete", ""))
    case .observe(let observe?):
      let effect = ExplainedPlan.Step("observe", "")
      switch observe.subject {
      case .object(let name): return Subject(.object(name), nil, effect)
      case .source(let source, let condition): return Subject(.source(source), condition, effect)
      case .sections(let sections):
        return Subject(.source(sections.source), sections.condition, effect)
      case .realm: break
      }
    default: break
    }
    throw ShellError(
      .illegalOperation,
      "only where, count, aggregate, sections, observe, set and delete can be explained", at: range)
  }

  /// The place of the predicate that selects the objects.
  private func place(of subject: Subject) -> SourceRange {
    if let condition = subject.condition { return condition.query.range }
    switch subject.origin {
    case .source(let source): return source.range
    case .object(let name): return name.range
    }
  }

  // MARK: Plans

  private func plan(_ subject: Subject) throws(ShellError) -> ExplainedPlan {
    let database = try current(at: place(of: subject))
    let evaluator = evaluator(database)
    var plan: ExplainedPlan
    switch subject.origin {
    case .object(let name):
      plan = try self.plan(
        forObjectAt: name.range, evaluator.object(named: name), evaluator)
    case .source(.path(let path)):
      let value = try evaluator.value(of: path, row: nil)
      if case .object = value, subject.condition == nil {
        plan = try self.plan(forObjectAt: path.range, value, evaluator)
      } else {
        plan = try self.plan(for: .path(path), subject, evaluator)
      }
    case .source(let source): plan = try self.plan(for: source, subject, evaluator)
    }
    if var effect = subject.effect {
      if effect.text.isEmpty { effect.text = plan.source }
      plan.steps.append(effect)
    }
    return plan
  }

  private func plan(
    forObjectAt range: SourceRange, _ value: ShellValue, _ evaluator: Evaluator
  ) throws(ShellError) -> ExplainedPlan {
    guard case .object(let objectClass, let key) = value else {
      throw ShellError(.keyNotFound, "there is no such object", at: range)
    }
    let identity = try evaluator.reading { () throws(StorageError) in
      try objectClass.identity(of: key)
    }
    var name = quotedName(objectClass.name)
    switch identity {
    case .primaryKey(let value): name += "(\(CanonicalText.string(value, inMixed: false)))"
    case .objectKey(let key): name += "#\(key.rawValue)"
    }
    return ExplainedPlan(source: name, text: "", steps: [ExplainedPlan.Step("key", name)])
  }

  private func plan(
    for source: Source, _ subject: Subject, _ evaluator: Evaluator
  ) throws(ShellError) -> ExplainedPlan {
    let objects = try objects(of: source, evaluator)
    let written = self.source.text(of: source.range)
    let name = objects.keys == nil ? quotedName(objects.objectClass.name) : written
    if let verb = subject.refusedVerb {
      throw try needsAll(objects, evaluator, doing: verb, at: source.range)
    }
    guard let condition = subject.condition else {
      // The number of objects is stored.
      let word = objects.keys != nil ? "list" : subject.effect == nil ? "size" : "scan"
      return ExplainedPlan(source: name, text: "", steps: [ExplainedPlan.Step(word, name)])
    }
    let query = try bind(condition, objects.objectClass, evaluator, isExplained: true)
    let explanation = try run(evaluator.path) { () throws(QueryFailure) in
      try query.explanation(among: objects.keys)
    }
    var plan = ExplainedPlan(source: name, text: explanation.text)
    plan.steps = explanation.steps.map { ExplainedPlan.Step($0.kind.rawValue, $0.text) }
    if objects.keys != nil { plan.steps[0].text = name }
    plan.warnings = query.warnings.map { ShellError($0) }
    return plan
  }
}
