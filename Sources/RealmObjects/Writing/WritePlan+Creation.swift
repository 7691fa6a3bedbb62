import RealmStorage
import RealmValues

/// Making and updating objects from values.
///
/// Source: object-model.md 4.1 to 4.4.
extension WritePlan {
  /// The place of an embedded object.
  struct Parent {
    var draft: Int
    var property: Int
    var slot: PlannedStep.Slot
  }

  /// Adds one value of `add` or `upsert`.
  func addSubject(
    _ layout: ClassLayout, _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    if case .object(let objectClass, let object) = value {
      try check(objectClass, object, isOf: layout)
      if policy != .error {
        subjects.append(Subject(draft: draft(layout, object)))
        return
      }
      let value = try copy(of: draft(layout, object))
      do throws(ObjectError) {
        subjects.append(Subject(draft: try create(layout, value, policy)))
      } catch {
        // The statement has no text for the parts of the copy.
        throw ObjectError(error.kind, className: error.className, property: error.property)
      }
      return
    }
    subjects.append(Subject(draft: try create(layout, value, policy)))
  }

  /// Makes or updates an object.
  ///
  /// - Parameter current: An object that may be updated in place because the class has no primary
  ///   key.
  /// - Parameter parent: Where a new embedded object goes.
  /// - Returns: its draft.
  func create(
    _ layout: ClassLayout, _ value: InputValue, _ policy: UpdatePolicy, current: Int? = nil,
    parent: Parent? = nil
  ) throws(ObjectError) -> Int {
    guard depth < WritePlan.maximumDepth else {
      throw ObjectError(.limitExceeded(limit: WritePlan.maximumDepth), className: layout.name)
    }
    guard !layout.isEmbedded || parent != nil || current != nil else {
      throw layout.error(.illegalOperation(.embeddedAlone))
    }
    depth += 1
    defer { depth -= 1 }
    var input = try Input(value, layout)
    let index: Int
    if let primaryKey = layout.primaryKey {
      let given = input.value(of: primaryKey)
      let key: ScalarValue
      do throws(ObjectError) {
        key = try self.primaryKey(primaryKey, of: layout, given)
      } catch {
        throw given == nil ? error : error.below(input.place(of: primaryKey, layout))
      }
      let isFree = policy == .error && transaction.suspendsUniqueness
      if !isFree, let existing = try find(layout, key) {
        guard policy != .error else {
          throw layout.error(.objectAlreadyExists(key), primaryKey).below(
            input.place(of: primaryKey, layout))
        }
        index = existing
        try update(index, input, policy)
        return index
      }
      index = newDraft(layout)
      drafts[index].scalars[primaryKey] = key
    } else if policy != .error, let current {
      try update(current, input, policy)
      return current
    } else {
      index = newDraft(layout)
    }
    if let parent { try embed(index, parent) } else { add(index, 0, .create) }
    try fill(index, input, policy)
    return index
  }

  /// Sets the properties of a new object.
  private func fill(
    _ index: Int, _ given: consuming Input, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    var input = given
    // Most values fit as they are; they need not go through the draft one by one.
    var scalars = takeScalars(of: index)
    for property in scalars.indices where property != layout.primaryKey {
      let value = input.value(of: property)
      if case .scalar(let scalar)? = value, let kind = layout.plainKinds[property],
        scalar.kind == kind, ValueFitting.isShort(scalar)
      {
        scalars[property] = scalar
        continue
      }
      drafts[index].scalars = scalars
      scalars = []
      try set(
        index, property, value, policy, isCreated: true, isPositional: input.isPositional)
      scalars = takeScalars(of: index)
    }
    drafts[index].scalars = scalars
  }

  private func takeScalars(of index: Int) -> [ScalarValue] {
    var scalars: [ScalarValue] = []
    swap(&scalars, &drafts[index].scalars)
    return scalars
  }

  private func primaryKey(
    _ property: Int, of layout: ClassLayout, _ given: InputValue?
  ) throws(ObjectError) -> ScalarValue {
    let definition = layout.properties[property]
    let value = given ?? writer.defaults(layout.objectClass, definition)
    guard let value, !value.isNull else {
      guard definition.isNullable else { throw layout.error(.missingPropertyValue, property) }
      return .null
    }
    return try ValueFitting.fit(value, definition, layout)
  }

