/// The verbs that change classes. Source: shell.md 5, 7.
extension Parser {
  mutating func classStatement() throws(SyntaxError) -> StatementBody {
    let name = try name(.schemaClass)
    if records { marks[marks.count - 1].role = .declaredClass }
    var kind = ClassStatement.Kind.standalone
    if try accept(word: "embedded") {
      kind = .embedded
    } else if try accept(word: "asymmetric") {
      kind = .asymmetric
    }
    let start = token.start
    let outer = try openBlock()
    var properties: [PropertyDeclaration] = []
    while true {
      while token.kind == .newline { try advance() }
      expect(.symbol("}"))
      if token.kind == .closeBrace { break }
      properties.append(try declaration())
      expect(.symbol("}"))
      if try accept(.comma, ",") || token.kind == .newline { continue }
      break
    }
    try closeBlock(outer)
    return .class(
      ClassStatement(
        name: name, kind: kind, properties: properties,
        bodyRange: SourceRange(start: start, end: position)))
  }

  /// `NAME ":" type { flag } [ "=" literal ]`.
  private mutating func declaration() throws(SyntaxError) -> PropertyDeclaration {
    let name = try name(.newName)
    try require(.colon, ":")
    let type = try type()
    let flags = try flags()
    let value = try acceptAssignmentSign() ? try constant() : nil
    return PropertyDeclaration(
      name: name, type: type, flags: flags, defaultValue: value,
      range: SourceRange(start: name.range.start, end: position))
  }

  /// Takes a single `=` if one stands here.
  mutating func acceptAssignmentSign() throws(SyntaxError) -> Bool {
    expect(.symbol("="))
    guard token.kind == .equal, token.end - token.start == 1 else { return false }
    try advance()
    return true
  }

  private mutating func flags() throws(SyntaxError) -> [PropertyFlag] {
    var flags: [PropertyFlag] = []
    while true {
      let range = token.range
      guard let kind = try accept(oneOf: PropertyFlag.Kind.self) else { return flags }
      flags.append(PropertyFlag(kind, range: range))
    }
  }

  // MARK: Types

  private mutating func type() throws(SyntaxError) -> TypeSyntax {
    let start = token.start
    var type = TypeSyntax(base: try typeBase(), range: SourceRange(start: start, end: position))
    if case .backlinks = type.base {
      type.range.end = position
      return type
    }
    if records { offer(["?"]) }
    if token.kind == .question { type.optionalRange = try advance().range }
    if records { offer(["[]", "<>", "{}"]) }
    type.collection = try acceptCollection()
    if type.collection != nil, token.kind == .question {
      throw SyntaxError("a collection is never null; write ? before it", range: token.range)
    }
    type.range.end = position
    return type
  }

  private mutating func typeBase() throws(SyntaxError) -> TypeSyntax.Base {
    expect(.type)
    expect(.schemaClass)
    expect(.offeredWord("@links"))
    if token.kind == .word, let scalar = Self.scalar(text(token.range)) {
      try advance()
      return .scalar(scalar)
    }
    guard token.kind == .atWord, text(token.range) == "@links" else {
      return .object(className: try name(.schemaClass))
    }
    try advanceWord()
    try require(.dot, ".")
    let reference = try propertyReference()
    return .backlinks(className: reference.className, property: reference.property)
  }

  private static func scalar(_ word: String) -> TypeSyntax.Scalar? {
    word == "decimal" ? .decimal128 : TypeSyntax.Scalar(rawValue: word)
  }

  /// Takes `[]`, `<>` or `{}` if one stands here.
  private mutating func acceptCollection() throws(SyntaxError) -> TypeSyntax.Collection? {
    switch token.kind {
    case .openBracket:
      try advance()
      try require(.closeBracket, "]")
      return .list
    case .openBrace:
      try advance()
      try require(.closeBrace, "}")
      return .dictionary
    case .notEqual where byte(at: token.start) == UInt8(ascii: "<"):
      // Not an operator, so a newline after it ends the property.
      resume(at: token.end)
      return .set
    default: return nil
    }
  }

  // MARK: Changes

  /// `NAME "." NAME`.
  mutating func propertyReference() throws(SyntaxError) -> PropertyReference {
    let className = try name(.schemaClass)
    try require(.dot, ".")
    return try propertyReference(of: className)
  }

  private mutating func propertyReference(
    of className: Name
  ) throws(SyntaxError) -> PropertyReference {
    PropertyReference(
      className: className,
      property: try name(.property(PropertyOwner(className: className.text))))
  }

  mutating func alterStatement() throws(SyntaxError) -> StatementBody {
    let className = try name(.schemaClass)
    if try accept(.dot, ".") {
      let reference = try propertyReference(of: className)
      try require(.colon, ":")
      let type = try type()
      let flags = try flags()
      propertyOwner = PropertyOwner(className: className.text)
      let conversion = try acceptConversion()
      return .alter(.property(reference, type: type, flags: flags, conversion: conversion))
    }
    let word = token.range
    if try accept(word: "embedded") {
      return .alter(.kind(className: className, .embedded, word: word))
    }
    if try accept(word: "standalone") {
      return .alter(.kind(className: className, .standalone, word: word))
    }
    guard try accept(word: "primary") else { throw failure() }
    let property =
      try accept(word: "none")
      ? nil : try name(.property(PropertyOwner(className: className.text)))
    return .alter(
      .primaryKey(
        className: className, property: property,
        range: SourceRange(start: word.start, end: position)))
  }

  private mutating func acceptConversion() throws(SyntaxError) -> Expression? {
    guard try accept(word: "using") else { return nil }
    let outer = hasOld
    hasOld = true
    defer { hasOld = outer }
    return try expression()
  }

  mutating func renameStatement() throws(SyntaxError) -> StatementBody {
    if try acceptWordNotOwner("class") {
      let name = try name(.schemaClass)
      try require(word: "to")
      return .rename(.class(name, to: try self.name(.newName)))
    }
    let reference = try propertyReference()
    try require(word: "to")
    return .rename(.property(reference, to: try name(.newName)))
  }

  mutating func dropStatement() throws(SyntaxError) -> StatementBody {
    if try acceptWordNotOwner("class") {
      let name = try name(.schemaClass)
      return .drop(.class(name, links: try accept(word: "links")))
    }
    if try acceptWordNotOwner("index") { return .drop(.index(try propertyReference())) }
    return .drop(.property(try propertyReference()))
  }

  /// Takes the word unless a dot makes it the class of a property.
  private mutating func acceptWordNotOwner(_ word: String) throws(SyntaxError) -> Bool {
    expect(.word(word))
    guard isWord(word), byte(at: token.end) != UInt8(ascii: ".") else { return false }
    try advanceWord()
    return true
  }
}
