import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `open`, `close`, `use`.
extension Session {
  func open(_ statement: OpenStatement, to writer: ByteWriter) throws(ShellError) {
    guard case .file(let path) = statement.target else {
      throw ShellError(.illegalOperation, "memory databases need a writing version")
    }
    try refuseWriting(statement, at: path.range)
    var state = Realm.State.live
    switch statement.snapshot {
    case nil: break
    case .previous: state = .previous
    case .version(let number):
      throw ShellError(
        .badVersion, "only the state before the last commit can be opened", at: number.range,
        remedy: "snapshot previous")
    }
    do throws(ShellError) {
      let name = statement.name?.text
      let database = try openDatabase(
        path: resolve(path), name: name, key: try readKey(statement.key), state: state,
        isReadOnly: statement.readonly || state == .previous)
      if acknowledges { writer.write(openedText(database) + "\n") }
    } catch {
      throw placed(error, path)
    }
  }

  private func refuseWriting(
    _ statement: OpenStatement, at range: SourceRange
  ) throws(ShellError) {
    let isWriting = statement.create || statement.new || statement.compact || statement.shared
    guard isWriting || statement.schema != nil || statement.version != nil else { return }
    throw ShellError(
      .readOnlyDatabase, "this version of realmsh opens files for reading only", at: range,
      remedy: "open PATH readonly")
  }

  /// Reads the key that a statement names.
  func readKey(_ source: FilePath?) throws(ShellError) -> EncryptionKey? {
    guard let source else { return nil }
    do throws(ShellError) {
      return try KeySource.read(source.text, isSafe: isSafe) {
        resolve(FilePath($0, isQuoted: source.isQuoted, range: source.range))
      }
    } catch {
      var error = error
      error.range = source.range
      throw error
    }
  }

  /// Reads the key that the command line or the environment names.
  func readKey(_ source: String) throws(ShellError) -> EncryptionKey {
    try KeySource.read(source, isSafe: isSafe)
  }

  /// Points an error at the path, and suggests a file with a similar name.
  func placed(_ error: ShellError, _ path: FilePath) -> ShellError {
    guard error.range == nil else { return error }
    var error = error
    error.range = path.range
    if error.name == .fileNotFound {
      error.message = "no such file"
      error.suggestion = similarFile(path.text)
    } else if error.name == .noKey {
      error.remedy = "open \(path.text) key \"file:PATH\""
    }
    return error
  }

