/// The verbs that change objects, and those of the group Names. Source: shell.md 5, 9, 11.
extension Parser {
  // MARK: New objects

  mutating func addStatement() throws(SyntaxError) -> StatementBody {
    let className = try name(.storedClass)
    let values = try objectValues(of: className.text)
    return .add(AddStatement(className: className, values: values, variable: try acceptAlias()))
  }

  mutating func upsertStatement() throws(SyntaxError) -> StatementBody {
    let className = try name(.storedClass)
    let values = try objectValues(of: className.text)
    let policy = try acceptPolicy()
    return .upsert(
      UpsertStatement(
        className: className, values: values, policy: policy, variable: try acceptAlias()))
  }

  /// `value { "," value }`.
  private mutating func objectValues(of className: String) throws(SyntaxError) -> [Expression] {
    var values: [Expression] = []
    repeat {
      expect(.symbol("{"))
      expect(.symbol("["))
      switch token.kind {
      case .openBrace:
        if records { fieldOwner = PropertyOwner(className: className) }
        values.append(try object())
      case .openBracket:
        fieldOwner = nil
        values.append(try array())
      default: throw failure()
      }
    } while try accept(.comma, ",")
    return values
  }

  /// `"as" VAR`.
  private mutating func acceptAlias() throws(SyntaxError) -> Name? {
    try accept(word: "as") ? try variable() : nil
  }

  /// Takes a variable without steps.
  private mutating func variable() throws(SyntaxError) -> Name {
    expect(.variable)
    guard token.kind == .variable else { throw failure() }
    return variableName(try advance().range)
  }

  /// `"policy" ( "modified" | "all" | "error" )`.
  mutating func acceptPolicy() throws(SyntaxError) -> PolicyOperand? {
    guard try accept(word: "policy") else { return nil }
    let range = token.range
    guard let kind = try accept(oneOf: PolicyOperand.Kind.self) else { throw failure() }
    return PolicyOperand(kind, range: range)
  }

  // MARK: Changed objects

  mutating func setStatement() throws(SyntaxError) -> StatementBody {
    let subject = try changeSubject(ofSet: true)
    if records { propertyOwner = owner(of: subject) }
    var changes: [Change] = []
    changes.reserveCapacity(lastChangeCount)
    repeat { changes.append(try change()) } while try accept(.comma, ",")
    lastChangeCount = min(changes.count, Self.greatestReserve)
    let extent = try acceptExtent(of: subject)
    return .set(SetStatement(subject: subject, changes: changes, extent: extent))
  }

  mutating func deleteStatement() throws(SyntaxError) -> StatementBody {
    if try accept(word: "everything") { return .delete(.everything) }
    let subject = try changeSubject(ofSet: false)
    return .delete(.objects(subject, try acceptExtent(of: subject)))
  }

  /// `target | source`; what follows a class tells which. In `set` a word may be a literal or a
  /// property.
  mutating func changeSubject(ofSet isSet: Bool) throws(SyntaxError) -> ChangeSubject {
    expect(.className)
    expect(.variable)
    switch token.kind {
    case .variable: return .source(.path(try variablePath()))
    case .word, .quotedName: break
    default: throw failure()
    }
    if startsObjectName {
      let path = try objectPath()
      if case .object(let object) = path.base, path.steps.isEmpty { return .object(object) }
      return .source(.path(path))
    }
    let className = try name(.className)
    offerObjectName()
    expect(.primaryKey(of: className.text))
    if isSet, token.kind == .word, isBeforeChange { return .source(.name(className)) }
    guard let key = try acceptPrimaryKey() else { return .source(.name(className)) }
    return .object(
      ObjectName(
        className: className, key: key,
        range: SourceRange(start: className.range.start, end: position)))
  }

  /// What follows the word at the token makes it the property that is changed.
  private var isBeforeChange: Bool {
    switch Lexer.token(in: bytes.span, at: token.end).kind {
    case .equal, .plusEqual, .minusEqual, .starEqual, .slashEqual, .dot, .openBracket: true
    default: false
    }
  }

  private func owner(of subject: ChangeSubject) -> PropertyOwner? {
    switch subject {
    case .object(let object): PropertyOwner(className: object.className.text)
    case .source(let source): owner(of: source)
    }
  }

