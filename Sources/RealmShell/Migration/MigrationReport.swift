import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// What a block of a migration has done.
///
/// Source: shell.md 14.
struct MigrationReport {
  /// One change of the classes.
  private struct Change {
    enum Kind: String, CaseIterable {
      case renamed, added, altered, dropped
    }

    var kind: Kind
    var text: String
  }

  /// What happened to the objects of a class.
  private struct Objects {
    var className: String
    var rewritten = 0
    var added = 0
    var deleted = 0

    /// With each number the word for it.
    var parts: [(count: Int, word: String)] {
      [(rewritten, "rewritten"), (added, "added"), (deleted, "deleted")].filter { $0.0 > 0 }
    }
  }

  /// The first objects of a class before and after.
  private struct Example {
    var rows: [(before: String, after: String)]
  }

  private let versions: String
  private var changes: [Change] = []
  private var objects: [Objects] = []
  private var examples: [Example] = []
  private let rule: String

  /// Compares the state before a block with the present one.
  init(_ migration: Migration, _ new: Schema, isWide: Bool) throws(StorageError) {
    let old = migration.oldSchema
    versions =
      "schema version \(old.version.map(String.init) ?? "none") -> "
      + "\(new.version.map(String.init) ?? "none")"
    rule = isWide ? "─" : "-"
    compareClasses(old, new)
    for newClass in new.classes {
      let oldClass = old.objectClass(newClass.table.key)
      // Embedded objects are parts of others.
      let areParts = newClass.isEmbedded && oldClass?.isEmbedded != false
      var counts = Objects(className: newClass.name)
      let rewritten = migration.rewritten[newClass.table.key]
      counts.rewritten = rewritten?.keys.count ?? 0
      (counts.added, counts.deleted) = try MigrationReport.difference(oldClass, newClass)
      if !counts.parts.isEmpty, !areParts { objects.append(counts) }
      if let rewritten, let oldClass, !areParts {
        examples.append(
          try MigrationReport.example(rewritten.first, (oldClass, old), (newClass, new)))
      }
    }
  }

  // MARK: Classes

  private mutating func compareClasses(_ old: Schema, _ new: Schema) {
    for newClass in new.classes {
      let name = quotedName(newClass.name)
      guard let oldClass = old.objectClass(newClass.table.key) else {
        add(.added, "class \(name)\(newClass.isEmbedded ? " embedded" : "")")
        continue
      }
      if oldClass.name != newClass.name {
        add(.renamed, "class \(quotedName(oldClass.name)) to \(name)")
      }
      if oldClass.isEmbedded != newClass.isEmbedded {
        add(
          .altered,
          "\(name): "
            + (newClass.isEmbedded ? "standalone -> embedded" : "embedded -> standalone"))
      }
    }
    for newClass in new.classes {
      guard let oldClass = old.objectClass(newClass.table.key) else { continue }
      compareProperties(of: oldClass, and: newClass)
    }
    for oldClass in old.classes where new.objectClass(oldClass.table.key) == nil {
      add(.dropped, "class \(quotedName(oldClass.name))")
    }
  }

  private mutating func compareProperties(of old: ObjectClass, and new: ObjectClass) {
    func key(_ property: Property, _ objectClass: ObjectClass) -> ColumnKey {
      objectClass.table.columns[property.position].key
    }
    // A retyped property has another column under its name.
    var pairs: [String: Property] = [:]
    var known: Set<String> = []
    for property in new.properties {
      let same = old.properties.first { key($0, old) == key(property, new) }
      guard let match = same ?? old.property(named: property.name) else { continue }
      pairs[property.name] = match
      known.insert(match.name)
    }
    let (oldName, newName) = (quotedName(old.name), quotedName(new.name))
    for property in new.properties {
      let text = PropertyDefinition(property)
      let place = "\(newName).\(quotedName(property.name))"
      guard let match = pairs[property.name] else {
        add(.added, "\(newName).\(text.text)")
        continue
      }
      if match.name != property.name {
        add(.renamed, "\(oldName).\(quotedName(match.name)) to \(place)")
      }
      let before = PropertyDefinition(match)
      if before.typeText != text.typeText {
        add(.altered, "\(place): \(before.typeText) -> \(text.typeText)")
      }
    }
    for property in old.properties where !known.contains(property.name) {
      let type = PropertyDefinition(property).type.text
      add(.dropped, "\(oldName).\(quotedName(property.name)): \(type)")
    }
  }

  private mutating func add(_ kind: Change.Kind, _ text: String) {
    changes.append(Change(kind: kind, text: text))
  }

  // MARK: Objects

  /// Number of objects that one state has and the other has not.
  private static func difference(
    _ old: ObjectClass?, _ new: ObjectClass
  ) throws(StorageError) -> (added: Int, deleted: Int) {
    guard let old else { return (try new.table.objectCount(), 0) }
    var (before, after) = (try KeyWalk(old.table), try KeyWalk(new.table))
    var common = 0
    while let a = before.key, let b = after.key {
      if a <= b { try before.advance() }
      if b <= a { try after.advance() }
      if a == b { common += 1 }
    }
    return (try new.table.objectCount() - common, try old.table.objectCount() - common)
  }

  /// The keys of a table, one after the other.
  private struct KeyWalk {
    private let cursor: TableCursor
    private var row = 0
    private(set) var key: ObjectKey?

    init(_ table: StoredTable) throws(StorageError) {
      cursor = try TableCursor(table, columns: [])
      row = -1
      try advance()
    }

