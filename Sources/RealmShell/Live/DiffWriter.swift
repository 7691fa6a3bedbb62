import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Writes what an observer tells, for people or as a line of JSON.
///
/// Source: shell.md 12.
struct DiffWriter {
  let observer: Observer
  let version: Int64
  let session: Session
  let out: ByteWriter
  /// The versions before and after.
  let old: Schema
  let new: Schema
  let oldValues: ValueWriter
  let newValues: ValueWriter
  /// For the properties of a projection.
  let evaluators: (old: Evaluator, new: Evaluator)?

  init(_ observer: Observer, version: Int64, _ session: Session, old: Schema, new: Schema) {
    self.observer = observer
    self.version = version
    self.session = session
    (self.old, self.new) = (old, new)
    out = observer.file ?? session.output
    let usesLocalTime = session.settings.zone == .local && !observer.isJSON
    oldValues = ValueWriter(old, to: out, usesLocalTime: usesLocalTime)
    newValues = ValueWriter(new, to: out, usesLocalTime: usesLocalTime)
    evaluators = observer.projection.map { _ in
      let database = try? session.current()
      let evaluators = (old: session.evaluator(database), new: session.evaluator(database))
      (evaluators.old.fixedSchema, evaluators.new.fixedSchema) = (old, new)
      return evaluators
    }
  }

  /// Brings a file up to date; that this is not possible any more is told once.
  func end() {
    guard let file = observer.file else { return }
    file.flush()
    guard let number = file.failure, !observer.hasToldOfFile else { return }
    observer.hasToldOfFile = true
    session.warn(
      ShellError(
        .fileOperationFailed,
        "the diffs of observer \(observer.number) are lost: \(StorageMessages.systemText(number))",
        remedy: "unobserve \(observer.number)"), origin: nil)
  }

  /// The form of values.
  var form: ValueWriter.Form { observer.isJSON ? .compactJSON : .literal }

  // MARK: Heads

  /// `~ [1] old: `, or the fields that every line of JSON begins with.
  func begin(_ event: String, isFirst: Bool = false) {
    guard observer.isJSON else {
      let label =
        isFirst
        ? observer.name.map { "\($0): \(observer.text)" } : observer.name
      out.write("~ [\(observer.number)] \(label ?? observer.text): ")
      return
    }
    out.write("{\"observe\":\(observer.number)")
    if let name = observer.name { field("name", name) }
    field("kind", observer.kindText)
    field("of", observer.text)
    field("event", event)
    if session.settings.showsVersions { out.write(",\"version\":\(version)") }
  }

  /// `version 14` with what stands behind it, unless the settings leave it out.
  func versionText(_ separator: String) -> String {
    session.settings.showsVersions ? "version \(version)\(separator)" : ""
  }

  private func field(_ name: String, _ text: String) {
    out.write(",\"\(name)\":")
    JSONText.writeString(text, to: out)
  }

  func finish(_ text: String = "") {
    out.write(observer.isJSON ? "}\n" : text + "\n")
  }

  func writeWatching() {
    begin("watching", isFirst: true)
    finish(session.settings.showsVersions ? "watching from version \(version)" : "watching")
  }

  func writeInitial(count: Int, _ countText: String) {
    begin("initial", isFirst: true)
    if observer.isJSON { out.write(",\"count\":\(count)") }
    finish("initial, \(versionText(", "))\(countText)")
  }

  func writeError(_ error: ShellError) {
    observer.unseenCount += 1
    begin("error")
    if observer.isJSON { field("error", "\(error.name.rawValue): \(error.message)") }
    let end = observer.hasEnded ? "; observer ended" : ""
    finish("\(versionText(": "))error: \(error.message) [\(error.name.rawValue)]\(end)")
  }

  /// What was watched is gone.
  func writeDeleted() {
    observer.unseenCount += 1
    begin("deleted")
    finish("\(versionText(": "))deleted; observer ended")
  }

  /// The owner of a collection is gone; for programs all elements are listed.
  func writeDeleted(_ changes: CollectionChanges, _ elements: DiffElements) throws(StorageError) {
    guard observer.isJSON else {
      writeDeleted()
      return
    }
    observer.unseenCount += 1
    begin("deleted")
    try writeJSONDeletions(changes.deletions, elements)
    finish()
  }

  // MARK: Objects

