import RealmStorage
import RealmValues

/// A value that fits its property, ready to be written.
enum PlannedValue {
  /// Links to objects that exist are `link`, whatever the column.
  case scalar(ScalarValue)
  /// A link to an object that the plan makes: the index of its draft.
  case new(Int)
  /// A collection in a mixed value.
  case nested(MixedValue)

  static var null: PlannedValue { .scalar(.null) }

  init(_ value: MixedValue) {
    if case .scalar(let scalar) = value { self = .scalar(scalar) } else { self = .nested(value) }
  }

  var isNull: Bool {
    if case .scalar(.null) = self { return true }
    return false
  }

  /// The value as part of a mixed value, which never leads to a new object.
  var mixed: MixedValue {
    switch self {
    case .scalar(let value): .scalar(value)
    case .nested(let value): value
    case .new: .scalar(.null)
    }
  }

  /// Whether writing one over the other changes nothing; `isMixed` tells numbers by their type.
  static func areSame(_ a: PlannedValue, _ b: PlannedValue, isMixed: Bool) -> Bool {
    switch (a, b) {
    case (.scalar(let x), .scalar(let y)): x.isEqual(to: y) && (!isMixed || x.kind == y.kind)
    case (.new(let x), .new(let y)): x == y
    case (.nested(let x), .nested(let y)): MixedValue.areSame(x, y)
    default: false
    }
  }
}

extension MixedValue {
  /// Whether both have the same structure and the same values of the same types.
  static func areSame(_ a: MixedValue, _ b: MixedValue) -> Bool {
    switch (a, b) {
    case (.scalar(let x), .scalar(let y)): x.isEqual(to: y) && x.kind == y.kind
    case (.list(let x), .list(let y)):
      x.count == y.count && zip(x, y).allSatisfy { areSame($0, $1) }
    case (.dictionary(let x), .dictionary(let y)):
      x.count == y.count
        && zip(x.sorted(), y.sorted()).allSatisfy {
          $0.key == $1.key && areSame($0.value, $1.value)
        }
    default: false
    }
  }
}

extension [(key: [UInt8], value: MixedValue)] {
  /// The entries in the order of their keys.
  func sorted() -> [(key: [UInt8], value: MixedValue)] {
    sorted { ScalarValue.compare($0.key, $1.key) < 0 }
  }
}

/// One elementary change of a plan.
struct PlannedStep {
  enum Action {
    /// Makes the object of the draft.
    case create
    /// Makes the object of another draft, embedded in this property.
    case embed(child: Int, Slot)
    case set(PlannedValue)
    /// Writes a collection in a mixed value again in which some elements have changed.
    case edit(MixedValue, [TransactionChanges.ElementChange])
    // Lists.
    case insert(Int, PlannedValue)
    case replace(Int, PlannedValue)
    case remove(Int)
    case move(Int, Int)
    // Sets.
    case insertMember(PlannedValue)
    case removeMember(ScalarValue)
    /// Removes all members but these.
    case keepMembers([ScalarValue])
    // Dictionaries.
    case setKey([UInt8], PlannedValue)
    case removeKey([UInt8])
    /// Empties a collection. `isRefill`: it counts as a change even if it was empty.
    case clear(isRefill: Bool)
  }

  /// Where in a property an embedded object is.
  enum Slot {
    case single
    case element(Int)
    case key([UInt8])
  }

  /// The object whose property is changed.
  var draft: Int
  var property: Int
  var action: Action
}

/// An object that a plan makes or touches.
struct Draft {
  /// The state of a property as the steps planned so far leave it.
  enum State {
    case value(PlannedValue)
    /// The elements, nil as long as nobody asked; number of elements.
    case list([PlannedValue]?, count: Int)
    /// Entries that differ from those in the file; a value of nil is a removed entry.
    case dictionary([[UInt8]: PlannedValue?], isCleared: Bool)
    /// A set with steps; nobody asks for its members.
    case touchedSet
  }

  let layout: ClassLayout
  /// Nil until the object is made.
  var key: ObjectKey?
  let isNew: Bool
  /// Of a new object: the values that it is made with. Null leaves what a new object has.
  var scalars: [ScalarValue] = []
  /// States of properties that are not in `scalars`, or of an object that exists.
  var states: [(property: Int, state: State)] = []
  /// Properties that were changed, in order; found out when the plan is applied.
  var changed: [Int] = []
  /// The object and property that an embedded object was reached through.
  var owner: (draft: Int, property: Int)?
  /// Whether a path of `set` led to it: the change counts as one of the object that `set` names.
  var isOnPath = false

  func state(of property: Int) -> State? { states.first { $0.property == property }?.state }

  mutating func setState(of property: Int, _ state: State) {
    if let known = states.firstIndex(where: { $0.property == property }) {
      states[known].state = state
    } else {
      states.append((property, state))
    }
  }
}
