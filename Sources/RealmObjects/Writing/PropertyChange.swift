/// One change of `set`: what is changed, and how.
///
/// Source: shell.md 9.
public struct PropertyChange {
  /// One step of the way from an object to what is changed.
  public enum Step: Equatable, Sendable {
    /// A property of an object, or a key of a dictionary in a mixed value.
    case property(String)
    /// An element of a list; negative numbers count from the end.
    case index(Int64)
    /// An entry of a dictionary.
    case key(String)
  }

  /// The methods of collections.
  public enum Method: String, CaseIterable, Sendable {
    case append, insert, remove, removeAt, move, swap, clear, union, intersect, subtract
  }

  /// How it is changed. Right sides are given as values.
  public enum Action {
    /// `p = v`
    case replace(InputValue)
    /// `p += v`
    case add(InputValue)
    /// `p -= v`
    case subtract(InputValue)
    /// `p *= v`
    case multiply(InputValue)
    /// `p /= v`
    case divide(InputValue)
    /// `p.append(v, …)`
    case call(Method, [InputValue])
  }

  /// The way from the object; begins with a property.
  public var path: [Step]
  /// What happens at its end.
  public var action: Action

  /// Makes a change.
  public init(_ path: [Step], _ action: Action) {
    self.path = path
    self.action = action
  }
}
