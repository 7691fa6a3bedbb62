import ByteKernels
import RealmLanguage
import TestSupport
import Testing

@testable import RealmShell

/// Messages: the place, the line, the carets under it, and what would help.
struct ErrorPrinterTests {
  /// The message for the first place where a part stands in a text.
  private func message(
    _ text: String, at part: String, form: ErrorPrinter.Form = .human, promptWidth: Int? = nil,
    width: Int? = nil, edit: (inout ShellError) -> Void = { _ in }
  ) -> String {
    let bytes = Array(text.utf8)
    let wanted = Array(part.utf8)
    let start = (0...bytes.count).first { bytes[$0...].starts(with: wanted) } ?? 0
    let range = SourceRange(start: start, end: start + wanted.count)
    var error = ShellError(.syntax, "wrong", at: range)
    edit(&error)
    let source = SourceText(fileName: "a.realmsh", bytes: bytes)
    let writer = ByteWriter()
    ErrorPrinter(form: form, writer: writer, width: width).print(
      error, origin: .init(source: source, promptWidth: promptWidth, statement: nil))
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  @Test func placesCountFromOne() {
    #expect(
      message("abc\nwhere Dog", at: "Dog") == """
        a.realmsh:2:7: error: wrong [Syntax]
          2 | where Dog
            |       ^^^

        """)
  }

