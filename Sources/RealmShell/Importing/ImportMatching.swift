import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Finds the property of each column or field of a file.
///
/// Source: shell.md 16.
struct ImportMatching {
  private let statement: ImportStatement
  private let objectClass: ObjectClass
  private let database: Session.Database
  private let fileName: String
  private(set) var layout: ImportLayout
  /// For each field of a record the number of its column, -1 if it is not read.
  private(set) var columnOfField: [Int] = []
  /// The columns by the names of the fields of JSON.
  private(set) var columnOfName: [[UInt8]: Int] = [:]

  init(
    _ statement: ImportStatement, _ objectClass: ObjectClass, _ database: Session.Database,
    positions: [Int]
  ) {
    (self.statement, self.objectClass, self.database) = (statement, objectClass, database)
    fileName = statement.path.text
    layout = ImportLayout(objectClass, database.realm.schema, positions: positions)
  }

  // MARK: Statements

  /// What stands for the column of a field that a mapping leaves out.
  static let leftOut = -2

  /// Adds the column of a mapping; errors are at its place in the statement.
  private mutating func add(_ mapping: ImportMapping) throws(ShellError) -> Int {
    if mapping.path.isEmpty { return Self.leftOut }
    do throws(ImportLayout.Conflict) {
      return try layout.add(mapping.path.map(\.text))
    } catch {
      let last = mapping.path[mapping.path.count - 1].range
      let whole = mapping.path[0].range.joined(with: last)
      switch error {
      case .unknown(let place, let table):
        let owner = layout.schema.objectClass(table) ?? objectClass
        let name = mapping.path[place]
        guard owner.inverse(named: name.text) == nil else {
          throw ShellError(
            .readOnlyProperty, "\(quotedName(owner.name)).\(quotedName(name.text)) is computed",
            at: name.range)
        }
        throw ShellError(
          .invalidProperty, "\(quotedName(owner.name)) has no property \(name.text)",
          at: name.range,
          suggestion: Spelling.nearest(to: name.text, among: owner.properties.map(\.name)))
      case .notEmbedded(let place, let table):
        let owner = layout.schema.objectClass(table) ?? objectClass
        let name = mapping.path[place]
        throw ShellError(
          .illegalOperation,
          "\(quotedName(owner.name)).\(quotedName(name.text)) is no embedded object",
          at: name.range)
      case .taken:
        throw ShellError(
          .invalidArgument, "two columns are for the same property", at: whole)
      }
    }
  }

  /// Makes sure that the properties of the map exist, before the file is read.
  func checkMappings() throws(ShellError) {
    var copy = self
    for mapping in statement.mappings where !mapping.path.isEmpty { _ = try copy.add(mapping) }
  }

  // MARK: JSON

  /// Fields of JSON: those of the map, the others by their names.
  mutating func matchNames() throws(ShellError) {
    for mapping in statement.mappings {
      guard case .name(let name) = mapping.source else {
        if case .position(let number) = mapping.source {
          throw ShellError(
            .invalidArgument, "fields of JSON have no numbers", at: number.range)
        }
        continue
      }
      let number = try add(mapping)
      guard columnOfName.updateValue(number, forKey: Array(name.text.utf8)) == nil else {
        throw ShellError(.invalidArgument, "\(name.text) is mapped twice", at: name.range)
      }
    }
    let roots = Set(layout.columns.map(\.root))
    for (index, property) in objectClass.properties.enumerated() where !roots.contains(index) {
      let name = Array(property.name.utf8)
      guard columnOfName[name] == nil, let number = try? layout.add([property.name]) else {
        continue
      }
      columnOfName[name] = number
    }
    layout.finish()
    try checkMissing(at: nil, [])
  }

  // MARK: Columns

