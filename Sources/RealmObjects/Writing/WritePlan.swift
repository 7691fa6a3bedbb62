import RealmStorage
import RealmValues

/// The checked changes of a statement, to be applied by the writer that made it.
///
/// A plan is a sequence of elementary steps on drafts: objects that it makes or touches. Drafts know
/// the state of their properties after the steps so far, so that a later part of the statement is
/// checked against what the earlier parts will have done.
public final class WritePlan {
  /// Number of objects that `set` has skipped because a link or value on a path is null.
  public internal(set) var skippedCount = 0
  /// Path without indexes up to the first null that made an object be skipped.
  public internal(set) var skipReason: String?

  /// An object named by the statement, and what `set` changes in it.
  struct Subject {
    var draft: Int
    var changes: [Change] = []
  }

  /// One change of `set`: its path as text, the steps it led to.
  struct Change {
    var path: String
    var steps: Range<Int>
    /// Whether a draft of a new object was changed, which needs no step.
    var hasChangedDraft: Bool
  }

  let writer: ObjectWriter
  let transaction: WriteTransaction
  var drafts: [Draft] = []
  var steps: [PlannedStep] = []
  var subjects: [Subject] = []
  var deletions: [(layout: ClassLayout, objects: [ObjectKey])] = []
  var clearedClasses: [ClassLayout] = []
  /// Changes of single properties of many objects.
  var columns: [ColumnChange] = []
  /// The columns of a bulk change whose values are computed object by object.
  var bulk: BulkColumns?
  /// Objects of a bulk change that need more than columns.
  var bulkDrafts: [Int] = []
  /// The class of a bulk change.
  let bulkLayout: ClassLayout?
  /// Whether steps can delete embedded objects.
  var mayDeleteEmbedded = false
  /// Whether a value of a draft that is not in a step has changed.
  var hasChangedDraft = false
  /// Levels of nested objects in the input.
  var depth = 0
  static let maximumDepth = 200

  /// Drafts of objects that exist.
  private var known: [ObjectID: Int] = [:]
  /// Drafts of new objects by primary key, and how many drafts have been looked at.
  private var newKeys: [PrimaryKey: Int] = [:]
  private var indexedCount = 0

  private struct ObjectID: Hashable {
    var table: TableKey
    var object: ObjectKey
  }

  private struct PrimaryKey: Hashable {
    var table: TableKey
    var value: ScalarValue
  }

  init(_ writer: ObjectWriter, bulkLayout: ClassLayout? = nil) {
    guard let transaction = writer.realm.transaction else {
      preconditionFailure("no write transaction is open")
    }
    self.writer = writer
    self.transaction = transaction
    self.bulkLayout = bulkLayout
  }

