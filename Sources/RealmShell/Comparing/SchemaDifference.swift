import ByteKernels
import RealmObjects
import RealmStorage

/// What two schemas do not have in common.
///
/// Source: shell.md 7.
struct SchemaDifference {
  /// One class or property.
  struct Entry {
    /// The class; nil for what belongs to none.
    var className: String?
    /// The property; nil for the class itself.
    var property: String?
    /// What the current database has; nil if it has nothing.
    var here: String?
    /// What the other has; nil if it has nothing.
    var there: String?
  }

  private(set) var entries: [Entry] = []

  /// - Parameter classes: The names of classes to look at; empty for all.
  init(here: Schema, there: Schema, classes: Set<String> = [], comparesVersions: Bool = true) {
    if comparesVersions, classes.isEmpty, let version = here.version, let other = there.version,
      version != other
    {
      entries.append(Entry(here: String(version), there: String(other)))
    }
    let names = Set(here.classes.map(\.name)).union(there.classes.map(\.name))
    for name in names.sorted() where classes.isEmpty || classes.contains(name) {
      compare(name, here.visibleClass(named: name), there.visibleClass(named: name))
    }
  }

  private mutating func compare(_ name: String, _ here: ObjectClass?, _ there: ObjectClass?) {
    guard let here, let there else {
      entries.append(
        Entry(className: name, here: here.map(\.kindText), there: there.map(\.kindText)))
      return
    }
    if here.kindText != there.kindText {
      entries.append(Entry(className: name, here: here.kindText, there: there.kindText))
    }
    var (added, changed, removed): ([Entry], [Entry], [Entry]) = ([], [], [])
    for property in there.properties where here.property(named: property.name) == nil {
      added.append(
        Entry(className: name, property: property.name, there: property.typeAndFlags))
    }
    for property in here.properties {
      guard let other = there.property(named: property.name) else {
        removed.append(
          Entry(className: name, property: property.name, here: property.typeAndFlags))
        continue
      }
      let (text, otherText) = (property.typeAndFlags, other.typeAndFlags)
      if text == otherText { continue }
      changed.append(
        Entry(className: name, property: property.name, here: text, there: otherText))
    }
    entries += added + changed + removed
  }

  /// Columns that the first text has at least.
  private static let leastWidth = 25

  /// One line for each entry.
  ///
  /// - Parameters:
  ///   - here: The name of the current database.
  ///   - there: The name of the other one.
  func write(here: String, there: String, to out: ByteWriter) {
    let rows = entries.map { ($0.title, $0.note(here: here, there: there)) }
    let width = rows.map(\.0.count).reduce(SchemaDifference.leastWidth, max)
    for (title, note) in rows { out.write("\(padded(title, width))  \(note)\n") }
  }
}

extension SchemaDifference.Entry {
  fileprivate var title: String {
    guard let className else { return "schema version: \(here ?? "none")" }
    guard let property else {
      let name = quotedName(className)
      return here != nil && there != nil ? "\(name): \(here ?? "")" : name
    }
    return "\(quotedName(className)).\(quotedName(property)): \(here ?? there ?? "")"
  }

  fileprivate func note(here name: String, there otherName: String) -> String {
    guard here != nil else { return "only in \(otherName)" }
    guard let there else { return "only in \(name)" }
    return "\(there) in \(otherName)"
  }
}

extension ObjectClass {
  /// What `class` says of the kind of objects.
  fileprivate var kindText: String {
    switch table.kind {
    case .topLevel: "standalone"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }
}

extension Schema {
  /// The class with a name, unless it is a table that Realm itself uses.
  func visibleClass(named name: String) -> ObjectClass? {
    objectClass(named: name).flatMap { $0.origin == .system ? nil : $0 }
  }
}
