public import RealmStorage
public import RealmValues

/// One step from a whole statement to a part of its values.
public enum InputStep: Equatable, Sendable {
  /// The i-th value of `add` or `upsert`.
  case value(Int)
  /// The i-th change of `set`.
  case change(Int)
  /// The i-th step of the path of a change.
  case pathStep(Int)
  /// The i-th argument of a call, or 0 for the right side of a change.
  case argument(Int)
  /// The value of a property; the key of a field.
  case property(String)
  /// The i-th element of an array.
  case element(Int)
  /// The value of an entry of a dictionary.
  case key(String)
}

/// Why a change of objects was refused.
public struct ObjectError: Error, Sendable {
  /// What was found where something else is needed.
  public enum Found: Equatable, Sendable {
    case null
    case scalar(ValueKind)
    /// An object of this class.
    case object(String)
    case array, set, map
  }

  /// Why an operation is not defined for a value.
  public enum Illegal: Equatable, Sendable {
    /// Embedded objects exist in their parent only.
    case embeddedAlone
    /// A mixed value cannot hold an embedded object.
    case embeddedInMixed
    /// An embedded object that has a parent cannot get another one.
    case embeddedMoved
    /// A mixed value cannot hold a set.
    case setInMixed
    /// The property has a type without this operation.
    case wrongKind
  }

  /// The kinds of errors; `name` gives the name a user sees.
  public enum Kind: Equatable, Sendable {
    /// A required property has no value and no default, or was given null.
    case missingPropertyValue
    /// The class has no primary key.
    case missingPrimaryKey
    /// A primary key cannot be changed.
    case modifyPrimaryKey
    /// There is an object with this primary key.
    case objectAlreadyExists(ScalarValue)
    /// The value does not fit the type.
    case typeMismatch(Found)
    /// The object belongs to another class than the one needed.
    case objectTypeMismatch(found: String, needed: String)
    /// Null where it is not allowed.
    case propertyNotNullable
    /// The class has no property with the name in `property`.
    case invalidProperty
    /// More values than properties, a wrong number of arguments, null for a whole object, a key or
    /// property that is given twice.
    case invalidArgument
    /// A key that starts with `$` or contains a point.
    case invalidDictionaryKey(String)
    /// Null in a dictionary of values that cannot be null.
    case invalidDictionaryValue
    /// The operation is not defined for the value or the type.
    case illegalOperation(Illegal)
    /// A text, a binary or the nesting of collections is too large; `limit` in bytes or levels.
    case limitExceeded(limit: Int)
    /// The index is outside the collection of `count` elements.
    case outOfBounds(index: Int64, count: Int)
    /// The dictionary has no such key.
    case keyNotFound(String)
    /// The object was deleted.
    case invalidatedObject
    /// The link or value at this place of the path is null.
    case nullInPath
    /// Overflow or division by zero.
    case arithmetic(isDivisionByZero: Bool)
    /// The file cannot be read.
    case storage(StorageError)
  }

  /// What is wrong.
  public var kind: Kind
  /// The class of the object concerned; empty if there is none.
  public var className: String
  /// The property concerned; empty if there is none.
  public var property: String
  /// The way from the statement to the offending part, outermost step first.
  public var place: [InputStep]

  /// Makes an error.
  public init(
    _ kind: Kind, className: String = "", property: String = "", place: [InputStep] = []
  ) {
    self.kind = kind
    self.className = className
    self.property = property
    self.place = place
  }

  /// The name of the error. Source: object-model.md 0.2, shell.md 25; empty for `storage`.
  public var name: String {
    switch kind {
    case .missingPropertyValue: "MissingPropertyValue"
    case .missingPrimaryKey: "MissingPrimaryKey"
    case .modifyPrimaryKey: "ModifyPrimaryKey"
    case .objectAlreadyExists: "ObjectAlreadyExists"
    case .typeMismatch: "TypeMismatch"
    case .objectTypeMismatch: "ObjectTypeMismatch"
    case .propertyNotNullable: "PropertyNotNullable"
    case .invalidProperty: "InvalidProperty"
    case .invalidArgument: "InvalidArgument"
    case .invalidDictionaryKey: "InvalidDictionaryKey"
    case .invalidDictionaryValue: "InvalidDictionaryValue"
    case .illegalOperation: "IllegalOperation"
    case .limitExceeded: "LimitExceeded"
    case .outOfBounds: "OutOfBounds"
    case .keyNotFound: "KeyNotFound"
    case .invalidatedObject: "InvalidatedObject"
    case .nullInPath: "NullInPath"
    case .arithmetic: "Arithmetic"
    case .storage: ""
    }
  }

  /// The same error, one level further out.
  func below(_ step: InputStep) -> ObjectError {
    var error = self
    error.place.insert(step, at: 0)
    return error
  }
}