  func writeObject(
    _ key: ObjectKey, _ table: TableKey, _ properties: [Property]
  ) throws(ShellError) {
    try checkProjection(in: table)
    observer.unseenCount += 1
    begin("change")
    if observer.isJSON {
      out.write(",\"changes\":")
      try writeJSONChanges(properties, of: key, in: table)
    } else {
      out.write(versionText(": "))
      try writeChanges(properties, of: key, in: table)
    }
    finish()
  }

  // MARK: The realm

  func writeRealm(_ changes: TransactionChanges) throws(StorageError) {
    observer.unseenCount += 1
    let texts = RealmDiff(changes, old: old, new: new)
    begin("change")
    if observer.isJSON {
      out.write(",\"changes\":{")
      for (i, line) in texts.classes.enumerated() {
        if i > 0 { out.write(",") }
        JSONText.writeString(line.name, to: out)
        out.write(
          ":{\"inserted\":\(line.inserted),\"modified\":\(line.modified),"
            + "\"deleted\":\(line.deleted)}")
      }
      out.write("}")
      if !texts.schemaTexts.isEmpty {
        out.write(",\"schema\":[")
        for (i, text) in texts.schemaTexts.enumerated() {
          if i > 0 { out.write(",") }
          JSONText.writeString(text, to: out)
        }
        out.write("]")
      }
    }
    finish("\(versionText(": "))\(texts.text)")
  }

  // MARK: Collections

  /// Tells the changes of results or of a collection.
  ///
  /// - Parameter properties: The properties of an object that have changed.
  func writeCollection(
    _ changes: CollectionChanges, _ before: DiffElements, _ after: DiffElements,
    _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    observer.unseenCount += 1
    let rows = try ObjectRows(after, observer, session, new)
    begin("change")
    if observer.isJSON {
      out.write(",\"count\":\(after.count)")
      try session.reading { () throws(StorageError) in
        try writeJSONDeletions(changes.deletions, before)
      }
      try writeJSONInsertions(changes.insertions, after, rows)
      try writeJSONModifications(changes, before, after, rows, properties)
      finish()
      return
    }
    let parts = [
      ("-", changes.deletions.count), ("+", changes.insertions.count),
      ("~", changes.newModifications.count),
    ]
    let counts = parts.filter { $0.1 > 0 }.map { $0.0 + grouped($0.1) }.joined(separator: " ")
    finish("\(versionText(", "))\(after.countText) (\(counts))")
    try writeRows(changes, before, after, rows, properties)
  }
}

extension Session {
  /// Reads from the current database.
  func reading<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(ShellError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw StorageMessages.error(error, path: (try? current().realm.path) ?? "the file")
    }
  }
}

/// Writes whole objects, or what `show` asks for of them.
struct ObjectRows {
  private let result: ResultSet?
  private let isAll: Bool

  /// Columns that a row for people shows.
  private static let shortColumnCount = 4

  init(
    _ elements: DiffElements, _ observer: Observer, _ session: Session, _ schema: Schema
  ) throws(ShellError) {
    isAll = observer.values == .full || !observer.columns.isEmpty
    guard case .objects(let objectClass, _) = elements, let database = try? session.current() else {
      result = nil
      return
    }
    let evaluator = session.evaluator(database, scope: observer.scope)
    let columns = try ColumnMaker.columns(
      observer.columns, of: objectClass, evaluator: evaluator)
    result = ResultSet(objectClass, [], columns: columns, evaluator: evaluator)
  }

  /// `{_id: 1, name: "Rex", ...}`; for people only the first columns unless more is asked for.
  func write(
    _ key: ObjectKey, _ writer: ValueWriter, _ form: ValueWriter.Form
  ) throws(ShellError) {
    guard let result,
      try result.evaluator.reading({ () throws(StorageError) in try result.move(to: key) })
    else { return }
    writer.out.write("{")
    for (i, column) in result.columns.enumerated() {
      if i > 0 { writer.separator(form) }
      if form == .literal, !isAll, i == ObjectRows.shortColumnCount {
        writer.out.write("...")
        break
      }
      writer.key(column.title, form)
      let cell = try result.cell(i)
      try result.evaluator.reading { () throws(StorageError) in
        switch cell {
        case .stored(let value): try writer.write(value, isMixed: column.isMixed, form)
        case .value(let value): try writer.write(value, isMixed: column.isMixed, form)
        }
      }
    }
    writer.out.write("}")
  }
}
