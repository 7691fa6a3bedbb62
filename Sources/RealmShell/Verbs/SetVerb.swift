import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `set`.
///
/// Source: shell.md 9.
extension Session {
  func set(
    _ statement: SetStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try change(at: range, to: writer) { (database) throws(ShellError) in
      try refresh(database)
      let subjects = try objects(
        of: statement.subject, statement.extent, doing: "change", at: range, database)
      switch subjects {
      case .one(let objectClass, let key):
        return try set(statement, key, objectClass, database)
      case .many(let objectClass, let keys):
        return try set(statement, keys, objectClass, database)
      }
    }
  }

  private func set(
    _ statement: SetStatement, _ key: ObjectKey, _ objectClass: ObjectClass,
    _ database: Database
  ) throws(ShellError) -> String {
    let maker = ChangeMaker(self, database, statement.changes)
    let text = AcknowledgementText(database)
    let parts = StatementParts(
      changes: statement.changes, text: source, subject: statement.subject.range)
    let plan: WritePlan
    do throws(WritingError) {
      let changes = try maker.changes(of: .object(objectClass, key))
      plan = try planning { () throws(ObjectError) in
        try database.writer.planSet(objectClass.base, key, changes)
      }
    } catch {
      throw shellError(
        error, parts, objectClass, database, objectName: try text.name(of: key, in: objectClass))
    }
    let outcome = try apply(plan, to: database)
    return acknowledges ? try text.changed(outcome) : ""
  }

  /// Why planning failed, for the user.
  func shellError(
    _ error: WritingError, _ parts: StatementParts, _ objectClass: ObjectClass,
    _ database: Database, objectName: String? = nil
  ) -> ShellError {
    switch error {
    case .shell(let error): return error
    case .object(let error):
      return ObjectErrorText(
        error, parts, objectClass, database,
        object: parts.subject.map { source.text(of: $0) }, objectName: objectName
      ).shellError
    }
  }

  // MARK: Many objects

  /// Objects that are changed between two looks at Ctrl-C.
  private static let changeStep = 20_000

  private func set(
    _ statement: SetStatement, _ keys: [ObjectKey], _ objectClass: ObjectClass,
    _ database: Database
  ) throws(ShellError) -> String {
    if keys.isEmpty {
      // Nothing is planned that would find a wrong name.
      let evaluator = evaluator(database)
      for change in statement.changes {
        _ = try evaluator.type(of: change.path, for: objectClass)
        for expression in change.expressions {
          _ = try evaluator.type(of: expression, for: objectClass)
        }
      }
    }
    // Values that make objects have to be planned together: one may collide with another.
    let step = statement.changes.allSatisfy(\.isScalar) ? Session.changeStep : max(1, keys.count)
    // Planning and applying take about the same time.
    let progress = Progress("changing", for: self)
    var plans: [WritePlan] = []
    if let together = try planTogether(statement, keys, objectClass, database) {
      plans = [together]
    } else if let outcome = try setComputed(statement, keys, objectClass, database) {
      return "changed \(grouped(outcome.changedInBulk)) \(quotedName(objectClass.name))"
    } else {
      for start in stride(from: 0, to: keys.count, by: step) {
        progress.update(start, of: 2 * keys.count)
        let part = keys[start..<min(keys.count, start + step)]
        plans.append(try plan(statement, part, objectClass, database))
      }
    }
    let (outcomes, nested) = try apply(plans, of: keys.count, database, progress)
    var text = "changed \(grouped(outcomes.changed)) \(quotedName(objectClass.name))"
    if outcomes.skipped > 0 {
      let reason = plans.lazy.compactMap(\.skipReason).first ?? "a link"
      text += "; \(grouped(outcomes.skipped)) skipped (\(reason) is null)"
    }
    return text + nested
  }

