import RealmObjects
import RealmValues

// Values of tests are written as literals.

extension InputValue: ExpressibleByIntegerLiteral {
  init(integerLiteral value: Int64) { self = .scalar(.int(value)) }
}

extension InputValue: ExpressibleByFloatLiteral {
  init(floatLiteral value: Double) { self = .scalar(.double(value)) }
}

extension InputValue: ExpressibleByBooleanLiteral {
  init(booleanLiteral value: Bool) { self = .scalar(.bool(value)) }
}

extension InputValue: ExpressibleByUnicodeScalarLiteral {}
extension InputValue: ExpressibleByExtendedGraphemeClusterLiteral {}
extension InputValue: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .scalar(.string(Array(value.utf8))) }
}

extension InputValue: ExpressibleByArrayLiteral {
  init(arrayLiteral elements: InputValue...) { self = .array(elements) }
}

extension InputValue: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, InputValue)...) {
    self = .map(elements.map { InputField($0.0, $0.1) })
  }
}

extension PropertyChange.Step: ExpressibleByUnicodeScalarLiteral {}
extension PropertyChange.Step: ExpressibleByExtendedGraphemeClusterLiteral {}
extension PropertyChange.Step: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .property(value) }
}

extension PropertyChange.Step: ExpressibleByIntegerLiteral {
  init(integerLiteral value: Int64) { self = .index(value) }
}

/// `name = value` and other changes, as short as in a statement.
func replace(_ path: PropertyChange.Step..., with value: InputValue) -> PropertyChange {
  PropertyChange(path, .replace(value))
}

func add(_ value: InputValue, to path: PropertyChange.Step...) -> PropertyChange {
  PropertyChange(path, .add(value))
}

func subtract(_ value: InputValue, from path: PropertyChange.Step...) -> PropertyChange {
  PropertyChange(path, .subtract(value))
}

func call(
  _ method: PropertyChange.Method, _ arguments: InputValue..., on path: PropertyChange.Step...
) -> PropertyChange {
  PropertyChange(path, .call(method, arguments))
}
