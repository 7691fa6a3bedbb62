import Glibc

/// Saves what can be saved of a damaged file.
///
/// The damaged file is only read. The new one is built from what can be reached, checked as a whole,
/// and gets its name only then.
public enum FileRecovery {
  /// Writes what can be read of a file to another one, without key and without history.
  ///
  /// - Parameters:
  ///   - path: The damaged file.
  ///   - key: Its key; nil if it is not encrypted.
  ///   - target: The new file, which must not exist.
  ///   - onProgress: Called now and then with steps done and of all; false gives up.
  /// - Throws: `system` (with EEXIST if there is a file), `noKey`, `wrongKey`, `badFileSize`;
  ///   `damaged` if no list of tables can be found; `rejected(.interrupted)`.
  public static func recover(
    path: String, key: EncryptionKey?, to target: String,
    onProgress: @escaping (Int, Int) -> Bool = { _, _ in true }
  ) throws(StorageError) -> RecoveryReport {
    let place = try CopyTarget(target, overwrite: false)
    defer { withExtendedLifetime(place) {} }
    let source = try RecoverySource(path: path, key: key, onProgress: onProgress)
    let salvage = try Salvage(source, onProgress: onProgress)
    let pending = try PendingFile(for: place.path, like: path)
    try build(salvage, pending, path, onProgress)
    var report = RecoveryReport()
    (report.origin, report.version) = (source.origin, source.snapshot.version)
    report.tables = salvage.tables.map { salvaged in
      var table = salvaged.report
      table.total = table.total.map { max($0, table.saved - table.older) }
      return table
    }
    let names = Set(report.tables.map(\.name))
    report.lostTables = source.snapshot.brokenTables.filter { !names.contains($0.name) }
      .map { ($0.name, $0.error) }
    report.byteCount = pending.file.byteCount
    try pending.publish(isReplacing: false)
    return report
  }

  /// Builds the tables in a file that is given up afterwards, and copies that compactly.
  private static func build(
    _ salvage: Salvage, _ pending: PendingFile, _ path: String,
    _ onProgress: @escaping (Int, Int) -> Bool
  ) throws(StorageError) {
    let scratch = try PendingFile(for: pending.target, like: path)
    scratch.file.isTemporary = true
    try Database.writeHeader(scratch.file)
    let database = try Database(path: "", file: scratch.file)
    try RecoveryBuilder(salvage, into: database, onProgress: onProgress).run()
    try FileCopier.write(
      try database.snapshot(), to: pending, key: nil, version: 2, onProgress)
    let copy = try Snapshot(of: try pending.reader(key: nil))
    for finding in FileChecker.check(copy, depth: .deep, onProgress: onProgress).findings {
      if case .unreadable(let error) = finding.kind { throw error }
      throw .rejected(.copyDiffers)
    }
  }
}
