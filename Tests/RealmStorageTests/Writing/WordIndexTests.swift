import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Full-text indexes have every word of every object, and nothing else.
struct WordIndexTests {
  @Test func wordsFollowTheTexts() throws {
    let file = try WrittenFile()
    var random = SplitMix64(seed: 11)
    let (table, text) = try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let table = try transaction.createTable("class_Text")
      let text = try transaction.addColumn(
        table, ColumnDefinition("text", .string, isNullable: true))
      for _ in 0..<50 {
        let object = try transaction.createObject(table)
        try transaction.set(table, object, text, Self.randomText(&random))
      }
      try transaction.addFullTextIndex(table, text)
      return (table, text)
    }
    for _ in 0..<8 {
      try file.write { transaction in
        for _ in 0..<40 {
          let object = try transaction.createObject(table)
          try transaction.set(table, object, text, Self.randomText(&random))
        }
        let objects = try transaction.objects(table)
        for _ in 0..<40 {
          let object = objects[Int.random(in: 0..<objects.count, using: &random)]
          guard try transaction.hasObject(table, object) else { continue }
          if Bool.random(using: &random) {
            try transaction.deleteObject(table, object)
          } else {
            try transaction.set(table, object, text, Self.randomText(&random))
          }
        }
      }
      try compare(file)
    }
  }

  private static func randomText(_ random: inout SplitMix64) -> ScalarValue {
    if Int.random(in: 0..<10, using: &random) == 0 { return .null }
    let letters = Array("ab".utf8)
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      for _ in 0..<Int.random(in: 1..<14, using: &random) {
        text.append(letters[Int.random(in: 0..<50, using: &random) == 0 ? 1 : 0])
      }
      text.append(UInt8(ascii: " "))
    }
    return .string(text)
  }

  private func compare(_ file: WrittenFile) throws {
    let table = try #require(try file.snapshot().table(named: "class_Text"))
    var expected: Set<String> = []
    let cursor = try TableCursor(table, columns: [0])
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard case .string(let bytes) = try cursor.value(0, at: row) else { continue }
        for word in FullTextWords.words(in: Array(bytes)) {
          expected.insert("\(String(decoding: word, as: UTF8.self)) \(cursor.key(at: row))")
        }
      }
    }
    var found: Set<String> = []
    var count = 0
    let index = SearchIndex(root: table.columns[0].indexRoot, view: table.view)
    try index.walk { (path, key) in
      var word: [UInt8] = []
      for chunk in path { withUnsafeBytes(of: chunk.bigEndian) { word += $0 } }
      if let end = word.firstIndex(of: 0x58) { word.removeSubrange(end...) }
      found.insert("\(String(decoding: word, as: UTF8.self)) \(key)")
      count += 1
    }
    #expect(found == expected)
    #expect(count == expected.count)
  }

  @Test func wordsAreLowerCaseWithoutDiacritics() {
    let words = FullTextWords.words(in: Array("Ärger, ÉTÉ×2 — naïve_Œuvre ß ×".utf8))
    let texts = Set(words.map { String(decoding: $0, as: UTF8.self) })
    #expect(texts == ["arger", "ete2", "naive", "uvre", "ß", ""])
    let long = FullTextWords.words(
      in: Array(repeating: UInt8(ascii: "a"), count: 63) + [0xC3, 0x85, 0x62])
    #expect(long == [Array(repeating: UInt8(ascii: "a"), count: 63) + [0x62]])
  }
}
