import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `import`.
///
/// Source: shell.md 16.
extension Session {
  func `import`(
    _ statement: ImportStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    guard statement.dry == nil else {
      return try trying(on: try current(at: verbRange(range))) { (database) throws(ShellError) in
        try `import`(statement, into: database, at: range, to: writer)
      }
    }
    try `import`(statement, into: try writable(at: range), at: range, to: writer)
  }

  private func `import`(
    _ statement: ImportStatement, into database: Database, at range: SourceRange,
    to writer: ByteWriter
  ) throws(ShellError) {
    try checkManner(of: statement, database, at: range)
    let format = try format(of: statement)
    let input = try importInput(statement)
    let separator = try separator(of: statement, format)
    let records = ImportRecords(input, format, separator: separator)
    let run = ImportRun(self, database, statement, records, at: range)
    guard let rejects = statement.rejects else {
      try run.run()
      return acknowledge(run.acknowledgement, to: writer)
    }
    let path = resolve(rejects)
    if OutputFile.areSame(path, resolve(statement.path)) {
      throw ShellError(.fileBusy, "\(rejects.text) is the file that is read", at: rejects.range)
    }
    try OutputFile.write(to: path, for: self, at: rejects.range) { (output) throws(ShellError) in
      run.rejects = RejectedRecords(output, format)
      try run.run()
    }
    run.warn()
    acknowledge(run.acknowledgement, to: writer)
  }

  private func checkManner(
    of statement: ImportStatement, _ database: Database, at range: SourceRange
  ) throws(ShellError) {
    if let batch = statement.batch, batch.value < 1 {
      throw ShellError(.invalidArgument, "a batch has at least one row", at: batch.range)
    }
    guard database.transaction != nil else { return }
    if let batch = statement.batch {
      throw ShellError(
        .wrongTransactionState, "batches are transactions of their own, and one is open",
        at: batch.range, remedy: "commit, or cancel")
    }
    if let dry = statement.dry {
      throw ShellError(
        .wrongTransactionState, "what is only checked cannot be in an open transaction", at: dry,
        remedy: "commit, or cancel")
    }
  }

  /// The format, given or told by the ending of the file name.
  private func format(of statement: ImportStatement) throws(ShellError) -> ImportFormat {
    if let format = statement.format { return format }
    let path = statement.path.text
    let ending = path.contains(".") ? path.split(separator: ".").last.map(String.init) ?? "" : ""
    switch ending.lowercased() {
    case "csv": return .csv
    case "tsv", "tab": return .tsv
    case "json": return .json
    case "jsonl", "ndjson": return .jsonl
    default:
      throw ShellError(
        .invalidArgument, "the format has to be csv, tsv, json or jsonl",
        at: statement.path.range, remedy: "format csv")
    }
  }

  /// The sign between the fields of CSV.
  private func separator(
    of statement: ImportStatement, _ format: ImportFormat
  ) throws(ShellError) -> UInt8 {
    guard let separator = statement.separator else { return UInt8(ascii: ",") }
    guard format == .csv else {
      throw ShellError(
        .invalidArgument, "only csv has a separator", at: separator.range,
        remedy: format == .tsv ? "format csv" : nil)
    }
    let bytes = Array(separator.text.utf8)
    guard bytes.count == 1, bytes[0] < 0x80, ![0x0A, 0x0D, 0x22].contains(bytes[0]) else {
      throw ShellError(
        .invalidArgument, "a separator is one ASCII character, no quote and no line end",
        at: separator.range)
    }
    return bytes[0]
  }

  private func importInput(_ statement: ImportStatement) throws(ShellError) -> ImportInput {
    let place = statement.path
    if place.text == "-", !place.isQuoted {
      guard thread.isMain, !readsStandardInput else {
        throw ShellError(
          .invalidArgument, "standard input is where the statements come from", at: place.range,
          remedy: "realmsh FILE -c 'import ...'")
      }
      return ImportInput(STDIN_FILENO, name: "<stdin>")
    }
    let path = resolve(place)
    guard !path.utf8.contains(0) else {
      throw ShellError(.invalidArgument, "a path cannot contain a NUL", at: place.range)
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw ShellError(.importFailed, "\(place.text) is a folder", at: place.range)
    }
    if let reason = OutputFile.refusal(path, databases: openPaths) {
      throw ShellError(.importFailed, "\(place.text) \(reason)", at: place.range)
    }
    let descriptor = try repeatingCall { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      let number = errno
      throw StorageMessages.danglingLink(path, shownAs: place.text, at: place.range)
        ?? ShellError(
          ErrorName(systemError: number),
          "cannot read \(place.text): \(StorageMessages.systemText(number))", at: place.range)
    }
    return ImportInput(descriptor, name: place.text)
  }
}

