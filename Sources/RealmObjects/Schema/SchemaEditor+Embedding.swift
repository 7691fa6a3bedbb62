import RealmStorage
import RealmValues

/// Making the objects of a class embedded although they have no owner, or several ones.
///
/// Source: object-model.md 8.7.
extension ColumnKey {
  /// Whether it holds lists; those of links had a type number of their own once.
  fileprivate var isList: Bool { attributes.contains(.list) || typeNumber == 13 }
}

extension SchemaEditor {
  /// One place that holds a link.
  private struct Slot {
    var table: TableKey
    var object: ObjectKey
    var column: ColumnKey
    /// Position in a list, or key of a dictionary; nil for a property that is one link.
    var index: Int?
    var key: [UInt8]?
  }

  /// Refuses a class with a primary key or with objects in mixed values.
  ///
  /// - Throws: `notEmbeddable`.
  func checkSeparable(_ objectClass: ObjectClass) throws(SchemaError) {
    var obstacles = try obstacles(to: objectClass)
    (obstacles.orphans, obstacles.shared) = (0, 0)
    guard obstacles.isEmpty else { throw .notEmbeddable(objectClass.name, obstacles) }
  }

  /// Gives each object of a class exactly one owner: those without are deleted, and each owner but
  /// the first gets a copy of its own.
  func separate(_ objectClass: ObjectClass) throws(SchemaError) {
    var orphans: [ObjectKey] = []
    var shared: [(object: ObjectKey, slots: [Slot])] = []
    try forEachOwned(objectClass) { (object, links) throws(SchemaError) in
      if links.isEmpty { orphans.append(object) }
      if links.count > 1 { shared.append((object, try slots(of: links, to: object))) }
    }
    for (object, slots) in shared {
      for slot in slots.dropFirst() { try give(slot, aCopyOf: object, objectClass) }
    }
    try writing { () throws(ObjectError) in try writer.planDelete(objectClass, orphans) }
  }

  /// A link to an object: the class and property, and the object that has it.
  private struct Link: Equatable {
    var table: TableKey
    var column: ColumnKey
    var object: ObjectKey
  }

  private func forEachOwned(
    _ objectClass: ObjectClass, _ body: (ObjectKey, [Link]) throws(SchemaError) -> Void
  ) throws(SchemaError) {
    let table = objectClass.table
    var found: [(ObjectKey, [Link])] = []
    try storage { () throws(StorageError) in
      let cursor = try TableCursor(table, columns: [])
      while try cursor.next() {
        for row in 0..<cursor.count {
          var links: [Link] = []
          for inverse in objectClass.inverses {
            let (origin, column) = (inverse.backlink.originTable, inverse.backlink.originColumn)
            try table.forEachBacklink(inverse.backlink, to: cursor.storedRow(at: row)) {
              links.append(Link(table: origin, column: column, object: $0))
            }
          }
          if links.count != 1 { found.append((cursor.key(at: row), links)) }
        }
      }
    }
    for (object, links) in found { try body(object, links) }
  }

  /// The places of links, each once.
  private func slots(of links: [Link], to target: ObjectKey) throws(SchemaError) -> [Slot] {
    var slots: [Slot] = []
    var known: [Link] = []
    for link in links where !known.contains(link) {
      known.append(link)
      try storage { () throws(StorageError) in
        guard let transaction = realm.transaction else { return }
        let (table, object, column) = (link.table, link.object, link.column)
        func isTarget(_ value: MixedValue) -> Bool {
          switch value {
          case .scalar(.link(_, let key)), .scalar(.key(let key)): key == target
          default: false
          }
        }
        let slot = Slot(table: table, object: object, column: column)
        if column.attributes.contains(.dictionary) {
          for entry in try transaction.entries(table, object, column) where isTarget(entry.value) {
            var slot = slot
            slot.key = entry.key
            slots.append(slot)
          }
        } else if column.isList {
          let elements = try transaction.elements(table, object, column)
          for (index, element) in elements.enumerated() where isTarget(element) {
            var slot = slot
            slot.index = index
            slots.append(slot)
          }
        } else {
          slots.append(slot)
        }
      }
    }
    return slots
  }

  private func give(
    _ slot: Slot, aCopyOf object: ObjectKey, _ objectClass: ObjectClass
  ) throws(SchemaError) {
    let made = try writing { () throws(ObjectError) in
      try writer.planAdd(objectClass, [.object(objectClass, object)])
    }
    guard let copy = made.subjects.first?.key, let transaction = realm.transaction else { return }
    try storage { () throws(StorageError) in
      let value = ScalarValue.key(copy)
      if let index = slot.index {
        try transaction.set(slot.table, slot.object, slot.column, at: index, value)
      } else if let key = slot.key {
        try transaction.set(slot.table, slot.object, slot.column, key: key, value)
      } else {
        try transaction.set(slot.table, slot.object, slot.column, value)
      }
    }
  }

  @discardableResult
  private func writing(
    _ plan: () throws(ObjectError) -> WritePlan
  ) throws(SchemaError) -> WriteOutcome {
    let made: WritePlan
    do throws(ObjectError) { made = try plan() } catch { throw .value(error) }
    return try storage { () throws(StorageError) in try writer.apply(made) }
  }
}
