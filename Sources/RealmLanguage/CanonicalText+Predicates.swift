import RealmValues

extension CanonicalText {
  /// The text of a query as it can stand after `where`: names in back quotes where needed, strings
  /// in double quotes where possible, parentheses only where needed.
  public static func string(_ query: QuerySyntax) -> String {
    var printer = PredicatePrinter()
    if case .truePredicate(let range) = query.predicate, range.length == 0 {
      // None was written.
    } else {
      printer.print(query.predicate)
    }
    for clause in query.ordering {
      if !printer.text.isEmpty { printer.write(" ") }
      printer.print(clause)
    }
    return String(decoding: printer.text, as: UTF8.self)
  }

  /// The text of a condition.
  public static func string(_ predicate: Predicate) -> String {
    var printer = PredicatePrinter()
    printer.print(predicate)
    return String(decoding: printer.text, as: UTF8.self)
  }

  /// The text of an operand.
  public static func string(_ operand: Operand) -> String {
    var printer = PredicatePrinter()
    printer.print(operand)
    return String(decoding: printer.text, as: UTF8.self)
  }
}

/// Prints predicates. Source: query-language.md 3.
private struct PredicatePrinter {
  var text: [UInt8] = []
  /// Variables of the enclosing SUBQUERYs.
  var variables: [String] = []

  mutating func write(_ string: String) { text += string.utf8 }

  /// Prints `items` with `separator` between them.
  mutating func list<Item>(
    _ items: [Item], _ separator: String = ", ", _ print: (inout PredicatePrinter, Item) -> Void
  ) {
    for (index, item) in items.enumerated() {
      if index > 0 { write(separator) }
      print(&self, item)
    }
  }

  // MARK: Logic

  mutating func print(_ predicate: Predicate) {
    switch predicate {
    case .truePredicate: write("TRUEPREDICATE")
    case .falsePredicate: write("FALSEPREDICATE")
    case .and(let operands, _):
      list(operands, " and ") { printer, operand in printer.print(operand, isInAnd: true) }
    case .or(let operands, _):
      list(operands, " or ") { printer, operand in printer.print(operand, isInAnd: false) }
    case .not(let operand, _):
      write("not ")
      print(operand, isInAnd: true)
    case .comparison(let comparison): print(comparison)
    case .between(let value, let bounds, _):
      print(value)
      write(" between ")
      print(bounds)
    case .geoWithin(let property, let region, _):
      print(property)
      write(" geowithin ")
      print(region)
    }
  }

  /// Prints a part of an `and`, `or` or `not`.
  private mutating func print(_ predicate: Predicate, isInAnd: Bool) {
    let needsParentheses =
      switch predicate {
      case .or: true
      case .and: isInAnd
      default: false
      }
    if needsParentheses { write("(") }
    print(predicate)
    if needsParentheses { write(")") }
  }

  private mutating func print(_ comparison: Comparison) {
    print(comparison.lhs)
    write(" " + comparison.comparator.rawValue + (comparison.folding?.rawValue ?? "") + " ")
    print(comparison.rhs)
  }

  // MARK: Operands

  mutating func print(_ operand: Operand) {
    switch operand {
    case .constant(let constant): print(constant)
    case .property(let property): print(property)
    case .list(let list): print(list)
    case .aggregate(let aggregate):
      print(aggregate.path)
      write("." + aggregate.operation.rawValue)
      if let property = aggregate.property {
        write(".")
        print(name: property.text, isFirst: false)
      }
    case .subquery(let subquery):
      write("SUBQUERY(")
      print(subquery.path)
      write(", ")
      variables.append(subquery.variable.text)
      print(name: subquery.variable.text, isFirst: true)
      write(", ")
      print(subquery.predicate)
      variables.removeLast()
      write(").@count")
    case .arithmetic(let operation, let lhs, let rhs, _):
      print(lhs, beside: operation, isRight: false)
      write(" " + operation.rawValue + " ")
      print(rhs, beside: operation, isRight: true)
    }
  }

  private mutating func print(
    _ operand: Operand, beside operation: ArithmeticOperator, isRight: Bool
  ) {
    func isProduct(_ operation: ArithmeticOperator) -> Bool {
      operation == .multiply || operation == .divide
    }
    var needsParentheses = false
    if case .arithmetic(let inner, _, _, _) = operand {
      needsParentheses =
        isProduct(operation)
        ? isRight || !isProduct(inner) : isRight && !isProduct(inner)
    }
    if needsParentheses { write("(") }
    print(operand)
    if needsParentheses { write(")") }
  }

  private mutating func print(_ list: ListOperand) {
    if let qualifier = list.qualifier { write(qualifier.rawValue + " ") }
    write("{")
    self.list(list.elements) { printer, element in printer.print(element) }
    write("}")
  }

  private mutating func print(_ property: PropertyOperand) {
    if let qualifier = property.qualifier { write(qualifier.rawValue + " ") }
    print(property.path)
    switch property.suffix {
    case nil: break
    case .size: write(".@count")
    case .indexSize: write("[SIZE]")
    case .type: write(".@type")
    }
  }

