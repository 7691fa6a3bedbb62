import CSQLite
import Glibc
import RealmLanguage

/// A new database file of SQLite, which nobody else sees before it is whole.
final class SQLiteFile: SQLSink {
  /// What failures call the file.
  private let path: String
  private let range: SourceRange
  private var database: OpaquePointer?
  private var insertion: OpaquePointer?
  private var column: Int32 = 0
  private(set) var failure: ShellError?

  /// Makes a file.
  ///
  /// - Parameter path: Of an empty file.
  init(_ path: String, shownAs shown: String, at range: SourceRange) throws(ShellError) {
    self.path = shown
    self.range = range
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    // The file is locked already, and on some file systems a second lock would wait for that.
    check(sqlite3_open_v2(path, &database, flags, "unix-none"))
    // Making an index takes long.
    sqlite3_progress_handler(database, 100_000, { _ in Interruption.isRequested ? 1 : 0 }, nil)
    // The file is thrown away if anything goes wrong, so that nothing has to be taken back.
    run("PRAGMA journal_mode = OFF")
    run("PRAGMA synchronous = OFF")
    run("PRAGMA locking_mode = EXCLUSIVE")
    run("PRAGMA cache_size = -16384")
    try throwFailure()
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close(database)
  }

  func throwFailure() throws(ShellError) {
    if let failure { throw failure }
  }

  /// Keeps the first failure.
  private func check(_ status: Int32) {
    guard failure == nil, status != SQLITE_OK, status != SQLITE_DONE, status != SQLITE_ROW else {
      return
    }
    if status == SQLITE_FULL {
      failure = OutputFile.failed(path, ENOSPC, range)
    } else {
      let text = sqlite3_errmsg(database).map { String(cString: $0) } ?? "out of memory"
      failure = ShellError(.fileOperationFailed, "cannot write \(path): \(text)", at: range)
    }
  }

  func run(_ statement: String) {
    guard failure == nil else { return }
    check(sqlite3_exec(database, statement, nil, nil, nil))
  }

  func beginRows(of table: String, columnCount: Int) {
    guard failure == nil else { return }
    let places = Array(repeating: "?", count: columnCount).joined(separator: ",")
    check(
      sqlite3_prepare_v2(
        database, "INSERT INTO \(table) VALUES (\(places))", -1, &insertion, nil))
    column = 0
  }

  // MARK: Rows

  func addNull() {
    column += 1
    check(sqlite3_bind_null(insertion, column))
  }

  func add(_ number: Int64) {
    column += 1
    check(sqlite3_bind_int64(insertion, column, number))
  }

  func add(_ number: Double) {
    column += 1
    check(sqlite3_bind_double(insertion, column, number))
  }

  /// Makes SQLite copy what it is given.
  private static var transient: sqlite3_destructor_type {
    // SQLITE_TRANSIENT is the address -1, which is no function of Swift.
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  func addText(_ bytes: UnsafeRawBufferPointer) {
    column += 1
    let empty: StaticString = ""
    let text = bytes.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
    check(
      sqlite3_bind_text64(
        insertion, column, text.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
        SQLiteFile.transient, UInt8(SQLITE_UTF8)))
  }

  func addData(_ bytes: UnsafeRawBufferPointer) {
    column += 1
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return check(sqlite3_bind_zeroblob(insertion, column, 0))
    }
    check(
      sqlite3_bind_blob64(insertion, column, start, UInt64(bytes.count), SQLiteFile.transient))
  }

  func endRow() {
    column = 0
    guard failure == nil else { return }
    check(sqlite3_step(insertion))
    check(sqlite3_reset(insertion))
  }

  /// Counts the rows again.
  func endRows(of table: String, count: Int) {
    sqlite3_finalize(insertion)
    insertion = nil
    guard failure == nil else { return }
    var query: OpaquePointer?
    check(sqlite3_prepare_v2(database, "SELECT count(*) FROM \(table)", -1, &query, nil))
    check(sqlite3_step(query))
    let found = sqlite3_column_int64(query, 0)
    sqlite3_finalize(query)
    if failure == nil, found != count {
      failure = ShellError(
        .fileOperationFailed,
        "\(path): table \(table) has \(found) rows in place of \(count)", at: range)
    }
  }

  /// Ends the file: all of it is on the disk afterwards.
  func finish() throws(ShellError) {
    try throwFailure()
    let name = sqlite3_db_filename(database, "main").map { String(cString: $0) } ?? ""
    check(sqlite3_close(database))
    database = nil
    try throwFailure()
    let descriptor = open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputFile.failed(path, errno, range) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw OutputFile.failed(path, errno, range) }
  }

  // MARK: Files that are there

  /// Why a file cannot be replaced, as what follows its name; nil if it may.
  ///
  /// - Parameter applicationID: The number in files that this program has made.
  static func refusal(_ path: String, applicationID: Int32) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else { return "is no file" }
    guard status.st_size > 0 else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "cannot be read" }
    defer { close(descriptor) }
    // The number stands at byte 68 of the header, the most significant byte first.
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, header.count, 0)
    let number = header[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard count == 100, header.starts(with: "SQLite format 3\0".utf8),
      Int32(bitPattern: number) == applicationID
    else { return "exists already and was not made by export" }
    for suffix in ["-wal", "-journal"] where OutputFile.hasContent(path + suffix) {
      return "is in use"
    }
    return nil
  }
}
