import RealmStorage
import RealmValues

/// Changes of mixed values and of the collections in them, which are written as a whole.
///
/// Source: shell.md 9.
extension WritePlan {
  /// Changes a mixed value, or a part of the collections in it.
  func performOnMixed(
    _ action: PropertyChange.Action, at location: Location
  ) throws(ObjectError) {
    let layout = drafts[location.draft].layout
    let property = location.property
    let level = (location.slot.isSingle ? 0 : 1) + location.nested.count
    if case .replace = action {
    } else if case .key(let key)? = location.missingKeyCandidate,
      try isMissing(location, key)
    {
      throw layout.error(.keyNotFound(String(decoding: key, as: UTF8.self)), property)
    }
    let new: PlannedValue
    switch action {
    case .replace(let value):
      do throws(ObjectError) {
        new = try mixed(value, layout, property, level: level)
      } catch {
        throw error.below(.argument(0))
      }
    default:
      let old: PlannedValue
      do throws(ObjectError) {
        old = try current(location)
      } catch {
        throw error.below(.pathStep(location.nestedStart + location.nested.count - 1))
      }
      new = PlannedValue(
        try changed(old.mixed, by: action, layout, property, level: level))
    }
    var whole = location
    whole.nested = []
    if location.nested.isEmpty, case .replace = action { return try storeMixed(new, at: location) }
    let root = try current(whole)
    let replaced =
      location.nested.isEmpty
      ? new : PlannedValue(try replacing(root.mixed, location.nested[...], by: new.mixed, location))
    guard case .single = location.slot, !drafts[location.draft].isNew,
      case .nested(let old) = root, case .nested(let edited) = replaced
    else { return try storeMixed(replaced, at: whole) }
    drafts[location.draft].setState(of: property, .value(replaced))
    let changes = MixedValue.changes(from: old, to: edited, at: location.nested.first)
    add(location.draft, property, .edit(edited, changes))
  }

  private func isMissing(_ location: Location, _ key: [UInt8]) throws(ObjectError) -> Bool {
    guard !location.nested.isEmpty else {
      return try entry(location.draft, location.property, key: key) == nil
    }
    var above = location
    above.nested.removeLast()
    guard case .nested(.dictionary(let entries)) = try current(above) else { return false }
    return !entries.contains { $0.key == key }
  }

  private func storeMixed(_ value: PlannedValue, at location: Location) throws(ObjectError) {
    switch location.slot {
    case .single: setValue(location.draft, location.property, value)
    case .element(let position):
      try edit(location.draft, location.property, .replace(position, value))
    case .key(let key): setEntry(location.draft, location.property, key: key, .some(value))
    }
  }

  /// A collection with a part of it replaced; a missing key of a dictionary is added.
  private func replacing(
    _ value: MixedValue, _ path: ArraySlice<NestedStep>, by new: MixedValue, _ location: Location
  ) throws(ObjectError) -> MixedValue {
    guard let step = path.first else { return new }
    let layout = drafts[location.draft].layout
    let here = InputStep.pathStep(location.nestedStart + path.startIndex)
    switch (step, value) {
    case (.index(let index), .list(var values)):
      let place: Int
      do throws(ObjectError) {
        place = try position(index, count: values.count, layout, location.property)
      } catch {
        throw error.below(here)
      }
      values[place] = try replacing(values[place], path.dropFirst(), by: new, location)
      return .list(values)
    case (.key(let key), .dictionary(var entries)):
      if let place = entries.firstIndex(where: { $0.key == key }) {
        entries[place].value = try replacing(
          entries[place].value, path.dropFirst(), by: new, location)
      } else {
        entries.append((key, new))
      }
      return .dictionary(entries)
    default: throw layout.error(.illegalOperation(.wrongKind), location.property).below(here)
    }
  }

  // MARK: Operators and methods