/// One `import` from the first record to the last.
final class ImportRun {
  private let session: Session
  private let database: Session.Database
  private let statement: ImportStatement
  private let records: ImportRecords
  private let range: SourceRange
  private let progress: Progress
  /// Where bad lines go; nil if one ends everything.
  var rejects: RejectedRecords?
  /// What is wrong with the first bad lines.
  private var firstErrors: [ShellError] = []
  /// Most bad lines that are told one by one.
  private static let maximumWarningCount = 3
  private var rowCount = 0
  /// Objects that earlier batches have brought.
  private var committedCount = 0
  private var importer: RecordImporter?
  /// A record that was read to find out how many columns there are.
  private var isFirstPending = false
  private var firstRecord: ImportRecord?

  init(
    _ session: Session, _ database: Session.Database, _ statement: ImportStatement,
    _ records: ImportRecords, at range: SourceRange
  ) {
    (self.session, self.database, self.statement) = (session, database, statement)
    (self.records, self.range) = (records, range)
    progress = Progress("importing \(statement.className.text)", for: session)
  }

  /// What was done, in words.
  var acknowledgement: String {
    let counts = importer?.counts ?? RecordImporter.Counts()
    let name = "\(grouped(counts.total)) \(quotedName(statement.className.text))"
    var text =
      statement.dry == nil
      ? "imported \(name) from \(statement.path.text)"
      : "\(name) can be imported from \(statement.path.text)"
    if statement.upsert != nil {
      let parts = [
        (counts.added, "added"), (counts.changed, "changed"), (counts.unchanged, "unchanged"),
      ]
      let words = parts.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }
      if !words.isEmpty { text += ": " + words.joined(separator: ", ") }
    }
    if let rejects, rejects.count > 0, let path = statement.rejects?.text {
      let what = records.format == .json ? "object" : "line"
      let lines = counted(rejects.count, what, what + "s")
      text += "; \(lines) rejected, see \(path)"
    }
    return text
  }

  /// Tells what is wrong with the lines that were rejected.
  func warn() {
    for error in firstErrors { session.warn(error, origin: nil) }
    let count = (rejects?.count ?? 0) - firstErrors.count
    guard count > 0 else { return }
    let what = records.format == .json ? "object" : "line"
    var error = ShellError(
      .importFailed, counted(count, "more \(what) was rejected", "more \(what)s were rejected"))
    error.subject = statement.path.text
    session.warn(error, origin: nil)
  }

  /// Imports everything.
  func run() throws(ShellError) {
    do throws(ShellError) {
      try records.start()
      var isAtEnd = false
      while !isAtEnd {
        isAtEnd = try transaction { () throws(ShellError) in try importBatch() }
        committedCount = importer?.counts.total ?? 0
      }
    } catch {
      var error = error
      if committedCount > 0 {
        let name = quotedName(statement.className.text)
        error.details.insert(
          "\(grouped(committedCount)) \(name) were imported in the batches before", at: 0)
      } else if error.file != nil || error.name == .interrupted {
        error.details.insert("nothing was imported", at: 0)
      }
      throw error
    }
  }

  private func transaction(
    _ body: () throws(ShellError) -> Bool
  ) throws(ShellError) -> Bool {
    if statement.dry != nil { return try session.rehearse(in: database, at: range, body) }
    return try session.change(in: database, at: range, body)
  }

  /// Imports what belongs to one transaction; returns whether that was all.
  private func importBatch() throws(ShellError) -> Bool {
    let importer: RecordImporter
    if let known = self.importer { importer = known } else { importer = try makeImporter() }
    self.importer = importer
    try importer.begin()
    defer { importer.end() }
    let limit = statement.batch.map { Int(clamping: $0.value) } ?? .max
    var count = 0
    while count < limit {
      guard let record = try nextRecord() else {
        try closeLinks(importer)
        try flushRejects()
        return true
      }
      count += 1
      rowCount += 1
      if rowCount & 0x3FF == 0 {
        guard progress.goesOn(records.input.position, records.input.byteCount) else {
          throw ShellError(.interrupted, "interrupted after \(counted(rowCount, "row", "rows"))")
        }
      }
      do throws(RecordFailure) {
        try importer.add(record)
      } catch {
        try reject(record, error)
      }
    }
    return false
  }

  private func nextRecord() throws(ShellError) -> ImportRecord? {
    if isFirstPending {
      isFirstPending = false
      return firstRecord
    }
    do throws(RecordFailure) {
      return try records.next()
    } catch {
      throw shellError(error)
    }
  }

  private func shellError(_ failure: RecordFailure) -> ShellError {
    switch failure {
    case .fatal(let error): return error
    case .problem(let problem):
      return ShellError(problem.name, problem.message)
    }
  }

  private func closeLinks(_ importer: RecordImporter) throws(ShellError) {
    if importer.openRecords.isEmpty { return }
    do throws(RecordFailure) {
      guard rejects != nil else { return try importer.closeLinks(reject: nil) }
      try importer.closeLinks { (record, problem) throws(RecordFailure) in
        do throws(ShellError) {
          try self.reject(record, .problem(problem))
        } catch {
          throw .fatal(error)
        }
      }
    } catch {
      throw shellError(error)
    }
  }

  // MARK: Rejected lines

  /// Puts a bad record aside, or fails.
  private func reject(_ record: ImportRecord, _ failure: RecordFailure) throws(ShellError) {
    guard case .problem(let problem) = failure else { throw shellError(failure) }
    guard let rejects else { throw records.shellError(problem, in: record) }
    rejects.add(record)
    guard firstErrors.count < Self.maximumWarningCount else { return }
    firstErrors.append(records.shellError(problem, in: record))
  }

  private func flushRejects() throws(ShellError) {
    guard let failure = rejects?.end(), let path = statement.rejects else { return }
    throw ShellError(
      ErrorName(systemError: failure),
      "cannot write \(path.text): \(StorageMessages.systemText(failure))", at: path.range)
  }

  // MARK: Columns

  private func makeImporter() throws(ShellError) -> RecordImporter {
    let objectClass = try session.existingClass(statement.className, database)
    guard !objectClass.isEmbedded else {
      throw ShellError(
        .illegalOperation,
        "objects of \(quotedName(objectClass.name)) are embedded: they exist in their owner only",
        at: statement.className.range)
    }
    if statement.upsert != nil, objectClass.primaryKey == nil {
      throw ShellError(
        .missingPrimaryKey, "\(quotedName(objectClass.name)) has no primary key",
        at: statement.className.range)
    }
    var matching = ImportMatching(
      statement, objectClass, database, positions: try positions(objectClass))
    try matching.checkMappings()
    do throws(RecordFailure) {
      try records.skip(statement.skip.map { Int(clamping: $0.value) } ?? 0)
    } catch {
      throw shellError(error)
    }
    switch records.format {
    case .json, .jsonl: try matching.matchNames()
    case .csv, .tsv: try matchColumns(&matching)
    }
    return RecordImporter(
      database, matching.layout, records, columnOfField: matching.columnOfField,
      columnOfName: matching.columnOfName, policy: policy,
      nullText: statement.nullText.map { Array($0.text.utf8) })
  }

  private var policy: UpdatePolicy? {
    guard statement.upsert != nil else { return nil }
    return switch statement.policy?.kind {
    case .modified, nil: .modified
    case .all: .all
    case .error: .error
    }
  }

  /// For each property where new objects take its value.
  private func positions(_ objectClass: ObjectClass) throws(ShellError) -> [Int] {
    guard let transaction = database.realm.transaction else { return [] }
    do throws(StorageError) {
      let appender = try transaction.appender(objectClass.table.key)
      let columns = objectClass.table.columns
      return objectClass.properties.map {
        appender.position(of: columns[$0.position].key) ?? -1
      }
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  private func matchColumns(_ matching: inout ImportMatching) throws(ShellError) {
    let record = try nextRecord()
    if let skip = statement.skip, skip.value > 0, record == nil {
      let count = records.input.line - 1
      throw ShellError(
        .outOfBounds,
        "\(statement.path.text) has no more than \(counted(count, "line", "lines"))",
        at: skip.range)
    }
    if let record, record.problem == nil { try matching.checkSeparator(record, records.fields) }
    guard statement.header?.isOn ?? true else {
      (firstRecord, isFirstPending) = (record, true)
      try matching.matchPositions(count: record == nil ? 0 : records.fields.fields.count)
      records.keepsEmptyLines = matching.columnOfField.count == 1
      return
    }
    guard let record else {
      throw ShellError(
        .importFailed, "\(statement.path.text) is empty: there is no header",
        at: statement.path.range)
    }
    if let problem = record.problem {
      throw problem.shellError(
        in: record.bytes, line: record.line, column: 0, file: statement.path.text)
    }
    try matching.match(record, records.fields)
    rejects?.header = Array(record.raw)
    records.keepsEmptyLines = matching.columnOfField.count == 1
  }
}
