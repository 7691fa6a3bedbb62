import RealmStorage
import RealmValues
import Testing

/// Embedded objects below embedded objects of the same class.
struct EmbeddedWritingTests {
  /// Removing the column that holds the tree deletes all of it but the roots, whichever object of
  /// the class is met first.
  @Test func columnOfSelfEmbeddedClassIsRemoved() throws {
    let file = try WrittenFile()
    try file.write { transaction in
      try transaction.setSchemaVersion(0)
      let root = try transaction.createTable("class_Root")
      let node = try transaction.createTable("class_Node", kind: .embedded)
      let top = try transaction.addColumn(root, ColumnDefinition("top", .link, target: node))
      let below = try transaction.addColumn(
        node, ColumnDefinition("below", .link, collection: .list, target: node))
      for _ in 0..<3 {
        let object = try transaction.createObject(root)
        var parent = try transaction.createEmbedded(root, object, top)
        for _ in 0..<4 {
          _ = try transaction.createEmbedded(node, parent, below, at: 0)
          parent = try transaction.createEmbedded(node, parent, below, at: 0)
        }
      }
      try transaction.removeColumn(node, below)
      #expect(try transaction.objects(node).count == 3)
    }
  }
}
