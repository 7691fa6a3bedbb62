public import RealmValues

/// A predicate with its ordering clauses: all that stands after `where`.
/// Source: query-language.md 3 `final`.
public struct QuerySyntax: Equatable, Sendable {
  /// The condition; `truePredicate` if none was written.
  public var predicate: Predicate
  /// `SORT`, `DISTINCT`, `LIMIT`, `OFFSET` in the order written.
  public var ordering: [OrderingClause]
  /// The whole text.
  public var range: SourceRange

  /// Makes a query.
  public init(predicate: Predicate, ordering: [OrderingClause], range: SourceRange) {
    self.predicate = predicate
    self.ordering = ordering
    self.range = range
  }
}

/// A condition on one object. Source: query-language.md 3.
public indirect enum Predicate: Equatable, Sendable {
  /// `TRUEPREDICATE`, or no condition at all (then the range is empty).
  case truePredicate(SourceRange)
  /// `FALSEPREDICATE`.
  case falsePredicate(SourceRange)
  /// Two or more conditions joined by `and`, as written on one level: associates to the left, so
  /// `a and b and c` stands for `(a and b) and c`. See `flattenedOperands`.
  case and([Predicate], range: SourceRange)
  /// Two or more conditions joined by `or`, as written on one level.
  case or([Predicate], range: SourceRange)
  /// `not p`.
  case not(Predicate, range: SourceRange)
  /// Two operands and an operator.
  case comparison(Comparison)
  /// `value BETWEEN {low, high}`.
  case between(Operand, ListOperand, range: SourceRange)
  /// `path GEOWITHIN region`.
  case geoWithin(PropertyOperand, GeoRegion, range: SourceRange)

  /// Where the condition stands, including parentheses only between its parts.
  public var range: SourceRange {
    switch self {
    case .truePredicate(let range), .falsePredicate(let range), .and(_, let range),
      .or(_, let range), .not(_, let range), .between(_, _, let range),
      .geoWithin(_, _, let range):
      range
    case .comparison(let comparison): comparison.range
    }
  }

  /// The operands of an `and` (`or`) with nested ones of the same kind dissolved, in the order of
  /// realm-core: a nested one is removed and its two children are appended at the end. Other
  /// conditions are their own single operand. Source: query-language.md 3, last paragraph.
  public var flattenedOperands: [Predicate] {
    let isAnd: Bool
    switch self {
    case .and: isAnd = true
    case .or: isAnd = false
    default: return [self]
    }
    // A chain of n operands is a tree that leans to the left: its first n-1 operands are the left
    // child. The rule above then visits the tree level by level.
    var queue: [(operands: [Predicate], count: Int)] = []
    var result: [Predicate] = []
    func take(_ predicate: Predicate) {
      switch predicate {
      case .and(let operands, _) where isAnd: queue.append((operands, operands.count))
      case .or(let operands, _) where !isAnd: queue.append((operands, operands.count))
      default: queue.append(([predicate], 1))
      }
    }
    take(self)
    var head = 0
    while head < queue.count {
      let (operands, count) = queue[head]
      head += 1
      if count > 2 {
        queue.append((operands, count - 1))
        take(operands[count - 1])
      } else if count == 2 {
        take(operands[0])
        take(operands[1])
      } else {
        result.append(operands[0])
      }
    }
    return result
  }
}

/// `lhs op rhs`.
public struct Comparison: Equatable, Sendable {
  /// Left operand.
  public var lhs: Operand
  /// The operator.
  public var comparator: Comparator
  /// How letters are compared; nil as they are.
  public var folding: CaseFolding?
  /// Right operand.
  public var rhs: Operand
  /// The operator, with its `[c]`, `[cu]` or `[cd]`.
  public var operatorRange: SourceRange
  /// Both operands.
  public var range: SourceRange { lhs.range.joined(with: rhs.range) }

  /// Makes a comparison.
  public init(
    lhs: Operand, comparator: Comparator, folding: CaseFolding?, rhs: Operand,
    operatorRange: SourceRange
  ) {
    self.lhs = lhs
    self.comparator = comparator
    self.folding = folding
    self.rhs = rhs
    self.operatorRange = operatorRange
  }
}

/// Which differences between letters do not count; the raw value is what stands after the operator.
public enum CaseFolding: String, Sendable, CaseIterable {
  /// That between capital and small letters of ASCII and Latin-1. Source: query-language.md 12.3.
  case latin = "[c]"
  /// That between capital and small letters of all scripts. Only in statements.
  case unicode = "[cu]"
  /// That, and marks such as accents. Only in statements.
  case base = "[cd]"
}

/// The operators of comparisons; the raw value is the canonical spelling.
public enum Comparator: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case `in` = "in"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case contains = "contains"
  case like = "like"
  case text = "text"
}