    mutating func advance() throws(StorageError) {
      row += 1
      while row >= cursor.count {
        guard try cursor.next() else {
          key = nil
          return
        }
        row = 0
      }
      key = cursor.key(at: row)
    }
  }

  /// A property of an object as it is shown.
  private struct Field {
    var name: String
    var text: String
    var isCollection: Bool
  }

  private static func example(
    _ keys: [ObjectKey], _ old: (ObjectClass, Schema), _ new: (ObjectClass, Schema)
  ) throws(StorageError) -> Example {
    var rows: [(before: [Field]?, after: [Field]?)] = []
    for key in keys { rows.append((try fields(key, old), try fields(key, new))) }
    var changed: Set<String> = []
    for row in rows {
      guard let before = row.before, let after = row.after else { continue }
      for field in before + after {
        let texts = [before, after].map { fields in fields.first { $0.name == field.name }?.text }
        if texts[0] != texts[1] { changed.insert(field.name) }
      }
    }
    let key = new.0.primaryKey?.name
    let other = new.0.properties.first { property in
      property.name != key && !changed.contains(property.name)
        && old.0.property(named: property.name) != nil
    }
    func text(_ fields: [Field]?, _ missing: String) -> String {
      guard let fields else { return missing }
      return MigrationReport.text(
        fields, showing: [key, other?.name, old.0.primaryKey?.name], changed)
    }
    return Example(rows: rows.map { (text($0.before, "new"), text($0.after, "deleted")) })
  }

  /// The properties of an object; nil if there is none with the key.
  private static func fields(
    _ key: ObjectKey, _ place: (objectClass: ObjectClass, schema: Schema)
  ) throws(StorageError) -> [Field]? {
    let table = place.objectClass.table
    guard let row = try table.row(of: key) else { return nil }
    var fields: [Field] = []
    for property in place.objectClass.properties {
      let out = ByteWriter()
      try ValueWriter(place.schema, to: out).write(
        try table.value(of: property.position, in: row), isMixed: property.kind == .mixed, .literal)
      fields.append(
        Field(
          name: property.name, text: String(decoding: out.takeBytes(), as: UTF8.self),
          isCollection: property.collection != .none))
    }
    return fields
  }

  /// An object with some of its properties; points stand for the others.
  private static func text(
    _ fields: [Field], showing names: [String?], _ changed: Set<String>
  ) -> String {
    var parts: [String] = []
    for field in fields {
      guard changed.contains(field.name) || names.contains(field.name) else {
        if parts.last != "..." { parts.append("...") }
        continue
      }
      var text = field.text
      if field.isCollection, !changed.contains(field.name), text.utf8.count > 2,
        let (open, close) = text.first.flatMap({ first in text.last.map { (first, $0) } })
      {
        text = "\(open)...\(close)"
      }
      parts.append("\(quotedName(field.name)): \(text)")
    }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  // MARK: Texts

  /// The acknowledgement: `migrated schema version 0 -> 1: 1 added, 1,204 Dog rewritten`.
  var line: String {
    var parts: [String] = []
    for kind in Change.Kind.allCases {
      let count = changes.count { $0.kind == kind }
      if count > 0 { parts.append("\(grouped(count)) \(kind.rawValue)") }
    }
    for item in objects {
      let name = quotedName(item.className)
      for part in item.parts { parts.append("\(grouped(part.count)) \(name) \(part.word)") }
    }
    let text = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    return "migrated \(versions)\(text)"
  }

  /// Writes the report of a dry run.
  ///
  /// - Parameter width: Columns of the screen; nil if there is none.
  func write(to writer: ByteWriter, width screenWidth: Int?) {
    writer.write("\(versions) (dry run)\n")
    var lines: [(label: String, text: String)] = []
    for kind in Change.Kind.allCases {
      lines += changes.filter { $0.kind == kind }.map { (kind.rawValue, $0.text) }
    }
    for item in objects {
      let texts = item.parts.enumerated().map { i, part in
        i == 0
          ? counted(part.count, "object", "objects") + " " + part.word
          : "\(grouped(part.count)) \(part.word)"
      }
      lines.append((quotedName(item.className), texts.joined(separator: ", ")))
    }
    let width = lines.reduce(0) { max($0, columns(of: $1.label)) }
    for line in lines { writer.write("  \(padded(line.label, to: width))  \(line.text)\n") }
    for example in examples { write(example, to: writer, width: screenWidth ?? .max) }
  }

  /// Writes objects before and after, next to each other if there is room, else below each other.
  private func write(_ example: Example, to writer: ByteWriter, width: Int) {
    let rows = [("before", "after")] + example.rows.map { ($0.before, $0.after) }
    let widths = (
      rows.reduce(0) { max($0, columns(of: $1.0)) }, rows.reduce(0) { max($0, columns(of: $1.1)) }
    )
    guard widths.0 + 2 + widths.1 <= width else {
      for row in example.rows {
        writer.write(
          WordWrap.paragraphs("before  \(row.before)\nafter   \(row.after)\n", width: width))
      }
      return
    }
    for (i, row) in rows.enumerated() {
      writer.write("\(padded(row.0, to: widths.0))  \(row.1)\n")
      guard i == 0 else { continue }
      let rules = [widths.0, widths.1].map { String(repeating: rule, count: $0) }
      writer.write(rules.joined(separator: "  ") + "\n")
    }
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(of: text)))
  }

  private func columns(of text: String) -> Int {
    Array(text.utf8).withUnsafeBytes { displayWidth(of: $0) }
  }
}
