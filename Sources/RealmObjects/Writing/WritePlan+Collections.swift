import RealmStorage
import RealmValues

/// Filling collections as a whole.
///
/// Source: object-model.md 4.3.
extension WritePlan {
  /// Sets all of a collection by a policy.
  func fill(
    _ index: Int, _ property: Int, _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let definition = layout.properties[property]
    let isFresh = drafts[index].isNew && drafts[index].state(of: property) == nil
    if definition.collection == .dictionary {
      guard case .map(let fields) = value else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      if policy != .modified, !isFresh { try clear(index, property, isRefill: true) }
      return try setEntries(index, property, fields, policy)
    }
    guard let members = value.members else {
      throw layout.error(.typeMismatch(value.found), property)
    }
    if definition.collection == .list {
      if policy == .modified, !isFresh { return try update(index, property, members) }
      if !isFresh, try isUnchanged(index, property, members) { return }
      if !isFresh { try clear(index, property, isRefill: true) }
      return try append(index, property, members, policy)
    }
    if policy != .modified, !isFresh { try clear(index, property, isRefill: true) }
    try insertMembers(index, property, members, policy)
  }

  /// Whether a list of embedded objects is set to itself.
  private func isUnchanged(
    _ index: Int, _ property: Int, _ members: [InputValue]
  ) throws(ObjectError) -> Bool {
    let layout = drafts[index].layout
    guard layout.properties[property].kind == .link,
      try target(of: layout, property).isEmbedded,
      try count(index, property) == members.count
    else { return false }
    for (member, element) in zip(members, try elements(index, property)) {
      guard case .object(let objectClass, let object) = member,
        case .scalar(.link(objectClass.table.key, object)) = element
      else { return false }
    }
    return true
  }

  // MARK: Elements

  /// A value for an element of a collection that does not hold embedded objects.
  func element(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int, _ policy: UpdatePolicy,
    current: PlannedValue = .null
  ) throws(ObjectError) -> PlannedValue {
    let definition = layout.properties[property]
    switch definition.kind {
    case .mixed: return try mixed(value, layout, property, level: 1)
    case .link:
      if value.isNull {
        guard definition.collection == .dictionary else {
          throw layout.error(.propertyNotNullable, property)
        }
        return .null
      }
      return try link(
        value, layout, property, try target(of: layout, property), policy, current: current)
    default: return .scalar(try ValueFitting.fit(value, definition, layout))
    }
  }

  /// The class of embedded objects that a property holds; nil if it holds none.
  func embeddedTarget(_ layout: ClassLayout, _ property: Int) throws(ObjectError) -> ClassLayout? {
    guard layout.properties[property].kind == .link else { return nil }
    let target = try target(of: layout, property)
    return target.isEmbedded ? target : nil
  }

  // MARK: Lists

  /// Adds elements at the end of a list.
  func append(
    _ index: Int, _ property: Int, _ members: [InputValue], _ policy: UpdatePolicy
  ) throws(ObjectError) {
    var position = try count(index, property)
    for (i, member) in members.enumerated() {
      do throws(ObjectError) {
        try insert(index, property, at: position, member, policy)
      } catch {
        throw error.below(.element(i))
      }
      position += 1
    }
  }

  /// Inserts an element into a list.
  ///
  /// - Precondition: the position is at most the count.
  func insert(
    _ index: Int, _ property: Int, at position: Int, _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    if let target = try embeddedTarget(layout, property) {
      if value.isNull { throw layout.error(.propertyNotNullable, property) }
      let parent = Parent(draft: index, property: property, slot: .element(position))
      return try embed(value, in: parent, target, policy, current: .null)
    }
    let new = try element(value, layout, property, policy)
    // What the value updates can be this very list.
    let end = try count(index, property)
    try edit(index, property, .insert(min(position, end), new))
  }