  /// Adds the step that makes an embedded object.
  private func embed(_ child: Int, _ parent: Parent) throws(ObjectError) {
    let action = PlannedStep.Action.embed(child: child, parent.slot)
    switch parent.slot {
    case .single: drafts[parent.draft].setState(of: parent.property, .value(.new(child)))
    case .key(let key): noteEntry(parent.draft, parent.property, key: key, .new(child))
    case .element: return try edit(parent.draft, parent.property, action)
    }
    add(parent.draft, parent.property, action)
  }

  /// Sets the properties of an object that exists.
  private func update(
    _ index: Int, _ given: consuming Input, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    var input = given
    for property in layout.properties.indices where property != layout.primaryKey {
      guard let value = input.value(of: property) else { continue }
      try set(
        index, property, value, policy, isCreated: false, isPositional: input.isPositional)
    }
  }

  private func set(
    _ index: Int, _ property: Int, _ value: InputValue?, _ policy: UpdatePolicy, isCreated: Bool,
    isPositional: Bool
  ) throws(ObjectError) {
    do throws(ObjectError) {
      try setUnplaced(
        index, property, value, policy, isCreated: isCreated, isPositional: isPositional)
    } catch {
      if value == nil { throw error }
      let layout = drafts[index].layout
      throw error.below(
        isPositional ? .element(property) : .property(layout.properties[property].name))
    }
  }

  private func setUnplaced(
    _ index: Int, _ property: Int, _ given: InputValue?, _ policy: UpdatePolicy, isCreated: Bool,
    isPositional: Bool
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let definition = layout.properties[property]
    let value = given ?? writer.defaults(layout.objectClass, definition)
    if let value, !value.isNull {
      if definition.collection == .none {
        try setSingle(index, property, value, policy)
      } else {
        try fill(index, property, value, policy)
      }
      return
    }
    if definition.collection != .none {
      if !isCreated { try clear(index, property, isRefill: policy == .all) }
    } else if definition.isNullable {
      if !isCreated { try setSingle(index, property, .null, policy) }
    } else if value != nil || !isPositional {
      throw layout.error(.missingPropertyValue, property)
    }
  }

  // MARK: Single values

  /// Sets a property that is not a collection.
  func setSingle(
    _ index: Int, _ property: Int, _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let definition = layout.properties[property]
    if definition.kind == .link {
      return try setLink(index, property, value, policy)
    }
    if definition.kind == .mixed {
      var new = try mixed(value, layout, property, level: 0)
      if policy == .modified, !drafts[index].isNew || drafts[index].state(of: property) != nil {
        let old = try self.value(index, property)
        new = PlannedValue(WritePlan.merge(new.mixed, into: old.mixed))
        if PlannedValue.areSame(old, new, isMixed: true) { return }
      }
      return setValue(index, property, new)
    }
    let new = PlannedValue.scalar(try ValueFitting.fit(value, definition, layout))
    if policy == .modified, !drafts[index].isNew {
      let old = try self.value(index, property)
      if PlannedValue.areSame(old, new, isMixed: false) { return }
    }
    setValue(index, property, new)
  }

  private func setLink(
    _ index: Int, _ property: Int, _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let target = try target(of: layout, property)
    let isFresh = drafts[index].isNew && drafts[index].state(of: property) == nil
    let old = isFresh ? .null : try self.value(index, property)
    if target.isEmbedded { mayDeleteEmbedded = mayDeleteEmbedded || !isFresh }
    if value.isNull {
      if policy == .modified, old.isNull { return }
      return setValue(index, property, .null)
    }
    guard target.isEmbedded else {
      let new = try link(value, layout, property, target, policy, current: old)
      if policy == .modified, PlannedValue.areSame(old, new, isMixed: false) { return }
      return setValue(index, property, new)
    }
    let parent = Parent(draft: index, property: property, slot: .single)
    try embed(value, in: parent, target, policy, current: old)
  }

  /// The value of a link that a value stands for; a map or an array makes or updates an object.
  func link(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int, _ target: ClassLayout,
    _ policy: UpdatePolicy, current: PlannedValue
  ) throws(ObjectError) -> PlannedValue {
    switch value {
    case .object(let objectClass, let object):
      try check(objectClass, object, isOf: target)
      return .scalar(.link(target.table, object))
    case .scalar(.link(let table, let object)):
      guard let found = writer.layout(table) else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      try check(found.objectClass, object, isOf: target)
      return .scalar(.link(target.table, object))
    case .map, .array:
      let existing = policy == .modified ? try draft(current) : nil
      return link(to: try create(target, value, policy, current: existing))
    default: throw layout.error(.typeMismatch(value.found), property)
    }
  }

