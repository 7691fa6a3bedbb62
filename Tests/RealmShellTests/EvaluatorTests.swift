import ByteKernels
import RealmLanguage
import RealmValues
import Testing

@testable import RealmShell

/// Operators and functions of expressions, without a database.
struct EvaluatorTests {
  private let variables: [String: ShellValue] = [
    "n": .scalar(.int(3)), "s": .scalar(.string(Array("text".utf8))), "none": .null,
    "min": .scalar(.int(.min)),
  ]

  /// The value of an expression in its literal form; for an error its name.
  private func value(_ text: String) -> String {
    let statement = "print " + text
    do {
      let parsed = try StatementParser.parse(statement)
      guard case .print(let expressions)? = parsed.first?.body, let expression = expressions.first
      else { return "no expression" }
      let evaluator = Evaluator(
        nil, source: SourceText(statement), variable: { variables[$0.text] },
        query: { (_) throws(ShellError) in .null })
      let writer = ByteWriter()
      try ValueWriter(evaluator.schema, to: writer).write(
        try evaluator.value(of: expression, row: nil), isMixed: true, .literal)
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    } catch let error as ShellError {
      return error.name.rawValue
    } catch let error as SyntaxError {
      return error.name.rawValue
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("10 - 2 - 3", "5"), ("-2 + 1", "-1"),
    ("7 / 2", "3"), ("-7 / 2", "-3"), ("7 % 3", "1"), ("-7 % 3", "-1"), ("7 % -3", "1"),
    ("7.0 / 2", "3.5"), ("1 + 0.5", "1.5"), ("7.5 % 2", "1.5"), ("1.5f + 1", "2.5f"),
    ("1.5f + 0.5", "2.0"), ("decimal(0.1) + 1", "decimal(1.1)"),
    ("decimal(1) / 4", "decimal(2.5E-1)"), ("\"a\" + \"b\"", "\"ab\""), ("- $n", "-3"),
    ("- 1.5", "-1.5"), ("1 + null", "null"), ("null * 2", "null"), ("- null", "null"),
  ])
  func arithmetic(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    "9223372036854775807 + 1", "$min - 1", "$min * -1", "- $min", "$min / -1", "$min % -1",
    "abs($min)", "3037000500 * 3037000500", "1 / 0", "1 % 0", "0 / 0", "1.0 / 0", "1 / 0.0",
    "1.0 % 0", "decimal(1) / 0", "decimal(1) % 0",
  ])
  func overflowAndDivisionByZeroAreErrors(_ text: String) {
    #expect(value(text) == "Arithmetic")
  }

  @Test(arguments: [
    "\"a\" + 1", "1 + \"a\"", "\"a\" - \"b\"", "true + 1", "[1] + 1", "2024-05-01 + 1",
    "\"a\" < 1", "[1] < [2]", "1 in 2", "1 contains 1", "1 like \"a\"", "\"a\" and true", "not 1",
    "- \"a\"", "upper(1)", "abs(\"x\")", "count(1)", "first(3)", "keys([1])", "year(1)",
    "join(1, \",\")", "join([1], \",\")", "substr(\"a\", \"b\")", "$n.x", "$s[0]",
    "if(1, 2, 3)", "decimal(5) % 2",
  ])
  func typesHaveToFit(_ text: String) {
    #expect(value(text) == "TypeMismatch")
  }

  @Test(arguments: [
    ("1 == 1.0", "true"), ("1 != 2", "true"), ("\"a\" == \"A\"", "false"),
    ("\"a\" ==[c] \"A\"", "true"), ("1 == \"1\"", "false"), ("null == null", "true"),
    ("null != null", "false"), ("null == 0", "false"), ("1 < 2", "true"), ("2 <= 2", "true"),
    ("\"a\" < \"b\"", "true"), ("2024-05-01 > 2023-05-01", "true"), ("null < 1", "null"),
    ("[1, 2] == [1, 2.0]", "true"), ("[1] == [2]", "false"), ("{a: 1} == {a: 1}", "true"),
    ("{a: 1} == {b: 1}", "false"), ("nan == nan", "true"), ("nan < 1", "true"),
    ("1 in [1, 2]", "true"), ("3 in [1, 2]", "false"), ("null in [null]", "null"),
    ("[1, 2] contains 2", "true"), ("\"text\" contains \"ex\"", "true"),
    ("\"TEXT\" contains[c] \"ex\"", "true"), ("\"text\" beginswith \"te\"", "true"),
    ("\"text\" endswith \"xt\"", "true"), ("\"text\" endswith \"longer text\"", "false"),
    ("\"text\" like \"t*t\"", "true"), ("\"text\" like \"T??T\"", "false"),
    ("\"text\" like[c] \"T??T\"", "true"),
  ])
  func comparisons(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    ("true and false", "false"), ("false and null", "false"), ("null and false", "false"),
    ("true and null", "null"), ("null or true", "true"), ("null or false", "null"),
    ("true or 1 / 0 == 1", "true"), ("false and 1 / 0 == 1", "false"), ("not true", "false"),
    ("not null", "null"),
  ])
  func logicIsThreeValued(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    ("upper(\"straße\")", "\"STRASSE\""), ("lower(\"ÉT\")", "\"ét\""),
    ("trim(\" \\t a b \\n\")", "\"a b\""), ("trim(\"  \")", "\"\""),
    ("length(\"👩‍👩‍👧é\")", "2"), ("length(\"\")", "0"), ("substr(\"Étude\", 1)", "\"tude\""),
    ("substr(\"Étude\", 1, 2)", "\"tu\""), ("substr(\"abc\", -5, 2)", "\"ab\""),
    ("substr(\"abc\", 9)", "\"\""), ("substr(\"abc\", 0, -1)", "\"\""),
    ("substr(\"abc\", 9223372036854775807, 9223372036854775807)", "\"\""),
    ("replace(\"aaa\", \"aa\", \"b\")", "\"ba\""), ("replace(\"a\", \"\", \"b\")", "\"a\""),
    ("split(\"a,,b\", \",\")", "[\"a\", \"\", \"b\"]"), ("split(\"\", \",\")", "[\"\"]"),
    ("split(\"éa\", \"\")", "[\"é\", \"a\"]"), ("join([\"a\", null, \"b\"], \"-\")", "\"a-b\""),
    ("join([], \"-\")", "\"\""), ("upper(null)", "null"), ("length(null)", "null"),
  ])
  func texts(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    ("abs(-3)", "3"), ("abs(-2.5)", "2.5"), ("abs(decimal(-2.5))", "decimal(2.5)"),
    ("round(2.5)", "3.0"), ("round(-2.5)", "-3.0"), ("floor(-2.5)", "-3.0"), ("ceil(2.1)", "3.0"),
    ("round(3)", "3"), ("ceil(1.5f)", "2.0f"), ("floor(inf)", "inf"), ("round(nan)", "nan"),
    ("year(2024-05-01)", "2024"), ("month(2024-12-31T23:59:59Z)", "12"), ("day(2024-05-09)", "9"),
    ("year(0001-01-01)", "1"),
  ])
  func numbersAndDates(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    ("int(\"42\")", "42"), ("int(2.9)", "2"), ("int(-2.9)", "-2"), ("int(true)", "1"),
    ("int(decimal(7.5))", "7"), ("double(\"1e3\")", "1000.0"), ("double(1)", "1.0"),
    ("float(1)", "1.0f"), ("string(5)", "\"5\""), ("string(2.50)", "\"2.5\""),
    ("string(\"a\")", "\"a\""), ("bool(\"TRUE\")", "true"), ("bool(0)", "false"),
    ("date(\"2024-05-01\")", "2024-05-01T00:00:00Z"), ("date(0)", "1970-01-01T00:00:00Z"),
    ("data(\"abc\")", "B64\"YWJj\""), ("decimal(\"1.50\")", "decimal(1.50)"), ("int(null)", "null"),
    ("type(1)", "\"int\""), ("type(1.5)", "\"double\""), ("type(null)", "\"null\""),
    ("type([])", "\"list\""), ("type({})", "\"dictionary\""), ("type(uuid())", "\"uuid\""),
    ("type(oid())", "\"objectId\""), ("type(now())", "\"date\""),
  ])
  func conversions(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    "int(\"x\")", "int(\"\")", "int(1e300)", "int(nan)", "int(inf)", "int([1])", "double(\"x\")",
    "bool(\"maybe\")", "bool(1.5)", "date(\"today\")", "data(1)", "string([1])",
  ])
  func conversionsThatFailAreErrors(_ text: String) {
    #expect(value(text) == "Conversion")
  }

  @Test(arguments: [
    ("if(true, 1, 1 / 0)", "1"), ("if(null, 1, 2)", "2"), ("coalesce(null, 3, 1 / 0)", "3"),
    ("coalesce(null, null)", "null"), ("count([1, null])", "2"), ("first([])", "null"),
    ("first([1, 2])", "1"), ("last([1, 2])", "2"), ("keys({a: 1, \"b c\": 2})", "[\"a\", \"b c\"]"),
    ("values({a: 1})", "[1]"), ("{a: 1, \"b c\": [2]}", "{a: 1, \"b c\": [2]}"), ("$n", "3"),
    ("$none.name", "null"), ("env(\"NO_SUCH_VARIABLE\")", "null"),
  ])
  func choicesAndCollections(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test(arguments: [
    ("upper()", "InvalidArgument"), ("upper(\"a\", \"b\")", "InvalidArgument"),
    ("if(true, 1)", "InvalidArgument"), ("coalesce()", "InvalidArgument"),
    ("now(1)", "InvalidArgument"), ("$missing", "UnknownVariable"), ("name", "InvalidProperty"),
    ("nosuch(1)", "NoSuchTable"), ("Dog(1)", "NoSuchTable"), ("1 +", "Syntax"), ("(1", "Syntax"),
    ("[1, 2", "Syntax"), ("\"open", "Syntax"), ("{a 1}", "Syntax"), ("decimal(\"x\")", "Syntax"),
  ])
  func mistakesAreErrors(_ text: String, _ expected: String) {
    #expect(value(text) == expected)
  }

  @Test func everyFunctionRejectsTheWrongNumberOfArguments() {
    for function in Grammar.functions {
      for count in 0...4 where !function.argumentCount.contains(count) {
        let arguments = Array(repeating: "null", count: count).joined(separator: ", ")
        // What stands in oid() and uuid() may be no expression.
        let error = value("\(function.name)(\(arguments))")
        #expect(["InvalidArgument", "Syntax"].contains(error), "\(function.name)")
      }
      for argument in ["null", "1", "\"a\"", "[1]", "{a: 1}", "nan", "2024-05-01", "true"] {
        let count = function.argumentCount.lowerBound
        let arguments = Array(repeating: argument, count: count).joined(separator: ", ")
        #expect(!value("\(function.name)(\(arguments))").isEmpty)
      }
    }
  }

  @Test func definitionsAreLiteralsOrTexts() {
    func form(_ text: String) -> String {
      let writer = ByteWriter()
      let evaluator = Evaluator(
        nil, source: SourceText(""), variable: { _ in nil },
        query: { (_) throws(ShellError) in .null })
      try? ValueWriter(evaluator.schema, to: writer).write(
        ShellValue(definition: text), isMixed: true, .literal)
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
    #expect(form("3") == "3")
    #expect(form("-3") == "-3")
    #expect(form("true") == "true")
    #expect(form("null") == "null")
    #expect(form("\"3\"") == "\"3\"")
    #expect(form("2024-05-01") == "2024-05-01T00:00:00Z")
    #expect(form("some text") == "\"some text\"")
    #expect(form("1 + 2") == "\"1 + 2\"")
    #expect(form("1, 2") == "\"1, 2\"")
    #expect(form("3; print 4") == "\"3; print 4\"")
    #expect(form("") == "\"\"")
    #expect(form("it's") == "\"it's\"")
  }
}
