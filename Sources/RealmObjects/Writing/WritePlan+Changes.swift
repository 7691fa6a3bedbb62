import RealmStorage
import RealmValues

/// The changes of `set`: paths and what happens at their ends.
///
/// Source: shell.md 9.
extension WritePlan {
  /// The end of a path.
  struct Location {
    var draft: Int
    var property: Int
    /// An element or entry of the property; `single` is the property itself.
    var slot = PlannedStep.Slot.single
    /// The way on into a mixed value.
    var nested: [NestedStep] = []
    /// Number of the step of the path that leads into `nested`.
    var nestedStart = 0
  }

  /// One step inside a mixed value.
  enum NestedStep {
    case index(Int64)
    case key([UInt8])
  }

  /// Plans the changes of one object.
  func setSubject(
    _ layout: ClassLayout, _ object: ObjectKey, _ changes: [PropertyChange]
  ) throws(ObjectError) {
    try check(layout.objectClass, object, isOf: layout)
    let index = draft(layout, object)
    var subject = Subject(draft: index)
    for (i, change) in changes.enumerated() {
      do throws(ObjectError) {
        subject.changes.append(try plan(change, index))
      } catch {
        throw error.below(.change(i))
      }
    }
    subjects.append(subject)
  }

  private func plan(_ change: PropertyChange, _ index: Int) throws(ObjectError) -> Change {
    let start = steps.count
    hasChangedDraft = false
    let location = try walk(change.path, from: index)
    if location.slot.isSingle, location.nested.isEmpty {
      let layout = drafts[location.draft].layout
      guard location.property != layout.primaryKey || transaction.suspendsUniqueness else {
        throw layout.error(.modifyPrimaryKey, location.property).below(
          .pathStep(change.path.count - 1))
      }
    }
    try perform(change.action, at: location)
    return Change(
      path: WritePlan.text(change.path), steps: start..<steps.count,
      hasChangedDraft: hasChangedDraft)
  }

  /// The names of properties in a path.
  static func text(_ path: some Sequence<PropertyChange.Step>) -> String {
    var text = ""
    for case .property(let name) in path {
      if !text.isEmpty { text += "." }
      text += name
    }
    return text
  }

  // MARK: Paths

  /// Goes along a path up to its last step.
  func walk(_ path: [PropertyChange.Step], from index: Int) throws(ObjectError) -> Location {
    guard case .property(let name)? = path.first else {
      throw drafts[index].layout.error(.invalidArgument).below(.pathStep(0))
    }
    var location: Location
    do throws(ObjectError) {
      location = Location(draft: index, property: try property(name, index))
    } catch {
      throw error.below(.pathStep(0))
    }
    for (i, step) in path.enumerated().dropFirst() {
      var value: PlannedValue?
      if !location.slot.isSingle || !hasCollection(location) {
        do throws(ObjectError) {
          value = try notNull(location)
        } catch {
          // A fault of what comes before the step.
          throw error.below(.pathStep(i - 1))
        }
      }
      do throws(ObjectError) {
        if let value {
          try advance(&location, from: value, by: step, number: i)
        } else {
          try enter(&location, step)
        }
      } catch {
        throw error.below(.pathStep(i))
      }
    }
    return location
  }

  private func property(_ name: String, _ index: Int) throws(ObjectError) -> Int {
    let layout = drafts[index].layout
    guard let property = layout.index(of: name) else {
      throw ObjectError(.invalidProperty, className: layout.name, property: name)
    }
    return property
  }

  private func notNull(_ location: Location) throws(ObjectError) -> PlannedValue {
    let value = try current(location)
    guard !value.isNull else {
      throw drafts[location.draft].layout.error(.nullInPath, location.property)
    }
    return value
  }

  private func hasCollection(_ location: Location) -> Bool {
    drafts[location.draft].layout.properties[location.property].collection != .none
  }

  /// Goes on from a value that is not null.
  private func advance(
    _ location: inout Location, from value: PlannedValue, by step: PropertyChange.Step, number: Int
  ) throws(ObjectError) {
    let layout = drafts[location.draft].layout
    if let target = try draft(value) {
      guard case .property(let name) = step else {
        throw layout.error(.illegalOperation(.wrongKind), location.property)
      }
      if target != location.draft { reach(target, from: location) }
      location = Location(draft: target, property: try property(name, target))
      return
    }
    if location.nested.isEmpty { location.nestedStart = number }
    switch (step, value) {
    case (.property(let key), .nested(.dictionary)), (.key(let key), .nested(.dictionary)):
      let definition = layout.properties[location.property]
      location.nested.append(.key(try ValueFitting.key(key, definition, layout)))
    case (.index(let position), .nested(.list)): location.nested.append(.index(position))
    default: throw layout.error(.illegalOperation(.wrongKind), location.property)
    }
  }

