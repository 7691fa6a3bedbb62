import RealmValues

/// Operands of predicates. Source: query-language.md 3, 5.
extension Parser {
  /// Records what may start an operand.
  mutating func recordOperand() {
    guard records else { return }
    for expectation: Expectation in [.value, .property(propertyOwner), .variable, .className] {
      expectRQL(expectation)
    }
    offerRQL(Self.operandWords)
    offerRQL(subqueryVariables.map(\.name))
  }

  private static let operandWords = [
    "ANY", "ALL", "NONE", "NOT", "SUBQUERY(", "TRUEPREDICATE", "FALSEPREDICATE", "{", "(",
    "@links", "obj(", "binary(",
  ]

  /// `constant | prop | list | aggregate | subquery`.
  mutating func value() throws(SyntaxError) -> Operand {
    recordOperand()
    let start = rql.start
    if let qualifier = try acceptQualifier() {
      expectProperty(of: propertyOwner)
      expectRQL(.symbol("{"))
      if rql.kind == .openBrace { return .list(try list(qualifier: qualifier, from: start)) }
      if var constant = try acceptArgument() {
        constant.qualifier = qualifier
        constant.range.start = start
        return .constant(constant)
      }
      guard rql.kind.isName || rql.kind == .keyPathArgument else { throw rqlFailure() }
      return try property(qualifier: qualifier, from: start)
    }
    switch rql.kind {
    case .identifier where isPlainName: return try property(qualifier: nil, from: start)
    case .openBrace: return .list(try list(qualifier: nil, from: start))
    case .subquery: return .subquery(try subquery())
    default: break
    }
    if let constant = try acceptConstant() { return .constant(constant) }
    guard rql.kind.isName || rql.kind == .keyPathArgument else { throw rqlFailure() }
    return try property(qualifier: nil, from: start)
  }

  /// The identifier is neither a variable nor the start of a value or of the name of an object.
  private var isPlainName: Bool {
    let follower = byte(at: rql.end)
    return bytes[rql.start] != UInt8(ascii: "$") && follower != UInt8(ascii: "(")
      && follower != UInt8(ascii: "#")
  }

  /// `ANY`, `ALL`, `NONE` if one stands here.
  mutating func acceptQualifier() throws(SyntaxError) -> Qualifier? {
    let qualifier: Qualifier
    switch rql.kind {
    case .any: qualifier = .any
    case .all: qualifier = .all
    case .none: qualifier = .none
    default: return nil
    }
    try advanceRQL()
    return qualifier
  }

  /// `{ constant, … }`.
  mutating func list(qualifier: Qualifier?, from start: Int) throws(SyntaxError) -> ListOperand {
    try requireRQL(.openBrace, "{")
    var elements: [Constant] = []
    if try !acceptRQL(.closeBrace, "}") {
      repeat {
        expectRQL(.value)
        guard let element = try acceptConstant() else { throw rqlFailure() }
        elements.append(element)
      } while try acceptRQL(.comma, ",")
      try requireRQL(.closeBrace, "}")
    }
    return ListOperand(
      qualifier: qualifier, elements: elements, range: SourceRange(start: start, end: position))
  }

  private mutating func subquery() throws(SyntaxError) -> SubqueryOperand {
    let start = try advanceRQL().start
    try requireRQL(.openParenthesis, "(")
    let path = try propertyPath()
    try requireRQL(.comma, ",")
    expectRQL(.newName)
    guard rql.kind.isName else { throw rqlFailure() }
    let variable = try name(as: nil)
    try requireRQL(.comma, ",")
    subqueryVariables.append((variable.text, owner(after: path.elements)))
    let predicate = try wholePredicate()
    subqueryVariables.removeLast()
    recordLogic()
    try requireRQL(.closeParenthesis, ")")
    try requireRQL(.dot, ".")
    expectRQL(.word("@count"))
    guard rql.kind == .size else { throw rqlFailure() }
    try advanceRQL()
    return SubqueryOperand(
      path: path, variable: variable, predicate: predicate,
      range: SourceRange(start: start, end: position))
  }

  // MARK: Paths

