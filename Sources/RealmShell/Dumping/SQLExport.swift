import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `export … format sql` and `format sqlite`.
///
/// Source: shell.md 16.
extension Session {
  /// Writes objects for SQLite.
  ///
  /// - Returns: for each table its name and the number of its rows.
  func exportSQL(
    _ selection: ObjectSelection, asText: Bool, to path: FilePath
  ) throws(ShellError) -> [(table: String, count: Int)] {
    let database = try current(at: path.range)
    let mapping = SQLMapping(selection.classes, isClosed: selection.isClosed)
    let progress = Progress("exporting", for: self)
    var total = 0
    do throws(StorageError) {
      for objectClass in selection.classes { total += try selection.count(of: objectClass) }
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    func write(to sink: some SQLSink) throws(ShellError) -> [(table: String, count: Int)] {
      let rows = SQLRows(selection, mapping, to: sink) { count in
        count & 0x3FF != 0 || progress.goesOn(count, total)
      }
      do throws(StorageError) {
        try rows.write(version: selection.schema.version)
      } catch {
        throw StorageMessages.error(error, path: database.realm.path)
      }
      try Interruption.check()
      return rows.counts
    }
    let target = resolve(path)
    if asText {
      var counts: [(table: String, count: Int)] = []
      try OutputFile.write(to: target, for: self, at: path.range) { (writer) throws(ShellError) in
        writer.write("-- realmsh export of \(database.shownName)\n")
        counts = try write(to: SQLText(to: writer))
      }
      return counts
    }
    return try makeSQLite(at: target, path) { (file) throws(ShellError) in try write(to: file) }
  }

  /// Makes a database file, which takes its place when it is whole.
  private func makeSQLite(
    at target: String, _ path: FilePath,
    _ body: (SQLiteFile) throws(ShellError) -> [(table: String, count: Int)]
  ) throws(ShellError) -> [(table: String, count: Int)] {
    try permitWriting(to: target, at: path.range)
    if let reason = SQLiteFile.refusal(target, applicationID: SQLRows<SQLiteFile>.applicationID) {
      throw ShellError(.fileAlreadyExists, "\(path.text) \(reason)", at: path.range)
    }
    // A link is written through.
    let final = realPath(target) ?? target
    return try OutputFile.replace(final, shownAs: path.text, at: path.range) {
      (unfinished, _) throws(ShellError) in
      let file = try SQLiteFile(unfinished, shownAs: path.text, at: path.range)
      let counts = try body(file)
      try file.finish()
      return counts
    }
  }
}