  /// Fails if the first line has one column but seems to have several with other signs between them.
  func checkSeparator(_ record: ImportRecord, _ text: DelimitedText) throws(ShellError) {
    guard text.fields.count == 1, let field = text.fields.first, !field.isQuoted else { return }
    let title = String(decoding: text.text(of: field, in: record.bytes), as: UTF8.self)
    if statement.header?.isOn ?? true {
      guard objectClass.property(named: title) == nil else { return }
      for case .name(let name) in statement.mappings.map(\.source) where name.text == title {
        return
      }
    } else if objectClass.properties.count == 1 || objectClass.properties[0].kind == .string {
      return
    }
    let signs: [(sign: UInt8, name: String, remedy: String)] = [
      (0x09, "tabs", "format tsv"), (0x2C, "commas", "format csv"),
      (0x3B, "semicolons", "format csv separator \";\""),
      (0x7C, "bars", "format csv separator \"|\""),
    ]
    let counts = signs.map { sign in
      (sign, record.bytes.count { $0 == sign.sign && sign.sign != text.separator })
    }
    guard let (sign, count) = counts.max(by: { $0.1 < $1.1 }), count > 0,
      let place = record.bytes.firstIndex(of: sign.sign)
    else { return }
    throw ImportProblem(
      .importFailed, "the columns seem to be separated by \(sign.name)", at: place..<place + 1,
      remedy: text.hasQuotes && sign.sign != 0x09 && sign.sign != 0x2C
        ? String(sign.remedy.dropFirst("format csv ".count)) : sign.remedy
    ).shellError(in: record.bytes, line: record.line, column: 0, file: fileName)
  }

  /// Columns without a header: those of the map, or all properties in their order.
  ///
  /// - Parameter count: Number of fields of the first line.
  mutating func matchPositions(count: Int) throws(ShellError) {
    if statement.mappings.isEmpty {
      for property in objectClass.properties.prefix(count) {
        guard let number = try? layout.add([property.name]) else { continue }
        columnOfField.append(number)
      }
      let known = columnOfField.count
      // Lines with more fields are wrong.
      guard count <= known || known == 0 else {
        throw ShellError(
          .importFailed,
          "\(fileName) has \(counted(count, "column", "columns")), "
            + "\(quotedName(objectClass.name)) \(counted(known, "property", "properties"))",
          at: statement.path.range, remedy: "map (1 -> PROPERTY, ...)")
      }
    } else {
      columnOfField = Array(repeating: -1, count: count)
      for mapping in statement.mappings {
        switch mapping.source {
        case .name(let name):
          throw ShellError(
            .invalidArgument, "without a header columns have numbers only", at: name.range)
        case .position(let number): try map(number, mapping)
        }
      }
    }
    layout.finish()
    try checkMissing(at: nil, [])
  }

  private mutating func map(
    _ number: IntegerOperand, _ mapping: ImportMapping
  ) throws(ShellError) {
    guard number.value >= 1, number.value <= columnOfField.count else {
      throw ShellError(
        .outOfBounds,
        "\(fileName) has \(counted(columnOfField.count, "column", "columns"))", at: number.range)
    }
    let index = Int(number.value) - 1
    guard columnOfField[index] == -1 else {
      throw ShellError(
        .invalidArgument, "column \(number.value) is mapped twice", at: number.range)
    }
    columnOfField[index] = try add(mapping)
  }

  /// Columns named by a header.
  ///
  /// - Parameter record: The header, whose fields are those of `text`.
  mutating func match(_ record: ImportRecord, _ text: DelimitedText) throws(ShellError) {
    let titles = text.fields.map {
      String(decoding: text.text(of: $0, in: record.bytes), as: UTF8.self)
    }
    columnOfField = Array(repeating: -1, count: titles.count)
    for mapping in statement.mappings {
      switch mapping.source {
      case .position(let number): try map(number, mapping)
      case .name(let name):
        guard let index = titles.firstIndex(of: name.text) else {
          throw ShellError(
            .invalidArgument, "\(fileName) has no column \(name.text)", at: name.range,
            suggestion: Spelling.nearest(to: name.text, among: titles))
        }
        guard columnOfField[index] == -1 else {
          throw ShellError(
            .invalidArgument, "column \(name.text) is mapped twice", at: name.range)
        }
        columnOfField[index] = try add(mapping)
      }
    }
    for (index, title) in titles.enumerated() where columnOfField[index] == -1 {
      do throws(ImportLayout.Conflict) {
        columnOfField[index] = try add(title)
      } catch {
        var rest = self
        let unknown = titles.indices.filter { other in
          other > index && columnOfField[other] == -1 && (try? rest.add(titles[other])) == nil
        }
        let problem = problem(
          error, title, text.fields[index].range, andUnknown: unknown.map { titles[$0] })
        throw problem.shellError(
          in: record.bytes, line: record.line, column: 0, file: fileName)
      }
    }
    layout.finish()
    try checkMissing(at: record, text.fields)
  }