  /// A path with what may follow it: an aggregate, a size, `@type`.
  private mutating func property(
    qualifier: Qualifier?, from start: Int
  ) throws(SyntaxError) -> Operand {
    let path = try propertyPath()
    var suffix: PropertyOperand.Suffix?
    if records { offerRQL([".", "["]) }
    if rql.kind == .dot {
      let following = followingRQL
      switch following.kind {
      case .size, .type:
        try advanceRQL()
        try advanceRQL()
        suffix = following.kind == .size ? .size : .type
      case .aggregate where qualifier == nil:
        return .aggregate(try aggregate(of: path, from: start))
      default:
        try advanceRQL()
        recordPathEnd(after: path.elements)
        throw rqlFailure()
      }
    } else if rql.kind == .openBracket {
      // Only `[SIZE]` is left by the path.
      for _ in 0..<3 { try advanceRQL() }
      suffix = .indexSize
    }
    return .property(
      PropertyOperand(
        qualifier: qualifier, path: path, suffix: suffix,
        range: SourceRange(start: start, end: position)))
  }

  private mutating func aggregate(
    of path: PropertyPath, from start: Int
  ) throws(SyntaxError) -> AggregateOperand {
    try advanceRQL()
    let operation: AggregateOperand.Operation
    switch text(rql.range) {
    case "@max": operation = .max
    case "@min": operation = .min
    case "@sum": operation = .sum
    default: operation = .average
    }
    try advanceRQL()
    var property: Name?
    if records { offerRQL(["."]) }
    if rql.kind == .dot {
      try advanceRQL()
      expectProperty(of: owner(after: path.elements))
      guard rql.kind.isName else { throw rqlFailure() }
      property = try name(as: role(after: path.elements))
    }
    return AggregateOperand(
      path: path, operation: operation, property: property,
      range: SourceRange(start: start, end: position))
  }

  /// `(name | $Kn) { .name | [index] }`; stops before a suffix.
  mutating func propertyPath() throws(SyntaxError) -> PropertyPath {
    expectProperty(of: propertyOwner)
    let start = rql.start
    var isBacklink = rql.kind == .backlink
    var elements: [PathElement] = []
    if rql.kind == .keyPathArgument {
      let token = try advanceRQL()
      let index = argumentIndex(token.start + 2, token.end)
      elements.append(PathElement(.keyPathArgument(index), range: token.range))
    } else {
      guard rql.kind.isName else { throw rqlFailure() }
      let first = try name(as: role(after: []))
      elements.append(PathElement(.name(first.text), range: first.range))
    }
    while true {
      if rql.kind == .dot {
        let following = followingRQL
        guard following.kind.isName else { break }
        try advanceRQL()
        recordPathEnd(after: elements)
        isBacklink = rql.kind == .backlink
        let next = try name(as: role(after: elements))
        elements.append(PathElement(.name(next.text), range: next.range))
      } else if rql.kind == .openBracket {
        let following = followingRQL
        if following.kind == .indexSize { break }
        try advanceRQL()
        if isBacklink, following.kind != .string { throw rqlFailure() }
        isBacklink = false
        elements.append(try index())
        try requireRQL(.closeBracket, "]")
      } else {
        break
      }
    }
    return PropertyPath(elements: elements, range: SourceRange(start: start, end: position))
  }

  private mutating func index() throws(SyntaxError) -> PathElement {
    expectRQL(.integer)
    expectRQL(.string)
    if records { offerRQL(["FIRST", "LAST", "SIZE", "*"]) }
    let token = rql
    let kind: PathElement.Kind
    switch token.kind {
    case .natural:
      kind = .index(NumberText.integerOfBase0(bytes.span.extracting(token.start..<token.end)))
    case .indexFirst: kind = .first
    case .indexLast: kind = .last
    case .star: kind = .all
    case .string:
      kind = .name(text(SourceRange(start: token.start + 1, end: token.end - 1)))
    case .argument: kind = .argument(argumentIndex(token.start + 1, token.end))
    default: throw rqlFailure()
    }
    try advanceRQL()
    return PathElement(kind, range: token.range)
  }

  /// What a name after `elements` is; nil without interest in it.
  private func role(after elements: [PathElement]) -> Mark.Role? {
    guard records else { return nil }
    if case .name("@links")? = elements.last?.kind { return .className }
    return .property(owner(after: elements))
  }