  /// `where RQL [args]` or `all`, unless one object is meant.
  private mutating func acceptExtent(
    of subject: ChangeSubject
  ) throws(SyntaxError) -> ChangeExtent? {
    guard case .source(let source) = subject else { return nil }
    if let condition = try acceptCondition(on: source, clauseWords: ["args"]) {
      // All objects must be asked for by `all`.
      guard condition.query.range.length > 0 else {
        throw SyntaxError("expected a condition", range: condition.query.range)
      }
      return .condition(condition)
    }
    let word = token.range
    return try accept(word: "all") ? .all(word) : nil
  }

  private mutating func change() throws(SyntaxError) -> Change {
    let start = token.start
    var steps = try step(owner: records ? propertyOwner : nil)
    steps += try followingSteps(
      owner: records ? owner(propertyOwner, after: steps) : nil, stopsAtCall: true)
    let path = PathExpression(
      base: .row, steps: steps, range: SourceRange(start: start, end: position))
    let action: Change.Action
    if token.kind == .dot {
      action = try methodCall()
    } else {
      action = .assign(try assignmentOperator(), try expression())
    }
    return Change(path: path, action: action, range: SourceRange(start: start, end: position))
  }

  private mutating func assignmentOperator() throws(SyntaxError) -> AssignmentOperator {
    if records { for sign in AssignmentOperator.allCases { expect(.symbol(sign.rawValue)) } }
    expect(.symbol("."))
    let sign: AssignmentOperator
    switch token.kind {
    case .equal where token.end - token.start == 1: sign = .assign
    case .plusEqual: sign = .add
    case .minusEqual: sign = .subtract
    case .starEqual: sign = .multiply
    case .slashEqual: sign = .divide
    default: throw failure()
    }
    try advance()
    return sign
  }

  /// `"." method "(" [ expr { "," expr } ] ")"`.
  private mutating func methodCall() throws(SyntaxError) -> Change.Action {
    try advance()
    let name = token.range
    guard let method = try accept(oneOf: CollectionMethod.self) else { throw failure() }
    try require(.openParenthesis, "(")
    var arguments: [Expression] = []
    if try !accept(.closeParenthesis, ")") {
      arguments = try expressions()
      try require(.closeParenthesis, ")")
    }
    return .call(method, arguments, name: name)
  }

  // MARK: Names

  mutating func letStatement() throws(SyntaxError) -> StatementBody {
    expect(.variable)
    guard token.kind == .variable else { return .let(nil) }
    let variable = try variable()
    guard try acceptAssignmentSign() else { throw failure() }
    if records { offerQueries() }
    let value = startsQuery ? try queryExpression() : try expression()
    return .let(LetStatement(variable: variable, value: value))
  }

  mutating func unletStatement() throws(SyntaxError) -> StatementBody {
    .unlet(try variables())
  }

  /// `VAR { "," VAR }`.
  mutating func variables() throws(SyntaxError) -> [Name] {
    var names: [Name] = []
    repeat { names.append(try variable()) } while try accept(.comma, ",")
    return names
  }

  // MARK: Projections

  /// `"projection" [ NAME "of" NAME "{" field { psep field } [ psep ] "}" ]`.
  mutating func projectionStatement() throws(SyntaxError) -> StatementBody {
    guard let name = try acceptName(.newName) else { return .projection(nil) }
    mark(.declaredClass, name.range)
    try require(word: "of")
    let className = try self.name(.className)
    let owner = records ? PropertyOwner(className: className.text) : nil
    let outer = try openBlock()
    var fields: [ProjectionStatement.Field] = []
    while true {
      while token.kind == .newline { try advance() }
      if !fields.isEmpty {
        expect(.symbol("}"))
        if token.kind == .closeBrace { break }
      }
      fields.append(try projectionField(of: owner))
      expect(.symbol("}"))
      if try accept(.comma, ",") || token.kind == .newline { continue }
      break
    }
    try closeBlock(outer)
    return .projection(ProjectionStatement(name: name, className: className, fields: fields))
  }

  /// `NAME [ "=" expr ]`.
  private mutating func projectionField(
    of owner: PropertyOwner?
  ) throws(SyntaxError) -> ProjectionStatement.Field {
    expect(.property(owner))
    let name = try name(.newName)
    guard try acceptAssignmentSign() else {
      return ProjectionStatement.Field(name: name, value: nil)
    }
    propertyOwner = owner
    return ProjectionStatement.Field(name: name, value: try expression())
  }
}