  /// Remembers how the object of a draft was reached.
  private func reach(_ target: Int, from location: Location) {
    drafts[target].isOnPath = true
    if drafts[target].layout.isEmbedded, drafts[target].owner == nil {
      drafts[target].owner = (location.draft, location.property)
    }
  }

  /// Goes into a collection.
  private func enter(
    _ location: inout Location, _ step: PropertyChange.Step
  ) throws(ObjectError) {
    let layout = drafts[location.draft].layout
    let definition = layout.properties[location.property]
    switch (definition.collection, step) {
    case (.list, .index(let index)):
      let count = try count(location.draft, location.property)
      location.slot = .element(
        try position(index, count: count, layout, location.property))
    case (.dictionary, .key(let key)), (.dictionary, .property(let key)):
      location.slot = .key(try ValueFitting.key(key, definition, layout))
    default: throw layout.error(.illegalOperation(.wrongKind), location.property)
    }
  }

  /// The position that an index means; negative ones count from the end.
  func position(
    _ index: Int64, count: Int, _ layout: ClassLayout, _ property: Int, mayBeEnd: Bool = false
  ) throws(ObjectError) -> Int {
    let position = index < 0 ? index &+ Int64(count) : index
    guard position >= 0, position < Int64(count) || mayBeEnd && position == Int64(count) else {
      throw layout.error(.outOfBounds(index: index, count: count), property)
    }
    return Int(position)
  }

  /// What is at a location now; null for a missing entry.
  func current(_ location: Location) throws(ObjectError) -> PlannedValue {
    let root = try root(location)
    guard !location.nested.isEmpty else { return root }
    var value = root.mixed
    for step in location.nested {
      switch (step, value) {
      case (.index(let index), .list(let values)):
        value =
          values[
            try position(
              index, count: values.count, drafts[location.draft].layout, location.property)]
      case (.key(let key), .dictionary(let entries)):
        value = entries.first { $0.key == key }?.value ?? .scalar(.null)
      default:
        throw drafts[location.draft].layout.error(
          .illegalOperation(.wrongKind), location.property)
      }
    }
    return PlannedValue(value)
  }

  /// The value of the property, element or entry that a location is in.
  private func root(_ location: Location) throws(ObjectError) -> PlannedValue {
    switch location.slot {
    case .single: try value(location.draft, location.property)
    case .element(let position):
      try element(location.draft, location.property, at: position)
    case .key(let key): try entry(location.draft, location.property, key: key) ?? .null
    }
  }

  // MARK: Changes at the end of a path

  private func perform(
    _ action: PropertyChange.Action, at location: Location
  ) throws(ObjectError) {
    let layout = drafts[location.draft].layout
    let definition = layout.properties[location.property]
    if location.slot.isSingle, definition.collection != .none {
      return try performOnCollection(action, location.draft, location.property)
    }
    if definition.kind == .mixed { return try performOnMixed(action, at: location) }
    let value: InputValue
    switch action {
    case .replace(let new): value = new
    case .call: throw layout.error(.illegalOperation(.wrongKind), location.property)
    default:
      if case .key(let key) = location.slot,
        try entry(location.draft, location.property, key: key) == nil
      {
        throw layout.error(.keyNotFound(String(decoding: key, as: UTF8.self)), location.property)
      }
      let old = try current(location)
      do throws(ObjectError) {
        value = .scalar(
          try Arithmetic.apply(action, to: old.mixed, layout, location.property))
      } catch {
        throw error.below(.argument(0))
      }
    }
    do throws(ObjectError) {
      try store(value, at: location)
    } catch {
      throw error.below(.argument(0))
    }
  }

  /// Writes a value to a location that is not in a mixed value.
  private func store(_ value: InputValue, at location: Location) throws(ObjectError) {
    let layout = drafts[location.draft].layout
    let definition = layout.properties[location.property]
    switch location.slot {
    case .single:
      if value.isNull, !definition.isNullable {
        throw layout.error(.propertyNotNullable, location.property)
      }
      try setSingle(location.draft, location.property, value, .error)
    case .element(let position):
      try replace(location.draft, location.property, at: position, value, .error)
    case .key(let key):
      try setEntry(location.draft, location.property, key: key, value, .error)
    }
  }
}

extension PlannedStep.Slot {
  /// Whether it is a property itself.
  var isSingle: Bool { if case .single = self { true } else { false } }
}
