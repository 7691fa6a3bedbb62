/// Predicates. Source: query-language.md 3.
extension Parser {
  /// What a parenthesis may hold: nothing but its end tells which.
  private enum Part {
    case predicate(Predicate)
    /// `isValue`: neither arithmetic nor in parentheses.
    case operand(Operand, isValue: Bool)
  }

  /// A predicate at the next token.
  mutating func wholePredicate() throws(SyntaxError) -> Predicate {
    try predicate(in: disjunction())
  }

  /// The predicate of a part; an operand alone lacks its operator.
  private mutating func predicate(in part: Part) throws(SyntaxError) -> Predicate {
    guard case .predicate(let predicate) = part else {
      expectRQL(.comparator)
      if case .operand(let operand, _) = part { recordLeftOperand(operand) }
      throw rqlFailure()
    }
    return predicate
  }

  // MARK: Logic

  private mutating func disjunction() throws(SyntaxError) -> Part {
    let first = try conjunction()
    guard rql.kind == .or else { return first }
    var operands = [try predicate(in: first)]
    while rql.kind == .or {
      try advanceRQL()
      operands.append(try predicate(in: conjunction()))
    }
    return .predicate(.or(operands, range: Self.range(of: operands)))
  }

  private mutating func conjunction() throws(SyntaxError) -> Part {
    let first = try negation()
    guard rql.kind == .and else { return first }
    var operands = [try predicate(in: first)]
    while rql.kind == .and {
      try advanceRQL()
      operands.append(try predicate(in: negation()))
    }
    return .predicate(.and(operands, range: Self.range(of: operands)))
  }

  private static func range(of operands: [Predicate]) -> SourceRange {
    SourceRange(
      start: operands.first?.range.start ?? 0, end: operands.last?.range.end ?? 0)
  }

  private mutating func negation() throws(SyntaxError) -> Part {
    var starts: [Int] = []
    while rql.kind == .not {
      starts.append(rql.start)
      try track(opens: true, closes: false, at: rql.range)
      try advanceRQL()
    }
    let part = try condition()
    guard !starts.isEmpty else { return part }
    var predicate = try predicate(in: part)
    let end = position
    for start in starts.reversed() {
      try track(opens: false, closes: true, at: rql.range)
      predicate = .not(predicate, range: SourceRange(start: start, end: end))
    }
    return .predicate(predicate)
  }

  // MARK: Comparisons

  private mutating func condition() throws(SyntaxError) -> Part {
    switch rql.kind {
    case .truePredicate: return .predicate(.truePredicate(try advanceRQL().range))
    case .falsePredicate: return .predicate(.falsePredicate(try advanceRQL().range))
    default: break
    }
    let part = try sum(mayBePredicate: true)
    guard case .operand(let lhs, let isValue) = part else { return part }
    let token = rql
    expectRQL(.comparator)
    recordLeftOperand(lhs)
    if let comparator = Self.comparator(token.kind) {
      guard isValue || !Self.comparesValuesOnly(comparator) else { throw rqlFailure() }
      return .predicate(.comparison(try comparison(lhs, comparator)))
    }
    if token.kind == .between, isValue {
      try advanceRQL()
      if records { offerRQL(["ANY", "ALL", "NONE"]) }
      let list = try list(qualifier: try acceptQualifier(), from: rql.start)
      let range = SourceRange(start: lhs.range.start, end: position)
      return .predicate(.between(lhs, list, range: range))
    }
    if token.kind == .geoWithin, isValue, case .property(let property) = lhs {
      try advanceRQL()
      let region = try geoRegion()
      let range = SourceRange(start: lhs.range.start, end: position)
      return .predicate(.geoWithin(property, region, range: range))
    }
    return part
  }

  private mutating func comparison(
    _ lhs: Operand, _ comparator: Comparator
  ) throws(SyntaxError) -> Comparison {
    var operatorRange = try advanceRQL().range
    var folding: CaseFolding?
    if records, Self.mayIgnoreCase(comparator) { offerRQL(["[c]", "[cd]", "[cu]"]) }
    if rql.kind == .ignoringCase {
      folding = CaseFolding(rawValue: text(rql.range))
      let isKnown = folding == .latin || !isBarePredicate
      guard isKnown, Self.mayIgnoreCase(comparator) else { throw rqlFailure() }
      operatorRange.end = try advanceRQL().range.end
    }
    let rhs: Operand
    if Self.comparesValuesOnly(comparator) {
      rhs = try value()
    } else {
      rhs = try operand()
    }
    return Comparison(
      lhs: lhs, comparator: comparator, folding: folding, rhs: rhs,
      operatorRange: operatorRange)
  }

