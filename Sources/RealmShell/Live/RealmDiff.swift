import RealmObjects
import RealmStorage
import RealmValues

/// What an observer of a whole database tells.
struct RealmDiff {
  struct Line {
    var name: String
    var inserted: Int
    var modified: Int
    var deleted: Int

    var text: String {
      let parts = [("-", deleted), ("+", inserted), ("~", modified)].filter { $0.1 > 0 }
      return ([name] + parts.map { $0.0 + grouped($0.1) }).joined(separator: " ")
    }
  }

  /// The classes with changed objects, by name.
  let classes: [Line]
  /// What happened to classes and properties, one text each.
  let schemaTexts: [String]

  init(_ changes: TransactionChanges, old: Schema, new: Schema) {
    var lines: [Line] = []
    var texts: [String] = []
    func name(_ table: TableKey, _ schema: Schema) -> String? {
      schema.objectClass(table).flatMap { $0.origin == .system ? nil : quotedName($0.name) }
    }
    for table in changes.insertedTables {
      if let name = name(table, new) { texts.append("class \(name) added") }
    }
    for table in changes.erasedTables {
      if let name = name(table, old) { texts.append("class \(name) dropped") }
    }
    for table in changes.renamedTables {
      if let before = name(table, old), let after = name(table, new) {
        texts.append("class \(before) renamed to \(after)")
      }
    }
    for (table, changed) in changes.tables {
      guard let name = name(table, new) else { continue }
      if changed.hasObjectChanges {
        lines.append(
          Line(
            name: name, inserted: changed.inserted.count, modified: changed.modified.count,
            deleted: changed.deleted.count))
      }
      guard !changes.insertedTables.contains(table) else { continue }
      func property(_ column: ColumnKey, _ schema: Schema) -> String {
        let columns = schema.objectClass(table)?.table.columns ?? []
        return quotedName(columns.first { $0.key == column }?.name ?? "")
      }
      texts += changed.insertedColumns.map { "\(name).\(property($0, new)) added" }
      texts += changed.erasedColumns.map { "\(name).\(property($0, old)) dropped" }
      texts += changed.renamedColumns.map {
        "\(name).\(property($0, old)) renamed to \(property($0, new))"
      }
    }
    if let version = new.version, old.version != version {
      texts.append("schema version \(version)")
    }
    classes = lines.sorted { $0.name < $1.name }
    schemaTexts = texts.sorted()
  }

  /// All in one line.
  var text: String {
    var parts: [String] = []
    if !classes.isEmpty { parts.append(classes.map(\.text).joined(separator: ", ")) }
    if !schemaTexts.isEmpty { parts.append("schema: " + schemaTexts.joined(separator: ", ")) }
    return parts.isEmpty ? "no changes" : parts.joined(separator: "; ")
  }
}
