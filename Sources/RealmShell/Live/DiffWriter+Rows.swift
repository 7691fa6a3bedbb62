import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// The rows of a diff for people.
extension DiffWriter {
  /// Rows that are printed; all but on a terminal.
  private var rowLimit: Int {
    session.screenIsTerminal && observer.file == nil ? session.settings.diffRowLimit : .max
  }

  /// One row before it is written.
  struct Row {
    var sign: StaticString
    /// Position before; nil for what is new.
    var old: Int?
    /// Position now; nil for what is gone.
    var new: Int?
    /// What stands for the position; nil for the position itself.
    var label: String?
  }

  func writeRows(
    _ changes: CollectionChanges, _ before: DiffElements, _ after: DiffElements,
    _ rows: ObjectRows, _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    var list: [Row] = []
    let total =
      changes.deletions.count + changes.insertions.count + changes.newModifications.count
    let limit = min(rowLimit, total)
    list.reserveCapacity(limit)
    for position in changes.deletions where list.count < limit {
      list.append(Row(sign: "-", old: position))
    }
    for position in changes.insertions where list.count < limit {
      list.append(Row(sign: "+", new: position))
    }
    for (old, new) in zip(changes.oldModifications, changes.newModifications)
    where list.count < limit {
      list.append(Row(sign: "~", old: old, new: new))
    }
    try writeRows(list, count: total, before: before, after: after, rows, properties)
  }

  /// Writes the first rows of a diff.
  ///
  /// - Parameter count: How many rows the diff has, if they are not all given.
  func writeRows(
    _ given: [Row], count: Int? = nil, before: DiffElements, after: DiffElements,
    _ rows: ObjectRows, _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    let total = count ?? given.count
    let list = given.prefix(rowLimit)
    let texts = list.map { $0.label ?? label(of: $0, before, after) }
    let width =
      texts.map { Array($0.utf8).withUnsafeBytes { displayWidth(of: $0) } }.max() ?? 0
    for (row, text) in zip(list, texts) {
      let body = ByteWriter()
      try write(row, before, after, rows, properties, to: body)
      let bytes = body.takeBytes()
      out.write("  ")
      out.write(row.sign)
      out.write(" ")
      out.write(bytes.isEmpty ? text : padded(text, width) + "  ")
      out.write(bytes)
      out.write("\n")
    }
    if total > list.count {
      out.write("  ... \(grouped(total - list.count)) more rows (config diffrows)\n")
    }
  }

  /// The position, both if they differ, or the key of a dictionary.
  private func label(of row: Row, _ before: DiffElements, _ after: DiffElements) -> String {
    if case .entries(let entries) = row.new != nil ? after : before {
      let memory = ByteWriter()
      let key = entries[row.new ?? row.old ?? 0].key
      if LiteralText.isName(key) {
        memory.write(key)
      } else {
        LiteralText.writeQuoted(key, to: memory)
      }
      return String(decoding: memory.takeBytes(), as: UTF8.self)
    }
    guard let old = row.old, let new = row.new, old != new else {
      return "\(row.new ?? row.old ?? 0)"
    }
    return "\(old)->\(new)"
  }

  private func write(
    _ row: Row, _ before: DiffElements, _ after: DiffElements, _ rows: ObjectRows,
    _ properties: (ObjectKey) throws(StorageError) -> [Property], to body: ByteWriter
  ) throws(ShellError) {
    if row.old == nil, row.new == nil { return }
    let writer = DiffWriter(self, to: body)
    if let new = row.new, case .objects(let objectClass, let keys) = after {
      let key = keys[new]
      try session.reading { () throws(StorageError) in
        try writer.newValues.name(of: key, in: objectClass)
      }
      guard observer.values != .none else { return }
      if row.old != nil {
        let changed = try session.reading { () throws(StorageError) in try properties(key) }
        body.write(changed.isEmpty ? Self.linkedText : "  ")
        try writer.writeChanges(changed, of: key, in: objectClass.table.key)
        guard observer.values == .full else { return }
      }
      body.write("  ")
      try rows.write(key, writer.newValues, .literal)
      return
    }
    try session.reading { () throws(StorageError) in
      if row.new == nil, case .objects(let objectClass, let keys) = before, let old = row.old {
        try writer.oldValues.name(of: keys[old], in: objectClass)
        return
      }
      guard observer.values != .none else { return }
      if let old = row.old, let value = before.value(old) {
        try writer.oldValues.write(value, isMixed: isMixed, .literal)
        if let new = row.new, case .link(let table, let key) = value,
          case .link(let newTable, let newKey)? = after.value(new), table == newTable, key == newKey
        {
          body.write(Self.linkedText)
          return
        }
        if row.new != nil { body.write(" -> ") }
      }
      if let new = row.new, let value = after.value(new) {
        try writer.newValues.write(value, isMixed: isMixed, .literal)
      }
    }
  }

  /// The same with another place to write to.
  private init(_ other: DiffWriter, to out: ByteWriter) {
    (observer, version, session) = (other.observer, other.version, other.session)
    (old, new, evaluators) = (other.old, other.new, other.evaluators)
    self.out = out
    oldValues = ValueWriter(old, to: out, usesLocalTime: other.oldValues.usesLocalTime)
    newValues = ValueWriter(new, to: out, usesLocalTime: other.newValues.usesLocalTime)
  }

