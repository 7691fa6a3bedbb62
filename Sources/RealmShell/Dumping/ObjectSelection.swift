import RealmObjects
import RealmStorage
import RealmValues

/// The objects that are exported, with the embedded ones in them, class by class.
final class ObjectSelection {
  let schema: Schema
  /// The classes with objects, in the order of the file.
  private(set) var classes: [ObjectClass]
  /// Whether all objects that links lead to are among them.
  let isClosed: Bool
  /// The keys for each class; nil if all objects of all classes are meant.
  private var keys: [TableKey: [ObjectKey]]?

  /// Everything.
  init(allOf schema: Schema) {
    self.schema = schema
    // A table of the library that has the name of a class could not be told from it.
    classes = schema.classes.filter { schema.objectClass(named: $0.name) === $0 }
    (isClosed, keys) = (true, nil)
  }

  /// Chosen objects; what is found is of no use if the user interrupts.
  ///
  /// - Parameter followsLinks: Whether the objects that they lead to belong to them, too.
  init(
    _ chosen: [ObjectKey], of objectClass: ObjectClass, in schema: Schema, followsLinks: Bool
  ) throws(StorageError) {
    self.schema = schema
    isClosed = followsLinks
    var search = LinkSearch(schema, followsLinks: followsLinks)
    let own = objectClass.table.key
    for key in chosen { search.add(own, key) }
    let chosenCount = search.count(of: own)
    let reached = try search.run()
    var ordered: [TableKey: [ObjectKey]] = [:]
    for (table, keys) in reached {
      // The chosen ones keep their order.
      let kept = table == own ? chosenCount : 0
      ordered[table] = Array(keys[..<kept]) + keys[kept...].sorted()
    }
    keys = ordered
    classes = schema.classes.filter { reached[$0.table.key] != nil || $0 === objectClass.base }
  }

  /// The number of objects of a class.
  func count(of objectClass: ObjectClass) throws(StorageError) -> Int {
    if let keys { return keys[objectClass.table.key]?.count ?? 0 }
    return try objectClass.table.objectCount()
  }

  /// The objects of a class; nil if all are meant.
  func chosenKeys(of objectClass: ObjectClass) -> [ObjectKey]? {
    keys.map { $0[objectClass.table.key] ?? [] }
  }

  /// Moves a reader of some columns to each object of a class.
  ///
  /// - Parameter body: Tells whether to go on.
  func forEachObject(
    of objectClass: ObjectClass, columns: [Int],
    _ body: (ObjectReader) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let table = objectClass.table
    let reader = ObjectReader(table, columns: columns)
    if let keys = chosenKeys(of: objectClass) {
      for key in keys {
        guard try reader.move(to: key) else { continue }
        if try !body(reader) { return }
      }
      return
    }
    let cursor = try TableCursor(table, columns: [])
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard try reader.move(to: cursor.key(at: row)) else { continue }
        if try !body(reader) { return }
      }
    }
  }
}

/// Finds the objects that others lead to.
private struct LinkSearch {
  private let schema: Schema
  private let followsLinks: Bool
  private var found: [TableKey: [ObjectKey]] = [:]
  private var seen: [TableKey: Set<Int64>] = [:]
  private var open: [(table: TableKey, key: ObjectKey)] = []
  /// Readers of the columns that can lead to objects.
  private var readers: [TableKey: (reader: ObjectReader, count: Int)] = [:]

  init(_ schema: Schema, followsLinks: Bool) {
    (self.schema, self.followsLinks) = (schema, followsLinks)
  }

  /// Number of objects found of a class.
  func count(of table: TableKey) -> Int { found[table]?.count ?? 0 }

  /// Takes an object that was not seen yet.
  mutating func add(_ table: TableKey, _ key: ObjectKey) {
    guard seen[table, default: []].insert(key.rawValue).inserted else { return }
    found[table, default: []].append(key)
    open.append((table, key))
  }

  mutating func run() throws(StorageError) -> [TableKey: [ObjectKey]] {
    while !Interruption.isRequested, let (table, key) = open.popLast() {
      guard let objectClass = schema.objectClass(table) else { continue }
      let (reader, count) = reader(of: objectClass)
      guard try reader.move(to: key) else { continue }
      for i in 0..<count { try follow(try reader.value(i)) }
    }
    return found
  }

  private mutating func reader(of objectClass: ObjectClass) -> (reader: ObjectReader, count: Int) {
    if let known = readers[objectClass.table.key] { return known }
    let leading = objectClass.properties.filter { property in
      if property.kind == .link { return property.target.map(isFollowed) ?? false }
      return property.kind == .mixed && followsLinks
    }
    let positions = leading.map(\.position)
    let made = (ObjectReader(objectClass.table, columns: positions), positions.count)
    readers[objectClass.table.key] = made
    return made
  }

  private func isFollowed(_ table: TableKey) -> Bool {
    followsLinks || schema.objectClass(table)?.isEmbedded ?? false
  }

  private mutating func follow(_ value: StoredValue) throws(StorageError) {
    switch value {
    case .link(let table, let key):
      guard isFollowed(table), let target = schema.objectClass(table),
        try target.table.row(of: key) != nil
      else { return }
      add(table, key)
    case .list(let list):
      var cursor = try list.makeCursor()
      while let member = try cursor.next() { try follow(member) }
    case .dictionary(let dictionary):
      for entry in try dictionary.entries() { try follow(entry.value) }
    default: break
    }
  }
}
