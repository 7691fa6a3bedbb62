import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Changing damaged files ends with an error, or works, but never with a crash.
struct DamagedWritingTests {
  @Test func damagedFilesAreSurvived() throws {
    let file = try WrittenFile()
    let graph = try file.write { try RandomGraph($0, seed: 12) }
    try file.write { transaction in for _ in 0..<400 { try graph.change(transaction) } }
    let bytes = Files.read(file.path)
    let folder = TemporaryFolder()
    var random = SplitMix64(seed: 3)
    var openedCount = 0
    for _ in 0..<1500 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 24..<damaged.count, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      let path = folder.write(damaged, to: "damaged.realm")
      do {
        let database = try Database(path: path)
        openedCount += 1
        try change(try database.beginWrite())
      } catch is StorageError {}
    }
    #expect(openedCount > 0)
  }

  private func change(_ transaction: WriteTransaction) throws {
    guard let table = try transaction.table(named: "class_Person"),
      let age = try transaction.columnKey(table, "age"),
      let friends = try transaction.columnKey(table, "friends"),
      let tags = try transaction.columnKey(table, "tags"),
      let scores = try transaction.columnKey(table, "scores"),
      let note = try transaction.columnKey(table, "note")
    else { return }
    let objects = try transaction.objects(table).prefix(30)
    for (i, object) in objects.enumerated() {
      let text = Array("new \(i)".utf8)
      do {
        try transaction.set(table, object, age, .int(Int64(i)))
        try transaction.set(table, object, note, .string(text))
        try transaction.insert(table, object, friends, at: 0, .key(object))
        try transaction.insert(table, object, tags, member: .string(text))
        try transaction.set(table, object, scores, key: text, .double(1))
        if i % 3 == 0 { try transaction.deleteObject(table, object) }
        _ = try transaction.createObject(table, primaryKey: .string(text))
      } catch StorageError.rejected {}
    }
    try transaction.commit()
  }
}