  /// What an operator or method makes of a mixed value.
  private func changed(
    _ old: MixedValue, by action: PropertyChange.Action, _ layout: ClassLayout, _ property: Int,
    level: Int
  ) throws(ObjectError) -> MixedValue {
    if case .scalar = old {
      do throws(ObjectError) {
        let new = try Arithmetic.apply(action, to: old, layout, property)
        try ValueFitting.check(new, layout.properties[property], layout)
        return .scalar(new)
      } catch {
        throw error.below(.argument(0))
      }
    }
    switch (old, action) {
    case (_, .call(let method, let arguments)):
      return try called(method, arguments, on: old, layout, property, level: level)
    case (.list(let values), .add(let value)):
      return .list(values + (try fitted(value, layout, property, level: level)))
    case (.list(let values), .subtract(let value)):
      let unwanted = try fitted(value, layout, property, level: level)
      return .list(values.filter { value in !unwanted.contains { equal($0, value) } })
    case (.dictionary(let entries), .add(let value)):
      let new = try part(value, layout, property, level: level - 1, argument: 0)
      guard case .dictionary(let added) = new else {
        throw layout.error(.typeMismatch(value.found), property).below(.argument(0))
      }
      return .dictionary(
        entries.filter { old in !added.contains { $0.key == old.key } } + added)
    case (.dictionary(let entries), .subtract(let value)):
      var unwanted: [[UInt8]] = []
      for key in value.members ?? [value] { unwanted.append(try self.key(key, layout, property)) }
      return .dictionary(entries.filter { !unwanted.contains($0.key) })
    default: throw layout.error(.illegalOperation(.wrongKind), property)
    }
  }

  private func equal(_ a: MixedValue, _ b: MixedValue) -> Bool {
    PlannedValue.areSame(PlannedValue(a), PlannedValue(b), isMixed: false)
  }

  private func part(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int, level: Int, argument: Int
  ) throws(ObjectError) -> MixedValue {
    do throws(ObjectError) {
      return try mixed(value, layout, property, level: level + 1).mixed
    } catch {
      throw error.below(.argument(argument))
    }
  }

  /// A value as elements: an array stands for its members.
  private func fitted(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int, level: Int
  ) throws(ObjectError) -> [MixedValue] {
    var result: [MixedValue] = []
    for member in value.members ?? [value] {
      result.append(try part(member, layout, property, level: level, argument: 0))
    }
    return result
  }

  private func key(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) -> [UInt8] {
    guard case .scalar(.string(let bytes)) = value else {
      throw layout.error(.typeMismatch(value.found), property).below(.argument(0))
    }
    return bytes
  }

  private func called(
    _ method: PropertyChange.Method, _ given: [InputValue], on old: MixedValue,
    _ layout: ClassLayout, _ property: Int, level: Int
  ) throws(ObjectError) -> MixedValue {
    switch (method, old) {
    case (.clear, .list):
      _ = try arguments(given, 0...0, layout, property)
      return .list([])
    case (.clear, .dictionary):
      _ = try arguments(given, 0...0, layout, property)
      return .dictionary([])
    case (.remove, .dictionary(let entries)):
      let unwanted = try key(try arguments(given, 1...1, layout, property)[0], layout, property)
      return .dictionary(entries.filter { $0.key != unwanted })
    case (_, .list(var values)):
      try call(method, given, on: &values, layout, property, level: level)
      return .list(values)
    default: throw layout.error(.illegalOperation(.wrongKind), property)
    }
  }