  /// Replaces an element of a list.
  ///
  /// - Precondition: the position is below the count.
  func replace(
    _ index: Int, _ property: Int, at position: Int, _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let old = try element(index, property, at: position)
    if let target = try embeddedTarget(layout, property) {
      if value.isNull { throw layout.error(.propertyNotNullable, property) }
      let stepCount = steps.count
      let parent = Parent(draft: index, property: property, slot: .element(position))
      try embed(value, in: parent, target, policy, current: old)
      // A new object was put before the old one.
      let isNew = steps[stepCount...].contains {
        if $0.draft == index, $0.property == property, case .embed = $0.action {
          true
        } else {
          false
        }
      }
      // What the value updates can be this very list.
      if isNew, position + 1 < (try count(index, property)) {
        mayDeleteEmbedded = true
        try edit(index, property, .remove(position + 1))
      }
      return
    }
    var new = try element(value, layout, property, policy, current: old)
    if policy == .modified {
      let isMixed = layout.properties[property].kind == .mixed
      if isMixed { new = PlannedValue(WritePlan.merge(new.mixed, into: old.mixed)) }
      if PlannedValue.areSame(old, new, isMixed: isMixed) { return }
    }
    let end = try count(index, property)
    try edit(index, property, position < end ? .replace(position, new) : .insert(end, new))
  }

  /// Removes an element of a list.
  func remove(_ index: Int, _ property: Int, at position: Int) throws(ObjectError) {
    if drafts[index].layout.properties[property].kind == .link { mayDeleteEmbedded = true }
    try edit(index, property, .remove(position))
  }

  /// Makes a list equal to the members by position.
  private func update(
    _ index: Int, _ property: Int, _ members: [InputValue]
  ) throws(ObjectError) {
    if try count(index, property) > 0 { _ = try elements(index, property) }
    for (i, member) in members.enumerated() {
      do throws(ObjectError) {
        // What a member updates can be this very list.
        if i < (try count(index, property)) {
          try replace(index, property, at: i, member, .modified)
        } else {
          try insert(index, property, at: i, member, .modified)
        }
      } catch {
        throw error.below(.element(i))
      }
    }
    let end = try count(index, property)
    for position in stride(from: end - 1, through: members.count, by: -1) {
      try remove(index, property, at: position)
    }
  }

  // MARK: Sets

  /// Inserts members into a set.
  func insertMembers(
    _ index: Int, _ property: Int, _ members: [InputValue], _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    drafts[index].setState(of: property, .touchedSet)
    for (i, member) in members.enumerated() {
      do throws(ObjectError) {
        let new = try element(member, layout, property, policy)
        if case .nested = new { throw layout.error(.illegalOperation(.wrongKind), property) }
        add(index, property, .insertMember(new))
      } catch {
        throw error.below(.element(i))
      }
    }
  }

  // MARK: Dictionaries

  /// Sets entries of a dictionary.
  func setEntries(
    _ index: Int, _ property: Int, _ fields: [InputField], _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    for (key, field) in try keys(fields, layout, property) {
      do throws(ObjectError) {
        try setEntry(index, property, key: key, field.value, policy)
      } catch {
        throw error.below(.key(field.key))
      }
    }
  }

  /// Sets one entry of a dictionary.
  func setEntry(
    _ index: Int, _ property: Int, key: [UInt8], _ value: InputValue, _ policy: UpdatePolicy
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    if let target = try embeddedTarget(layout, property) {
      let old = try entry(index, property, key: key)
      mayDeleteEmbedded = mayDeleteEmbedded || old != nil
      if !value.isNull {
        let parent = Parent(draft: index, property: property, slot: .key(key))
        return try embed(value, in: parent, target, policy, current: old ?? .null)
      }
    }
    var new = try element(value, layout, property, policy)
    if policy == .modified, let old = try entry(index, property, key: key) {
      let isMixed = layout.properties[property].kind == .mixed
      if isMixed { new = PlannedValue(WritePlan.merge(new.mixed, into: old.mixed)) }
      if PlannedValue.areSame(old, new, isMixed: isMixed) { return }
    }
    setEntry(index, property, key: key, .some(new))
  }
}
