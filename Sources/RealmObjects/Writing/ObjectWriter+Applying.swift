public import RealmStorage
import RealmValues

/// Making the changes of a plan.
extension ObjectWriter {
  /// Makes the changes of a plan.
  ///
  /// - Throws: `StorageError`; the transaction must be cancelled then.
  public func apply(_ plan: WritePlan) throws(StorageError) -> WriteOutcome {
    var outcome = WriteOutcome()
    let transaction = plan.transaction
    realm.noteChange()
    let before = plan.mayDeleteEmbedded ? try embeddedCounts(transaction) : []
    let hasChanges = plan.subjects.contains { !$0.changes.isEmpty }
    var effective = [Bool](repeating: true, count: hasChanges ? plan.steps.count : 0)
    let isLong = plan.steps.count >= ObjectWriter.longPlan && !transaction.gathersBacklinks
    if isLong { transaction.gatherBacklinks() }
    for i in plan.steps.indices {
      if i & 0xFF == 0, !transaction.goesOn(i, plan.steps.count) { throw .rejected(.interrupted) }
      let isEffective = try perform(plan.steps[i], plan, transaction)
      if i < effective.count { effective[i] = isEffective }
    }
    if isLong { try transaction.endGatheringBacklinks() }
    try setColumns(plan, transaction, &outcome)
    try delete(plan, transaction, &outcome)
    describe(plan, effective, &outcome)
    if plan.mayDeleteEmbedded {
      try countDeletedEmbedded(before, plan, transaction, &outcome)
    }
    return outcome
  }

  /// Steps from which on changes of backlinks are gathered.
  private static let longPlan = 64

  // MARK: Steps

  /// - Returns: whether it has changed anything.
  private func perform(
    _ step: PlannedStep, _ plan: WritePlan, _ transaction: WriteTransaction
  ) throws(StorageError) -> Bool {
    if case .create = step.action {
      try create(&plan.drafts[step.draft], transaction)
      return true
    }
    let draft = plan.drafts[step.draft]
    // An earlier step can have deleted an embedded object with its place.
    guard let key = draft.key else { return false }
    if draft.layout.isEmbedded, try !transaction.hasObject(draft.layout.table, key) {
      return false
    }
    let place = Place(
      table: draft.layout.table, object: key, column: draft.layout.columns[step.property],
      definition: draft.layout.properties[step.property])
    let isEffective = try perform(step.action, at: place, plan, transaction)
    if isEffective, !draft.isNew { plan.noteChange(step.draft, step.property) }
    return isEffective
  }

  /// A property of an object in the file.
  private struct Place {
    var table: TableKey
    var object: ObjectKey
    var column: ColumnKey
    var definition: Property
  }

  private func perform(
    _ action: PlannedStep.Action, at place: Place, _ plan: WritePlan,
    _ transaction: WriteTransaction
  ) throws(StorageError) -> Bool {
    let (table, object, column) = (place.table, place.object, place.column)
    switch action {
    case .create: return false
    case .embed(let child, let slot):
      let key =
        switch slot {
        case .single: try transaction.createEmbedded(table, object, column)
        case .element(let index):
          try transaction.createEmbedded(table, object, column, at: index)
        case .key(let key): try transaction.createEmbedded(table, object, column, key: key)
        }
      plan.drafts[child].key = key
      try setScalars(plan.drafts[child], transaction)
    case .set(.nested(let value)): try transaction.set(table, object, column, mixed: value)
    case .edit(let value, let changes):
      try transaction.set(table, object, column, mixed: value, changing: changes)
    case .set(let value):
      try transaction.set(table, object, column, scalar(value, place, plan))
    case .insert(let index, .nested(let value)):
      try transaction.insert(table, object, column, at: index, mixed: value)
    case .insert(let index, let value):
      try transaction.insert(table, object, column, at: index, scalar(value, place, plan))
    case .replace(let index, .nested(let value)):
      try transaction.set(table, object, column, at: index, mixed: value)
    case .replace(let index, let value):
      try transaction.set(table, object, column, at: index, scalar(value, place, plan))
    case .remove(let index): try transaction.remove(table, object, column, at: index)
    case .move(let from, let to):
      try transaction.move(table, object, column, from: from, to: to)
    case .insertMember(let value):
      return try transaction.insert(
        table, object, column, member: scalar(value, place, plan))
    case .removeMember(let value):
      return try transaction.remove(table, object, column, member: value)
    case .keepMembers(let values): return try keep(values, place, transaction)
    case .setKey(let key, .nested(let value)):
      try transaction.set(table, object, column, key: key, mixed: value)
    case .setKey(let key, let value):
      try transaction.set(table, object, column, key: key, scalar(value, place, plan))
    case .removeKey(let key): return try transaction.remove(table, object, column, key: key)
    case .clear(let isRefill):
      guard try transaction.count(table, object, column) > 0 else { return isRefill }
      try transaction.removeAll(table, object, column)
    }
    return true
  }

