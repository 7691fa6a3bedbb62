import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Writes what `diff` finds.
///
/// The lines of a class: added objects, deleted ones, changed ones. Source: shell.md 6.
final class DiffReport {
  /// How differences are written.
  enum Form {
    case human, json, jsonLines
  }

  private let old: Realm
  private let new: Realm
  /// The names of the other state and of the current database.
  private let names: (old: String, new: String)
  private let form: Form
  private let out: ByteWriter
  private let pair: SnapshotPair
  private let oldValues: ValueWriter
  private let newValues: ValueWriter
  private let progress: Progress
  /// Elements of one collection that are listed.
  private let elementLimit: Int
  private var counts = ChangeCount()
  private var schemaCount = 0
  private var recordCount = 0

  private struct ChangeCount {
    var added = 0
    var deleted = 0
    var changed = 0

    var isZero: Bool { added + deleted + changed == 0 }

    var text: String {
      [(added, "added"), (deleted, "deleted"), (changed, "changed")]
        .filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }.joined(separator: ", ")
    }
  }

  /// Whether anything differs.
  var hasDifferences: Bool { !counts.isZero || schemaCount > 0 }

  init(
    old: Realm, new: Realm, names: (old: String, new: String), form: Form, to out: ByteWriter,
    for session: Session
  ) {
    (self.old, self.new, self.names, self.form, self.out) = (old, new, names, form, out)
    pair = SnapshotPair(old.snapshot, new.snapshot)
    let usesLocalTime = form == .human && session.settings.zone == .local
    oldValues = ValueWriter(old.schema, to: out, usesLocalTime: usesLocalTime)
    newValues = ValueWriter(new.schema, to: out, usesLocalTime: usesLocalTime)
    progress = Progress("comparing", for: session)
    elementLimit = session.outputIsTerminal ? session.settings.diffRowLimit : .max
  }

  // MARK: Frame

  func begin() {
    if form == .json { out.write("[") }
  }

  private func beginRecord(_ event: StaticString) {
    if form == .json { out.write(recordCount == 0 ? "\n  " : ",\n  ") }
    recordCount += 1
    out.write("{\"event\":\"")
    out.write(event)
    out.write("\"")
  }

  private func endRecord() { out.write(form == .json ? "}" : "}\n") }

  /// Writes what it comes to.
  func end(_ scope: DiffStatement.Scope) {
    guard form == .human else {
      beginRecord("summary")
      if scope != .schema {
        out.write(
          ",\"added\":\(counts.added),\"deleted\":\(counts.deleted),\"changed\":\(counts.changed)")
      }
      if scope != .data { out.write(",\"schema\":\(schemaCount)") }
      endRecord()
      if form == .json { out.write("\n]\n") }
      return
    }
    let data = counts.isZero ? "data is equal" : "data differs: \(counts.text)"
    let schema = schemaCount == 0 ? "schema is equal" : "schema differs"
    switch scope {
    case .data: out.write(data + "\n")
    case .schema: out.write(schema + "\n")
    case .all where !hasDifferences: out.write("data and schema are equal\n")
    case .all: out.write("\(data); \(schema)\n")
    }
  }

  // MARK: Schema

  /// Writes what differs in the classes; an empty set stands for all.
  func writeSchema(_ classes: Set<String>) {
    let difference = SchemaDifference(here: new.schema, there: old.schema, classes: classes)
    schemaCount = difference.entries.count
    guard form != .human else {
      difference.write(here: names.new, there: names.old, to: out)
      return
    }
    for entry in difference.entries {
      beginRecord("schema")
      for (name, value) in [("class", entry.className), ("property", entry.property)] {
        guard let value else { continue }
        out.write(",\"\(name)\":")
        JSONText.writeString(value, to: out)
      }
      for (name, value) in [("old", entry.there), ("new", entry.here)] {
        out.write(",\"\(name)\":")
        if let value { JSONText.writeString(value, to: out) } else { out.write("null") }
      }
      endRecord()
    }
  }

  // MARK: Data

  /// A class of both states.
  private struct ClassPair {
    let old: ObjectClass?
    let new: ObjectClass?
    /// The properties that both have.
    let properties: [(old: Property, new: Property)]

    init(_ old: ObjectClass?, _ new: ObjectClass?) {
      (self.old, self.new) = (old, new)
      properties = (new?.properties ?? []).compactMap { property in
        old?.property(named: property.name).map { ($0, property) }
      }
    }
  }

  /// Differences that are kept to be put in order.
  private static let heldCount = 1 << 20

  /// The differences of a class that were not written yet.
  private struct Held {
    var added: [ObjectKey] = []
    var deleted: [ObjectKey] = []
    var changed: [(old: ObjectKey, new: ObjectKey)] = []
    var count: Int { added.count + deleted.count + changed.count }
  }

  /// Writes the objects that differ; an empty set of classes stands for all.
  func writeData(_ chosen: Set<String>) throws(StorageError) {
    let classes = pairs(chosen)
    var total = 0
    for pair in classes {
      total += try (pair.old?.table.objectCount() ?? 0) + (pair.new?.table.objectCount() ?? 0)
    }
    var done = 0
    for classPair in classes {
      var held = Held()
      let before = done
      let goesOn = { [progress] (passed: Int) in progress.goesOn(before + passed, total) }
      try pair.forEachDifference(
        classPair.old?.table, classPair.new?.table, progress: goesOn
      ) { (difference) throws(StorageError) in
        switch difference {
        case .added(let key): held.added.append(key)
        case .deleted(let key): held.deleted.append(key)
        case .changed(let old, let new): held.changed.append((old, new))
        }
        if held.count == DiffReport.heldCount {
          try write(held, classPair)
          held = Held()
        }
      }
      try write(held, classPair)
      done +=
        try (classPair.old?.table.objectCount() ?? 0)
        + (classPair.new?.table.objectCount() ?? 0)
    }
  }

  private func pairs(_ chosen: Set<String>) -> [ClassPair] {
    let names = Set(old.schema.classes.map(\.name)).union(new.schema.classes.map(\.name))
    return names.sorted().compactMap { name in
      guard chosen.isEmpty || chosen.contains(name) else { return nil }
      let pair = ClassPair(
        old.schema.visibleClass(named: name), new.schema.visibleClass(named: name))
      // Embedded objects are shown inside of their owners.
      let isEmbedded = pair.old?.isEmbedded ?? true && pair.new?.isEmbedded ?? true
      return isEmbedded ? nil : pair
    }
  }

  private func write(_ held: Held, _ classPair: ClassPair) throws(StorageError) {
    counts.added += held.added.count
    counts.deleted += held.deleted.count
    counts.changed += held.changed.count
    if let objectClass = classPair.new {
      for key in held.added {
        try goOn()
        try writeAdded(key, objectClass)
      }
    }
    if let objectClass = classPair.old {
      for key in held.deleted {
        try goOn()
        try writeDeleted(key, objectClass)
      }
    }
    let changed = held.changed.sorted { $0.new < $1.new }
    guard !changed.isEmpty, let old = classPair.old, let new = classPair.new else { return }
    let readers = (
      ObjectReader(old.table, columns: classPair.properties.map(\.old.position)),
      ObjectReader(new.table, columns: classPair.properties.map(\.new.position))
    )
    for keys in changed {
      try goOn()
      guard try readers.0.move(to: keys.old), try readers.1.move(to: keys.new) else { continue }
      try writeChanged(keys, classPair, new, readers)
    }
  }

  /// What is written is as long as the user wants to wait for it.
  private func goOn() throws(StorageError) {
    old.snapshot.file.renewWork()
    new.snapshot.file.renewWork()
    if Interruption.isRequested { throw .rejected(.interrupted) }
  }

  private func beginObject(
    _ event: StaticString, _ sign: StaticString, _ key: ObjectKey, _ objectClass: ObjectClass,
    _ values: ValueWriter
  ) throws(StorageError) {
    guard form != .human else {
      out.write(sign)
      out.write(" ")
      try values.name(of: key, in: objectClass)
      return
    }
    beginRecord(event)
    out.write(",\"class\":")
    JSONText.writeString(objectClass.name, to: out)
    out.write(",\"key\":")
    let memory = ByteWriter()
    try ValueWriter(values.schema, to: memory).name(of: key, in: objectClass)
    JSONText.writeString(String(decoding: memory.takeBytes(), as: UTF8.self), to: out)
  }

  /// Properties of an added object that are shown to people.
  private static let shortCount = 3

  private func writeAdded(_ key: ObjectKey, _ objectClass: ObjectClass) throws(StorageError) {
    try beginObject("added", "+", key, objectClass, newValues)
    guard let row = try objectClass.table.row(of: key) else {
      form == .human ? out.write("\n") : endRecord()
      return
    }
    guard form == .human else {
      out.write(",\"object\":")
      try newValues.object(objectClass, row, .compactJSON)
      endRecord()
      return
    }
    let properties = objectClass.properties.filter { !$0.isPrimaryKey }
    if !properties.isEmpty { out.write("  {") }
    for (i, property) in properties.enumerated() {
      if i > 0 { out.write(", ") }
      guard i < DiffReport.shortCount else {
        out.write("...")
        break
      }
      newValues.key(property.name, .literal)
      let value = try objectClass.table.value(of: property.position, in: row)
      try newValues.write(value, isMixed: property.kind == .mixed, .literal)
    }
    out.write(properties.isEmpty ? "\n" : "}\n")
  }

  private func writeDeleted(_ key: ObjectKey, _ objectClass: ObjectClass) throws(StorageError) {
    try beginObject("deleted", "-", key, objectClass, oldValues)
    form == .human ? out.write("\n") : endRecord()
  }

  private func writeChanged(
    _ keys: (old: ObjectKey, new: ObjectKey), _ classPair: ClassPair, _ objectClass: ObjectClass,
    _ readers: (ObjectReader, ObjectReader)
  ) throws(StorageError) {
    try beginObject("changed", "~", keys.new, objectClass, newValues)
    out.write(form == .human ? "  " : ",\"changes\":{")
    let writer = ChangeWriter(
      pair, old: oldValues, new: newValues, to: out, elementLimit: elementLimit)
    var isFirst = true
    for (i, property) in classPair.properties.enumerated() {
      let (before, after) = (try readers.0.value(i), try readers.1.value(i))
      if try pair.areEqual(before, after) { continue }
      let isMixed = (property.old.kind == .mixed, property.new.kind == .mixed)
      if form == .human {
        try writer.write(quotedName(property.new.name), before, after, isMixed)
        continue
      }
      if !isFirst { out.write(",") }
      isFirst = false
      JSONText.writeString(property.new.name, to: out)
      out.write(":[")
      try oldValues.write(before, isMixed: isMixed.0, .compactJSON)
      out.write(",")
      try newValues.write(after, isMixed: isMixed.1, .compactJSON)
      out.write("]")
    }
    if form == .human {
      out.write("\n")
    } else {
      out.write("}")
      endRecord()
    }
  }
}