  @Test func anInterruptAtThePromptStandsBelowTheCtrlC() {
    let writer = ByteWriter()
    let range = SourceRange(start: 0, end: 9)
    ErrorPrinter(form: .human, writer: writer).print(
      ShellError(.interrupted, "interrupted", at: range),
      origin: .init(source: SourceText("where Dog"), promptWidth: 6, statement: range))
    #expect(
      String(decoding: writer.takeBytes(), as: UTF8.self)
        == "\nerror: interrupted [Interrupted]\n")
  }

  @Test func controlsTakeOneColumnAndDoNothing() {
    let text = message("\twhere \u{1B}[2JDog", at: "Dog") { $0.suggestion = "\u{1B}[31mDog" }
    #expect(
      text == """
        a.realmsh:1:12: error: wrong [Syntax]
          1 |  where \\u001b[2JDog
            |                 ^^^ did you mean \\u001b[31mDog?

        """)
    let turned = message("where \u{202E}Dog", at: "Dog") { $0.message = "a\u{2066}b\u{9B}c\nd" }
    #expect(
      turned == """
        a.realmsh:1:8: error: a\\u2066b\\u009bc\\nd [Syntax]
          1 | where \\u202eDog
            |             ^^^

        """)
  }

  private static let key = String(repeating: "0aB1", count: 32)
  private static let base64 = String(repeating: "QUJD", count: 21) + "QQ=="

  @Test(arguments: [
    "key \"hex:\(key)", "key hex:\(key.dropLast(10))", "key '\(key)", "key \(key)00",
    "key \"BASE64:\(base64)", "key \"\(base64)", "key \"bytes:1,2,-3,4,5,6,7,8,9",
    "key \"hex:\\u0030\(key)", "key \"\\u0068ex:\(key.prefix(64))",
    "key \"hex:\(key.prefix(20)) \n\t\(key.dropFirst(20))", "-k hex:\(key.prefix(16))",
  ])
  func keysAreNotRepeated(_ text: String) {
    let parts = ["0aB1", "QUJD", "u0068", "3,4", ",-3"]
    for form in ErrorPrinter.Form.allCases {
      let far = String(repeating: "x", count: 400)
      for statement in [
        "open a \(text)\" here", "\(far) \(text)\" here", "open \(text) here \(far)",
      ] {
        let source = SourceText(statement)
        let place = Array(statement.utf8).count - (statement.hasSuffix("x") ? 410 : 4)
        let range = SourceRange(start: place, end: place + 4)
        var error = ShellError(
          .syntax, "no file \(text)", at: range, suggestion: text, remedy: text)
        error.details = [text]
        error.subject = text
        let whole = SourceRange(start: 0, end: source.bytes.count)
        let writer = ByteWriter()
        ErrorPrinter(form: form, writer: writer).print(
          error, origin: .init(source: source, promptWidth: nil, statement: whole))
        let printed = String(decoding: writer.takeBytes(), as: UTF8.self)
        #expect(printed.contains("***"))
        #expect(!parts.contains { printed.contains($0) }, "\(printed)")
      }
    }
  }

  @Test func whatIsNoKeyIsRepeated() {
    for text in [
      "add Dog {photo: hex(\"\(Self.key)\")}", "add Dog {photo: B64\"\(Self.base64)\"}",
      "open a key \"hex:00\"", "print \"bytes: 1,2,3,4,5,6,7,8,9\"", "print 'a\\'b'",
    ] {
      #expect(message(text + " x", at: " x").contains(text))
    }
  }

  @Test func textsAreBrokenBetweenWords() {
    func broken(_ text: String, promptWidth: Int?) -> String {
      message(text, at: "Dgo", promptWidth: promptWidth, width: 60) {
        $0.message = "expected SORT, DISTINCT, LIMIT, and, or, args, show or end of statement"
        $0.suggestion = "Dog"
        $0.remedy = "with a class that has dogs: where Person ANY dogs.age > 3"
      }
    }
    #expect(
      broken("where Dgo", promptWidth: 6) == """
                    ^^^ error: expected SORT, DISTINCT, LIMIT, and,
                        or, args, show or end of statement [Syntax]
                    did you mean Dog? or, with a class that has
                    dogs: where Person ANY dogs.age > 3

        """)
    // Too little room is left.
    #expect(
      broken("where Dog age > 3 and name == Dgo", promptWidth: 6) == """
                                            ^^^
          error: expected SORT, DISTINCT, LIMIT, and, or, args, show
          or end of statement [Syntax]
          did you mean Dog? or, with a class that has dogs: where
          Person ANY dogs.age > 3

        """)
    #expect(
      broken("where Dgo", promptWidth: nil) == """
        a.realmsh:1:7: error: expected SORT, DISTINCT, LIMIT, and,
          or, args, show or end of statement [Syntax]
          1 | where Dgo
            |       ^^^ did you mean Dog? or, with a class that has
                        dogs: where Person ANY dogs.age > 3

        """)
    let long = broken("where \(String(repeating: "x", count: 200)) Dgo", promptWidth: nil)
    #expect(long.split(separator: "\n").allSatisfy { $0.count <= 60 })
    #expect(long.contains("xxx Dgo\n"))
  }

  /// A place is shown under what was typed only if that stands in one row.
  @Test func whatTakesTwoRowsIsShownAgain() {
    let text = "where Dgo name == \"Rex\""
    #expect(
      message(text, at: "Dgo", promptWidth: 6, width: 29)
        == "            ^^^\n  error: wrong [Syntax]\n")
    #expect(message(text, at: "Dgo", promptWidth: 6).hasPrefix("            ^^^ error"))
    #expect(
      message(text, at: "Dgo", promptWidth: 6, width: 28)
        .hasPrefix("a.realmsh:1:7: error:"))
  }

  @Test func veryLongTextsAreCut() {
    let word = String(repeating: "é", count: 100_000)
    let text = message("where \(word)", at: word) { $0.message = "no class \(word) here" }
    #expect(text.utf8.count < 4_000)
    #expect(text.contains("no class ééé"))
    #expect(text.contains("ééé … ééé"))
    #expect(text.contains("ééé here [Syntax]\n"))
    let json = message(word, at: word, form: .json) { $0.message = word }
    #expect(json.utf8.count < 4_000)
    #expect(JSONValue(Array(json.utf8)) != nil)
  }

  @Test func columnsAreCharactersAndCaretsStandUnderTheScreen() {
    #expect(
      message("print 狗狗 é👩‍👩‍👧 Dog", at: "Dog") == """
        a.realmsh:1:13: error: wrong [Syntax]
          1 | print 狗狗 é👩‍👩‍👧 Dog
            |                ^^^

        """)
    #expect(
      message("where 狗狗", at: "狗狗") == """
        a.realmsh:1:7: error: wrong [Syntax]
          1 | where 狗狗
            |       ^^^^

        """)
    // The accent is a character of its own in the text, but not on the screen.
    #expect(message("e\u{301} x", at: "x").hasSuffix("\n    |   ^\n"))
    #expect(message("e\u{301} x", at: "x").hasPrefix("a.realmsh:1:3: "))
  }

  @Test func theEndOfTheTextHasOneCaret() {
    #expect(
      message("count", at: "") == """
        a.realmsh:1:1: error: wrong [Syntax]
          1 | count
            | ^

        """)
    let source = message("count\n", at: "\n")
    #expect(source.hasSuffix("\n    |      ^\n"))
  }

  @Test func caretsEndWithTheLine() {
    #expect(
      message("print (1\n+ x)", at: "(1\n+ x)") == """
        a.realmsh:1:7: error: wrong [Syntax]
          1 | print (1
            |       ^^

        """)
  }

  @Test func longLinesAreCut() {
    let text = String(repeating: "狗", count: 1000) + "Dgo" + String(repeating: "é", count: 1000)
    let lines = message(text, at: "Dgo").split(separator: "\n")
    #expect(lines.first == "a.realmsh:1:1001: error: wrong [Syntax]")
    #expect(lines[1].hasPrefix("  1 | …狗") && lines[1].hasSuffix("é…"))
    #expect(lines[1].utf8.count < 320)
    #expect(lines[1].contains(String(repeating: "狗", count: 33) + "Dgo"))
    let caret = lines[2].firstIndex(of: "^").map {
      lines[2].distance(from: lines[2].startIndex, to: $0)
    }
    let dogs = lines[1].count { $0 == "狗" }
    #expect(caret == "  1 | …".count + 2 * dogs)
    #expect(message(String(repeating: "x", count: 1000), at: "").contains("\n  1 | xxx"))
  }

  @Test func helpFollowsTheCarets() {
    let suggested = message("where Dgo", at: "Dgo") { $0.suggestion = "Dog" }
    #expect(suggested.hasSuffix("|       ^^^ did you mean Dog?\n"))
    let remedied = message("where Dgo", at: "Dgo") {
      $0.remedy = "open PATH"
      $0.details = ["first", "second"]
    }
    #expect(remedied.hasSuffix("|       ^^^ open PATH\n  first\n  second\n"))
  }

  @Test func atThePromptTheCaretsStandUnderTheLine() {
    #expect(
      message("where 狗 Dgo", at: "Dgo", promptWidth: 6) { $0.suggestion = "Dog" } == """
                       ^^^ error: wrong [Syntax]
                       did you mean Dog?

        """)
  }

  @Test func jsonHasEveryField() {
    #expect(
      message("where 狗狗 \"x\"", at: "\"x\"", form: .json) { $0.suggestion = "a\"b" }
        == #"{"error":"Syntax","message":"wrong","file":"a.realmsh","line":1,"column":10,"#
        + #""length":3,"suggestion":"a\"b"}"# + "\n")
  }

  @Test func errorsWithoutAPlaceNameTheProgramOrTheirSubject() {
    func text(_ error: ShellError) -> String {
      let writer = ByteWriter()
      ErrorPrinter(form: .human, writer: writer).print(error, origin: nil)
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
    var error = ShellError(.noKey, "no key", remedy: "--key file:PATH")
    #expect(text(error) == "realmsh: error: no key [NoKey]\n  hint: --key file:PATH\n")
    error.subject = "x.realm"
    #expect(text(error) == "x.realm: error: no key [NoKey]\n  hint: --key file:PATH\n")
  }

  @Test func statusesAreThoseOfTheManual() {
    let statuses = ErrorName.allCases.reduce(into: [Int32: [String]]()) {
      $0[$1.exitStatus, default: []].append($1.rawValue)
    }
    #expect(statuses[2] == ["Usage"])
    #expect(
      statuses[3] == [
        "FileNotFound", "FileAlreadyExists", "PermissionDenied", "FileBusy", "MismatchedConfig",
        "FileOperationFailed",
      ])
    #expect(
      statuses[4] == [
        "NotARealmFile", "UnsupportedFileFormatVersion", "FileFormatUpgradeRequired", "SyncHistory",
      ])
    #expect(statuses[5] == ["WrongKey", "NoKey", "InvalidEncryptionKey"])
    #expect(statuses[6] == ["Damaged"])
    #expect(statuses[130] == ["Interrupted"])
    #expect(ErrorName.allCases.allSatisfy { !$0.meaning.isEmpty })
  }
}