  /// Removes the members of a set that are not among these.
  private func keep(
    _ values: [ScalarValue], _ place: Place, _ transaction: WriteTransaction
  ) throws(StorageError) -> Bool {
    var hasChanged = false
    for case .scalar(let member) in try transaction.elements(
      place.table, place.object, place.column)
    where !values.contains(where: { $0.isEqual(to: member) }) {
      hasChanged = true
      try transaction.remove(place.table, place.object, place.column, member: member)
    }
    return hasChanged
  }

  /// The value as the column takes it.
  private func scalar(_ value: PlannedValue, _ place: Place, _ plan: WritePlan) -> ScalarValue {
    switch value {
    case .scalar(.link(_, let object)) where place.definition.kind == .link: .key(object)
    case .scalar(let value): value
    case .new(let child):
      if place.definition.kind == .link {
        .key(plan.drafts[child].key ?? .null)
      } else {
        .link(plan.drafts[child].layout.table, plan.drafts[child].key ?? .null)
      }
    case .nested: .null
    }
  }

  private func create(
    _ draft: inout Draft, _ transaction: WriteTransaction
  ) throws(StorageError) {
    let layout = draft.layout
    let appender = try layout.appender(in: transaction)
    for property in draft.scalars.indices {
      let position = layout.appenderPositions[property]
      switch draft.scalars[property] {
      case .null: continue
      case .link(_, let object) where layout.properties[property].kind == .link:
        try appender.set(position, .key(object))
      case let value: try appender.set(position, value)
      }
    }
    draft.key = try appender.append()
  }

  /// Sets the values of a new embedded object.
  private func setScalars(
    _ draft: Draft, _ transaction: WriteTransaction
  ) throws(StorageError) {
    guard let key = draft.key else { return }
    for (property, value) in draft.scalars.enumerated() {
      if case .null = value { continue }
      try transaction.set(draft.layout.table, key, draft.layout.columns[property], value)
    }
  }

  private func setColumns(
    _ plan: WritePlan, _ transaction: WriteTransaction, _ outcome: inout WriteOutcome
  ) throws(StorageError) {
    guard let layout = plan.bulkLayout else { return }
    outcome.bulkTable = layout.table
    var first: Int?
    for change in plan.columns + (plan.bulk?.changes ?? []) {
      // Each property has a change for each object.
      first = first ?? change.property
      if change.property == first {
        outcome.changedInBulk += change.objects.count
        outcome.bulkObjects += change.objects
      }
      let column = layout.columns[change.property]
      switch change.content {
      case .values(let values):
        try transaction.set(layout.table, change.objects, column) { values[$0] }
      case .constant(let value):
        try transaction.set(layout.table, change.objects, column) { _ in value }
      case .calculation(let operation, let operand):
        let isAll = try transaction.objectCount(layout.table) == change.objects.count
        try transaction.calculate(
          layout.table, isAll ? nil : change.objects, column, operation, operand)
      }
    }
  }

  // MARK: Deletion

