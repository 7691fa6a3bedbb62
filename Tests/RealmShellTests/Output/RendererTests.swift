import ByteKernels
import RealmLanguage
import RealmObjects
import TestSupport
import Testing

@testable import RealmShell

/// Results in the output modes, with the layout of terminals.
struct RendererTests {
  /// What a `where` statement prints with given settings.
  private func output(
    _ statement: String, rows: Range<Int>? = nil, hasMore: Bool = false,
    _ edit: (inout OutputSettings) -> Void = { _ in }
  ) throws -> String {
    let session = try openDogs()
    session.source = SourceText(statement)
    guard case .where(let query)? = try StatementParser.parse(statement).first?.body else {
      return "no query"
    }
    let result = try session.find(query)
    var settings = OutputSettings()
    edit(&settings)
    let writer = ByteWriter()
    try Renderer(result, settings, to: writer).render(
      rows: rows ?? 0..<result.keys.count, hasMore: hasMore)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  private func openDogs() throws -> Session {
    let session = Session(
      try Invocation(arguments: []), output: ByteWriter(), outputIsTerminal: false)
    let realm = try Realm(path: "\(Fixtures.root)/Tests/Fixtures/dogs.realm")
    session.databases = [
      Session.Database(name: "dogs", realm: realm, isReadOnly: true, for: session)
    ]
    session.currentName = "dogs"
    return session
  }

  private func asTerminal(_ width: Int) -> (inout OutputSettings) -> Void {
    { settings in
      settings.isTerminal = true
      settings.width = width
    }
  }

  // MARK: Tables

  @Test func numbersAndPositionsAreRightAligned() throws {
    #expect(
      try output("where Dog age < 4 show name, age, age * 10 as tenfold, favoriteToy.name") == """
        #  name   age  tenfold  favoriteToy.name
        -  -----  ---  -------  ----------------
        0  Rex      1       10  Ball
        1  Fido     3       30  null
        2  Bella    0        0  null
        3 objects

        """)
  }

  @Test func aVeryLongTextDoesNotMakeAllRowsLong() throws {
    let long = String(repeating: "x", count: 100_000)
    let text = try output("where Dog show if(age == 1, \"\(long)\", name) as text, age")
    #expect(text.contains(long + "    1\n"))
    #expect(text.utf8.count < 120_000)
  }

