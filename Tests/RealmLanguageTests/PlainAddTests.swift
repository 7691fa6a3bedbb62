import RealmLanguage
import Testing

/// Plain `add`s are those statements that the parser reads in the same way, without a tree.
@Suite struct PlainAddTests {
  static let plain = [
    "add Dog {_id: 1, name: \"Rex\"}", "ADD Dog[1, 'x', null, true, false]", "add A {}", "add A []",
    "add Dog {\n_id :\n-7 ,\n # comment\n name: \"\",\n} # more", "add Größe {größe: 1}",
    "add A {a: 0x2A, b: 9223372036854775807, c: -9223372036854775808, d: 9223372036854775808}",
    "add A {a: 1.5, b: 1e300, c: .5, d: 1., e: -0.0, f: 123456789012345678.25, g: 1e999}",
    "add A {a: 2024-05-01, b: 2024-05-01T12:00:00.5+02:00, c: 1969-12-31@23:59:59:5}",
    "add A {b: \"é'🐶\\t\"}".replacing("\\t", with: "\t"), "; ;add A {a: 1};",
  ]

  static let others = [
    "add A {a: 1} as $x", "add A {a: 1}, {a: 2}", "add A {a: 1 + 2}", "add A {a: - 2}",
    "add A {a: \"\\n\"}", "add A {\"a\": 1}", "add `A` {a: 1}", "add A {`a`: 1}", "add A {a: NULL}",
    "add A {a: TRUE}", "add A {a: 1.5f}", "add A {a: B64\"AA==\"}", "add A {a: +1}",
    "add A {a: inf}",
    "add A {a: [1]}", "add A {a: {b: 1}}", "add A {a: b}", "add A {a: $x}", "add A {a: Dog(1)}",
    "add A {a: uuid()}", "add A {a: -2024-05-01T00:00:00Z}", "add A {a: 1} | cat", "add A 1",
    "time add A {a: 1}", "upsert A {a: 1} policy", "upsert A {a: 1} policy some",
    "upsert A {a: 1} as $x", "upsert A {a: 1} policy all as $x", "add A {a: 1} policy all",
    "add A {a: 1 b: 2}", "add A {a: 1,, b: 2}", "add A {a}",
    "add A {a: 1", "add A {a: 2024-13-01}", "add A {a: 0xFFFFFFFFFFFFFFFFF}", "add A {a: 1}}",
    "add A {a: \"x}", "add A [a: 1]", "add A {1}", "", "add", "add A", "count A",
  ]

  /// What the outline of the statement is.
  static func outline(_ add: PlainAdd, _ bytes: [UInt8]) -> String {
    func text(_ range: SourceRange) -> String {
      String(decoding: bytes[range.start..<range.end], as: UTF8.self)
    }
    let isObject = add.fields.first.map { $0.key.length > 0 }
    let fields = add.fields.map { field in
      let kind: Literal.Kind =
        switch field.value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .integer(value)
        case .double(let value): .double(value, text: text(field.literal))
        case .date(let value): .date(value)
        case .string: .string(Array(bytes[field.literal.start..<field.literal.end]))
        }
      let value = Expression.literal(Literal(kind, range: field.literal))
      return ObjectField(key: Name(text(field.key), range: field.key), value: value)
    }
    let hasBraces = isObject ?? (bytes[add.range.end - 1] == UInt8(ascii: "}"))
    let value: Expression =
      hasBraces
      ? .object(fields, range: add.range) : .array(fields.map(\.value), range: add.range)
    let statement = AddStatement(
      className: Name(text(add.className), range: add.className), values: [value])
    return RealmLanguageTests.outline(Statement(body: .add(statement), range: add.range))
  }

  @Test(arguments: plain) func areReadAsTheParserDoes(_ text: String) throws {
    let source = SourceText(text)
    var parser = StatementParser(source)
    var add = PlainAdd()
    let isPlain = parser.next(&add)
    #expect(isPlain)
    parser.goBack(to: add)
    let statement = try #require(try parser.next())
    #expect(add.range == statement.range)
    #expect(Self.outline(add, source.bytes) == RealmLanguageTests.outline(statement))
    #expect(try parser.next() == nil)
  }

  @Test(arguments: [
    "upsert A {a: 1}", "Upsert A [1, 'x'] policy all", "upsert A {a: -1.5} POLICY Error;",
    "upsert A {a: 1, b: null} policy modified # comment",
  ])
  func upsertsAreReadAsTheParserDoes(_ text: String) throws {
    let source = SourceText(text)
    var parser = StatementParser(source)
    var add = PlainAdd()
    let isPlain = parser.next(&add)
    #expect(isPlain && add.isUpsert)
    parser.goBack(to: add)
    let statement = try #require(try parser.next())
    #expect(add.range == statement.range)
    guard case .upsert(let upsert) = statement.body else {
      Issue.record("no upsert")
      return
    }
    let same = AddStatement(className: upsert.className, values: upsert.values)
    #expect(
      Self.outline(add, source.bytes)
        == RealmLanguageTests.outline(Statement(body: .add(same), range: statement.range)))
  }

  @Test(arguments: others) func othersAreLeftToTheParser(_ text: String) throws {
    var parser = StatementParser(SourceText(text))
    var whole = parser
    var add = PlainAdd()
    let isPlain = parser.next(&add)
    #expect(!isPlain)
    // Nothing was read.
    let result = Result { try parser.next() }
    let wanted = Result { try whole.next() }
    #expect(String(describing: result) == String(describing: wanted))
  }

  @Test func blocksGiveThemToo() throws {
    let text = "write { add A {a: 1}; count A\n add A [2]; add A {a: 3} }"
    let statement = try #require(try StatementParser.parse(text).first)
    guard case .write(let block) = statement.body else {
      Issue.record("no block")
      return
    }
    var statements = block.statements
    var add = PlainAdd()
    var order: [String] = []
    while true {
      while statements.next(&add) { order.append(SourceText(text).text(of: add.range)) }
      guard let other = statements.next() else { break }
      order.append(SourceText(text).text(of: other.range))
    }
    #expect(order == ["add A {a: 1}", "count A", "add A [2]", "add A {a: 3}"])
    #expect(
      block.statements.map { SourceText(text).text(of: $0.range) } == order)
  }
}