  /// Whether the elements are of any type.
  var isMixed: Bool {
    if case .collection(let place) = observer.target { place.kind == .mixed } else { false }
  }
}

extension DiffElements {
  /// An element that is no object of a list.
  func value(_ position: Int) -> StoredValue? {
    switch self {
    case .objects: nil
    case .values(let values): values[position]
    case .entries(let entries): entries[position].value
    }
  }
}

/// The lists of a diff as JSON.
extension DiffWriter {
  func list<Entry>(
    _ name: String, _ entries: some Sequence<Entry>,
    _ body: (Entry) throws(ShellError) -> Void
  ) throws(ShellError) {
    var isFirst = true
    for entry in entries {
      out.write(isFirst ? ",\"\(name)\":[{" : ",{")
      isFirst = false
      try body(entry)
      out.write("}")
    }
    if !isFirst { out.write("]") }
  }

  private func quoted(
    _ key: ObjectKey, _ objectClass: ObjectClass, _ schema: Schema
  ) throws(StorageError) {
    let memory = ByteWriter()
    try ValueWriter(schema, to: memory).name(of: key, in: objectClass)
    JSONText.writeString(String(decoding: memory.takeBytes(), as: UTF8.self), to: out)
  }

  /// The field with the name of an object.
  func writeJSONName(
    of key: ObjectKey, _ objectClass: ObjectClass, _ schema: Schema
  ) throws(ShellError) {
    out.write(",\"key\":")
    try session.reading { () throws(StorageError) in try quoted(key, objectClass, schema) }
  }

  /// The field with an object that has come, or with its name.
  func writeJSONInserted(
    _ key: ObjectKey, _ objectClass: ObjectClass, _ rows: ObjectRows
  ) throws(ShellError) {
    guard observer.values != .none else {
      try writeJSONName(of: key, objectClass, new)
      return
    }
    out.write(",\"object\":")
    try rows.write(key, newValues, .compactJSON)
  }

  /// The fields with the name of an object, what has changed in it, and the object.
  func writeJSONModified(
    _ key: ObjectKey, _ objectClass: ObjectClass, _ rows: ObjectRows,
    _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    try writeJSONName(of: key, objectClass, new)
    if observer.values != .none {
      let changed = try session.reading { () throws(StorageError) in try properties(key) }
      if !changed.isEmpty {
        out.write(",\"changes\":")
        try writeJSONChanges(changed, of: key, in: objectClass.table.key)
      }
    }
    if observer.values == .full {
      out.write(",\"object\":")
      try rows.write(key, newValues, .compactJSON)
    }
  }

  func writeJSONDeletions(
    _ deletions: PositionSet, _ before: DiffElements
  ) throws(StorageError) {
    var isFirst = true
    for position in deletions {
      out.write(isFirst ? ",\"deletions\":[{" : ",{")
      isFirst = false
      switch before {
      case .objects(let objectClass, let keys):
        out.write("\"index\":\(position),\"key\":")
        try quoted(keys[position], objectClass, old)
      case .values: out.write("\"index\":\(position)")
      case .entries(let entries):
        out.write("\"key\":")
        JSONText.writeString(entries[position].key, to: out)
      }
      out.write("}")
    }
    if !isFirst { out.write("]") }
  }

  func writeJSONInsertions(
    _ insertions: PositionSet, _ after: DiffElements, _ rows: ObjectRows
  ) throws(ShellError) {
    try list("insertions", insertions.lazy.map { ($0, $0) }) { (pair) throws(ShellError) in
      let position = pair.0
      switch after {
      case .objects(let objectClass, let keys):
        out.write("\"index\":\(position)")
        try writeJSONInserted(keys[position], objectClass, rows)
        return
      case .values: out.write("\"index\":\(position)")
      case .entries(let entries):
        out.write("\"key\":")
        JSONText.writeString(entries[position].key, to: out)
      }
      guard observer.values != .none, let value = after.value(position) else { return }
      out.write(",\"value\":")
      try session.reading { () throws(StorageError) in
        try newValues.write(value, isMixed: isMixed, .compactJSON)
      }
    }
  }

  func writeJSONModifications(
    _ changes: CollectionChanges, _ before: DiffElements, _ after: DiffElements,
    _ rows: ObjectRows, _ properties: (ObjectKey) throws(StorageError) -> [Property]
  ) throws(ShellError) {
    let pairs = zip(changes.oldModifications, changes.newModifications)
    try list("modifications", pairs) { (pair) throws(ShellError) in
      if case .entries(let entries) = after {
        out.write("\"key\":")
        JSONText.writeString(entries[pair.1].key, to: out)
      } else {
        out.write("\"old\":\(pair.0),\"new\":\(pair.1)")
      }
      guard case .objects(let objectClass, let keys) = after else {
        guard observer.values != .none else { return }
        try session.reading { () throws(StorageError) in
          out.write(",\"changes\":[")
          try oldValues.write(before.value(pair.0) ?? .null, isMixed: isMixed, .compactJSON)
          out.write(",")
          try newValues.write(after.value(pair.1) ?? .null, isMixed: isMixed, .compactJSON)
          out.write("]")
        }
        return
      }
      try writeJSONModified(keys[pair.1], objectClass, rows, properties)
    }
  }
}
