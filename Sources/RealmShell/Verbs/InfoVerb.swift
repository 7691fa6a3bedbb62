import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `info`.
extension Session {
  func info(
    _ statement: InfoStatement, range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try current(at: range)
    if statement == .versions {
      InfoText.write(try livingVersions(of: database), to: writer)
      return
    }
    let realm = try committed(database)
    do throws(StorageError) {
      switch statement {
      case .summary:
        InfoText.write(
          try InfoText.summary(realm, writer: writerText(of: database)), to: writer)
      case .space:
        let progress = Progress("counting", for: self)
        let report = try realm.snapshot.space { progress.goesOn($0, $1) }
        try SpaceText(realm, report).write(settings.mode, to: writer)
      case .history: InfoText.write(try InfoText.history(realm), to: writer)
      case .versions, .file: break
      }
    } catch {
      if case .rejected(.interrupted) = error { throw ShellError(.interrupted, "interrupted") }
      throw StorageMessages.error(error, path: realm.path)
    }
  }

  /// Who has a write transaction open; nil for a database that takes no part in the locking of its
  /// file.
  private func writerText(of database: Database) -> String? {
    guard database.realm.access == .shared, !database.isInMemory else { return nil }
    if let file = FileIdentity(path: database.realm.path),
      let thread = threads.monitor.withLock({ $0.writers[file] })
    {
      return "thread \(thread.name)"
    }
    return database.realm.writerProcess.map { "process \($0)" } ?? "none"
  }

  /// The database as its file has it: without the changes of an open transaction, which are in
  /// memory alone.
  func committed(_ database: Database) throws(ShellError) -> Realm {
    let realm = database.realm
    guard realm.isWriting else { return realm }
    do throws(StorageError) {
      let other = try realm.sibling()
      try other.beginReading()
      return other
    } catch {
      throw StorageMessages.error(error, path: realm.path)
    }
  }

  /// Tells about a file without opening it as a database of the session.
  func infoFile(_ path: FilePath, key: FilePath?, to writer: ByteWriter) throws(ShellError) {
    let name = resolve(path)
    let key = try readKey(key)
    do throws(ShellError) {
      let realm = try openRealm(path: name, key: key)
      do throws(StorageError) {
        InfoText.write(try InfoText.summary(realm), to: writer)
      } catch {
        throw StorageMessages.error(error, path: name)
      }
    } catch {
      var status = stat()
      if stat(name, &status) == 0 {
        InfoText.write([("file", path.text), ("size", sizeText(Int(status.st_size)))], to: writer)
      }
      writer.flush()
      var failure = error
      failure.range = nil
      failure.subject = path.text
      throw failure
    }
  }
}

/// The lines of `info`.
enum InfoText {
  /// Writes names and values in two columns.
  static func write(_ lines: [(name: String, value: String)], to writer: ByteWriter) {
    let width = lines.map(\.name.count).max() ?? 0
    for line in lines { writer.write("\(padded(line.name, width))  \(line.value)\n") }
  }

  /// What is known about a database.
  static func summary(_ realm: Realm, writer: String? = nil) throws(StorageError) -> [(
    String, String
  )] {
    let snapshot = realm.snapshot
    let size = sizeText(snapshot.file.byteCount)
    let used = sizeText(try snapshot.usedByteCount())
    var lines = [("file", shownPath(realm.path)), ("size", "\(size), \(used) in use")]
    lines.append(("format", snapshot.format.map { String($0.number) } ?? "not decided yet"))
    lines.append(("schema version", realm.schema.version.map(String.init) ?? "none"))
    lines.append(("history", historyText(snapshot.historyType)))
    lines.append(("encrypted", snapshot.file.isEncrypted ? "yes" : "no"))
    lines.append(("version", String(snapshot.version)))
    if let writer { lines.append(("writer", writer)) }
    if snapshot.header.isStreaming { lines.append(("form", "streaming: a compacted copy")) }
    lines.append(("classes", try classesText(realm.schema, .sdk) ?? "none"))
    if let text = try classesText(realm.schema, .library) {
      lines.append(("other tables", text + "; without class"))
    }
    return lines + unreadable(snapshot).map { ("unreadable", $0) }
  }

  /// Tables and properties that cannot be read, each with the reason.
  static func unreadable(_ snapshot: Snapshot) -> [String] {
    snapshot.brokenTables.map { "\($0.name): \(StorageMessages.reason($0.error))" }
      + snapshot.tables.flatMap { table in
        table.brokenColumns.map {
          "\(table.name).\($0.name): \(StorageMessages.reason($0.error))"
        }
      }
  }

  private static func classesText(
    _ schema: Schema, _ origin: ObjectClass.Origin
  ) throws(StorageError) -> String? {
    var parts: [String] = []
    for objectClass in schema.all where objectClass.origin == origin {
      var text = "\(quotedName(objectClass.name)) \(grouped(try objectClass.table.objectCount()))"
      switch objectClass.table.kind {
      case .topLevel: break
      case .embedded: text += " (embedded)"
      case .asymmetric: text += " (asymmetric)"
      }
      parts.append(text)
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func historyText(_ type: Snapshot.HistoryType) -> String {
    switch type {
    case .none: "none (type 0)"
    case .outOfRealm: "outside of the Realm (type 1)"
    case .inRealm: "in Realm (type 2)"
    case .syncClient: "sync client (type 3)"
    case .syncServer: "sync server (type 4)"
    }
  }

  /// The kind of history, and what it holds.
  static func history(_ realm: Realm) throws(StorageError) -> [(String, String)] {
    let snapshot = realm.snapshot
    return [
      ("history", historyText(snapshot.historyType)),
      ("layout", String(snapshot.historySchemaVersion)),
      ("version", String(snapshot.version)),
    ] + (try HistoryText.lines(realm))
  }
}
