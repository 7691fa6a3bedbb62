import RealmObjects
import RealmStorage
import RealmValues

/// An order of classes in which those come first that others link to, as far as there is one.
struct LinkOrder {
  /// The classes whose objects stand for themselves.
  private(set) var classes: [ObjectClass] = []

  private let schema: Schema
  /// The classes that objects of a class lead to, by properties and by mixed values.
  private var targets: [TableKey: [TableKey]] = [:]
  /// The places of the classes.
  private var ranks: [TableKey: Int] = [:]
  /// The classes that mixed values of a class lead to.
  private var mixedTargets: [TableKey: Set<TableKey>] = [:]

  /// Orders classes; what is found is of no use if the user interrupts.
  ///
  /// - Parameter chosen: The classes, with the embedded ones that they need.
  init(_ chosen: [ObjectClass], in schema: Schema) throws(StorageError) {
    self.schema = schema
    for objectClass in chosen {
      let table = objectClass.table
      let mixed = try MixedLinks.targets(of: table)
      mixedTargets[table.key] = mixed
      targets[table.key] = objectClass.properties.compactMap(\.target) + mixed.sorted()
    }
    for objectClass in chosen { place(objectClass.table.key) }
  }

  /// Places a class behind those that it leads to and that have no place yet.
  private mutating func place(_ start: TableKey) {
    var seen: Set<TableKey> = []
    var stack = [(table: start, next: 0)]
    guard ranks[start] == nil else { return }
    seen.insert(start)
    while let (table, next) = stack.last {
      let ways = targets[table] ?? []
      if next < ways.count {
        stack[stack.count - 1].next += 1
        let target = ways[next]
        if ranks[target] == nil, targets[target] != nil, seen.insert(target).inserted {
          stack.append((target, 0))
        }
        continue
      }
      stack.removeLast()
      guard let objectClass = schema.objectClass(table) else { continue }
      ranks[table] = classes.count
      if !objectClass.isEmbedded { classes.append(objectClass) }
    }
  }

  /// The tables that values of a property may lead to, through embedded objects too.
  private func reach(of property: Property, in table: TableKey) -> Set<TableKey> {
    var reached: Set<TableKey> = []
    var open = property.kind == .mixed ? Array(mixedTargets[table] ?? []) : []
    if let target = property.target { open.append(target) }
    while let table = open.popLast() {
      guard reached.insert(table).inserted, let target = schema.objectClass(table),
        target.isEmbedded
      else { continue }
      open += targets[table] ?? []
    }
    return reached
  }

  /// Whether values of a property may lead to objects that come later.
  func mayLeadAhead(_ property: Property, of objectClass: ObjectClass) -> Bool {
    let own = rank(objectClass.table.key)
    return reach(of: property, in: objectClass.table.key).contains { table in
      schema.objectClass(table)?.isEmbedded == false && rank(table) >= own
    }
  }

  /// Whether a value of an object leads to objects that come later, or to the object itself.
  func leadsAhead(
    _ value: StoredValue, from key: ObjectKey, of objectClass: ObjectClass
  ) throws(StorageError) -> Bool {
    try leadsAhead(value, from: key, objectClass.table.key, depth: 0)
  }

  private func leadsAhead(
    _ value: StoredValue, from key: ObjectKey, _ own: TableKey, depth: Int
  ) throws(StorageError) -> Bool {
    switch value {
    case .link(let table, let target):
      guard let targetClass = schema.objectClass(table) else { return false }
      guard targetClass.isEmbedded else {
        return table == own ? target >= key : rank(table) > rank(own)
      }
      guard depth < ValueWriter.maximumDepth, let row = try targetClass.table.row(of: target)
      else { return false }
      for property in targetClass.properties
      where property.kind == .link || property.kind == .mixed {
        let inner = try targetClass.table.value(of: property.position, in: row)
        if try leadsAhead(inner, from: key, own, depth: depth + 1) { return true }
      }
      return false
    case .list(let list):
      var cursor = try list.makeCursor()
      while let member = try cursor.next() {
        if try leadsAhead(member, from: key, own, depth: depth) { return true }
      }
      return false
    case .dictionary(let dictionary):
      for entry in try dictionary.entries() {
        if try leadsAhead(entry.value, from: key, own, depth: depth) { return true }
      }
      return false
    default: return false
    }
  }

  /// The place of a table; of one that is not among the chosen a place before all.
  private func rank(_ table: TableKey) -> Int { ranks[table] ?? -1 }

  /// The names of the classes that links lead to and that are not among the chosen.
  var otherTargets: [String] {
    let others = Set(targets.values.joined()).subtracting(targets.keys)
    return others.compactMap { schema.objectClass($0)?.name }.sorted()
  }

  /// The classes without primary key that objects are linked to.
  var namedByPosition: [ObjectClass] {
    let linked = Set(targets.values.joined())
    return classes.filter { $0.primaryKey == nil && linked.contains($0.table.key) }
  }
}

/// Links in mixed values.
enum MixedLinks {
  /// The tables that mixed values of a table lead to; not all if the user interrupts.
  static func targets(of table: StoredTable) throws(StorageError) -> Set<TableKey> {
    let positions = table.columns.indices.filter { table.columns[$0].kind == .mixed }
    var result: Set<TableKey> = []
    if positions.isEmpty { return result }
    let cursor = try TableCursor(table, columns: positions)
    while !Interruption.isRequested, try cursor.next() {
      for i in positions.indices {
        for row in 0..<cursor.count { try collect(try cursor.value(i, at: row), into: &result) }
      }
    }
    return result
  }

  private static func collect(
    _ value: StoredValue, into result: inout Set<TableKey>
  ) throws(StorageError) {
    switch value {
    case .link(let table, _): result.insert(table)
    case .list(let list):
      var cursor = try list.makeCursor()
      while let member = try cursor.next() { try collect(member, into: &result) }
    case .dictionary(let dictionary):
      for entry in try dictionary.entries() { try collect(entry.value, into: &result) }
    default: break
    }
  }
}
