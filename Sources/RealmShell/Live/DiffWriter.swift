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

  init(_ observer: Observer, version: Int64, _ session: Session, old: Schema, new: Schema) {
    self.observer = observer
    self.version = version
    self.session = session
    (self.old, self.new) = (old, new)
    out = observer.file ?? session.output
    let usesLocalTime = session.settings.zone == .local && !observer.isJSON
    oldValues = ValueWriter(old, to: out, usesLocalTime: usesLocalTime)
    newValues = ValueWriter(new, to: out, usesLocalTime: usesLocalTime)
  }

  /// Brings a file up to date.
  func end() { observer.file?.flush() }

  /// The form of values.
  var form: ValueWriter.Form { observer.isJSON ? .compactJSON : .literal }

  // MARK: Heads

  /// `~ [1] old: `, or the fields that every line of JSON begins with.
  private func begin(_ event: String, isFirst: Bool = false) {
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
  private func versionText(_ separator: String) -> String {
    session.settings.showsVersions ? "version \(version)\(separator)" : ""
  }

  private func field(_ name: String, _ text: String) {
    out.write(",\"\(name)\":")
    JSONText.writeString(text, to: out)
  }

  private func finish(_ text: String = "") {
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
  ) throws(StorageError) {
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

  /// `age 5 -> 6, name "a" -> "b"`.
  func writeChanges(
    _ properties: [Property], of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    for (i, property) in properties.enumerated() {
      if i > 0 { out.write(", ") }
      out.write(quotedName(property.name))
      guard observer.values != .none else { continue }
      let before = try literal(try value(of: property, key, table, old), property, old)
      let after = try literal(try value(of: property, key, table, new), property, new)
      if let before { out.write([0x20] + before) }
      if property.kind == .link, before == after {
        out.write(Self.linkedText)
      } else if let after {
        out.write(" -> ")
        out.write(after)
      }
    }
  }

  /// What stands behind links that are as they were, but lead to something that has changed.
  static let linkedText = " (a linked object)"

  /// The text of a value; nil if there is none.
  private func literal(
    _ value: StoredValue?, _ property: Property, _ schema: Schema
  ) throws(StorageError) -> [UInt8]? {
    guard let value else { return nil }
    let memory = ByteWriter()
    let writer = ValueWriter(schema, to: memory, usesLocalTime: newValues.usesLocalTime)
    try writer.write(value, isMixed: property.kind == .mixed, .literal)
    return memory.takeBytes()
  }

  /// `{"age":[5,6]}`; without values `{"age":[]}`.
  func writeJSONChanges(
    _ properties: [Property], of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    out.write("{")
    for (i, property) in properties.enumerated() {
      if i > 0 { out.write(",") }
      JSONText.writeString(property.name, to: out)
      out.write(":[")
      if observer.values != .none {
        let before = try value(of: property, key, table, old) ?? .null
        try oldValues.write(before, isMixed: property.kind == .mixed, .compactJSON)
        out.write(",")
        let after = try value(of: property, key, table, new) ?? .null
        try newValues.write(after, isMixed: property.kind == .mixed, .compactJSON)
      }
      out.write("]")
    }
    out.write("}")
  }

  /// The value of a property in one version; nil if there was no such property or object.
  private func value(
    of property: Property, _ key: ObjectKey, _ table: TableKey, _ schema: Schema
  ) throws(StorageError) -> StoredValue? {
    guard let stored = new.objectClass(table)?.table.columns[property.position].key,
      let objectClass = schema.objectClass(table),
      let position = objectClass.table.column(stored),
      let row = try objectClass.table.row(of: key)
    else { return nil }
    return try objectClass.table.value(of: position, in: row)
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
