import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A constant fitted to the other side of its comparison.
struct BoundConstant {
  var values: [QueryValue]
  /// Whether it is a list, written or passed.
  var isList: Bool
  /// Whether an element is `obj(…)` of an object that does not exist.
  var hasMissingObject = false

  /// The value if there is exactly one, also in a list.
  var single: QueryValue? { values.count == 1 ? values[0] : nil }

  /// Yields the values.
  var source: OperandSource {
    if !isList, let single { SingleConstantSource(single) } else { ConstantListSource(values) }
  }
}

/// An operand whose names were found. Source: query-language.md 7.
struct BoundOperand {
  enum Shape {
    case constant(BoundConstant)
    /// A path that ends in objects.
    case link(KeyPath)
    /// A property, maybe behind links, and the path after it.
    case property(KeyPath, Property, [PathPart])
    /// `@keys`, sizes, lengths, aggregates, SUBQUERY, arithmetic, `@type`.
    case other
  }

  var shape: Shape
  /// Declared type.
  var type: DeclaredType
  /// The word before the operand.
  var qualifier: Qualifier?
  /// Whether it can stand after IN.
  var isMulti = false
  /// Whether it is a collection of values, which cannot be compared with another.
  var isCollection = false
  /// Whether it is an `@type` that is known before any object is looked at.
  var isKnownType = false
  /// Yields the instances.
  var source: OperandSource
  var range: SourceRange

  var constant: BoundConstant? { if case .constant(let constant) = shape { constant } else { nil } }

  /// The single constant; nil for other operands.
  var single: QueryValue? { constant?.single }

  var isSingleNull: Bool { single?.isNull ?? false }

  /// The steps of an operand that is a link.
  var linkSteps: [LinkStep]? { if case .link(let path) = shape { path.steps } else { nil } }

  /// A property of the base class that is no link and no collection, with nothing before and after
  /// it.
  var plainProperty: Property? {
    guard case .property(let path, let property, let rest) = shape, path.steps.isEmpty,
      rest.isEmpty, property.collection == .none, property.kind != .link
    else { return nil }
    return property
  }

  /// No word, or ANY.
  var isAny: Bool { qualifier == nil || qualifier == .any }
}