  private func similarFile(_ path: String) -> String? {
    let folder = TextFile.folder(of: path)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let stream = opendir(resolve(folder)) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream), names.count < 10_000 {
      let text = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if text.hasSuffix(".realm") { names.append(text) }
    }
    return Spelling.nearest(to: name, among: names.sorted())
  }

  /// Opens a file and makes it the current database.
  func openDatabase(
    path: String, name: String?, key: EncryptionKey?, state: Realm.State = .live, isReadOnly: Bool
  ) throws(ShellError) -> Database {
    let realm = try openRealm(path: path, key: key, state: state)
    if key != nil, !realm.snapshot.file.isEncrypted {
      warn(ShellError(.invalidEncryptionKey, "\(path): the file is not encrypted"), origin: nil)
    }
    warnOfUnreadableParts(realm)
    let base = (path.split(separator: "/").last.map(String.init) ?? path)
    let stem = base.hasSuffix(".realm") ? String(base.dropLast(6)) : base
    var name = name ?? stem
    var number = 2
    while databases.contains(where: { $0.name == name }) {
      name = "\(stem)\(number)"
      number += 1
    }
    let database = Database(name: name, realm: realm, isReadOnly: isReadOnly)
    databases.append(database)
    currentName = name
    return database
  }

  /// Parts of a warning that are printed in full.
  private static let maximumDetailCount = 8

  /// Tells what is missing from a damaged file, so that nobody takes the rest for the whole.
  private func warnOfUnreadableParts(_ realm: Realm) {
    let parts = InfoText.unreadable(realm.snapshot)
    guard !parts.isEmpty else { return }
    let count = counted(parts.count, "class or property", "classes or properties")
    var warning = ShellError(.damaged, "\(realm.path): \(count) cannot be read")
    warning.details = Array(parts.prefix(Session.maximumDetailCount))
    if parts.count > Session.maximumDetailCount { warning.details.append("...") }
    warn(warning, origin: nil)
  }

  /// Opens a file; the key of the environment is tried if the file needs one and none is given.
  func openRealm(
    path: String, key: EncryptionKey?, state: Realm.State = .live
  ) throws(ShellError) -> Realm {
    do throws(StorageError) {
      return try Realm(path: path, key: key, state: state)
    } catch {
      if error == .noKey, key == nil, let source = environment("REALMSH_KEY") {
        return try openRealm(path: path, key: try readKey(source), state: state)
      }
      var failure = StorageMessages.error(error, path: path)
      // The state before the last commit is a way out if it can be read.
      if failure.name == .damaged {
        let previous = state == .live ? try? Realm(path: path, key: key, state: .previous) : nil
        failure.remedy = previous.map { _ in "open \(path) snapshot previous" }
      }
      throw failure
    }
  }

  /// The line that tells what was opened.
  func openedText(_ database: Database) -> String {
    let snapshot = database.realm.snapshot
    let classes = database.realm.schema.classes.count
    let format = snapshot.format.map { "format \($0.number)" } ?? "empty"
    let schema = database.realm.schema.version.map { "schema version \($0)" } ?? "no schema version"
    let count = classes == 0 ? "no classes" : counted(classes, "class", "classes")
    var text = "opened \(database.realm.path): \(format), \(schema), \(count)"
    if settings.showsVersions { text += ", version \(snapshot.version)" }
    if snapshot.file.isEncrypted { text += ", encrypted" }
    if database.isReadOnly { text += ", read-only" }
    return text
  }

  func close(
    _ statement: CloseStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let closing: [Database]
    switch statement {
    case .all: closing = databases
    case .current: closing = [try current()]
    case .named(let name): closing = [try database(named: name)]
    }
    try refuseOpenTransaction(of: closing, at: range)
    for database in closing {
      databases.removeAll { $0 === database }
      acknowledge("closed \(database.realm.path)", to: writer)
    }
    if !databases.contains(where: { $0.name == currentName }) {
      currentName = databases.last?.name
    }
  }

  func database(named name: Name) throws(ShellError) -> Database {
    guard let database = databases.first(where: { $0.name == name.text }) else {
      throw ShellError(
        .unknownDatabase, "no open database \(name.text)", at: name.range,
        suggestion: Spelling.nearest(to: name.text, among: databases.map(\.name)))
    }
    return database
  }

  func use(_ name: Name?, to writer: ByteWriter) throws(ShellError) {
    if let name {
      currentName = try database(named: name).name
      return
    }
    let nameWidth = databases.map(\.name.count).max() ?? 0
    let pathWidth = databases.map(\.realm.path.count).max() ?? 0
    for database in databases {
      var notes: [String] = []
      if database.realm.snapshot.file.isEncrypted { notes.append("encrypted") }
      if database.isReadOnly { notes.append("read-only") }
      let mark = database.name == currentName ? "*" : " "
      var line = "\(mark) \(padded(database.name, nameWidth))  "
      line += notes.isEmpty ? database.realm.path : padded(database.realm.path, pathWidth)
      if !notes.isEmpty { line += "  " + notes.joined(separator: ", ") }
      writer.write(line + "\n")
    }
  }
}

/// A text with blanks behind it, as wide as a column.
func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// A number with its noun, thousands separated.
func counted(_ number: Int, _ one: String, _ many: String) -> String {
  "\(grouped(number)) \(number == 1 ? one : many)"
}

/// A number with commas between thousands.
func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (i, digit) in digits.enumerated() {
    if i > 0, (digits.count - i) % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return text
}

/// A byte count for people: `812 B`, `9.1 KiB`.
func sizeText(_ byteCount: Int) -> String {
  guard byteCount >= 1024 else { return "\(byteCount) B" }
  var value = Double(byteCount) / 1024
  var unit = 0
  let units = ["KiB", "MiB", "GiB", "TiB"]
  while value >= 1023.95, unit < units.count - 1 {
    value /= 1024
    unit += 1
  }
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(units[unit])"
}
