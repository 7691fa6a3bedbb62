public import RealmValues

/// A value that is to be written, before it is fitted to the type of a property.
public enum InputValue {
  /// Null or a value of one type.
  case scalar(ScalarValue)
  /// A number with the text that was written for it, which decimal properties take exactly.
  case number(ScalarValue, text: String)
  /// An object that exists.
  case object(ObjectClass, ObjectKey)
  /// A list; for a class, the values of its properties in schema order.
  case array([InputValue])
  /// The members of a set, which cannot be put into mixed values.
  case set([InputValue])
  /// Properties of an object or entries of a dictionary.
  case map([InputField])

  /// The value null.
  public static var null: InputValue { .scalar(.null) }
}

/// One `key: value` of an object or dictionary.
public struct InputField {
  /// Name of a property or key of an entry.
  public var key: String
  /// The value.
  public var value: InputValue
  /// Whether the key of an entry may be one that SDKs refuse, since a file has it.
  public var isVerbatim: Bool

  /// Makes a field.
  public init(_ key: String, _ value: InputValue, isVerbatim: Bool = false) {
    self.key = key
    self.value = value
    self.isVerbatim = isVerbatim
  }
}

/// What happens if an object with the primary key exists.
///
/// Source: object-model.md 4.2 to 4.4.
public enum UpdatePolicy: Sendable {
  /// Nothing is updated: it is an error.
  case error
  /// Only values that differ are written; sets and dictionaries gain only.
  case modified
  /// All given values are written; collections are refilled.
  case all
}
