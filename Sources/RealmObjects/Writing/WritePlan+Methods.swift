import RealmStorage
import RealmValues

/// Operators and methods of collections.
///
/// Source: shell.md 9, object-model.md 4.8.
extension WritePlan {
  /// Changes the collection in a property.
  func performOnCollection(
    _ action: PropertyChange.Action, _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let collection = layout.properties[property].collection
    do throws(ObjectError) {
      switch action {
      case .replace(let value):
        if value.isNull {
          try clear(index, property, isRefill: false)
        } else {
          try fill(index, property, value, .error)
        }
      case .add(let value): try addToCollection(value, index, property)
      case .subtract(let value): try subtract(value, index, property)
      case .multiply, .divide:
        throw layout.error(.illegalOperation(.wrongKind), property)
      case .call(.clear, let arguments):
        _ = try self.arguments(arguments, 0...0, layout, property)
        try clear(index, property, isRefill: false)
      case .call(let method, let arguments):
        switch collection {
        case .list: try callOnList(method, arguments, index, property)
        case .set: try callOnSet(method, arguments, index, property)
        case .dictionary: try callOnDictionary(method, arguments, index, property)
        case .none: throw layout.error(.illegalOperation(.wrongKind), property)
        }
      }
    } catch {
      if case .call = action { throw error }
      throw error.below(.argument(0))
    }
  }

  /// Checks the number of arguments.
  func arguments(
    _ arguments: [InputValue], _ allowed: ClosedRange<Int>, _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) -> [InputValue] {
    guard allowed.contains(arguments.count) else {
      throw layout.error(.invalidArgument, property)
    }
    return arguments
  }

  /// The index in an argument.
  func index(
    _ arguments: [InputValue], _ i: Int, count: Int, _ layout: ClassLayout, _ property: Int,
    mayBeEnd: Bool = false
  ) throws(ObjectError) -> Int {
    do throws(ObjectError) {
      guard case .scalar(.int(let index)) = arguments[i] else {
        throw layout.error(.typeMismatch(arguments[i].found), property)
      }
      return try position(index, count: count, layout, property, mayBeEnd: mayBeEnd)
    } catch {
      throw error.below(.argument(i))
    }
  }

  // MARK: Operators

  private func addToCollection(
    _ value: InputValue, _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    switch layout.properties[property].collection {
    case .list:
      if let members = value.members {
        try append(index, property, members, .error)
      } else {
        try insert(index, property, at: try count(index, property), value, .error)
      }
    case .set:
      if let members = value.members {
        try insertMembers(index, property, members, .error)
      } else {
        do throws(ObjectError) {
          try insertMembers(index, property, [value], .error)
        } catch {
          throw error.withoutFirstStep
        }
      }
    case .dictionary:
      guard case .map(let fields) = value else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      try setEntries(index, property, fields, .error)
    case .none: throw layout.error(.illegalOperation(.wrongKind), property)
    }
  }

  private func subtract(
    _ value: InputValue, _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    switch layout.properties[property].collection {
    case .list:
      let unwanted = try wanted(value, layout, property)
      for (position, element) in try elements(index, property).enumerated().reversed()
      where unwanted.contains(where: { WritePlan.areEqual($0, element) }) {
        try remove(index, property, at: position)
      }
    case .set: try removeMembers(value, index, property)
    case .dictionary:
      for key in value.members ?? [value] { try removeKey(key, index, property) }
    case .none: throw layout.error(.illegalOperation(.wrongKind), property)
    }
  }

  /// The values that are looked for in a list or set; nothing is made for them.
  private func wanted(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) -> [PlannedValue] {
    var result: [PlannedValue] = []
    for (i, member) in (value.members ?? [value]).enumerated() {
      do throws(ObjectError) {
        result.append(try wantedElement(member, layout, property))
      } catch {
        throw value.members == nil ? error : error.below(.element(i))
      }
    }
    return result
  }

  private func wantedElement(
    _ value: InputValue, _ layout: ClassLayout, _ property: Int
  ) throws(ObjectError) -> PlannedValue {
    if layout.properties[property].kind == .link {
      switch value {
      case .object, .scalar(.link): break
      default: throw layout.error(.typeMismatch(value.found), property)
      }
    }
    return try element(value, layout, property, .error)
  }

  /// The equality of queries; collections are equal if all of them is.
  private static func areEqual(_ a: PlannedValue, _ b: PlannedValue) -> Bool {
    PlannedValue.areSame(a, b, isMixed: false)
  }

