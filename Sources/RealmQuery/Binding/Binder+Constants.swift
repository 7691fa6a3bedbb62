import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  /// Binds an operand of literals and arguments; `hint` is the declared type of the other side.
  func bindConstant(
    _ operand: Operand, hint: DeclaredType
  ) throws(QueryFailure) -> BoundOperand {
    var bound = BoundConstant(values: [], isList: false)
    var type = DeclaredType.mixed
    var qualifier: Qualifier?
    switch operand {
    case .constant(let constant):
      qualifier = constant.qualifier
      if case .list(let values)? = try passedValue(constant) {
        bound.isList = true
        for passed in values {
          let value = coerce(scalar(passed), hint: hint)
          try checkFinite(value, hint, constant.range)
          bound.values.append(value)
        }
        if hint == .typeName {
          throw failure(.badTypeName, "a list of values has no @type", at: constant.range)
        }
      } else {
        if qualifier != nil {
          throw failure(.badArgument, "the argument is no list", at: constant.range)
        }
        let value = try single(constant, hint: hint, &bound)
        bound.values = [value]
        type = value.declaredType
        if value.isNull, hint == .string || hint == .binary { type = hint }
      }
    case .list(let list):
      qualifier = list.qualifier
      bound.isList = true
      for element in list.elements {
        if case .list? = try passedValue(element) {
          throw failure(.undefined, "a list inside a list", at: element.range)
        }
        let value = try single(element, hint: hint, &bound)
        if hint == .typeName, value.declaredType != .typeName {
          throw failure(.badTypeName, "this is no name of a type", at: element.range)
        }
        bound.values.append(value)
      }
      let isTypes = hint == .typeName && !bound.values.isEmpty
      if isTypes { type = .typeName }
    default: return try bindConstantArithmetic(operand, hint)
    }
    return BoundOperand(
      shape: .constant(bound), type: type, qualifier: qualifier, isMulti: bound.isList,
      source: bound.source, range: operand.range)
  }

  /// Arithmetic on constants, one side of which may be a list. Source: query-language.md 8.
  private func bindConstantArithmetic(
    _ operand: Operand, _ hint: DeclaredType
  ) throws(QueryFailure) -> BoundOperand {
    let bound = try compute(operand, hint)
    let constant = bound.constant ?? BoundConstant(values: [], isList: true)
    var result = bound
    // The result of a list is no list of constants for the checks, only for the comparison.
    if constant.isList { result.shape = .other }
    result.type = .mixed
    result.isMulti = false
    result.range = operand.range
    return result
  }

  private func compute(
    _ operand: Operand, _ hint: DeclaredType
  ) throws(QueryFailure) -> BoundOperand {
    guard case .arithmetic(let operation, let left, let right, let range) = operand else {
      return try bindConstant(operand, hint: hint)
    }
    var a = try compute(left, hint)
    let b = try compute(right, hint)
    guard let x = a.constant, let y = b.constant else { return a }
    if x.isList, y.isList { throw failure(.twoLists, "both sides are lists", at: range) }
    var values: [QueryValue] = []
    for one in x.values {
      for other in y.values {
        let value = QueryValue.compute(operation, one, other)
        if examination != nil { findArithmeticTraps(operation, one, other, value, range) }
        values.append(value)
      }
    }
    if a.single != nil { a.qualifier = b.qualifier }
    let isList = x.isList || y.isList
    let result = BoundConstant(values: values, isList: isList)
    a.shape = .constant(result)
    a.source = result.source
    return a
  }

  /// The value of an argument or shell variable; nil for other constants.
  private func passedValue(_ constant: Constant) throws(QueryFailure) -> QueryArgument? {
    switch constant.kind {
    case .argument(let number): return try argument(number, constant.range)
    case .variable(let name):
      guard let value = variables(name) else {
        throw .query(
          QueryError(
            .unknownVariable, "no variable $\(name)", at: constant.range, unknownName: name))
      }
      return value
    case .value(let value): return .scalar(value)
    case .objectName(let name): return .scalar(try link(name))
    default: return nil
    }
  }

  /// A single constant fitted to the hint.
  private func single(
    _ constant: Constant, hint: DeclaredType, _ bound: inout BoundConstant
  ) throws(QueryFailure) -> QueryValue {
    if case .scalar(let passed)? = try passedValue(constant) {
      return try fit(passed, hint: hint, constant.range)
    }
    switch constant.kind {
    case .double(let value, let text):
      if hint == .decimal, let decimal = Decimal128(parsing: Array(text.utf8)) {
        return .decimal(decimal)
      }
      return coerce(.double(value), hint: hint)
    case .infinity(let isNegative):
      let value = QueryValue.double(isNegative ? -.infinity : .infinity)
      try checkFinite(value, hint, constant.range)
      return coerce(value, hint: hint)
    case .float(let value):
      try checkFinite(.float(value), hint, constant.range)
      return coerce(.float(value), hint: hint)
    case .string(let text):
      let value = coerce(.string(pool.keep(text)), hint: hint)
      if hint == .typeName, case .string = value {
        throw .query(
          QueryError(
            .badTypeName, "no type \(String(decoding: text, as: UTF8.self))", at: constant.range,
            unknownName: String(decoding: text, as: UTF8.self), candidates: TypeSet.allNames))
      }
      return value
    case .object(let className, let primaryKey):
      let key = try single(primaryKey, hint: .none, &bound)
      guard let object = try find(className, key, constant.range) else {
        bound.hasMissingObject = true
        return .null
      }
      return .typedLink(object.0, object.1)
    default: return coerce(literal(constant.kind), hint: hint)
    }
  }

  /// Infinities, and a float that is not a number, have no place among ints and other types.
  private func checkFinite(
    _ value: QueryValue, _ hint: DeclaredType, _ range: SourceRange
  ) throws(QueryFailure) {
    let isRefused =
      switch value {
      case .double(let value):
        value.isInfinite && hint != .none && hint != .mixed && (!hint.isNumeric || hint == .int)
      case .float(let value): !value.isFinite && hint == .int
      default: false
      }
    if isRefused {
      throw failure(
        .typeMismatch, "an infinite or undefined number cannot be compared with \(hint.name)",
        at: range)
    }
  }

  /// The literals whose value does not depend on anything.
  private func literal(_ kind: Constant.Kind) -> QueryValue {
    switch kind {
    case .bool(let value): .bool(value)
    case .integer(let value): .int(value)
    case .nan: .double(Double(bitPattern: 0x7FF8_0000_0000_0000))
    case .binary(let bytes): .data(pool.keep(bytes))
    case .timestamp(let value): .date(value)
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .objectKey(let key): .link(key)
    case .typedLink(let table, let key): .typedLink(table, key)
    default: .null
    }
  }

  /// A passed value as it is.
  func scalar(_ value: ScalarValue) -> QueryValue { QueryValue(value) { pool.keep($0) } }

  /// A passed value fitted to the hint; its type must be compatible.
  private func fit(
    _ passed: ScalarValue, hint: DeclaredType, _ range: SourceRange
  ) throws(QueryFailure) -> QueryValue {
    let value = coerce(scalar(passed), hint: hint)
    try checkFinite(value, hint, range)
    if value.isNull || hint == .none { return value }
    if hint == .typeName {
      if case .type = value { return value }
      throw failure(.badTypeName, "the argument is no name of a type", at: range)
    }
    guard value.declaredType.isCompatible(with: hint) else {
      throw failure(
        .badArgument, "the argument is \(value.declaredType.name), not \(hint.name)", at: range)
    }
    return value
  }

  /// The link that a name of an object stands for; null if there is no such object.
  private func link(_ name: ObjectName) throws(QueryFailure) -> ScalarValue {
    let key: QueryValue
    switch name.key {
    case .objectKey(let number):
      guard let objectClass = schema.objectClass(named: name.className.text) else {
        throw noClass(name.className.text, name.className.range)
      }
      return .link(objectClass.table.key, ObjectKey(number))
    case .primaryKey(let literal): key = scalar(literal.scalar)
    case .variable(let variable):
      guard case .scalar(let value)? = variables(variable.text) else {
        throw .query(
          QueryError(
            .unknownVariable, "no variable $\(variable.text)", at: variable.range,
            unknownName: variable.text))
      }
      key = scalar(value)
    }
    guard let (table, object) = try find(name.className.text, key, name.range) else {
      return .null
    }
    return .link(table, object)
  }

  func noClass(_ name: String, _ range: SourceRange) -> QueryFailure {
    .query(
      QueryError(
        .unknownClass, "no class \(name)", at: range, unknownName: name,
        candidates: schema.classes.map(\.name)))
  }

  /// The object with a primary key; nil if there is none.
  private func find(
    _ className: String, _ key: QueryValue, _ range: SourceRange
  ) throws(QueryFailure) -> (TableKey, ObjectKey)? {
    let plainName = ClassTable.className(ofTable: className) ?? className
    guard
      let objectClass = schema.objectClass(named: className)
        ?? schema.objectClass(named: plainName)
    else { throw noClass(className, range) }
    guard let property = objectClass.primaryKey else {
      throw failure(.undefined, "\(objectClass.name) has no primary key", at: range)
    }
    let fits =
      key.isNull ? property.isNullable : key.declaredType == DeclaredType(property.kind)
    guard fits else {
      throw failure(
        .undefined, "the primary key of \(objectClass.name) is \(property.kind.name)", at: range)
    }
    guard let value = key.primaryKey else { return nil }
    let object = try reading { () throws(StorageError) in
      try objectClass.table.findPrimaryKey(value)
    }
    return object.map { (objectClass.table.key, $0) }
  }
}