  @Test func cellsAreCutOnATerminal() throws {
    #expect(
      try output("where Dog LIMIT(2) show name, citiesVisited", asTerminal(30)) == """
        #  name    citiesVisited
        ─  ──────  ───────────────────
        0  Rex     ["Toronto"]
        1  Wolfie  ["Chicago", "New Y…
        2 objects

        """)
    #expect(
      try output("where Dog LIMIT(2) show citiesVisited") {
        asTerminal(80)(&$0)
        $0.cellWidth = 16
        $0.fits = false
      } == """
        #  citiesVisited
        ─  ────────────────
        0  ["Toronto"]
        1  ["Chicago", "Ne…
        2 objects

        """)
  }

  @Test func theWidestColumnsAreNarrowedFirst() throws {
    let text = try output(
      "where Dog name == \"Maui\" show name, citiesVisited, favoriteParksByCity", asTerminal(44))
    #expect(
      text == """
        #  name  citiesVisited     favoriteParksByC…
        ─  ────  ────────────────  ─────────────────
        0  Maui  ["Chicago", "Ho…  {Chicago: "Linco…
        1 object

        """)
  }

  @Test func whatCannotFitIsPrintedAsLines() throws {
    #expect(
      try output("where Dog LIMIT(1) show name, age, citiesVisited, color", asTerminal(28)) == """
        Dog#0
          name           "Rex"
          age            1
          citiesVisited  ["Toronto"]
          color          "brown"
        1 object (as lines: a table needs 29 columns)

        """)
    #expect(
      try output("where Dog LIMIT(1) show name, age, citiesVisited, color") {
        asTerminal(34)(&$0)
        $0.mode = .box
      }.hasSuffix("(as lines: a table needs 37 columns)\n"))
  }

  @Test func coloursMarkTitlesNullsNumbersAndLinks() throws {
    #expect(
      try output("where Dog name == \"Fido\" show name, age, companion, favoriteToy") {
        $0.usesColor = true
        $0.showsIndex = false
      } == "\u{1B}[1mname\u{1B}[0m  \u{1B}[1mage\u{1B}[0m  \u{1B}[1mcompanion\u{1B}[0m  "
        + "\u{1B}[1mfavoriteToy\u{1B}[0m\n\u{1B}[2m----  ---  ---------  -----------\u{1B}[0m\n"
        + "Fido    \u{1B}[36m3\u{1B}[0m  \u{1B}[34mDog#0\u{1B}[0m      \u{1B}[2mnull\u{1B}[0m\n"
        + "1 object\n")
  }

  @Test func theCursorIsPlacedAfterTextsOfUncertainWidth() {
    func line(_ mode: Settings.Mode) -> String {
      let writer = ByteWriter()
      var settings = OutputSettings(mode: mode)
      settings.isTerminal = true
      settings.placesCursor = true
      let columns = ["a", "b"].map {
        TableColumn(title: TitleText($0), isRightAligned: false, width: 6)
      }
      let printer = TablePrinter(columns, settings, to: writer)
      for (i, text) in ["👩‍👩‍👧", "x🇳🇴"].enumerated() {
        Array(text.utf8).withUnsafeBytes { printer.write($0, column: i, nil) }
      }
      printer.endRow()
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
    #expect(line(.table) == "👩‍👩‍👧    \u{1B}[7G  x🇳🇴\n")
    #expect(line(.box) == "│ 👩‍👩‍👧    \u{1B}[9G │ x🇳🇴   \u{1B}[18G │\n")
  }

  @Test func nullsHaveTheTextOfTheSetting() throws {
    #expect(
      try output("where Dog name == \"Fido\" show name, favoriteToy, favoriteToy.name") {
        $0.mode = .lines
        $0.nullText = "∅"
      } == "Dog#2\n  name              \"Fido\"\n  favoriteToy       ∅\n"
        + "  favoriteToy.name  ∅\n1 object\n")
    #expect(
      try output("where Dog name == \"Fido\" show favoriteToy") {
        $0.mode = .jsonl
        $0.nullText = "∅"
      } == "{\"favoriteToy\":null}\n")
  }

  @Test func barsAreEscapedInMarkdown() throws {
    #expect(
      try output("where Dog LIMIT(1) show name + \"|\" as bar") { $0.mode = .markdown } == """
        |   # | bar   |
        | --: | ----- |
        |   0 | Rex\\| |

        """)
  }

  // MARK: Footers

  @Test func footersTellWhatIsLeft() throws {
    let few = try output("where Dog show name", rows: 0..<2, hasMore: true)
    #expect(few.hasSuffix("2 of 7 objects (more)\n"))
    let next = try output("where Dog show name", rows: 2..<4, hasMore: true)
    #expect(next.hasSuffix("4 of 7 objects (more)\n"))
    #expect(try !output("where Dog show name", rows: 4..<7).contains("object"))
    #expect(try output("where Dog age > 100") == "no objects\n")
    #expect(try output("where Dog age > 100") { $0.showsFooter = false } == "")
    #expect(try output("where Dog age > 100") { $0.mode = .json } == "[]\n")
  }

  // MARK: JSON and records

  @Test func jsonObjectsStandOnALineUpTo80Columns() throws {
    func lineCount(_ length: Int) throws -> Int {
      // Braces, the name, its quotes, colon and blank take 9 columns, the indent 2.
      let text = String(repeating: "x", count: length)
      let printed = try output("where Dog LIMIT(1) show \"\(text)\" as t") { $0.mode = .json }
      return printed.split(separator: "\n").count
    }
    #expect(try lineCount(69) == 3)
    #expect(try lineCount(70) == 5)
  }

  @Test func shapesKeepTheTagsOfMixedValues() throws {
    #expect(
      try output("where Person id == 1234 show name, dogs {name, companion}") { $0.mode = .jsonl }
        == #"{"name":"Bowie","dogs":[{"name":"Fido","companion":{"$link":"Dog","obj":0}},"#
        + #"{"name":"Maui","companion":null},{"name":"Bella","companion":null}]}"# + "\n")
    #expect(
      try output("where Dog LIMIT(1) show name, favoriteToy {name}") { $0.mode = .csv }
        == "name,favoriteToy\nRex,\"{\"\"name\"\":\"\"Ball\"\"}\"\n")
  }

  @Test func linksInRecordsAreKeys() throws {
    #expect(
      try output("where DogClub name == \"American Kennel Club\" show members[0] as first") {
        $0.mode = .csv
      } == "first\n1\n")
    #expect(
      try output("where DogClub LIMIT(1) show members") { $0.mode = .tsv } == "members\n[1,1234]\n")
  }

  @Test func literalsLeaveOutWhatIsComputed() throws {
    #expect(
      try output("where Address city == \"London\"") { $0.mode = .literal }
        == "add Address {street: null, city: \"London\", country: \"UK\", postalCode: null}\n")
    #expect(
      try output("where Dog LIMIT(1) show name, **") { $0.mode = .literal }.contains("Person")
        == false)
  }

  // MARK: Errors

  @Test func namesAreCheckedWithoutObjects() throws {
    for columns in [
      "nme", "except nme", "favoriteToy.nme", "favoriteToy {nme}", "length(nme)", "1 + nme",
      "@links.Person.dogs.nme", "@links.Person.dogs {nme}",
    ] {
      #expect {
        _ = try output("where Dog age > 100 show \(columns)")
      } throws: { error in
        guard let error = error as? ShellError, let range = error.range else { return false }
        return error.name == .invalidProperty && range.length == 3
      }
    }
  }

  @Test func errorsOfValuesNameTheObject() throws {
    #expect {
      _ = try output("where Dog show 5 / age")
    } throws: { error in
      (error as? ShellError)?.message == "division by zero in Dog#4"
    }
  }
}