/// `ANY`, `ALL`, `NONE` before a path, list or argument; `SOME` reads as `any`.
public enum Qualifier: String, Sendable {
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// One side of a comparison.
public indirect enum Operand: Equatable, Sendable {
  /// A literal, an argument, a value of the shell.
  case constant(Constant)
  /// A path.
  case property(PropertyOperand)
  /// `{1, 2}`.
  case list(ListOperand)
  /// `path.@max`, `path.@sum.name`.
  case aggregate(AggregateOperand)
  /// `SUBQUERY(path, $x, predicate).@count`.
  case subquery(SubqueryOperand)
  /// `lhs + rhs`.
  case arithmetic(ArithmeticOperator, Operand, Operand, range: SourceRange)

  /// Where the operand stands, without parentheses around it.
  public var range: SourceRange {
    switch self {
    case .constant(let constant): constant.range
    case .property(let property): property.range
    case .list(let list): list.range
    case .aggregate(let aggregate): aggregate.range
    case .subquery(let subquery): subquery.range
    case .arithmetic(_, _, _, let range): range
    }
  }
}

/// `+ - * /`.
public enum ArithmeticOperator: String, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
}

/// A constant of a predicate, not yet fitted to the type of the other side.
/// Source: query-language.md 5, 8.
public struct Constant: Equatable, Sendable {
  /// What was written.
  public enum Kind: Equatable, Sendable {
    /// `null`, `nil`.
    case null
    /// `true`, `false`.
    case bool(Bool)
    /// NATURAL or NUMBER: read as C does with base 0 (`0x`: hex, `0…`: octal), clamped to 64 bits.
    case integer(Int64)
    /// FLOAT with a final `f`.
    case float(Float)
    /// FLOAT without; `text` is what was written, which is what a decimal is read from.
    case double(Double, text: String)
    /// `inf`, `infinity`, with an optional sign.
    case infinity(isNegative: Bool)
    /// `nan`.
    case nan
    /// STRING: the bytes between the quotes as written; BASE64: the decoded bytes.
    case string([UInt8])
    /// `bin(…)`, `binary(…)`.
    case binary([UInt8])
    /// `T1:0`; the calendar form with its 32-bit wrap. Source: query-language.md 5.
    case timestamp(Timestamp)
    /// `oid(…)`.
    case objectID(ObjectID)
    /// `uuid(…)`.
    case uuid(UUIDValue)
    /// `O5`: an object key of whatever class the other side links to.
    case objectKey(ObjectKey)
    /// `L2:5`: a table key and an object key.
    case typedLink(TableKey, ObjectKey)
    /// `obj('Class', key)`; the class name as written.
    indirect case object(className: String, primaryKey: Constant)
    /// `$0`.
    case argument(Int)
    /// A shell variable `$name`, passed as an argument; the name without the dollar sign.
    case variable(String)
    /// A shell value that is passed as an argument: dates such as `2024-05-01`, `decimal(1.50)`.
    indirect case value(ScalarValue)
    /// `Dog(1)`, `Dog#12`, passed as an argument.
    indirect case objectName(ObjectName)
  }

  /// What was written.
  public var kind: Kind
  /// The word before an argument: `ANY $0`. Always nil before the other kinds.
  public var qualifier: Qualifier?
  /// Where it stands.
  public var range: SourceRange

  /// Makes a constant.
  public init(_ kind: Kind, qualifier: Qualifier? = nil, range: SourceRange) {
    self.kind = kind
    self.qualifier = qualifier
    self.range = range
  }
}

/// `{ constant, … }`; a prefix word is kept even where it has no effect.
public struct ListOperand: Equatable, Sendable {
  /// The word before the brace.
  public var qualifier: Qualifier?
  /// The members.
  public var elements: [Constant]
  /// From the word or brace to the closing brace.
  public var range: SourceRange

  /// Makes a list.
  public init(qualifier: Qualifier?, elements: [Constant], range: SourceRange) {
    self.qualifier = qualifier
    self.elements = elements
    self.range = range
  }
}

/// A path as an operand, maybe with a word before it and a suffix.
public struct PropertyOperand: Equatable, Sendable {
  /// What may follow a path.
  public enum Suffix: Equatable, Sendable {
    /// `.@size`, `.@count`.
    case size
    /// `[SIZE]`.
    case indexSize
    /// `.@type`.
    case type
  }

  /// The word before the path.
  public var qualifier: Qualifier?
  /// The path.
  public var path: PropertyPath
  /// What follows the path.
  public var suffix: Suffix?
  /// All of it.
  public var range: SourceRange

  /// Makes a property operand.
  public init(
    qualifier: Qualifier?, path: PropertyPath, suffix: Suffix?, range: SourceRange
  ) {
    self.qualifier = qualifier
    self.path = path
    self.suffix = suffix
    self.range = range
  }
}

