import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What the schema tells about the values of an expression before any object is read.
struct StaticType {
  /// Type of the values or members; nil if the schema leaves it open.
  var kind: ValueKind?
  /// Whether it is a collection.
  var isCollection = false
  /// Class of the objects; nil if there are none or the schema leaves it open.
  var objectClass: ObjectClass?

  /// A type that only the values tell.
  static var open: StaticType { StaticType(kind: nil) }

  /// The type of a property; `target` is the class of its links.
  init(_ property: Property, _ target: ObjectClass?) {
    kind = property.kind
    isCollection = property.collection != .none
    objectClass = target
  }

  init(kind: ValueKind?, isCollection: Bool = false, objectClass: ObjectClass? = nil) {
    self.kind = kind
    self.isCollection = isCollection
    self.objectClass = objectClass
  }

  /// Whether the schema leaves the type open.
  var isMixed: Bool { kind == nil || kind == .mixed || kind == .typedLink }

  /// Whether the values are single numbers.
  var isNumber: Bool { !isCollection && hasNumbers }

  /// Whether values or members are numbers.
  var hasNumbers: Bool {
    switch kind {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }

  /// The type of the sum of values. Source: object-model.md 5.7.
  var kindOfSum: ValueKind? {
    switch kind {
    case .float: .double
    case .mixed: .decimal
    default: kind
    }
  }

  /// The type of the average of values. Source: object-model.md 5.7.
  var kindOfAverage: ValueKind? {
    switch kind {
    case .int, .float, .double: .double
    case .decimal, .mixed: .decimal
    default: kind
    }
  }

  /// The type of one member.
  var member: StaticType { StaticType(kind: kind, objectClass: objectClass) }
}

extension Evaluator {
  /// The type of an expression for objects of a class, so far as the schema tells.
  ///
  /// - Throws: `ShellError` if a path names a property that does not exist, so that a mistake shows
  ///   even where there are no objects.
  func type(
    of expression: Expression, for objectClass: ObjectClass?
  ) throws(ShellError) -> StaticType {
    switch expression {
    case .literal(let literal): return StaticType(kind: literal.scalar.kind)
    case .path(let path): return try type(of: path, for: objectClass)
    case .query(.count, _): return StaticType(kind: .int)
    case .query: return .open
    case .array(let members, _):
      for member in members { _ = try type(of: member, for: objectClass) }
      return StaticType(kind: nil, isCollection: true)
    case .object(let fields, _):
      for field in fields { _ = try type(of: field.value, for: objectClass) }
      return .open
    case .unary(.minus, let operand, _): return try type(of: operand, for: objectClass)
    case .unary(.not, let operand, _):
      _ = try type(of: operand, for: objectClass)
      return StaticType(kind: .bool)
    case .binary(let sign, _, let left, let right, _):
      let types = (
        try type(of: left, for: objectClass), try type(of: right, for: objectClass)
      )
      switch sign {
      case .add, .subtract, .multiply, .divide, .remainder: return Evaluator.sum(types.0, types.1)
      default: return StaticType(kind: .bool)
      }
    case .call(let function, let arguments, _):
      var types: [StaticType] = []
      for argument in arguments { types.append(try type(of: argument, for: objectClass)) }
      return Evaluator.result(of: function.text.lowercased(), types)
    }
  }

  /// The higher type of int < float < double < decimal.
  private static func sum(_ a: StaticType, _ b: StaticType) -> StaticType {
    let order: [ValueKind] = [.int, .float, .double, .decimal]
    guard a.isNumber, b.isNumber, let x = a.kind.flatMap({ order.firstIndex(of: $0) }),
      let y = b.kind.flatMap({ order.firstIndex(of: $0) })
    else {
      return a.kind == .string && b.kind == .string ? StaticType(kind: .string) : .open
    }
    return StaticType(kind: order[max(x, y)])
  }

  private static func result(of function: String, _ arguments: [StaticType]) -> StaticType {
    switch function {
    case "upper", "lower", "trim", "substr", "replace", "join", "string", "type", "env":
      return StaticType(kind: .string)
    case "length", "int", "count", "year", "month", "day": return StaticType(kind: .int)
    case "split", "keys": return StaticType(kind: .string, isCollection: true)
    case "double": return StaticType(kind: .double)
    case "float": return StaticType(kind: .float)
    case "decimal": return StaticType(kind: .decimal)
    case "bool": return StaticType(kind: .bool)
    case "date", "now": return StaticType(kind: .date)
    case "data", "file": return StaticType(kind: .data)
    case "uuid": return StaticType(kind: .uuid)
    case "oid": return StaticType(kind: .objectID)
    case "abs", "round", "floor", "ceil", "values": return arguments.first ?? .open
    case "first", "last": return arguments.first?.member ?? .open
    case "if", "coalesce":
      let choices = function == "if" ? arguments.dropFirst() : arguments[...]
      guard let first = choices.first,
        choices.allSatisfy({ $0.kind == first.kind && $0.isCollection == first.isCollection })
      else { return .open }
      return first
    default: return .open
    }
  }

  /// The type at the end of a path.
  func type(
    of path: PathExpression, for objectClass: ObjectClass?
  ) throws(ShellError) -> StaticType {
    var type: StaticType
    if case .old = path.base, let old {
      return try old.type(of: path, before: objectClass)
    }
    switch path.base {
    case .row, .old: type = StaticType(kind: .link, objectClass: objectClass)
    case .variable: return .open
    case .object(let name):
      type = StaticType(kind: .link, objectClass: try? self.objectClass(named: name.className))
    }
    var steps = path.steps[...]
    while let step = steps.popFirst() {
      // `dogs.@avg.age`: what is aggregated is the property of the members.
      if case .aggregate(let aggregate) = step.kind, aggregate != .count, let next = steps.first,
        case .property = next.kind
      {
        steps.removeFirst()
        type = try self.type(after: next, of: type)
      }
      type = try self.type(after: step, of: type)
    }
    return type
  }

  private func type(
    after step: PathStep, of type: StaticType
  ) throws(ShellError) -> StaticType {
    switch step.kind {
    case .property(let name):
      guard let owner = type.objectClass else { return .open }
      if let projection = owner.projection {
        return try self.type(of: name, through: projection, owner, at: step.range)
      }
      if let inverse = owner.inverse(named: name) {
        return StaticType(
          kind: .link, isCollection: true,
          objectClass: schema.objectClass(named: inverse.originClass))
      }
      guard let property = owner.property(named: name) else {
        throw Evaluator.unknownProperty(name, of: owner, at: step.range)
      }
      var found = StaticType(property, property.target.flatMap { schema.objectClass($0) })
      if type.isCollection { found.isCollection = true }
      return found
    case .index, .first, .last: return type.isCollection ? type.member : .open
    case .all, .values: return type
    case .keys: return StaticType(kind: .string, isCollection: true)
    case .type: return StaticType(kind: .string)
    case .aggregate(.count): return StaticType(kind: .int)
    case .aggregate(.average): return StaticType(kind: type.kindOfAverage)
    case .aggregate(.sum): return StaticType(kind: type.kindOfSum)
    case .aggregate: return type.member
    case .backlinks(let origin, _):
      return StaticType(
        kind: .link, isCollection: true, objectClass: schema.objectClass(named: origin))
    }
  }
}
