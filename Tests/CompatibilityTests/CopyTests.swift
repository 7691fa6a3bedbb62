import Glibc
import RealmObjects
import RealmStorage
import TestSupport
import Testing

/// Copies and upgrades of files written by Realm itself hold what was recorded of the originals.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not beside the checkout"))
struct CopyTests {
  @Test(arguments: RecordedFile.all)
  func upgradesHoldTheRecordedObjects(_ file: RecordedFile) throws {
    let folder = TemporaryFolder()
    let path = folder.file("new.realm")
    let outcome = try FileUpgrader.upgrade(try file.open().snapshot, to: path)
    #expect(outcome.oldFormat == nil || outcome.isUpgrade == (outcome.oldFormat != 24))
    try compare(path, nil, file)
    try compareSchemas(path, file)
    keep(path, "upgraded", file)
  }

  @Test(arguments: RecordedFile.all)
  func upgradesInPlaceHoldTheRecordedObjects(_ file: RecordedFile) throws {
    let folder = TemporaryFolder()
    let path = folder.copy(file.path, as: "file.realm")
    chmod(path, 0o640)
    let key = file.encryptionKey
    let (before, historyType) = (Files.read(path), try file.open().snapshot.historyType)
    do {
      let outcome = try FileUpgrader.upgradeInPlace(path: path, key: key)
      if !outcome.isUpgrade { #expect(Files.read(path) == before) }
      try compare(path, key, file)
    } catch StorageError.rejected(.synchronised) {
      #expect(historyType == .syncClient || historyType == .syncServer)
      #expect(Files.read(path) == before)
    }
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(Set(Files.names(in: folder.path)) == ["file.realm", "file.realm.lock"])
  }

  @Test(arguments: RecordedFile.all)
  func copiesHoldTheRecordedObjects(_ file: RecordedFile) throws {
    let folder = TemporaryFolder()
    let snapshot = try file.open().snapshot
    guard snapshot.format.map({ $0.number == 24 }) ?? true else {
      let needed = StorageError.rejected(.needsUpgrade(snapshot.format?.number ?? 0))
      #expect(throws: needed) { try FileCopier.copy(snapshot, to: folder.file("a.realm")) }
      #expect(Files.names(in: folder.path).isEmpty)
      return
    }
    let key = (0..<64).map { UInt8($0 * 3) }.withUnsafeBytes { EncryptionKey($0) }
    for (name, key) in [("plain.realm", nil), ("encrypted.realm", key)] {
      let path = folder.file(name)
      let byteCount = try FileCopier.copy(snapshot, to: path, key: key)
      #expect(Files.read(path).count == byteCount)
      try compare(path, key, file)
      let first = Files.read(path)
      let (before, after) = try FileCopier.compact(path: path, key: key)
      #expect(before == after)
      try compare(path, key, file)
      if key == nil { #expect(Files.read(path) == first) }
      keep(path, "copied-\(name.prefix(5))", file)
    }
  }

  /// Keeps a copy in the folder that KEPT_COPIES names, to look at it later.
  private func keep(_ path: String, _ prefix: String, _ file: RecordedFile) {
    guard let kept = getenv("KEPT_COPIES") else { return }
    Files.write(
      Files.read(path), to: "\(String(cString: kept))/\(prefix)-\(file.testDescription)")
  }

  private func compare(_ path: String, _ key: EncryptionKey?, _ file: RecordedFile) throws {
    let realm = try Realm(path: path, key: key)
    let report = FileChecker.check(realm.snapshot, depth: .deep)
    #expect(report.isGood, "\(report.findings.prefix(3))")
    #expect(realm.snapshot.format.map { $0.number == 24 } ?? true)
    var lines = try CanonicalDump.lines(realm, usesTableNames: file.usesTableNames)
    var recorded = Files.read(file.dumpPath).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    // Primary keys of old files stand in a table that is not copied.
    let dropped = Array("{\"class\":\"pk\",".utf8)
    recorded.removeAll { $0.starts(with: dropped) }
    lines.removeAll { $0.starts(with: dropped) }
    #expect(lines.count == recorded.count)
    let difference = zip(lines, recorded).first { $0 != $1 }
    if let (line, expected) = difference {
      Issue.record(
        """
        \(String(decoding: line.prefix(300), as: UTF8.self))
        recorded: \(String(decoding: expected.prefix(300), as: UTF8.self))
        """)
    }
  }

  private func compareSchemas(_ path: String, _ file: RecordedFile) throws {
    let (old, new) = (try file.open().schema, try Realm(path: path).schema)
    #expect(old.version == new.version)
    for oldClass in old.all where oldClass.table.name != "pk" {
      let newClass = try #require(new.all.first { $0.table.name == oldClass.table.name })
      #expect(newClass.isEmbedded == oldClass.isEmbedded)
      #expect(newClass.primaryKey?.name == oldClass.primaryKey?.name)
      #expect(newClass.properties.map(\.name) == oldClass.properties.map(\.name))
      for (a, b) in zip(newClass.properties, oldClass.properties) {
        #expect(a.kind == b.kind && a.collection == b.collection && a.isNullable == b.isNullable)
        #expect(a.targetName == b.targetName)
      }
      for (a, b) in zip(newClass.table.columns, oldClass.table.columns) {
        #expect(a.isMarkedIndexed == b.isMarkedIndexed)
        #expect(a.hasFullTextIndex == b.hasFullTextIndex)
      }
    }
  }
}
