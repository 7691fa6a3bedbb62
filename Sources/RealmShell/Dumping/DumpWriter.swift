import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Writes the statements that make the objects of classes again.
///
/// The objects of a class are added in their order. Properties with links to objects that come later
/// are left empty there and set at the end.
final class DumpWriter {
  private let order: LinkOrder
  private let out: ByteWriter
  private let values: ValueWriter

  init(_ order: LinkOrder, _ schema: Schema, to out: ByteWriter) throws(StorageError) {
    self.order = order
    self.out = out
    values = ValueWriter(schema, to: out)
    values.isExact = true
    for objectClass in order.namedByPosition {
      values.newKeys[objectClass.table.key] = try ObjectPositions(objectClass.table)
    }
  }

  /// A property with what stands before its value.
  private struct Label {
    let text: [UInt8]
    let isMixed: Bool
    /// What stands for a value with links to later objects; nil if there can be none.
    let placeholder: StaticString?
  }

  private func labels(of objectClass: ObjectClass) -> [Label] {
    let memory = ByteWriter()
    let names = ValueWriter(values.schema, to: memory)
    names.isExact = true
    return objectClass.properties.enumerated().map { i, property in
      if i > 0 { memory.write(", ") }
      names.key(property.name, .literal)
      let placeholder: StaticString =
        switch property.collection {
        case .none: "null"
        case .list, .set: "[]"
        case .dictionary: "{}"
        }
      return Label(
        text: memory.takeBytes(), isMixed: property.kind == .mixed,
        placeholder: order.mayLeadAhead(property, of: objectClass) ? placeholder : nil)
    }
  }

  /// Moves a reader to all objects of a class.
  private func forEachObject(
    of objectClass: ObjectClass, _ positions: [Int],
    _ body: (ObjectReader) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let table = objectClass.table
    let reader = ObjectReader(table, columns: positions)
    let cursor = try TableCursor(table, columns: [])
    while try cursor.next() {
      for row in 0..<cursor.count {
        guard try reader.move(to: cursor.key(at: row)) else { continue }
        if try !body(reader) { return }
      }
    }
  }

  /// Writes an `add` for each object, until there are no more or `goesOn`, asked behind each, says so.
  func writeAdds(of objectClass: ObjectClass, while goesOn: () -> Bool) throws(StorageError) {
    let labels = labels(of: objectClass)
    let start = Array("  add \(quotedName(objectClass.name, inScript: true)) {".utf8)
    var isGuarded = values.newKeys[objectClass.table.key] == nil
    try forEachObject(of: objectClass, objectClass.properties.map(\.position)) {
      (reader) throws(StorageError) in
      out.write(start)
      for (i, label) in labels.enumerated() {
        out.write(label.text)
        let value = try reader.value(i)
        if let placeholder = label.placeholder,
          try order.leadsAhead(value, from: reader.key, of: objectClass)
        {
          out.write(placeholder)
        } else {
          try values.write(value, isMixed: label.isMixed, .literal)
        }
      }
      out.write("}\n")
      if !isGuarded {
        isGuarded = true
        writeGuard(of: objectClass)
      }
      return goesOn() && out.failure == nil
    }
  }

  /// Objects without primary key are named by the keys that new ones get in a class that never had
  /// any; the first one tells whether that is so.
  private func writeGuard(of objectClass: ObjectClass) {
    let name = quotedName(objectClass.name, inScript: true)
    out.write(
      "  assert (count \(name)) == 1 and \(name)#0 != null, "
        + "\"links name objects of this class by their position, which needs a new class\"\n")
  }

  /// Writes a `set` for each object with links to objects that come later.
  func writeSets(of objectClass: ObjectClass, while goesOn: () -> Bool) throws(StorageError) {
    let labels = labels(of: objectClass)
    let chosen = labels.indices.filter { labels[$0].placeholder != nil }
    if chosen.isEmpty { return }
    let names = chosen.map {
      Array((quotedName(objectClass.properties[$0].name, inScript: true) + " = ").utf8)
    }
    let positions = chosen.map { objectClass.properties[$0].position }
    try forEachObject(of: objectClass, positions) { (reader) throws(StorageError) in
      var isFirst = true
      for (i, label) in chosen.enumerated() {
        let value = try reader.value(i)
        guard try order.leadsAhead(value, from: reader.key, of: objectClass) else { continue }
        if isFirst {
          out.write("  set ")
          try values.name(of: reader.key, in: objectClass)
          out.byte(0x20)
        } else {
          out.write(", ")
        }
        isFirst = false
        out.write(names[i])
        try values.write(value, isMixed: labels[label].isMixed, .literal)
      }
      if !isFirst { out.byte(0x0A) }
      return goesOn() && out.failure == nil
    }
  }
}