  /// Makes or updates an embedded object.
  ///
  /// - Parameter current: What is in the place of the parent.
  func embed(
    _ value: InputValue, in parent: Parent, _ target: ClassLayout, _ policy: UpdatePolicy,
    current: PlannedValue
  ) throws(ObjectError) {
    var value = value
    if case .object(let objectClass, let object) = value {
      try check(objectClass, object, isOf: target)
      let given = draft(target, object)
      // An object that stays where it is.
      if try draft(current) == given { return }
      // Within a new object it is copied.
      guard depth > 0 else { throw target.error(.illegalOperation(.embeddedMoved)) }
      value = try copy(of: given)
    }
    switch value {
    case .map, .array: break
    default:
      throw drafts[parent.draft].layout.error(.typeMismatch(value.found), parent.property)
    }
    let existing = policy == .modified ? try draft(current) : nil
    let child = try create(target, value, policy, current: existing, parent: parent)
    drafts[child].owner = (parent.draft, parent.property)
  }

  /// Checks that an object exists and is of a class.
  func check(
    _ objectClass: ObjectClass, _ object: ObjectKey, isOf layout: ClassLayout
  ) throws(ObjectError) {
    guard objectClass.table.key == layout.table else {
      throw ObjectError(
        .objectTypeMismatch(found: objectClass.name, needed: layout.name), className: layout.name)
    }
    let exists = try read { () throws(StorageError) in
      try transaction.hasObject(layout.table, object)
    }
    guard exists else { throw layout.error(.invalidatedObject) }
  }

  // MARK: Copies

  /// The properties of an object as input: links are shared, embedded objects are copied.
  func copy(of index: Int) throws(ObjectError) -> InputValue {
    guard depth < WritePlan.maximumDepth else {
      throw ObjectError(
        .limitExceeded(limit: WritePlan.maximumDepth), className: drafts[index].layout.name)
    }
    depth += 1
    defer { depth -= 1 }
    let layout = drafts[index].layout
    var values: [InputValue] = []
    for (property, definition) in layout.properties.enumerated() {
      switch definition.collection {
      case .none: values.append(try copy(of: try value(index, property)))
      case .list, .set:
        var members: [InputValue] = []
        let elements =
          definition.collection == .list
          ? try elements(index, property) : try storedElements(index, property)
        for element in elements { members.append(try copy(of: element)) }
        values.append(.array(members))
      case .dictionary:
        var fields: [InputField] = []
        for (key, value) in try entries(index, property) {
          fields.append(
            InputField(
              String(decoding: key, as: UTF8.self), try copy(of: value), isVerbatim: true))
        }
        values.append(.map(fields))
      }
    }
    return .array(values)
  }

  private func copy(of value: PlannedValue) throws(ObjectError) -> InputValue {
    guard let target = try draft(value) else { return InputValue(value.mixed) }
    if drafts[target].layout.isEmbedded { return try copy(of: target) }
    return .object(drafts[target].layout.objectClass, drafts[target].key ?? .null)
  }

  /// The entries of a dictionary.
  func entries(
    _ index: Int, _ property: Int
  ) throws(ObjectError) -> [(key: [UInt8], value: PlannedValue)] {
    let layout = drafts[index].layout
    var result: [(key: [UInt8], value: PlannedValue)] = []
    var changes: [[UInt8]: PlannedValue?] = [:]
    var isCleared = false
    if case .dictionary(let known, let cleared)? = drafts[index].state(of: property) {
      (changes, isCleared) = (known, cleared)
    }
    if let object = drafts[index].key, !isCleared {
      let stored = try read { () throws(StorageError) in
        try transaction.entries(layout.table, object, layout.columns[property])
      }
      for entry in stored where changes[entry.key] == nil {
        result.append((entry.key, PlannedValue(entry.value)))
      }
    }
    for case (let key, let value?) in changes { result.append((key, value)) }
    return result.sorted { ScalarValue.compare($0.key, $1.key) < 0 }
  }
}
