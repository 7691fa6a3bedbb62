import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// `info space`, `info history`.
///
/// Source: shell.md 6.
struct SpaceText {
  private let realm: Realm
  private let report: SpaceReport

  /// A line: a part, its bytes, and what else is known.
  private struct Row {
    var name: String
    var byteCount: Int?
    var note = ""
    /// The fields that tell the part to programs.
    var fields: [(name: String, value: String)]
  }

  init(_ realm: Realm, _ report: SpaceReport) { (self.realm, self.report) = (realm, report) }

  func write(_ mode: Settings.Mode, to writer: ByteWriter) throws(StorageError) {
    let rows = parts + classRows + (try valueRows())
    switch mode {
    case .json, .jsonl: writeJSON(rows.filter { $0.byteCount != nil }, mode, to: writer)
    default: write(rows, to: writer)
    }
  }

  // MARK: Rows

  private func part(_ name: String, _ byteCount: Int) -> Row {
    Row(name: name, byteCount: byteCount, fields: [("part", name)])
  }

  /// The whole, and what belongs to no class.
  private var parts: [Row] {
    var rows = [
      part("file", report.fileByteCount),
      part("in use", report.usedByteCount),
      part("free", report.freeByteCount),
      part("behind the end", report.behindByteCount),
    ]
    if report.encryptionByteCount > 0 {
      rows.append(part("encryption", report.encryptionByteCount))
    }
    if report.otherByteCount != 0 { rows.append(part("lost", report.otherByteCount)) }
    rows.append(part("header", report.headerByteCount))
    rows.append(part("lists", report.listByteCount))
    rows.append(part("free list", report.freeListByteCount))
    rows.append(part("history", report.historyByteCount))
    return rows
  }

  private func title(_ table: String) -> String {
    quotedName(ClassTable.className(ofTable: table) ?? table)
  }

  /// Classes and their properties, those with the most bytes first.
  private var classRows: [Row] {
    var rows: [Row] = []
    for table in report.tables.sorted(by: { $0.byteCount > $1.byteCount }) {
      let name = title(table.name)
      rows.append(
        Row(
          name: name, byteCount: table.byteCount,
          note: counted(table.objectCount, "object", "objects"),
          fields: [("part", "class"), ("class", name)]))
      var inner = [
        ("(description)", table.descriptionByteCount, 0), ("(keys)", table.treeByteCount, 0),
        ("(backlinks)", table.backlinkByteCount, 0),
      ]
      inner += table.columns.map { (quotedName($0.name), $0.byteCount, $0.indexByteCount) }
      for (property, byteCount, indexByteCount) in inner.sorted(by: { $0.1 + $0.2 > $1.1 + $1.2 })
      where byteCount + indexByteCount > 0 {
        rows.append(
          Row(
            name: "  \(property)", byteCount: byteCount + indexByteCount,
            note: indexByteCount > 0 ? "index \(sizeText(indexByteCount))" : "",
            fields: [("part", "property"), ("class", name), ("property", property)]))
      }
    }
    return rows
  }

  private func valueRows() throws(StorageError) -> [Row] {
    guard !report.largest.isEmpty else { return [] }
    var rows = [Row(name: "largest values", byteCount: nil, fields: [])]
    for value in report.largest {
      let memory = ByteWriter()
      if let objectClass = realm.schema.objectClass(value.table) {
        try ValueWriter(realm.schema, to: memory).name(of: value.object, in: objectClass)
      }
      let object = String(decoding: memory.takeBytes(), as: UTF8.self)
      let name = "\(object).\(quotedName(value.property))"
      rows.append(
        Row(
          name: "  \(name)", byteCount: value.byteCount,
          fields: [("part", "value"), ("value", name)]))
    }
    return rows
  }

  // MARK: Output

  private func write(_ rows: [Row], to writer: ByteWriter) {
    let width = rows.map(\.name.count).max() ?? 0
    let sizes = rows.map { row in row.byteCount.map { sizeText($0) } ?? "" }
    let sizeWidth = sizes.map(\.count).max() ?? 0
    for (row, size) in zip(rows, sizes) {
      var line = row.name
      if !size.isEmpty { line = "\(padded(row.name, width))  \(size)" }
      if !row.note.isEmpty {
        line += String(repeating: " ", count: sizeWidth - size.count) + "  \(row.note)"
      }
      writer.write(line + "\n")
    }
  }

  private func writeJSON(_ rows: [Row], _ mode: Settings.Mode, to writer: ByteWriter) {
    let isArray = mode == .json
    if isArray { writer.write("[") }
    for (i, row) in rows.enumerated() {
      if isArray { writer.write(i == 0 ? "\n  " : ",\n  ") }
      writer.write("{")
      for (name, value) in row.fields {
        writer.write("\"\(name)\":")
        JSONText.writeString(value, to: writer)
        writer.write(",")
      }
      writer.write("\"bytes\":\(row.byteCount ?? 0)}")
      writer.write(isArray ? "" : "\n")
    }
    if isArray { writer.write("\n]\n") }
  }
}

/// The lines of `info history`.
enum HistoryText {
  /// Change sets that are listed.
  private static let shownCount = 100

  /// How many change sets the file holds, and what each of the last ones has changed.
  static func lines(_ realm: Realm) throws(StorageError) -> [(name: String, value: String)] {
    let snapshot = realm.snapshot
    guard let count = try snapshot.changeSetCount(), count > 0 else { return [] }
    let sets = try snapshot.changeSets(since: snapshot.version - Int64(count)) ?? []
    let total = sets.reduce(0) { $0 + $1.count }
    var lines = [(name: "change sets", value: "\(grouped(count)), \(sizeText(total))")]
    for (i, bytes) in sets.enumerated().reversed().prefix(shownCount) {
      let version = snapshot.version - Int64(sets.count - 1 - i)
      var changes = TransactionChanges()
      try changes.apply(bytes)
      let text = RealmDiff(changes, old: realm.schema, new: realm.schema).text
      lines.append((name: "version \(version)", value: "\(sizeText(bytes.count)): \(text)"))
    }
    if sets.count > shownCount {
      lines.append((name: "older", value: "\(grouped(sets.count - shownCount)) more"))
    }
    return lines
  }
}