  /// Makes the changes of checked plans, which have taken as long as this will.
  private func apply(
    _ plans: [WritePlan], of count: Int, _ database: Database, _ progress: Progress
  ) throws(ShellError) -> ((changed: Int, skipped: Int), nested: String) {
    var outcomes = (changed: 0, skipped: 0)
    var nested = ""
    var share = 0.0
    let transaction = database.realm.transaction
    for (i, plan) in plans.enumerated() {
      transaction?.goesOn = { done, total in
        share = (Double(i) + (total > 0 ? Double(done) / Double(total) : 0)) / Double(plans.count)
        return progress.goesOn(1000 + Int(share * 1000), 2000)
      }
      defer { transaction?.goesOn = { _, _ in true } }
      do throws(ShellError) {
        // So far nothing has changed, if this is the first one.
        try Interruption.check()
        if i == 0 { transaction?.gatherBacklinks() }
        let outcome = try apply(plan, to: database)
        outcomes.changed += outcome.changedInBulk
        outcomes.skipped += plan.skippedCount
        nested += AcknowledgementText(database).nestedText(outcome)
        guard i == plans.count - 1 else { continue }
        try applying(database) { () throws(StorageError) in
          try transaction?.endGatheringBacklinks()
        }
      } catch {
        guard error.name == .interrupted else { throw error }
        throw interruption(after: Int(share * Double(count)), of: count)
      }
    }
    return (outcomes, nested)
  }

  /// Checks changes that are the same for all objects; nil if that has to be done one by one.
  private func planTogether(
    _ statement: SetStatement, _ keys: [ObjectKey], _ objectClass: ObjectClass,
    _ database: Database
  ) throws(ShellError) -> WritePlan? {
    guard let first = keys.first,
      statement.changes.allSatisfy({ $0.isConstant && $0.isScalar })
    else { return nil }
    let maker = ChangeMaker(self, database, statement.changes)
    let parts = StatementParts(
      changes: statement.changes, text: source, subject: statement.subject.range)
    do throws(WritingError) {
      let changes = try maker.changes(of: .object(objectClass, first))
      var isPossible = false
      let plan = try planning { () throws(ObjectError) in
        let plan = try database.writer.planBulkSet(objectClass.base)
        isPossible = try plan.setTogether(keys, changes)
        return plan
      }
      return isPossible ? plan : nil
    } catch {
      throw shellError(error, parts, objectClass, database)
    }
  }

  /// Checks the changes of some objects; their right sides see the state before the statement.
  private func plan(
    _ statement: SetStatement, _ keys: ArraySlice<ObjectKey>, _ objectClass: ObjectClass,
    _ database: Database
  ) throws(ShellError) -> WritePlan {
    let maker = ChangeMaker(self, database, statement.changes)
    let parts = StatementParts(
      changes: statement.changes, text: source, subject: statement.subject.range)
    let plan: WritePlan
    var present: ObjectKey?
    do throws(WritingError) {
      plan = try planning { () throws(ObjectError) in
        try database.writer.planBulkSet(objectClass.base)
      }
      for (i, key) in keys.enumerated() {
        present = key
        if i & 0xFFF == 0, Interruption.isRequested {
          throw .shell(ShellError(.interrupted, "interrupted; nothing was changed"))
        }
        let changes = try maker.changes(of: .object(objectClass, key))
        do throws(ObjectError) {
          try plan.set(key, changes)
        } catch {
          throw .object(error)
        }
      }
    } catch {
      throw named(
        shellError(error, parts, objectClass, database), present, objectClass, database)
    }
    return plan
  }

  /// Names the object that a value could not be computed for.
  func named(
    _ error: ShellError, _ key: ObjectKey?, _ objectClass: ObjectClass, _ database: Database
  ) -> ShellError {
    guard let key, [.arithmetic, .conversion, .typeMismatch].contains(error.name),
      let name = try? AcknowledgementText(database).name(of: key, in: objectClass)
    else { return error }
    var error = error
    error.message += " in \(name)"
    return error
  }
}

/// Computes the changes of a `set` statement for one object after the other.
final class ChangeMaker {
  private let maker: InputMaker
  private let evaluator: Evaluator
  private let changes: [Change]
  /// The changes, if they are the same for all objects.
  private var constant: [PropertyChange]?
  private let isConstant: Bool