  private func delete(
    _ plan: WritePlan, _ transaction: WriteTransaction, _ outcome: inout WriteOutcome
  ) throws(StorageError) {
    for (layout, objects) in plan.deletions {
      let count = try transaction.deleteObjects(layout.table, objects)
      if count > 0 {
        outcome.deleted.append(
          WriteOutcome.Count(objectClass: layout.objectClass, count: count))
      }
    }
    var counts: [Int] = []
    for layout in plan.clearedClasses {
      counts.append(try transaction.objectCount(layout.table))
    }
    for (layout, count) in zip(plan.clearedClasses, counts) where count > 0 {
      try transaction.deleteAllObjects(layout.table)
      outcome.deleted.append(WriteOutcome.Count(objectClass: layout.objectClass, count: count))
    }
  }

  /// Number of objects of each embedded class.
  private func embeddedCounts(
    _ transaction: WriteTransaction
  ) throws(StorageError) -> [(layout: ClassLayout, count: Int)] {
    var result: [(layout: ClassLayout, count: Int)] = []
    for objectClass in realm.schema.all where objectClass.isEmbedded {
      guard let layout = layout(objectClass.table.key) else { continue }
      result.append((layout, try transaction.objectCount(layout.table)))
    }
    return result
  }

  /// Embedded objects that are gone although the plan does not delete them by name.
  private func countDeletedEmbedded(
    _ before: [(layout: ClassLayout, count: Int)], _ plan: WritePlan,
    _ transaction: WriteTransaction, _ outcome: inout WriteOutcome
  ) throws(StorageError) {
    for (layout, count) in before {
      let added = plan.drafts.count { $0.isNew && $0.layout === layout }
      let named = outcome.deleted.first { $0.objectClass === layout.objectClass }?.count ?? 0
      let lost = count + added - named - (try transaction.objectCount(layout.table))
      if lost > 0 {
        outcome.deletedEmbedded.append(
          WriteOutcome.Count(objectClass: layout.objectClass, count: lost))
      }
    }
  }

  // MARK: Outcome

  private func describe(_ plan: WritePlan, _ effective: [Bool], _ outcome: inout WriteOutcome) {
    for subject in plan.subjects {
      let draft = plan.drafts[subject.draft]
      var effect: WriteOutcome.Effect
      if draft.isNew {
        effect = .added
      } else if subject.changes.isEmpty {
        effect = .changed(draft.changed.map { draft.layout.properties[$0].name })
      } else {
        var paths: [String] = []
        for change in subject.changes where !paths.contains(change.path) {
          if change.hasChangedDraft || effective[change.steps].contains(true) {
            paths.append(change.path)
          }
        }
        effect = .changed(paths)
      }
      if effect == .changed([]) { effect = .unchanged }
      outcome.subjects.append(
        WriteOutcome.Subject(
          objectClass: draft.layout.objectClass, key: draft.key ?? .null, effect: effect))
    }
    for index in plan.bulkDrafts where !plan.drafts[index].changed.isEmpty {
      outcome.changedInBulk += 1
      if let key = plan.drafts[index].key { outcome.bulkObjects.append(key) }
    }
    if plan.drafts.count == plan.subjects.count { return }
    let named = Set(plan.subjects.map(\.draft) + plan.bulkDrafts)
    for index in plan.drafts.indices where !named.contains(index) {
      let draft = plan.drafts[index]
      if draft.isNew {
        WriteOutcome.count(draft.layout.objectClass, in: &outcome.addedNested)
      } else if !draft.changed.isEmpty, draft.owner == nil, !draft.isOnPath {
        WriteOutcome.count(draft.layout.objectClass, in: &outcome.changedNested)
      }
    }
  }
}

extension WritePlan {
  /// Remembers that a property was changed; that of an embedded object counts for its owner too.
  fileprivate func noteChange(_ index: Int, _ property: Int) {
    var (index, property) = (index, property)
    // A chain of owners is shorter than the number of drafts.
    for _ in drafts.indices {
      if !drafts[index].changed.contains(property) { drafts[index].changed.append(property) }
      guard let owner = drafts[index].owner, !drafts[owner.draft].isNew else { return }
      (index, property) = owner
    }
  }
}

extension WriteOutcome {
  /// Counts one object more.
  fileprivate static func count(_ objectClass: ObjectClass, in counts: inout [Count]) {
    if let known = counts.firstIndex(where: { $0.objectClass === objectClass }) {
      counts[known].count += 1
    } else {
      counts.append(Count(objectClass: objectClass, count: 1))
    }
  }
}