  private mutating func print(_ path: PropertyPath) {
    for (index, element) in path.elements.enumerated() {
      switch element.kind {
      case .name(let name):
        if index > 0 { write(".") }
        print(name: name, isFirst: index == 0)
      case .index(let index): write("[\(index)]")
      case .first: write("[FIRST]")
      case .last: write("[LAST]")
      case .all: write("[*]")
      case .argument(let number): write("[$\(number)]")
      case .keyPathArgument(let number): write("$K\(number)")
      }
    }
  }

  /// Words that could end the predicate.
  private static let clauseWords: Set<String> = [
    "args", "show", "to", "keys", "as", "policy", "values", "all",
  ]

  private mutating func print(name: String, isFirst: Bool) {
    let utf8 = Array(name.utf8)
    let token = RQLLexer.token(in: utf8.span, at: 0, isBare: false, skipsNewlines: false)
    var isBare =
      token.kind.isName && token.start == 0 && token.end == utf8.count
      && token.kind != .quotedName && !utf8.contains(UInt8(ascii: "\\"))
    if isFirst, utf8.first == UInt8(ascii: "$"), !variables.contains(name) { isBare = false }
    if Self.clauseWords.contains(name.lowercased()) { isBare = false }
    if isBare {
      text += utf8
    } else {
      CanonicalText.append(quotedName: name, to: &text)
    }
  }

  // MARK: Constants

  private mutating func print(_ constant: Constant) {
    if let qualifier = constant.qualifier { write(qualifier.rawValue + " ") }
    switch constant.kind {
    case .null: write("null")
    case .bool(let value): write(value ? "true" : "false")
    case .integer(let value): write(String(value))
    case .float(let value):
      // An infinite one comes from a number out of range.
      write(value.isFinite ? "\(value)f" : value < 0 ? "-1e99f" : "1e99f")
    case .double(_, let written): write(written)
    case .infinity(let isNegative): write(isNegative ? "-inf" : "inf")
    case .nan: write("nan")
    case .string(let value): print(string: value)
    case .binary(let value):
      write("binary(B64\"")
      Base64.append(value, to: &text)
      write("\")")
    case .timestamp(let value): write("T\(value.seconds):\(value.nanoseconds)")
    case .objectID(let value): write("oid(\(value))")
    case .uuid(let value): write("uuid(\(value))")
    case .objectKey(let key): write("O\(key.rawValue)")
    case .typedLink(let table, let key): write("L\(table.rawValue):\(key.rawValue)")
    case .object(let className, let key):
      write("obj(")
      print(string: Array(className.utf8))
      write(", ")
      print(key)
      write(")")
    case .argument(let number): write("$\(number)")
    case .variable(let name): write("$" + name)
    case .value(.string(let value)): print(string: value)
    case .value(let value): CanonicalText.append(value, inMixed: true, to: &text)
    case .objectName(let object): CanonicalText.append(object, to: &text)
    }
  }

  /// Prints a string as written between its quotes, in Base64 if no quotes can hold it.
  private mutating func print(string: [UInt8]) {
    for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] {
      let quoted = [quote] + string + [quote]
      let token = RQLLexer.token(in: quoted.span, at: 0, isBare: true, skipsNewlines: false)
      guard token.kind == .string, token.end == quoted.count, isUTF8(string) else { continue }
      text += quoted
      return
    }
    write("B64\"")
    Base64.append(string, to: &text)
    write("\"")
  }

  private func isUTF8(_ bytes: [UInt8]) -> Bool {
    (try? UTF8Span(validating: bytes.span)) != nil
  }

  // MARK: Regions and clauses

  private mutating func print(_ region: GeoRegion) {
    switch region.shape {
    case .box(let first, let second):
      write("geoBox(")
      print(first)
      write(", ")
      print(second)
      write(")")
    case .circle(let center, let radius):
      write("geoCircle(")
      print(center)
      write(", ")
      print(radius)
      write(")")
    case .polygon(let loops):
      write("geoPolygon(")
      list(loops) { printer, loop in
        printer.write("{")
        printer.list(loop) { printer, point in printer.print(point) }
        printer.write("}")
      }
      write(")")
    case .argument(let number): write("$\(number)")
    case .variable(let name): write("$" + name)
    }
  }

  private mutating func print(_ point: GeoPoint) {
    write("[")
    print(point.longitude)
    write(", ")
    print(point.latitude)
    if let altitude = point.altitude {
      write(", ")
      print(altitude)
    }
    write("]")
  }

  mutating func print(_ clause: OrderingClause) {
    switch clause.kind {
    case .sort(let criteria):
      write("SORT(")
      list(criteria) { printer, criterion in
        printer.print(criterion.path)
        printer.write(criterion.isAscending ? " ASC" : " DESC")
      }
      write(")")
    case .distinct(let paths):
      write("DISTINCT(")
      list(paths) { printer, path in printer.print(path) }
      write(")")
    case .limit(let count): write("LIMIT(\(count))")
    case .offset(let count): write("OFFSET(\(count))")
    }
  }
}
