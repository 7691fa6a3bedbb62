/// Expressions. Source: shell.md 5 `expr`.
extension Parser {
  /// `expr`.
  mutating func expression() throws(SyntaxError) -> Expression {
    // Most values of a script stand alone.
    var first: Expression?
    if !records {
      if endsValue(at: token.end), let literal = try acceptLiteral() {
        height = 1
        return .literal(literal)
      }
      if !startsNegation {
        let operand = try unary()
        if token.kind.endsExpression { return operand }
        first = operand
      }
    }
    var left = try conjunctionExpression(after: first)
    while acceptsOperator(.or, "||", "or") {
      left = try binary(.or, left) { parser throws(SyntaxError) in
        try parser.conjunctionExpression(after: nil)
      }
    }
    return left
  }

  private var startsNegation: Bool { token.kind == .not || isWord("not") }

  /// The byte at the end of a value ends the expression, whatever follows.
  private func endsValue(at offset: Int) -> Bool {
    switch byte(at: offset) {
    case UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): true
    case UInt8(ascii: "\n"): depth == blockDepth
    default: false
    }
  }

  /// One or more expressions with commas between them.
  mutating func expressions() throws(SyntaxError) -> [Expression] {
    var result: [Expression] = []
    var deepest = 0
    repeat {
      result.append(try expression())
      deepest = max(deepest, height)
    } while try accept(.comma, ",")
    height = deepest
    return result
  }

  /// - Parameter first: The first operand, if it has been read; so in the functions below.
  private mutating func conjunctionExpression(
    after first: Expression?
  ) throws(SyntaxError) -> Expression {
    var left = try first == nil ? negatedExpression() : relation(after: first)
    while acceptsOperator(.and, "&&", "and") {
      left = try binary(.and, left) { parser throws(SyntaxError) in
        try parser.negatedExpression()
      }
    }
    return left
  }

  private mutating func negatedExpression() throws(SyntaxError) -> Expression {
    guard acceptsOperator(.not, "!", "not") else { return try relation(after: nil) }
    let sign = try advanceSign()
    let operand = try relation(after: nil)
    try raiseHeight(above: 0, at: sign.range)
    return .unary(.not, operand, range: sign.range.joined(with: operand.range))
  }

  /// A sign, or the word for it, stands here.
  private mutating func acceptsOperator(_ kind: TokenKind, _ sign: String, _ word: String) -> Bool {
    if records { offer([word, sign]) }
    return token.kind == kind || isWord(word)
  }

  /// Takes an operator, which may be a word.
  private mutating func advanceSign() throws(SyntaxError) -> Token {
    let sign = try advance()
    if sign.kind == .word { mark(.word, sign.range) }
    return sign
  }

  private mutating func relation(after first: Expression?) throws(SyntaxError) -> Expression {
    let left = try sumExpression(after: first)
    if records { recordRelation(left) }
    guard let comparator = relationOperator else { return left }
    let leftHeight = height
    let sign = try advanceSign()
    if records, Self.mayIgnoreCase(comparator) { offer(CaseFolding.allCases.map(\.rawValue)) }
    let folding = caseMark(after: comparator)
    if folding != nil { for _ in 0..<3 { try advance() } }
    let right = try sumExpression(after: nil)
    try raiseHeight(above: leftHeight, at: sign.range)
    return .binary(
      comparator, folding: folding, left, right,
      range: left.range.joined(with: right.range))
  }

  private mutating func recordRelation(_ left: Expression) {
    expect(.optionalComparator)
    guard case .path(let path) = left, path.base == .row else { return }
    recordLeftOperand(owner(propertyOwner, after: path.steps), at: token.start)
  }

  private static func mayIgnoreCase(_ comparator: BinaryOperator) -> Bool {
    switch comparator {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: false
    default: true
    }
  }

  private var relationOperator: BinaryOperator? {
    switch token.kind {
    case .equal: return .equal
    case .notEqual: return .notEqual
    case .less: return .less
    case .lessOrEqual: return .lessOrEqual
    case .greater: return .greater
    case .greaterOrEqual: return .greaterOrEqual
    case .word:
      if isWord("in") { return .in }
      if isWord("like") { return .like }
      if isWord("contains") { return .contains }
      if isWord("endswith") { return .endswith }
      return isWord("beginswith") ? .beginswith : nil
    default: return nil
    }
  }

  /// The `[c]`, `[cu]` or `[cd]` that stands here, if it is not itself the right operand.
  private func caseMark(after comparator: BinaryOperator) -> CaseFolding? {
    guard Self.mayIgnoreCase(comparator), token.kind == .openBracket else { return nil }
    let mark = token.start
    return CaseFolding.allCases.first { folding in
      let text = folding.rawValue.utf8
      return text.enumerated().allSatisfy { byte(at: mark + $0) == $1 }
        && endsCaseMark(at: mark + text.count)
    }
  }

  /// What stands here is the right operand, or nothing yet that could tell.
  private func endsCaseMark(at offset: Int) -> Bool {
    let next = Lexer.token(in: bytes.span, at: offset).kind
    return next.startsOperand || (records && next == .end)
  }

  private mutating func sumExpression(after first: Expression?) throws(SyntaxError) -> Expression {
    var left = try product(after: first)
    if records { offer(["+", "-"]) }
    while let operation: BinaryOperator = token.kind == .plus
      ? .add : token.kind == .minus ? .subtract : nil
    {
      left = try binary(operation, left) { parser throws(SyntaxError) in
        try parser.product(after: nil)
      }
    }
    return left
  }

  private mutating func product(after first: Expression?) throws(SyntaxError) -> Expression {
    var left: Expression
    if let first { left = first } else { left = try unary() }
    while true {
      let operation: BinaryOperator
      if records { offer(["*", "/", "%"]) }
      switch token.kind {
      case .star: operation = .multiply
      case .slash: operation = .divide
      case .percent: operation = .remainder
      default: return left
      }
      left = try binary(operation, left) { parser throws(SyntaxError) in try parser.unary() }
    }
  }

  private mutating func binary(
    _ operation: BinaryOperator, _ left: Expression,
    right: (inout Parser) throws(SyntaxError) -> Expression
  ) throws(SyntaxError) -> Expression {
    let leftHeight = height
    let sign = try advanceSign()
    let operand = try right(&self)
    try raiseHeight(above: leftHeight, at: sign.range)
    return .binary(
      operation, folding: nil, left, operand, range: left.range.joined(with: operand.range)
    )
  }

  private mutating func unary() throws(SyntaxError) -> Expression {
    recordExpression()
    height = 1
    if let literal = try acceptLiteral() { return .literal(literal) }
    guard token.kind == .minus else { return try primary() }
    let sign = try advance()
    recordExpression()
    let operand: Expression
    if let literal = try acceptLiteral() {
      operand = .literal(literal)
    } else {
      operand = try primary()
    }
    try raiseHeight(above: 0, at: sign.range)
    return .unary(.minus, operand, range: sign.range.joined(with: operand.range))
  }

  private mutating func recordExpression() {
    guard records else { return }
    for expectation: Expectation in [
      .value, .property(propertyOwner), .variable, .className, .function,
    ] {
      expect(expectation)
    }
    offer(["(", "[", "{", "-"])
    if hasOld { offer(["old."]) }
  }

  private mutating func primary() throws(SyntaxError) -> Expression {
    switch token.kind {
    case .openParenthesis: return try parenthesized()
    case .openBracket: return try array()
    case .openBrace: return try object()
    case .variable: return .path(try variablePath())
    case .atWord: return .path(try path(base: .row, from: token.start))
    case .word, .quotedName: break
    default: throw failure()
    }
    if token.kind == .word, byte(at: token.end) == UInt8(ascii: "("),
      Grammar.isFunction(token, in: bytes.span)
    {
      return try call()
    }
    if startsObjectName { return .path(try calledObject()) }
    if isWord("old"), byte(at: token.end) == UInt8(ascii: ".") {
      let start = try advanceWord().start
      try advance()
      return .path(try path(base: .old, from: start))
    }
    return .path(try path(base: .row, from: token.start))
  }

  private mutating func parenthesized() throws(SyntaxError) -> Expression {
    let start = try advance().start
    let inner: Expression
    if records { offerQueries() }
    if startsQuery {
      inner = try queryExpression()
    } else {
      inner = try expression()
    }
    try require(.closeParenthesis, ")")
    guard case .query(let body, _) = inner else { return inner }
    return .query(body, range: SourceRange(start: start, end: position))
  }

  /// Records the verbs whose statements are values.
  mutating func offerQueries() { offer(Grammar.verbs.filter(\.givesValue).map(\.name)) }

  /// An object. What has no key in its parentheses was meant to be a function.
  private mutating func calledObject() throws(SyntaxError) -> PathExpression {
    let name = token
    do throws(SyntaxError) {
      return try objectPath()
    } catch {
      let functionName = text(name.range)
      let nearest = Spelling.nearest(
        to: functionName.lowercased(), among: Grammar.functions.map(\.name))
      let isLowercase = functionName.first?.isLowercase ?? false
      guard name.kind == .word, byte(at: name.end) == UInt8(ascii: "("), error.name == .syntax,
        error.range.start < bytes.count, nearest != nil || isLowercase
      else { throw error }
      throw SyntaxError(
        "no function \(functionName)", name: .unknownFunction, range: name.range,
        suggestion: nearest)
    }
  }

  /// Records that the key of an object may follow the name of its class at once.
  mutating func offerObjectName() {
    if records, token.start == position { offer(["(", "#"]) }
  }

  /// A statement as a value.
  mutating func queryExpression() throws(SyntaxError) -> Expression {
    let verb = token.range
    let owners = (propertyOwner, fieldOwner)
    let body = try verbStatement()
    (propertyOwner, fieldOwner) = owners
    try raiseHeight(above: 0, at: verb)
    return .query(body, range: SourceRange(start: verb.start, end: position))
  }

  /// A statement that gives a value stands here: its verb, followed by a source.
  var startsQuery: Bool {
    guard token.kind == .word, let index = Grammar.verbIndex(at: token, in: bytes.span),
      Grammar.verbs[index].givesValue
    else { return false }
    let next = Lexer.token(in: bytes.span, at: token.end)
    switch next.kind {
    case .variable, .quotedName: return true
    case .end: return records
    case .word:
      let operators = ["and", "or", "in", "contains", "beginswith", "endswith", "like", "as"]
      return !operators.contains {
        StatementBounds.equalsIgnoringCase(next, $0, in: bytes.span)
      }
    default: return false
    }
  }

  private mutating func call() throws(SyntaxError) -> Expression {
    let name = try name(.function)
    try advance()
    var arguments: [Expression] = []
    var deepest = 0
    if try !accept(.closeParenthesis, ")") {
      repeat {
        arguments.append(try expression())
        deepest = max(deepest, height)
      } while try accept(.comma, ",")
      try require(.closeParenthesis, ")")
    }
    height = deepest
    try raiseHeight(above: 0, at: name.range)
    let range = SourceRange(start: name.range.start, end: position)
    return .call(function: name, arguments: arguments, range: range)
  }

  mutating func array() throws(SyntaxError) -> Expression {
    let open = try advance().range
    let elements = try members(.closeBracket, "]", at: open) { parser throws(SyntaxError) in
      try parser.expression()
    }
    return .array(elements, range: SourceRange(start: open.start, end: position))
  }

  mutating func object() throws(SyntaxError) -> Expression {
    let open = try advance().range
    let fields = try members(.closeBrace, "}", at: open) { parser throws(SyntaxError) in
      try parser.field()
    }
    return .object(fields, range: SourceRange(start: open.start, end: position))
  }

  /// What stands in brackets, with commas between the members and maybe one behind the last.
  @inline(__always)
  private mutating func members<Member>(
    _ close: TokenKind, _ spelling: String, at open: SourceRange,
    _ member: (inout Parser) throws(SyntaxError) -> Member
  ) throws(SyntaxError) -> [Member] {
    var members: [Member] = []
    members.reserveCapacity(lastCount)
    var deepest = 0
    while try !accept(close, spelling) {
      members.append(try member(&self))
      deepest = max(deepest, height)
      if try !accept(.comma, ",") {
        try require(close, spelling)
        break
      }
    }
    lastCount = min(members.count, Self.greatestReserve)
    height = deepest
    try raiseHeight(above: 0, at: open)
    return members
  }

  /// Whether SDKs refuse a key.
  private static func isSpecial(_ key: some Collection<UInt8>) -> Bool {
    key.first == UInt8(ascii: "$") || key.contains(UInt8(ascii: "."))
  }

  private mutating func field() throws(SyntaxError) -> ObjectField {
    let key: Name
    var isVerbatim = false
    if let string = try acceptString() {
      key = string
      isVerbatim =
        Self.isSpecial(string.text.utf8)
        && !Self.isSpecial(bytes[string.range.start + 1..<string.range.end])
    } else {
      key = try name(.property(fieldOwner))
    }
    try require(.colon, ":")
    guard records else {
      return ObjectField(key: key, isVerbatim: isVerbatim, value: try expression())
    }
    let outer = fieldOwner
    fieldOwner = outer?.adding([key.text])
    let value = try expression()
    fieldOwner = outer
    return ObjectField(key: key, isVerbatim: isVerbatim, value: value)
  }

  /// A value without operators that needs no object: a literal, an array, an object value, a call,
  /// the name of an object or a variable.
  mutating func constant() throws(SyntaxError) -> Expression {
    if records {
      for expectation: Expectation in [.value, .variable, .className, .function] {
        expect(expectation)
      }
      offer(["[", "{", "-"])
    }
    height = 1
    if let literal = try acceptLiteral() { return .literal(literal) }
    switch token.kind {
    case .openBracket, .openBrace, .variable: break
    case .word, .quotedName:
      guard startsObjectName else { throw failure() }
    default: throw failure()
    }
    return try primary()
  }

  // MARK: Paths

  /// The name at the token opens the name of an object: a parenthesis or `#` follows directly.
  var startsObjectName: Bool {
    let follower = byte(at: token.end)
    return follower == UInt8(ascii: "(") || follower == UInt8(ascii: "#")
  }

  /// `Dog(1)`, `Dog#12`. The name and its sign stand together.
  mutating func objectName() throws(SyntaxError) -> ObjectName {
    let isCall = isWord("obj")
    let name = try name(.className)
    if isCall, token.kind == .openParenthesis {
      return try objectNameInWords(from: name.range.start)
    }
    let key: ObjectName.Key
    if token.kind == .hash {
      key = .objectKey(try objectKey())
    } else {
      try require(.openParenthesis, "(")
      key = try primaryKey(of: name.text)
      try require(.closeParenthesis, ")")
    }
    return ObjectName(
      className: name, key: key, range: SourceRange(start: name.range.start, end: position))
  }

  /// The digits after `#`.
  private mutating func objectKey() throws(SyntaxError) -> Int64 {
    try advance()
    expect(.integer)
    let start = token.start
    var end = start
    while Lexer.isDigit(byte(at: end)) { end += 1 }
    guard let key = NumberText.integer(bytes.span.extracting(start..<end), isNegative: false) else {
      throw failure()
    }
    resume(at: end)
    return key
  }

  /// `obj("Dog", 1)`.
  private mutating func objectNameInWords(from start: Int) throws(SyntaxError) -> ObjectName {
    try advance()
    guard let className = try acceptString() else { throw failure() }
    try require(.comma, ",")
    let key = try primaryKey(of: className.text)
    try require(.closeParenthesis, ")")
    return ObjectName(
      className: className, key: key, range: SourceRange(start: start, end: position))
  }

  /// A literal or variable.
  mutating func primaryKey(of className: String) throws(SyntaxError) -> ObjectName.Key {
    expect(.value)
    expect(.primaryKey(of: className))
    guard let key = try acceptPrimaryKey() else { throw failure() }
    return key
  }

  /// Takes a literal or variable if one stands here.
  mutating func acceptPrimaryKey() throws(SyntaxError) -> ObjectName.Key? {
    if token.kind == .variable { return .variable(variableName(try advance().range)) }
    return try acceptLiteral().map(ObjectName.Key.primaryKey)
  }

  /// An object, with or without steps.
  mutating func objectPath() throws(SyntaxError) -> PathExpression {
    let object = try objectName()
    let steps = try followingSteps(
      owner: records ? PropertyOwner(className: object.className.text) : nil)
    return PathExpression(
      base: .object(object), steps: steps,
      range: SourceRange(start: object.range.start, end: position))
  }

  /// `$name`, with or without steps.
  mutating func variablePath() throws(SyntaxError) -> PathExpression {
    expect(.variable)
    let name = variableName(try advance().range)
    let steps = try followingSteps(
      owner: records ? PropertyOwner(variable: name.text) : nil)
    return PathExpression(
      base: .variable(name), steps: steps,
      range: SourceRange(start: name.range.start, end: position))
  }

  /// One step or more, separated by dots.
  mutating func path(
    base: PathExpression.Base, from start: Int
  ) throws(SyntaxError) -> PathExpression {
    var steps = try step(owner: records ? propertyOwner : nil)
    steps += try followingSteps(owner: records ? owner(propertyOwner, after: steps) : nil)
    return PathExpression(
      base: base, steps: steps, range: SourceRange(start: start, end: position))
  }

  /// `[index]` and `.step` as far as they go, or up to `.method(`.
  mutating func followingSteps(
    owner: PropertyOwner?, stopsAtCall: Bool = false
  ) throws(SyntaxError) -> [PathStep] {
    var steps: [PathStep] = []
    while true {
      if records { offer(token.start == position ? [".", "["] : ["."]) }
      if token.kind == .openBracket, token.start == position {
        steps.append(try index())
      } else if token.kind == .dot, !stopsAtCall || !isBeforeCall {
        try advance()
        if records, stopsAtCall { offer(CollectionMethod.allCases.map(\.rawValue)) }
        steps += try step(owner: records ? self.owner(owner, after: steps) : nil)
      } else {
        return steps
      }
    }
  }

  /// Behind the dot at the token stands a name with a parenthesis.
  private var isBeforeCall: Bool {
    let name = Lexer.token(in: bytes.span, at: token.end)
    return name.kind == .word && byte(at: name.end) == UInt8(ascii: "(")
  }

  func owner(_ owner: PropertyOwner?, after steps: [PathStep]) -> PropertyOwner? {
    owner?.adding(
      steps.compactMap { step in
        switch step.kind {
        case .property(let name): name
        case .backlinks(let className, let property): "@links.\(className).\(property)"
        default: nil
        }
      })
  }

  /// A name or `@word`, with the indexes that follow.
  mutating func step(owner: PropertyOwner?) throws(SyntaxError) -> [PathStep] {
    if records { for word in Grammar.pathWords { expect(.offeredWord(word)) } }
    if token.kind == .atWord { return [try atStep()] }
    let name = try name(.property(owner))
    var steps = [PathStep(.property(name.text), range: name.range)]
    if records, token.start == position { offer(["["]) }
    while token.kind == .openBracket, token.start == position { steps.append(try index()) }
    return steps
  }

  private mutating func atStep() throws(SyntaxError) -> PathStep {
    let word = text(token.range)
    let range = token.range
    let kind: PathStep.Kind
    mark(.word, range)
    switch word {
    case "@keys": kind = .keys
    case "@values": kind = .values
    case "@type": kind = .type
    case "@links":
      try advance()
      try require(.dot, ".")
      let className = try name(.schemaClass)
      try require(.dot, ".")
      let property = try name(.property(PropertyOwner(className: className.text)))
      return PathStep(
        .backlinks(className: className.text, property: property.text),
        range: range.joined(with: property.range))
    default:
      guard let aggregate = PathAggregate(rawValue: word == "@size" ? "@count" : word) else {
        throw SyntaxError(
          "no word \(word)", range: range,
          suggestion: Spelling.nearest(to: word, among: Grammar.pathWords))
      }
      kind = .aggregate(aggregate)
    }
    try advance()
    return PathStep(kind, range: range)
  }

  private mutating func index() throws(SyntaxError) -> PathStep {
    let open = try advance().start
    let kind: PathStep.Kind
    let closesNext = Lexer.token(in: bytes.span, at: token.end).kind == .closeBracket
    if records { offer(["*", "first", "last"]) }
    if token.kind == .star {
      try advance()
      kind = .all
    } else if closesNext, isWord("first") {
      try advance()
      kind = .first
    } else if closesNext, isWord("last") {
      try advance()
      kind = .last
    } else {
      kind = .index(try expression())
    }
    try require(.closeBracket, "]")
    return PathStep(kind, range: SourceRange(start: open, end: position))
  }
}