  /// Takes a name token; escapes are translated, back quotes removed.
  private mutating func name(as role: Mark.Role?) throws(SyntaxError) -> Name {
    let token = try advanceRQL()
    if let role, token.kind != .backlink, token.kind != .keyValue,
      bytes[token.start] != UInt8(ascii: "$")
    {
      mark(role, token.range)
    }
    if token.kind == .quotedName { return Name(unquotedName(token.range), range: token.range) }
    var hasEscape = false
    for index in token.start..<token.end where bytes[index] == UInt8(ascii: "\\") {
      hasEscape = true
    }
    guard hasEscape else {
      return Name(names.text(at: token.range, in: bytes), range: token.range)
    }
    var value: [UInt8] = []
    var isEscaped = false
    for byte in bytes[token.start..<token.end] {
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
        continue
      }
      switch byte {
      case UInt8(ascii: "n") where isEscaped: value.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r") where isEscaped: value.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t") where isEscaped: value.append(UInt8(ascii: "\t"))
      default: value.append(byte)
      }
      isEscaped = false
    }
    return Name(String(decoding: value, as: UTF8.self), range: token.range)
  }

  mutating func recordPathEnd(after elements: [PathElement]) {
    guard records else { return }
    if case .name("@links")? = elements.last?.kind {
      expectRQL(.schemaClass)
      return
    }
    expectProperty(of: owner(after: elements))
    offerRQL(Grammar.pathWords)
  }

  /// Whose properties come after `elements`.
  func owner(after elements: [PathElement]) -> PropertyOwner? {
    guard records else { return nil }
    var names = elements.compactMap { element in
      if case .name(let name) = element.kind { name } else { nil }
    }
    var owner = propertyOwner
    if let first = names.first,
      let scope = subqueryVariables.last(where: { $0.name == first })
    {
      owner = scope.owner
      names.removeFirst()
    }
    return owner?.adding(names)
  }

  // MARK: Constants

  /// A constant if one stands here.
  private mutating func acceptConstant() throws(SyntaxError) -> Constant? {
    if let constant = try acceptQualifiedArgument() { return constant }
    if let constant = try acceptArgument() { return constant }
    if !isBarePredicate, let constant = try acceptShellConstant() { return constant }
    let token = rql
    func take(_ kind: Constant.Kind) throws(SyntaxError) -> Constant {
      try advanceRQL()
      return Constant(kind, range: token.range)
    }
    switch token.kind {
    case .null: return try take(.null)
    case .true: return try take(.bool(true))
    case .false: return try take(.bool(false))
    case .natural, .number:
      return try take(
        .integer(NumberText.integerOfBase0(bytes.span.extracting(token.start..<token.end))))
    case .float: return try take(floatKind(token))
    case .infinity:
      return try take(.infinity(isNegative: bytes[token.start] == UInt8(ascii: "-")))
    case .nan: return try take(.nan)
    case .string: return try take(.string(Array(bytes[token.start + 1..<token.end - 1])))
    case .base64: return try take(.string(base64(token)))
    case .uuid:
      let digits = Array(bytes[token.start + 5..<token.end - 1])
      return try UUIDValue(hex: digits).map { value throws(SyntaxError) in try take(.uuid(value)) }
    case .objectID:
      let digits = Array(bytes[token.start + 4..<token.end - 1])
      return try ObjectID(hex: digits).map { value throws(SyntaxError) in
        try take(.objectID(value))
      }
    case .seconds: return try take(.timestamp(seconds(token)))
    case .calendar: return try take(.timestamp(calendar(token)))
    case .link: return try take(.objectKey(ObjectKey(key(token.start + 1, token.end))))
    case .typedLink: return try take(typedLink(token))
    case .object: return try objectConstant()
    case .binary where followingRQL.kind == .openParenthesis: return try binaryConstant()
    default: return nil
    }
  }

  /// `ANY $0` if it stands here.
  private mutating func acceptQualifiedArgument() throws(SyntaxError) -> Constant? {
    guard rql.kind == .any || rql.kind == .all || rql.kind == .none else { return nil }
    let start = rql.start
    let qualifier = try acceptQualifier()
    guard var constant = try acceptArgument() else { throw rqlFailure() }
    constant.qualifier = qualifier
    constant.range.start = start
    return constant
  }

  /// `$0`, or in statements `$name`, if one stands here.
  private mutating func acceptArgument() throws(SyntaxError) -> Constant? {
    if rql.kind == .argument {
      let token = try advanceRQL()
      return Constant(.argument(argumentIndex(token.start + 1, token.end)), range: token.range)
    }
    guard !isBarePredicate, rql.kind == .identifier, bytes[rql.start] == UInt8(ascii: "$") else {
      return nil
    }
    let written = text(rql.range)
    if subqueryVariables.contains(where: { $0.name == written }) { return nil }
    expectRQL(.variable)
    let token = try advanceRQL()
    return Constant(.variable(variableName(token.range).text), range: token.range)
  }

  /// The number of the argument whose digits stand in the range; too large ones are clamped.
  private func argumentIndex(_ start: Int, _ end: Int) -> Int {
    Int(clamping: NumberText.integerOfDigits(bytes.span.extracting(start..<end)) ?? .max)
  }

  private func floatKind(_ token: RQLToken) -> Constant.Kind {
    let written = bytes.span.extracting(token.start..<token.end)
    if written[written.count - 1] == UInt8(ascii: "f") {
      return .float(NumberText.float(written.extracting(droppingLast: 1)))
    }
    return .double(NumberText.double(written), text: text(token.range))
  }

  private func base64(_ token: RQLToken) throws(SyntaxError) -> [UInt8] {
    guard let value = Base64.decode(bytes[token.start + 4..<token.end - 1]) else {
      throw SyntaxError("malformed Base64", range: token.range, category: .badBase64)
    }
    return value
  }

  private func seconds(_ token: RQLToken) throws(SyntaxError) -> Timestamp {
    // Nanoseconds of a second and more are kept as they are. Source: query-language.md 5.
    guard let parts = RQLLexer.secondsAndNanoseconds(in: bytes.span, at: token.start),
      let nanoseconds = Int32(exactly: parts.nanoseconds),
      DateText.haveSameSign(parts.seconds, parts.nanoseconds)
    else {
      throw SyntaxError(
        "seconds and nanoseconds have opposite signs, or too many nanoseconds",
        range: token.range, category: .badTimestamp)
    }
    return Timestamp(seconds: parts.seconds, nanoseconds: nanoseconds)
  }

  private func calendar(_ token: RQLToken) throws(SyntaxError) -> Timestamp {
    guard let value = DateText.calendar(bytes[token.start..<token.end]) else {
      throw SyntaxError(
        "a date before the year 1900", range: token.range, category: .badTimestamp)
    }
    return value
  }

  private func key(_ start: Int, _ end: Int) -> Int64 {
    NumberText.integerOfBase0(bytes.span.extracting(start..<end))
  }

  private func typedLink(_ token: RQLToken) -> Constant.Kind {
    let colon = bytes[token.start..<token.end].firstIndex(of: UInt8(ascii: ":")) ?? token.end
    let table = UInt32(clamping: key(token.start + 1, colon))
    return .typedLink(TableKey(table), ObjectKey(key(colon + 1, token.end)))
  }

  /// `obj('Class', key)`.
  private mutating func objectConstant() throws(SyntaxError) -> Constant {
    let start = try advanceRQL().start
    try requireRQL(.openParenthesis, "(")
    expectRQL(.string)
    guard rql.kind == .string else { throw rqlFailure() }
    let className = try advanceRQL()
    try requireRQL(.comma, ",")
    expectRQL(.value)
    switch rql.kind {
    case .natural, .number, .string, .uuid, .objectID, .argument, .identifier: break
    default: throw rqlFailure()
    }
    guard let key = try acceptConstant() else { throw rqlFailure() }
    try requireRQL(.closeParenthesis, ")")
    let name = text(SourceRange(start: className.start + 1, end: className.end - 1))
    return Constant(
      .object(className: name, primaryKey: key), range: SourceRange(start: start, end: position))
  }

  /// `bin('…')`, `binary(B64"…")`.
  private mutating func binaryConstant() throws(SyntaxError) -> Constant {
    let start = try advanceRQL().start
    try advanceRQL()
    expectRQL(.string)
    let value: [UInt8]
    switch rql.kind {
    case .string: value = Array(bytes[rql.start + 1..<rql.end - 1])
    case .base64: value = try base64(rql)
    default: throw rqlFailure()
    }
    try advanceRQL()
    try requireRQL(.closeParenthesis, ")")
    return Constant(.binary(value), range: SourceRange(start: start, end: position))
  }

  /// The forms that only the shell knows: dates, `decimal(1.50)`, `uuid("…")`, `Dog(1)`, `Dog#12`.
  private mutating func acceptShellConstant() throws(SyntaxError) -> Constant? {
    switch rql.kind {
    case .date:
      let token = rql
      guard let value = Timestamp(parsing: Array(bytes[token.start..<token.end])) else {
        throw SyntaxError("no such date", range: token.range)
      }
      try advanceRQL()
      return Constant(.value(.date(value)), range: token.range)
    case .identifier, .quotedName:
      let follower = byte(at: rql.end)
      guard follower == UInt8(ascii: "(") || follower == UInt8(ascii: "#") else { return nil }
      let start = rql.start
      return try withStatementTokens { parser throws(SyntaxError) in
        if let literal = try parser.acceptLiteral() {
          return Constant(Self.constantKind(literal.kind), range: literal.range)
        }
        let name = try parser.objectName()
        return Constant(
          .objectName(name), range: SourceRange(start: start, end: parser.position))
      }
    default: return nil
    }
  }

  private static func constantKind(_ kind: Literal.Kind) -> Constant.Kind {
    switch kind {
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .data(let value): .binary(value)
    case let other: .value(Literal(other, range: SourceRange(start: 0, end: 0)).scalar)
    }
  }

  // MARK: Regions

  /// The right side of GEOWITHIN.
  mutating func geoRegion() throws(SyntaxError) -> GeoRegion {
    let start = rql.start
    for word in ["geoBox", "geoCircle", "geoPolygon"] { expectRQL(.word(word)) }
    let shape: GeoRegion.Shape
    switch rql.kind {
    case .argument:
      shape = .argument(argumentIndex(rql.start + 1, rql.end))
      try advanceRQL()
      return GeoRegion(shape, range: SourceRange(start: start, end: position))
    case .identifier:
      guard let constant = try acceptArgument(), case .variable(let name) = constant.kind else {
        throw rqlFailure()
      }
      return GeoRegion(.variable(name), range: constant.range)
    case .geoBox:
      try advanceRQL()
      try requireRQL(.openParenthesis, "(")
      let first = try geoPoint()
      try requireRQL(.comma, ",")
      shape = .box(first, try geoPoint())
    case .geoCircle:
      try advanceRQL()
      try requireRQL(.openParenthesis, "(")
      let center = try geoPoint()
      try requireRQL(.comma, ",")
      shape = .circle(center, radius: try coordinate())
    case .geoPolygon:
      try advanceRQL()
      try requireRQL(.openParenthesis, "(")
      var loops: [[GeoPoint]] = []
      repeat { loops.append(try geoLoop()) } while try acceptRQL(.comma, ",")
      shape = .polygon(loops)
    default: throw rqlFailure()
    }
    try requireRQL(.closeParenthesis, ")")
    return GeoRegion(shape, range: SourceRange(start: start, end: position))
  }

  private mutating func geoLoop() throws(SyntaxError) -> [GeoPoint] {
    try requireRQL(.openBrace, "{")
    var points: [GeoPoint] = []
    repeat { points.append(try geoPoint()) } while try acceptRQL(.comma, ",")
    try requireRQL(.closeBrace, "}")
    return points
  }

  private mutating func geoPoint() throws(SyntaxError) -> GeoPoint {
    try requireRQL(.openBracket, "[")
    let longitude = try coordinate()
    try requireRQL(.comma, ",")
    let latitude = try coordinate()
    var altitude: Constant?
    if try acceptRQL(.comma, ",") {
      guard rql.kind == .float else { throw rqlFailure() }
      altitude = try coordinate()
    }
    try requireRQL(.closeBracket, "]")
    return GeoPoint(longitude: longitude, latitude: latitude, altitude: altitude)
  }

  private mutating func coordinate() throws(SyntaxError) -> Constant {
    expectRQL(.value)
    switch rql.kind {
    case .float, .natural, .argument, .identifier:
      guard let constant = try acceptConstant() else { throw rqlFailure() }
      return constant
    default: throw rqlFailure()
    }
  }
}
