import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage

/// `close`, `use`, and what belongs to opening.
extension Session {
  /// Points an error at the path, and suggests a file with a similar name.
  func placed(_ error: ShellError, _ path: FilePath) -> ShellError {
    guard error.range == nil else { return error }
    var error = error
    error.range = path.range
    if error.name == .fileNotFound {
      if StorageMessages.danglingLink(resolve(path)) != nil { return error }
      error.message = "no such file"
      error.suggestion = similarFile(path.text)
      error.remedy = "for a new database: open \(path.text) create"
    } else if error.name == .noKey {
      error.remedy = "open \(path.text) key \"file:PATH\""
    }
    return error
  }

  /// The database in the folder of a path that has a similar name.
  func similarFile(_ path: String) -> String? {
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
    return Spelling.nearestFile(to: name, among: names.sorted())
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
      try refuseTransactionElsewhere(on: database, at: range)
      databases.removeAll { $0 === database }
      if database.isAdopted { closedNumbers.insert(database.number) }
      if thread.isMain {
        threads.monitor.withLock { state in
          state.databases.removeAll { $0.number == database.number }
        }
      }
      acknowledge("closed \(database.shownPath)", to: writer)
    }
    if !databases.contains(where: { $0.name == currentName }) {
      currentName =
        earlierNames.last { name in databases.contains { $0.name == name } }
        ?? databases.last?.name
    }
  }

  /// Refuses to close for all threads what one of them is writing to.
  private func refuseTransactionElsewhere(
    on database: Database, at range: SourceRange
  ) throws(ShellError) {
    guard thread.isMain, let file = FileIdentity(path: database.realm.path),
      let writer = threads.monitor.withLock({ $0.writers[file] }), writer !== thread
    else { return }
    throw ShellError(
      .wrongTransactionState, "thread \(writer.name) has a write transaction open",
      at: verbRange(range), remedy: "on \(quotedName(writer.name)): commit")
  }

  func database(named name: Name) throws(ShellError) -> Database {
    guard let database = databases.first(where: { $0.name == name.text }) else {
      throw ShellError(
        .unknownDatabase, "no open database \(name.text)", at: name.range,
        suggestion: Spelling.nearest(to: name.text, among: databases.map(\.name)))
    }
    return database
  }

  private func path(of database: Database) -> String {
    database.isInMemory ? "(in memory)" : shownPath(database.realm.path)
  }

  func use(_ name: Name?, to writer: ByteWriter) throws(ShellError) {
    if let name {
      currentName = try database(named: name).name
      return
    }
    let nameWidth = databases.map(\.name.count).max() ?? 0
    let pathWidth = databases.map { path(of: $0).count }.max() ?? 0
    for database in databases {
      var notes: [String] = []
      if database.realm.snapshot.file.isEncrypted { notes.append("encrypted") }
      if database.isReadOnly { notes.append("read-only") }
      let mark = database.name == currentName ? "*" : " "
      var line = "\(mark) \(padded(database.name, nameWidth))  "
      line += notes.isEmpty ? path(of: database) : padded(path(of: database), pathWidth)
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