  private func call(
    _ method: PropertyChange.Method, _ given: [InputValue], on values: inout [MixedValue],
    _ layout: ClassLayout, _ property: Int, level: Int
  ) throws(ObjectError) {
    let count = values.count
    switch method {
    case .append:
      for (i, value) in try arguments(given, 1...Int.max, layout, property).enumerated() {
        values.append(try part(value, layout, property, level: level, argument: i))
      }
    case .insert:
      let given = try arguments(given, 2...2, layout, property)
      let position = try index(given, 0, count: count, layout, property, mayBeEnd: true)
      values.insert(
        try part(given[1], layout, property, level: level, argument: 1), at: position)
    case .remove:
      let given = try arguments(given, 1...1, layout, property)
      let unwanted = try part(given[0], layout, property, level: level, argument: 0)
      if let place = values.firstIndex(where: { equal($0, unwanted) }) {
        values.remove(at: place)
      }
    case .removeAt:
      let given = try arguments(given, 1...1, layout, property)
      values.remove(at: try index(given, 0, count: count, layout, property))
    case .move, .swap:
      let given = try arguments(given, 2...2, layout, property)
      let from = try index(given, 0, count: count, layout, property)
      let to = try index(given, 1, count: count, layout, property)
      if method == .move {
        values.insert(values.remove(at: from), at: to)
      } else {
        values.swapAt(from, to)
      }
    case .clear, .union, .intersect, .subtract:
      throw layout.error(.illegalOperation(.wrongKind), property)
    }
  }
}

extension WritePlan.Location {
  /// The last step if it is a key, which may be missing.
  fileprivate var missingKeyCandidate: WritePlan.NestedStep? {
    if let last = nested.last {
      if case .key = last { return last }
      return nil
    }
    if case .key(let key) = slot { return .key(key) }
    return nil
  }
}

extension MixedValue {
  /// What an edit has done to the elements of a collection.
  ///
  /// - Parameter step: The element that was changed; nil if the collection itself was.
  fileprivate static func changes(
    from old: MixedValue, to new: MixedValue, at step: WritePlan.NestedStep?
  ) -> [TransactionChanges.ElementChange] {
    switch (old, new) {
    case (.list(let old), .list(let new)):
      guard case .index(let index)? = step else { return changes(from: old, to: new) }
      return [.set(Int(index < 0 ? index + Int64(new.count) : index))]
    case (.dictionary(let old), .dictionary(let new)):
      var touched: [UInt8]?
      if case .key(let key)? = step { touched = key }
      return changes(from: old, to: new, touching: touched)
    default: return []
    }
  }

  /// What is the same at both ends has stayed; of the rest the first elements were set, and those that
  /// are left over were taken out or put in.
  private static func changes(
    from old: [MixedValue], to new: [MixedValue]
  ) -> [TransactionChanges.ElementChange] {
    if new.isEmpty { return old.isEmpty ? [] : [.clear(oldCount: old.count)] }
    let shorter = min(old.count, new.count)
    let start = (0..<shorter).first { !areSame(old[$0], new[$0]) } ?? shorter
    let rest = shorter - start
    let end =
      (0..<rest).first { !areSame(old[old.count - 1 - $0], new[new.count - 1 - $0]) } ?? rest
    let common = shorter - end
    var changes = (start..<common).map { TransactionChanges.ElementChange.set($0) }
    for index in (common..<old.count - end).reversed() { changes.append(.erase(index)) }
    for index in common..<new.count - end { changes.append(.insert(index)) }
    return changes
  }

  private static func changes(
    from old: [(key: [UInt8], value: MixedValue)], to new: [(key: [UInt8], value: MixedValue)],
    touching touched: [UInt8]?
  ) -> [TransactionChanges.ElementChange] {
    let (old, new) = (old.sorted(), new.sorted())
    if new.isEmpty { return old.isEmpty ? [] : [.clear(oldCount: old.count)] }
    var changes: [TransactionChanges.ElementChange] = []
    // Positions are those at the moment of the change: behind what came in, before what goes.
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      let order =
        i == old.count ? 1 : j == new.count ? -1 : ScalarValue.compare(old[i].key, new[j].key)
      if order < 0 {
        changes.append(.erase(j))
        i += 1
      } else if order > 0 {
        changes.append(.insert(j))
        j += 1
      } else {
        if new[j].key == touched || !areSame(old[i].value, new[j].value) {
          changes.append(.set(j))
        }
        i += 1
        j += 1
      }
    }
    return changes
  }
}
