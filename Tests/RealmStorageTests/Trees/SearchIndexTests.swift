import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Every object is found through each index of its table, with exactly the objects that have the
/// same value.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct SearchIndexTests {
  @Test(arguments: ["indexes.realm", "big-1000.realm", "links.realm", "alltypes.realm"])
  func objectsAreFoundByTheirValues(_ name: String) throws {
    let path = try #require(Fixtures.shared("fixtures/\(name)"))
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: nil))
    var found = 0
    for table in snapshot.tables {
      for (i, column) in table.columns.enumerated() where column.hasIndex {
        guard column.collection == .none else { continue }
        found += try compare(table, i)
      }
    }
    #expect(found > 0)
  }

  /// Compares look-ups with a scan.
  private func compare(_ table: StoredTable, _ column: Int) throws -> Int {
    var byText: [String: [ObjectKey]] = [:]
    var values: [String: ScalarValue] = [:]
    let cursor = try TableCursor(table, columns: [column])
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard let value = try cursor.value(0, at: row).scalar else { continue }
        byText["\(value)", default: []].append(cursor.key(at: row))
        values["\(value)"] = value
      }
    }
    for (text, keys) in byText {
      let value = try #require(values[text])
      let found = try table.find(column: column, value: value)
      if table.columns[column].kind == .mixed {
        // Equal numbers of other types are found as well.
        if let found { #expect(Set(found).isSuperset(of: keys), "\(text)") }
        continue
      }
      #expect(found == keys, "\(table.name).\(table.columns[column].name) \(text)")
      if table.primaryKey == column {
        #expect(try table.findPrimaryKey(value) == keys.first)
      }
    }
    #expect(try table.find(column: column, value: .int(-12_345)) ?? [] == [])
    #expect(try table.find(column: column, value: .string(Array("no such text".utf8))) ?? [] == [])
    return values.count
  }

  @Test func oldFilesAreScanned() throws {
    for name in ["v10-studio-asset_file.realm", "v03-java-asset_file.realm"] {
      let path = try #require(Fixtures.shared("fixtures/vendor/\(name)"))
      let snapshot = try Snapshot(of: try RealmFile(path: path, key: nil))
      for table in snapshot.tables {
        guard let primaryKey = table.primaryKey, try table.objectCount() > 0 else { continue }
        let cursor = try TableCursor(table, columns: [primaryKey])
        _ = try cursor.next()
        let value = try #require(try cursor.value(0, at: 0).scalar)
        #expect(try table.find(column: primaryKey, value: value) == nil)
        #expect(try table.findPrimaryKey(value) == cursor.key(at: 0))
      }
    }
  }

  @Test func chunksMarkTheEnd() {
    let text = IndexKey(Array("abcde".utf8))
    #expect(text.chunk(at: 0) == 0x6162_6364)
    #expect(text.chunk(at: 4) == 0x6558_0000)
    #expect(text.chunk(at: 8) == 0)
    #expect(IndexKey([]).chunk(at: 0) == 0x5800_0000)
    #expect(IndexKey.null.chunk(at: 0) == 0)
    #expect(IndexKey(Int64(1)).chunk(at: 0) == 0x0100_0000)
    #expect(IndexKey(Int64(1)).chunk(at: 8) == 0x5800_0000)
    #expect(IndexKey(3.0) == IndexKey(Int64(3)))
  }
}
