import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A diff of sections.
struct SectionRows {
  let sections: Observer.Sections
  let changes: SectionChanges
  let old: (state: SectionedObjects, elements: DiffElements)
  let new: (state: SectionedObjects, elements: DiffElements)

  init(
    _ sections: Observer.Sections, _ changes: SectionChanges,
    _ states: (old: SectionedObjects, new: SectionedObjects),
    _ elements: (old: DiffElements, new: DiffElements)
  ) {
    (self.sections, self.changes) = (sections, changes)
    old = (states.old, elements.old)
    new = (states.new, elements.new)
  }

  /// A row with its position among all objects.
  struct Row {
    let section: Int
    let row: Int
    let position: Int
  }

  var deletions: [Row] { rows(changes.deletions, old.state) }
  var insertions: [Row] { rows(changes.insertions, new.state) }

  private func rows(_ groups: [SectionChanges.Rows], _ state: SectionedObjects) -> [Row] {
    groups.flatMap { group in
      group.rows.map { Row(group.section, $0, state) }
    }
  }

  /// The rows that have changed, as they were and as they are.
  var modifications: [(old: Row, new: Row)] {
    changes.modifications.flatMap { group in
      group.rows.map {
        (Row(group.oldSection, $0, old.state), Row(group.newSection, $0, new.state))
      }
    }
  }
}

extension SectionRows.Row {
  fileprivate init(_ section: Int, _ row: Int, _ state: SectionedObjects) {
    self.init(section: section, row: row, position: state.places.positions[section][row])
  }
}

/// Writes diffs of sections.
///
/// Source: shell.md 12.
extension DiffWriter {
  func writeSections(
    _ rows: SectionRows, _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    observer.unseenCount += 1
    let objects = try ObjectRows(rows.new.elements, observer, session, new)
    begin("change")
    let key = rows.sections.key
    if observer.isJSON {
      out.write(",\"count\":\(rows.new.state.count(of: key))")
      try writeJSON(rows, objects, properties)
      finish()
      return
    }
    finish(
      "\(versionText(", "))\(rows.new.state.countText(of: key)) (\(countsText(rows)))")
    try writeRows(
      try lines(rows), before: rows.old.elements, after: rows.new.elements, objects, properties)
  }

  /// `sections -1; objects +1`.
  private func countsText(_ rows: SectionRows) -> String {
    let changes = rows.changes
    let counts = changes.rowCounts
    let word = rows.sections.key == nil ? "sections" : "section"
    return [
      (word, [changes.deletedSections.count, changes.insertedSections.count, 0]),
      ("objects", [counts.deleted, counts.inserted, counts.modified]),
    ].compactMap { name, numbers in
      let parts = zip(["-", "+", "~"], numbers).filter { $0.1 > 0 }
      guard !parts.isEmpty else { return nil }
      return ([name] + parts.map { $0.0 + grouped($0.1) }).joined(separator: " ")
    }.joined(separator: "; ")
  }

  // MARK: For people

  /// What is gone, what has come, what has changed; sections before their rows.
  private func lines(_ rows: SectionRows) throws(ShellError) -> [Row] {
    var lines: [Row] = []
    for section in rows.changes.deletedSections {
      lines.append(Row(sign: "-", label: try name(section, of: rows.old.state, rows, oldValues)))
    }
    for row in rows.deletions {
      let section = try name(row.section, of: rows.old.state, rows, oldValues)
      lines.append(Row(sign: "-", old: row.position, label: "\(section) \(row.row)"))
    }
    for section in rows.changes.insertedSections {
      lines.append(Row(sign: "+", label: try name(section, of: rows.new.state, rows, newValues)))
    }
    for row in rows.insertions {
      let section = try name(row.section, of: rows.new.state, rows, newValues)
      lines.append(Row(sign: "+", new: row.position, label: "\(section) \(row.row)"))
    }
    for (old, new) in rows.modifications {
      let section = try name(new.section, of: rows.new.state, rows, newValues)
      lines.append(
        Row(sign: "~", old: old.position, new: new.position, label: "\(section) \(new.row)"))
    }
    return lines
  }

  /// The key of a section as a literal.
  private func name(
    _ section: Int, of state: SectionedObjects, _ rows: SectionRows, _ values: ValueWriter
  ) throws(ShellError) -> String {
    let memory = ByteWriter()
    let writer = ValueWriter(
      values.schema, to: memory, usesLocalTime: values.usesLocalTime)
    try session.reading { () throws(StorageError) in
      try writer.write(state.keys[section], isMixed: rows.sections.keyIsMixed, .literal)
    }
    return String(decoding: memory.takeBytes(), as: UTF8.self)
  }

  // MARK: JSON

  private func writeJSON(
    _ rows: SectionRows, _ objects: ObjectRows,
    _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    if case .objects(let objectClass, let keys) = rows.old.elements {
      try list("deletions", rows.deletions) { (row) throws(ShellError) in
        out.write("\"section\":\(row.section),\"index\":\(row.row)")
        try writeJSONName(of: keys[row.position], objectClass, old)
      }
    }
    guard case .objects(let objectClass, let keys) = rows.new.elements else { return }
    try list("insertions", rows.insertions) { (row) throws(ShellError) in
      out.write("\"section\":\(row.section),\"index\":\(row.row)")
      try writeJSONInserted(keys[row.position], objectClass, objects)
    }
    try list("modifications", rows.modifications) { (pair) throws(ShellError) in
      out.write("\"section\":\(pair.new.section),\"oldSection\":\(pair.old.section)")
      out.write(",\"old\":\(pair.old.row),\"new\":\(pair.new.row)")
      try writeJSONModified(keys[pair.new.position], objectClass, objects, properties)
    }
    let lists = [
      ("inserted", rows.changes.insertedSections), ("deleted", rows.changes.deletedSections),
    ].filter { !$0.1.isEmpty }
    guard !lists.isEmpty else { return }
    out.write(",\"sections\":{")
    for (i, (name, positions)) in lists.enumerated() {
      let numbers = positions.map { "\($0)" }.joined(separator: ",")
      out.write("\(i > 0 ? "," : "")\"\(name)\":[\(numbers)]")
    }
    out.write("}")
  }
}