  init(_ session: Session, _ database: Session.Database, _ changes: [Change]) {
    self.changes = changes
    evaluator = session.evaluator(database)
    maker = InputMaker(session, database, evaluator: evaluator)
    isConstant = changes.allSatisfy(\.isConstant)
  }

  /// The changes of an object.
  func changes(of row: ShellValue) throws(WritingError) -> [PropertyChange] {
    if let constant { return constant }
    var made: [PropertyChange] = []
    made.reserveCapacity(changes.count)
    for change in changes {
      made.append(PropertyChange(try path(of: change, row), try action(of: change, row)))
    }
    if isConstant { constant = made }
    return made
  }

  private func path(
    of change: Change, _ row: ShellValue
  ) throws(WritingError) -> [PropertyChange.Step] {
    var steps: [PropertyChange.Step] = []
    var rest = change.path.steps[...]
    if case .object(let objectClass, _) = row, let projection = objectClass.projection,
      let first = rest.first, case .property(let name) = first.kind
    {
      rest.removeFirst()
      do throws(ShellError) {
        let names = try projection.writableNames(
          name, of: objectClass, evaluator.schema, at: first.range)
        steps = names.map { .property($0) }
      } catch {
        throw .shell(error)
      }
    }
    for step in rest {
      switch step.kind {
      case .property(let name): steps.append(.property(name))
      case .first: steps.append(.index(0))
      case .last: steps.append(.index(-1))
      case .index(let expression): steps.append(try self.step(expression, row))
      case .backlinks:
        throw .shell(
          ShellError(.readOnlyProperty, "a computed property cannot be set", at: step.range))
      case .all, .aggregate, .keys, .values, .type:
        throw .shell(ShellError(.illegalOperation, "this cannot be set", at: step.range))
      }
    }
    return steps
  }

  private func step(
    _ index: Expression, _ row: ShellValue
  ) throws(WritingError) -> PropertyChange.Step {
    let value: ShellValue
    do throws(ShellError) {
      value = try evaluator.value(of: index, row: row)
    } catch {
      throw .shell(error)
    }
    switch value {
    case .scalar(.int(let number)): return .index(number)
    case .scalar(.string(let bytes)): return .key(String(decoding: bytes, as: UTF8.self))
    default:
      throw .shell(
        ShellError(
          .typeMismatch, "an index is an int or a string, this is \(value.kindText)",
          at: index.range))
    }
  }

  private func action(
    of change: Change, _ row: ShellValue
  ) throws(WritingError) -> PropertyChange.Action {
    switch change.action {
    case .assign(let sign, let expression):
      let value = try maker.value(of: expression, row: row)
      switch sign {
      case .assign: return .replace(value)
      case .add: return .add(value)
      case .subtract: return .subtract(value)
      case .multiply: return .multiply(value)
      case .divide: return .divide(value)
      }
    case .call(let method, let arguments, let name):
      guard let known = PropertyChange.Method(rawValue: method.rawValue) else {
        throw .shell(ShellError(.illegalOperation, "there is no such method", at: name))
      }
      var values: [InputValue] = []
      for argument in arguments { values.append(try maker.value(of: argument, row: row)) }
      return .call(known, values)
    }
  }
}

extension Change {
  /// The expressions of the change.
  fileprivate var expressions: [Expression] {
    let indexes = path.steps.compactMap { step in
      if case .index(let index) = step.kind { index } else { nil }
    }
    switch action {
    case .assign(_, let value): return indexes + [value]
    case .call(_, let arguments, _): return indexes + arguments
    }
  }

  /// Whether it is the same for every object.
  fileprivate var isConstant: Bool { expressions.allSatisfy(\.isConstant) }

  /// Whether its values are single values, which make no objects.
  fileprivate var isScalar: Bool {
    expressions.allSatisfy { expression in
      switch expression {
      case .array, .object, .query: false
      case .literal, .path, .call, .unary, .binary: true
      }
    }
  }
}