  /// Most columns that a remedy names.
  private static let maximumNamedCount = 8

  /// Adds the column of a title: a property, or a path into an embedded object.
  private mutating func add(_ title: String) throws(ImportLayout.Conflict) -> Int {
    if objectClass.property(named: title) != nil || !title.contains(".") {
      return try layout.add([title])
    }
    return try layout.add(
      title.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// What is wrong with a column.
  ///
  /// - Parameter others: The titles behind it that have no property either.
  private func problem(
    _ conflict: ImportLayout.Conflict, _ title: String, _ range: Range<Int>,
    andUnknown others: [String]
  ) -> ImportProblem {
    switch conflict {
    case .taken:
      return ImportProblem(
        .importFailed, "two columns are for the same property", at: range)
    case .notEmbedded(let place, let table):
      let owner = layout.schema.objectClass(table) ?? objectClass
      let name = title.split(separator: ".", omittingEmptySubsequences: false)[place]
      return ImportProblem(
        .illegalOperation,
        "\(quotedName(owner.name)).\(quotedName(String(name))) is no embedded object", at: range)
    case .unknown(let place, let table):
      let owner = layout.schema.objectClass(table) ?? objectClass
      let names = title.split(separator: ".", omittingEmptySubsequences: false)
      let name =
        owner === objectClass && place == 0 && !title.contains(".")
        ? title : String(names[place])
      guard case .problem(var problem) = ImportValueReader.unknown(name, in: owner, at: range)
      else { return ImportProblem(.invalidProperty, "no property \(name)", at: range) }
      problem.remedy = remedy(for: title, andUnknown: problem.suggestion == nil ? others : [])
      if problem.suggestion == nil, problem.name == .invalidProperty, Double(title) == nil {
        problem.remedy = "map (\(quotedName(title)) -> PROPERTY), or " + (problem.remedy ?? "")
      }
      return problem
    }
  }

  /// How columns without a property can be imported all the same.
  private func remedy(for title: String, andUnknown others: [String]) -> String {
    if Double(title) != nil { return "if the first line is no header: header off" }
    // What is named twice cannot be told apart by its name.
    let names = Set(others + [title]).count == others.count + 1 ? [title] + others : [title]
    let mappings = names.prefix(Self.maximumNamedCount).map { "\(quotedName($0)) -> none" }
    return "to leave it out: map (\(mappings.joined(separator: ", ")))"
  }

  /// Makes sure that new objects get all that they cannot do without.
  private func checkMissing(
    at record: ImportRecord?, _ fields: [DelimitedText.Field]
  ) throws(ShellError) {
    guard statement.upsert == nil || statement.policy?.kind == .error else { return }
    for index in layout.missing {
      let property = objectClass.properties[index]
      guard !property.isNullable, property.collection == .none, property.kind != .mixed,
        property.kind != .link, database.defaultValue(objectClass, property) == nil
      else { continue }
      let label = ImportColumn.label(property, of: objectClass)
      let message = "no column for \(label), which has no default"
      guard let record else {
        throw ShellError(.missingPropertyValue, message, at: statement.path.range)
      }
      throw ImportProblem(.missingPropertyValue, message, at: 0..<record.bytes.count)
        .shellError(in: record.bytes, line: record.line, column: 0, file: fileName)
    }
  }
}
