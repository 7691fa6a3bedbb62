import ByteKernels
import RealmObjects
import Testing

@testable import RealmShell

/// Texts in literals, cells, JSON, CSV and TSV.
struct TextFormTests {
  private func written(_ body: (ByteWriter) -> Void) -> String {
    let writer = ByteWriter()
    body(writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  private func needsQuotes(_ text: String, isMixed: Bool = false) -> Bool {
    Array(text.utf8).withUnsafeBytes { LiteralText.needsQuotes($0, isMixed: isMixed) }
  }

  @Test(arguments: [
    ("Dog", "Dog"), ("狗", "狗"), ("", "``"), ("a b", "`a b`"), ("a`b", "`a``b`"),
    ("a\u{1B}[2J\n\u{9B}", #"`a\u001b[2J\u000a\u009b`"#),
  ])
  func namesAreQuotedAndHaveNoControls(_ name: String, _ expected: String) {
    #expect(quotedName(name) == expected)
  }

  @Test(arguments: ["", " a", "a ", "null", "a\nb", "\t", "a\u{7F}", "a\u{85}"])
  func textsThatCouldBeMistakenAreQuoted(_ text: String) {
    #expect(needsQuotes(text))
    #expect(needsQuotes(text, isMixed: true))
  }

  @Test(arguments: ["a", "a b", "nul", "NULL", "nullable", "3", "true", "狗狗", "a\"b", "\\", "é"])
  func plainTextsAreNot(_ text: String) {
    #expect(!needsQuotes(text))
  }

  @Test(arguments: [
    "3", "-3", "+3", ".5", "1.5", "0x2A", "2024-05-01", "true", "FALSE", "nil", "inf", "Infinity",
    "NaN", "-inf", "[1]", "{}", "\"a\"", "'a'", "`a`", "$x", "Dog(1)", "Dog#12",
    "uuid(3b241101-e2bb-4255-8caf-4136c566a962)", "-1.5f", "[1, {a: Dog(1)}]",
    "B64\"YQ==\"", "T0:0", "decimal(1)",
  ])
  func textsThatReadAsOtherTypesAreQuotedInMixed(_ text: String) {
    #expect(needsQuotes(text, isMixed: true))
    #expect(!needsQuotes(text))
  }

  @Test(arguments: [
    "a", "a b", "Rex", "true enough", "not (1)", "infinite", "a-b", "狗狗",
    "3 dogs", "2024-05-01 10:00", "[x", "(1)", "Rex (old)",
  ])
  func otherTextsAreNotQuotedInMixed(_ text: String) {
    #expect(!needsQuotes(text, isMixed: true))
  }

  @Test func literalsEscapeWhatCannotStand() {
    func escaped(_ bytes: [UInt8], _ form: EscapedText.Form = .literal) -> String {
      written { out in bytes.withUnsafeBytes { EscapedText.write($0, form, to: out) } }
    }
    #expect(escaped(Array("a\n\t\r\\\"\0\u{1F}é🐕".utf8)) == #"a\n\t\r\\\"\u0000\u001fé🐕"#)
    #expect(escaped(Array("a\\b\"c\n".utf8), .bare) == #"a\b"c\n"#)
    #expect(escaped([0x61, 0xFF, 0xC3, 0x62, 0xE7, 0x8B]) == #"a\xff\xc3b\xe7\x8b"#)
    #expect(escaped([]) == "")
    // Some terminals obey the controls from U+0080 on.
    #expect(escaped(Array("a\u{9B}2J\u{A0}".utf8), .bare) == #"a\u009b2J\#u{A0}"#)
  }

  @Test(arguments: ["a", "_", "a1", "Dog", "é", "狗狗", "a_b"])
  func namesStandBare(_ text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { LiteralText.isName($0) })
  }

  @Test(arguments: ["", "1a", "a b", "a-b", "New York", "a.b", "🐕", "$x", "é!"])
  func otherKeysAreStrings(_ text: String) {
    #expect(!Array(text.utf8).withUnsafeBytes { LiteralText.isName($0) })
  }

  @Test func jsonEscapesOnlyWhatItMust() {
    func json(_ bytes: [UInt8]) -> String {
      written { out in bytes.withUnsafeBytes { JSONText.writeString($0, to: out) } }
    }
    #expect(json(Array("a\"\\\n\r\t\u{01}/é🐕\u{7F}".utf8)) == #""a\"\\\n\r\t\u0001/é🐕\#u{7F}""#)
    #expect(json([0x61, 0xFF, 0x62]) == "\"a\u{FFFD}b\"")
    #expect(written { JSONText.writeString("", to: $0) } == "\"\"")
  }

  private func field(_ text: String, _ style: RecordStyle) -> String {
    written { out in
      Array(text.utf8).withUnsafeBytes {
        style == .csv ? RecordText.writeCSV($0, to: out) : RecordText.writeTSV($0, to: out)
      }
    }
  }

  @Test func csvQuotesByTheStandard() {
    #expect(field("abc", .csv) == "abc")
    #expect(field("", .csv) == "\"\"")
    #expect(field("a,b", .csv) == "\"a,b\"")
    #expect(field("a\"b", .csv) == "\"a\"\"b\"")
    #expect(field("\"", .csv) == "\"\"\"\"")
    #expect(field("a\nb", .csv) == "\"a\nb\"")
    #expect(field("a\rb", .csv) == "\"a\rb\"")
    #expect(field(" a\tb ", .csv) == " a\tb ")
  }

  @Test func tsvEscapes() {
    #expect(field("abc", .tsv) == "abc")
    #expect(field("", .tsv) == "")
    #expect(field("a\tb\nc\rd\\e", .tsv) == #"a\tb\nc\rd\\e"#)
    #expect(field("\\N", .tsv) == #"\\N"#)
    #expect(field("a,\"b\"", .tsv) == "a,\"b\"")
  }

  @Test func numbersAreGrouped() {
    #expect(
      [0, 12, 999, 1000, 123_456, 1_234_567, -1234, -12].map { grouped($0) } == [
        "0", "12", "999", "1,000", "123,456", "1,234,567", "-1,234", "-12",
      ])
    #expect(grouped(.min) == "-9,223,372,036,854,775,808")
    #expect(counted(1, "object", "objects") == "1 object")
    #expect(counted(0, "object", "objects") == "0 objects")
    #expect(counted(1000, "object", "objects") == "1,000 objects")
  }

  @Test func sizesHaveUnits() {
    #expect(
      [0, 1023, 1024, 1536, 9318].map { sizeText($0) } == [
        "0 B", "1023 B", "1.0 KiB", "1.5 KiB", "9.1 KiB",
      ])
    #expect(sizeText((1 << 20) - 1) == "1.0 MiB")
    #expect(sizeText(3 << 30) == "3.0 GiB")
    #expect(sizeText(.max) == "8388608.0 TiB")
  }

  @Test func timesHaveUnits() {
    #expect(
      [0, 0.04, 0.06, 12.34, 999.9].map { timeText($0) } == [
        "0.0 ms", "0.0 ms", "0.1 ms", "12.3 ms", "999.9 ms",
      ])
    #expect([1000, 1234.5, 61_000].map { timeText($0) } == ["1.00 s", "1.23 s", "61.00 s"])
  }
}