/// A path of a predicate. Source: query-language.md 6.
public struct PropertyPath: Equatable, Sendable {
  /// The elements; never empty.
  public var elements: [PathElement]
  /// All of it.
  public var range: SourceRange

  /// Makes a path.
  public init(elements: [PathElement], range: SourceRange) {
    self.elements = elements
    self.range = range
  }
}

/// An element of a `PropertyPath`.
public struct PathElement: Equatable, Sendable {
  /// What was written.
  public enum Kind: Equatable, Sendable {
    /// `.name` with its escapes translated, `['name']` as written. `@links`, `@keys`, `@values`
    /// are names too; so is the variable of a SUBQUERY, with its dollar sign.
    case name(String)
    /// `[n]`.
    case index(Int64)
    /// `[FIRST]`.
    case first
    /// `[LAST]`.
    case last
    /// `[*]`.
    case all
    /// `[$n]`: an index or a name.
    case argument(Int)
    /// `$Kn`: only as the first element; elements after it are for the binder to refuse.
    case keyPathArgument(Int)
  }

  /// What was written.
  public var kind: Kind
  /// Where it stands, without the dot or brackets around it.
  public var range: SourceRange

  /// Makes an element.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// `path.@max.name`.
public struct AggregateOperand: Equatable, Sendable {
  /// The operations.
  public enum Operation: String, Sendable {
    case max = "@max"
    case min = "@min"
    case sum = "@sum"
    case average = "@avg"
  }

  /// The collection.
  public var path: PropertyPath
  /// What is computed.
  public var operation: Operation
  /// The property of the linked objects, if one is named.
  public var property: Name?
  /// All of it.
  public var range: SourceRange

  /// Makes an aggregate.
  public init(path: PropertyPath, operation: Operation, property: Name?, range: SourceRange) {
    self.path = path
    self.operation = operation
    self.property = property
    self.range = range
  }
}

/// `SUBQUERY(path, $x, predicate).@count`.
public struct SubqueryOperand: Equatable, Sendable {
  /// The collection of links.
  public var path: PropertyPath
  /// The variable as written, normally with a dollar sign.
  public var variable: Name
  /// The condition on each linked object.
  public var predicate: Predicate
  /// All of it.
  public var range: SourceRange

  /// Makes a subquery.
  public init(path: PropertyPath, variable: Name, predicate: Predicate, range: SourceRange) {
    self.path = path
    self.variable = variable
    self.predicate = predicate
    self.range = range
  }
}

/// The right side of GEOWITHIN. Coordinates are not checked here. Source: query-language.md 25.
public struct GeoRegion: Equatable, Sendable {
  /// The shapes.
  public enum Shape: Equatable, Sendable {
    /// Two opposite corners.
    case box(GeoPoint, GeoPoint)
    /// Centre, radius in radians.
    case circle(GeoPoint, radius: Constant)
    /// The outside, then the holes.
    case polygon([[GeoPoint]])
    /// `$0`.
    case argument(Int)
    /// A shell variable, without its dollar sign.
    case variable(String)
  }

  /// The shape.
  public var shape: Shape
  /// All of it.
  public var range: SourceRange

  /// Makes a region.
  public init(_ shape: Shape, range: SourceRange) {
    self.shape = shape
    self.range = range
  }
}

/// `[longitude, latitude, altitude]`; each an integer, double, float or argument constant.
public struct GeoPoint: Equatable, Sendable {
  /// Degrees.
  public var longitude: Constant
  /// Degrees.
  public var latitude: Constant
  /// Read and ignored.
  public var altitude: Constant?

  /// Makes a point.
  public init(longitude: Constant, latitude: Constant, altitude: Constant?) {
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude
  }
}

/// `SORT(…)`, `DISTINCT(…)`, `LIMIT(…)`, and in statements `OFFSET(…)`.
/// Source: query-language.md 26.
public struct OrderingClause: Equatable, Sendable {
  /// The clauses.
  public enum Kind: Equatable, Sendable {
    /// Criteria, the first decides first.
    case sort([SortCriterion])
    /// The paths whose values must differ.
    case distinct([PropertyPath])
    /// The greatest number of objects.
    case limit(Int64)
    /// The number of objects that are left out at the beginning.
    case offset(Int64)
  }

  /// What the clause does.
  public var kind: Kind
  /// All of it.
  public var range: SourceRange

  /// Makes a clause.
  public init(_ kind: Kind, range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// One `path ASC` of a SORT clause.
public struct SortCriterion: Equatable, Sendable {
  /// What is compared.
  public var path: PropertyPath
  /// `ASC` or `DESC`.
  public var isAscending: Bool

  /// Makes a criterion.
  public init(path: PropertyPath, isAscending: Bool) {
    self.path = path
    self.isAscending = isAscending
  }
}