  private mutating func recordLeftOperand(_ operand: Operand) {
    guard records else { return }
    switch operand {
    case .property(let property):
      var owner = owner(after: property.path.elements)
      if property.suffix != nil {
        owner = owner?.adding([property.suffix == .type ? "@type" : "@count"])
      }
      recordLeftOperand(owner, at: rql.start)
    default: recordLeftOperand(nil, at: rql.start)
    }
  }

  private static func comparator(_ kind: RQLTokenKind) -> Comparator? {
    switch kind {
    case .equal: .equal
    case .notEqual: .notEqual
    case .in: .in
    case .less: .less
    case .lessEqual: .lessOrEqual
    case .greater: .greater
    case .greaterEqual: .greaterOrEqual
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .contains: .contains
    case .like: .like
    case .text: .text
    default: nil
    }
  }

  /// The operator takes no arithmetic and no parentheses.
  private static func comparesValuesOnly(_ comparator: Comparator) -> Bool {
    switch comparator {
    case .beginsWith, .endsWith, .contains, .like, .text: true
    default: false
    }
  }

  private static func mayIgnoreCase(_ comparator: Comparator) -> Bool {
    switch comparator {
    case .equal, .notEqual, .in, .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }

  // MARK: Arithmetic

  /// An operand that cannot be a predicate.
  private mutating func operand() throws(SyntaxError) -> Operand {
    guard case .operand(let operand, _) = try sum(mayBePredicate: false) else {
      throw rqlFailure()
    }
    return operand
  }

  private mutating func sum(mayBePredicate: Bool) throws(SyntaxError) -> Part {
    var left = try product(mayBePredicate: mayBePredicate)
    if records, case .operand = left { offerRQL(["+", "-"]) }
    while let operation = rql.kind == .plus
      ? ArithmeticOperator.add
      : rql.kind == .minus ? .subtract : nil
    {
      left = try arithmetic(left, operation) { parser throws(SyntaxError) in
        try parser.product(mayBePredicate: false)
      }
    }
    return left
  }

  private mutating func product(mayBePredicate: Bool) throws(SyntaxError) -> Part {
    var left = try factor(mayBePredicate: mayBePredicate)
    if records, case .operand = left { offerRQL(["*", "/"]) }
    while let operation = rql.kind == .star
      ? ArithmeticOperator.multiply
      : rql.kind == .slash ? .divide : nil
    {
      left = try arithmetic(left, operation) { parser throws(SyntaxError) in
        try parser.factor(mayBePredicate: false)
      }
    }
    return left
  }

  private mutating func arithmetic(
    _ left: Part, _ operation: ArithmeticOperator,
    right: (inout Parser) throws(SyntaxError) -> Part
  ) throws(SyntaxError) -> Part {
    guard case .operand(let lhs, _) = left else { throw rqlFailure() }
    let leftHeight = height
    let sign = try advanceRQL()
    guard case .operand(let rhs, _) = try right(&self) else { throw rqlFailure() }
    try raiseHeight(above: leftHeight, at: sign.range)
    let range = SourceRange(start: lhs.range.start, end: rhs.range.end)
    return .operand(.arithmetic(operation, lhs, rhs, range: range), isValue: false)
  }

  private mutating func factor(mayBePredicate: Bool) throws(SyntaxError) -> Part {
    if records { offerRQL(["("]) }
    guard rql.kind == .openParenthesis else {
      let value = try value()
      height = 1
      return .operand(value, isValue: true)
    }
    try advanceRQL()
    let inner = try mayBePredicate ? disjunction() : sum(mayBePredicate: false)
    if case .predicate = inner {
      recordLogic()
      expectRQL(.word(")"))
    } else if mayBePredicate {
      expectRQL(.comparator)
    }
    try requireRQL(.closeParenthesis, ")")
    if case .operand(let operand, _) = inner { return .operand(operand, isValue: false) }
    return inner
  }
}