  func read<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(ObjectError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw ObjectError(.storage(error))
    }
  }

  /// The class that a property links to.
  func target(of layout: ClassLayout, _ property: Int) throws(ObjectError) -> ClassLayout {
    guard let key = layout.properties[property].target, let target = writer.layout(key) else {
      throw ObjectError(.storage(.rejected(.noTable)))
    }
    return target
  }

  // MARK: Drafts

  /// The draft of an object that exists.
  func draft(_ layout: ClassLayout, _ object: ObjectKey) -> Int {
    let id = ObjectID(table: layout.table, object: object)
    if let index = known[id] { return index }
    drafts.append(Draft(layout: layout, key: object, isNew: false))
    known[id] = drafts.count - 1
    return drafts.count - 1
  }

  /// The draft that a value leads to; nil if it is no link.
  func draft(_ value: PlannedValue) throws(ObjectError) -> Int? {
    switch value {
    case .new(let index): return index
    case .scalar(.link(let table, let object)):
      guard let layout = writer.layout(table) else {
        throw ObjectError(.storage(.rejected(.noTable)))
      }
      return draft(layout, object)
    default: return nil
    }
  }

  /// The value that leads to the object of a draft.
  func link(to index: Int) -> PlannedValue {
    let draft = drafts[index]
    if draft.isNew { return .new(index) }
    return .scalar(.link(draft.layout.table, draft.key ?? .null))
  }

  func newDraft(_ layout: ClassLayout) -> Int {
    var draft = Draft(layout: layout, isNew: true)
    draft.scalars = [ScalarValue](repeating: .null, count: layout.properties.count)
    drafts.append(draft)
    return drafts.count - 1
  }

  /// The draft of the object with a primary key, in the file or made by the plan; nil if there is
  /// none.
  func find(_ layout: ClassLayout, _ value: ScalarValue) throws(ObjectError) -> Int? {
    while indexedCount < drafts.count {
      let draft = drafts[indexedCount]
      if draft.isNew, let primaryKey = draft.layout.primaryKey {
        let key = PrimaryKey(table: draft.layout.table, value: draft.scalars[primaryKey])
        newKeys[key] = indexedCount
      }
      indexedCount += 1
    }
    if !newKeys.isEmpty, let made = newKeys[PrimaryKey(table: layout.table, value: value)] {
      return made
    }
    let object = try read { () throws(StorageError) in
      try transaction.object(layout.table, primaryKey: value)
    }
    return object.map { draft(layout, $0) }
  }

  func add(_ draft: Int, _ property: Int, _ action: PlannedStep.Action) {
    steps.append(PlannedStep(draft: draft, property: property, action: action))
  }

  // MARK: States

  /// The value of a property that is not a collection.
  func value(_ index: Int, _ property: Int) throws(ObjectError) -> PlannedValue {
    if case .value(let value)? = drafts[index].state(of: property) { return value }
    let layout = drafts[index].layout
    guard let key = drafts[index].key else { return .scalar(drafts[index].scalars[property]) }
    let stored = try read { () throws(StorageError) in
      try transaction.mixed(layout.table, key, layout.columns[property])
    }
    return PlannedValue(stored)
  }

  /// Number of elements of a list.
  func count(_ index: Int, _ property: Int) throws(ObjectError) -> Int {
    if case .list(_, let count)? = drafts[index].state(of: property) { return count }
    let layout = drafts[index].layout
    guard let key = drafts[index].key else { return 0 }
    return try read { () throws(StorageError) in
      try transaction.count(layout.table, key, layout.columns[property])
    }
  }

  /// The elements of a list.
  func elements(_ index: Int, _ property: Int) throws(ObjectError) -> [PlannedValue] {
    if case .list(let elements?, _)? = drafts[index].state(of: property) { return elements }
    var elements = try storedElements(index, property)
    if drafts[index].state(of: property) != nil {
      for step in steps where step.draft == index && step.property == property {
        WritePlan.perform(step.action, on: &elements)
      }
    }
    drafts[index].setState(of: property, .list(elements, count: elements.count))
    return elements
  }

  /// The elements of a list or set before the statement.
  func storedElements(_ index: Int, _ property: Int) throws(ObjectError) -> [PlannedValue] {
    let layout = drafts[index].layout
    guard let key = drafts[index].key else { return [] }
    let stored = try read { () throws(StorageError) in
      try transaction.elements(layout.table, key, layout.columns[property])
    }
    return stored.map { PlannedValue($0) }
  }

  /// One element of a list.
  ///
  /// - Precondition: the index is below the count.
  func element(
    _ index: Int, _ property: Int, at position: Int
  ) throws(ObjectError) -> PlannedValue {
    let layout = drafts[index].layout
    guard drafts[index].state(of: property) == nil, let key = drafts[index].key else {
      return try elements(index, property)[position]
    }
    let stored = try read { () throws(StorageError) in
      try transaction.element(layout.table, key, layout.columns[property], at: position)
    }
    return PlannedValue(stored)
  }

  /// The value of a key of a dictionary; nil if there is no such key.
  func entry(
    _ index: Int, _ property: Int, key: [UInt8]
  ) throws(ObjectError) -> PlannedValue? {
    if case .dictionary(let changes, let isCleared)? = drafts[index].state(of: property) {
      if let change = changes[key] { return change }
      if isCleared { return nil }
    }
    let layout = drafts[index].layout
    guard let object = drafts[index].key else { return nil }
    let stored = try read { () throws(StorageError) in
      try transaction.entry(layout.table, object, layout.columns[property], key: key)
    }
    return stored.map { PlannedValue($0) }
  }

  // MARK: Steps with their effect on the state

  /// Changes a property that is not a collection.
  func setValue(_ index: Int, _ property: Int, _ value: PlannedValue) {
    let kind = drafts[index].layout.properties[property].kind
    if drafts[index].isNew, kind != .link, case .scalar(let scalar) = value {
      if case .link = scalar {
      } else if drafts[index].state(of: property) == nil {
        drafts[index].scalars[property] = scalar
        hasChangedDraft = true
        return
      }
    }
    drafts[index].setState(of: property, .value(value))
    add(index, property, .set(value))
  }

  /// Changes a list.
  func edit(_ index: Int, _ property: Int, _ action: PlannedStep.Action) throws(ObjectError) {
    var count = try count(index, property)
    var elements: [PlannedValue]?
    if case .list(let known, _)? = drafts[index].state(of: property) { elements = known }
    // The state must not share the elements while they are changed.
    drafts[index].setState(of: property, .list(nil, count: 0))
    switch action {
    case .insert, .embed(_, .element): count += 1
    case .remove: count -= 1
    case .clear:
      count = 0
      elements = []
    default: break
    }
    if elements != nil { WritePlan.perform(action, on: &elements!) }  // It is not nil.
    drafts[index].setState(of: property, .list(elements, count: count))
    add(index, property, action)
  }

  private static func perform(_ action: PlannedStep.Action, on elements: inout [PlannedValue]) {
    switch action {
    case .insert(let position, let value): elements.insert(value, at: position)
    case .embed(let child, .element(let position)): elements.insert(.new(child), at: position)
    case .replace(let position, let value): elements[position] = value
    case .remove(let position): elements.remove(at: position)
    case .move(let from, let to): elements.insert(elements.remove(at: from), at: to)
    case .clear: elements = []
    default: break
    }
  }

  /// Changes an entry of a dictionary; nil removes it.
  func setEntry(_ index: Int, _ property: Int, key: [UInt8], _ value: PlannedValue?) {
    noteEntry(index, property, key: key, value)
    add(index, property, value.map { .setKey(key, $0) } ?? .removeKey(key))
  }

  func noteEntry(_ index: Int, _ property: Int, key: [UInt8], _ value: PlannedValue?) {
    var (changes, isCleared): ([[UInt8]: PlannedValue?], Bool) = ([:], false)
    if case .dictionary(let known, let cleared)? = drafts[index].state(of: property) {
      (changes, isCleared) = (known, cleared)
      drafts[index].setState(of: property, .dictionary([:], isCleared: cleared))
    }
    changes[key] = .some(value)
    drafts[index].setState(of: property, .dictionary(changes, isCleared: isCleared))
  }

  /// Empties a collection.
  func clear(_ index: Int, _ property: Int, isRefill: Bool) throws(ObjectError) {
    let layout = drafts[index].layout
    if layout.properties[property].kind == .link { mayDeleteEmbedded = true }
    switch layout.properties[property].collection {
    case .list: try edit(index, property, .clear(isRefill: isRefill))
    case .dictionary:
      drafts[index].setState(of: property, .dictionary([:], isCleared: true))
      add(index, property, .clear(isRefill: isRefill))
    case .set, .none: add(index, property, .clear(isRefill: isRefill))
    }
  }
}
