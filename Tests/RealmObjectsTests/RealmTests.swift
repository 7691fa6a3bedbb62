import Glibc
import RealmStorage
import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// Opening, sharing and write transactions of realms.
struct RealmTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  func create(key: EncryptionKey? = nil) throws -> Realm {
    let realm = try Realm.create(path: path, key: key)
    try realm.beginWrite()
    let transaction = try #require(realm.transaction)
    try transaction.setSchemaVersion(1)
    let table = try transaction.createTable("class_Thing")
    _ = try transaction.addColumn(table, ColumnDefinition("number", .int))
    realm.noteChange()
    try realm.commitWrite()
    return realm
  }

  /// Creates an object in the open transaction.
  func add(_ realm: Realm) throws {
    let transaction = try #require(realm.transaction)
    let table = try #require(try transaction.table(named: "class_Thing"))
    _ = try transaction.createObject(table)
    realm.noteChange()
  }

  func count(_ realm: Realm) throws -> Int {
    try #require(realm.snapshot.table(named: "class_Thing")).objectCount()
  }

  @Test func othersSeeCommitsAfterRefresh() throws {
    let writer = try create()
    let reader = try Realm(path: path)
    let sharer = try Realm(path: path)
    try sharer.share()
    #expect(writer.access == .shared && reader.access == .reading && sharer.access == .shared)
    let old = sharer.snapshot
    for _ in 0..<5 {
      try writer.beginWrite()
      try add(writer)
      #expect(try writer.refresh() == false)
      #expect(try count(writer) == count(reader) + 1)
      try writer.commitWrite()
      #expect(!sharer.snapshot.isNewest())
      #expect(try sharer.refresh() && reader.refresh())
      #expect(try !sharer.refresh() && !reader.refresh())
      #expect(try count(sharer) == count(writer))
      #expect(try count(reader) == count(writer))
    }
    // What is pinned stays as it was.
    #expect(try old.table(named: "class_Thing")?.objectCount() == 0)
    #expect(old.isIntact())
    #expect(sharer.schema.objectClass(named: "Thing") != nil)
  }

  @Test func beginningMovesToTheNewestVersion() throws {
    let a = try create()
    let b = try Realm(path: path)
    try a.beginWrite()
    try add(a)
    #expect(try a.commitWrite() == 3)
    try b.beginWrite()
    #expect(try count(b) == 1)
    #expect(b.snapshot.version == 3)
    try add(b)
    #expect(try b.commitWrite() == 4)
    #expect(b.snapshot.version == 4)
    #expect(try count(b) == 2)
  }

  @Test func cancelRestoresEverything() throws {
    let realm = try create()
    try realm.beginWrite()
    try add(realm)
    try realm.refresh()
    #expect(try count(realm) == 1)
    try realm.cancelWrite()
    #expect(!realm.isWriting)
    #expect(try count(realm) == 0)
    #expect(realm.snapshot.version == 2)
    try realm.beginWrite(wait: .no)
    #expect(try realm.commitWrite() == 3)
  }

  @Test func onlyOneRealmWrites() throws {
    let a = try create()
    let b = try Realm(path: path)
    #expect(a.writerProcess == nil)
    try a.beginWrite()
    #expect(a.writerProcess == getpid())
    for wait in [LockWait.no, .forever, .milliseconds(10)] {
      #expect(throws: StorageError.rejected(.wouldWaitForItself)) { try b.beginWrite(wait: wait) }
      #expect(!b.isWriting)
    }
    try a.cancelWrite()
    try b.beginWrite()
    #expect(b.writerProcess == getpid())
    try b.cancelWrite()
  }

  @Test func replacedFileIsOpenedAnew() throws {
    let realm = try create()
    try realm.beginWrite()
    try add(realm)
    let other = folder.copy(path, as: "y.realm")
    #expect(rename(other, path) == 0)
    #expect(throws: StorageError.rejected(.fileReplaced)) { try realm.commitWrite() }
    #expect(!realm.isWriting)
    #expect(realm.access == .reading)
    #expect(try count(realm) == 0)
    try realm.beginWrite()
    try add(realm)
    try realm.commitWrite()
    #expect(try count(try Realm(path: path)) == 1)
    let third = folder.copy(path, as: "y.realm")
    #expect(rename(third, path) == 0)
    #expect(!realm.snapshot.isNewest())
    try realm.beginWrite()
    try add(realm)
    try realm.commitWrite()
    #expect(try count(try Realm(path: path)) == 2)
  }

  @Test func creatingReplacesNothing() throws {
    let realm = try create()
    #expect(throws: StorageError.self) { try Realm.create(path: path) }
    withExtendedLifetime(realm) {}
    try realm.unshare()
    #expect(throws: StorageError.system(.open, EEXIST)) { try Realm.create(path: path) }
  }

  @Test func encryptedRealmsAreWritten() throws {
    let key = [UInt8](repeating: 7, count: 64).withUnsafeBytes { EncryptionKey($0) }
    do {
      let realm = try create(key: key)
      #expect(realm.snapshot.file.isEncrypted)
      try realm.beginWrite()
      try add(realm)
      try realm.commitWrite()
    }
    #expect(throws: StorageError.noKey) { try Realm(path: path) }
    let realm = try Realm(path: path, key: key)
    try realm.beginWrite()
    #expect(try count(realm) == 1)
    try realm.cancelWrite()
  }

  @Test func realmsInMemoryAreWritten() throws {
    let realm = try Realm.memory()
    #expect(realm.access == .shared)
    for round in 0..<3 {
      try realm.beginWrite()
      let transaction = try #require(realm.transaction)
      if round == 0 { _ = try transaction.createTable("class_Thing") }
      try add(realm)
      try realm.commitWrite()
      #expect(try count(realm) == round + 1)
      #expect(try !realm.refresh())
    }
    try realm.unshare()
    #expect(realm.access == .shared)
  }

  @Test func fileCanBeHadAloneAfterLeaving() throws {
    let realm = try create()
    #expect(throws: LockError.self) { try ExclusiveLock(realmPath: path) }
    try realm.unshare()
    #expect(realm.access == .reading)
    do { _ = try ExclusiveLock(realmPath: path, timeoutMilliseconds: 1000) }
    try realm.beginWrite()
    try realm.cancelWrite()
  }
}