  private func removeMembers(
    _ value: InputValue, _ index: Int, _ property: Int
  ) throws(ObjectError) {
    for case .scalar(let member) in try wanted(value, drafts[index].layout, property) {
      add(index, property, .removeMember(member))
    }
  }

  private func removeKey(
    _ value: InputValue, _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    guard case .scalar(.string(let bytes)) = value else {
      throw layout.error(.typeMismatch(value.found), property)
    }
    let key = try ValueFitting.key(
      String(decoding: bytes, as: UTF8.self), layout.properties[property], layout)
    if layout.properties[property].kind == .link { mayDeleteEmbedded = true }
    if try entry(index, property, key: key) != nil {
      setEntry(index, property, key: key, nil)
    }
  }

  // MARK: Methods

  private func callOnList(
    _ method: PropertyChange.Method, _ given: [InputValue], _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    let count = try count(index, property)
    switch method {
    case .append:
      let values = try arguments(given, 1...Int.max, layout, property)
      do throws(ObjectError) {
        try append(index, property, values, .error)
      } catch {
        throw error.withElementAsArgument
      }
    case .insert:
      let values = try arguments(given, 2...2, layout, property)
      let position = try self.index(values, 0, count: count, layout, property, mayBeEnd: true)
      do throws(ObjectError) {
        try insert(index, property, at: position, values[1], .error)
      } catch {
        throw error.below(.argument(1))
      }
    case .remove:
      let values = try arguments(given, 1...1, layout, property)
      do throws(ObjectError) {
        let unwanted = try wantedElement(values[0], layout, property)
        let position = try elements(index, property).firstIndex {
          WritePlan.areEqual($0, unwanted)
        }
        if let position { try remove(index, property, at: position) }
      } catch {
        throw error.below(.argument(0))
      }
    case .removeAt:
      let values = try arguments(given, 1...1, layout, property)
      try remove(
        index, property, at: try self.index(values, 0, count: count, layout, property))
    case .move, .swap:
      let values = try arguments(given, 2...2, layout, property)
      let from = try self.index(values, 0, count: count, layout, property)
      let to = try self.index(values, 1, count: count, layout, property)
      if from == to { return }
      if method == .move { return try edit(index, property, .move(from, to)) }
      let (low, high) = (min(from, to), max(from, to))
      // In the order of realm-core, which shows in the change set of neighbours.
      try edit(index, property, .move(high, low))
      if high - 1 != low { try edit(index, property, .move(low + 1, high)) }
    case .clear, .union, .intersect, .subtract:
      throw layout.error(.illegalOperation(.wrongKind), property)
    }
  }

  private func callOnSet(
    _ method: PropertyChange.Method, _ given: [InputValue], _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    switch method {
    case .insert:
      let values = try arguments(given, 1...1, layout, property)
      do throws(ObjectError) {
        try insertMembers(index, property, values, .error)
      } catch {
        throw error.withElementAsArgument
      }
      return
    case .remove, .union, .intersect, .subtract: break
    default: throw layout.error(.illegalOperation(.wrongKind), property)
    }
    let value = try arguments(given, 1...1, layout, property)[0]
    do throws(ObjectError) {
      if method == .remove {
        guard value.members == nil else {
          throw layout.error(.typeMismatch(value.found), property)
        }
        return try removeMembers(value, index, property)
      }
      guard let members = value.members else {
        throw layout.error(.typeMismatch(value.found), property)
      }
      switch method {
      case .union: try insertMembers(index, property, members, .error)
      case .subtract: try removeMembers(value, index, property)
      default:
        var kept: [ScalarValue] = []
        for case .scalar(let member) in try wanted(value, layout, property) { kept.append(member) }
        add(index, property, .keepMembers(kept))
      }
    } catch {
      throw error.below(.argument(0))
    }
  }

  private func callOnDictionary(
    _ method: PropertyChange.Method, _ given: [InputValue], _ index: Int, _ property: Int
  ) throws(ObjectError) {
    let layout = drafts[index].layout
    guard method == .remove else { throw layout.error(.illegalOperation(.wrongKind), property) }
    let values = try arguments(given, 1...1, layout, property)
    do throws(ObjectError) {
      try removeKey(values[0], index, property)
    } catch {
      throw error.below(.argument(0))
    }
  }
}

extension ObjectError {
  /// The error of a single value that was handled like an array of one.
  var withoutFirstStep: ObjectError {
    var error = self
    if !error.place.isEmpty { error.place.removeFirst() }
    return error
  }

  /// The error with the element of an array of arguments as an argument.
  var withElementAsArgument: ObjectError {
    var error = self
    if case .element(let i)? = error.place.first { error.place[0] = .argument(i) }
    return error
  }
}
