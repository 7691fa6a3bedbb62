import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// The changed properties of an object, with their values before and after.
extension DiffWriter {
  /// A property of the class, or of the projection that is watched.
  private enum Changed {
    case property(Property)
    case field(Projection.Field, isMixed: Bool)

    var name: String {
      switch self {
      case .property(let property): property.name
      case .field(let field, _): field.name
      }
    }

    var isLink: Bool {
      if case .property(let property) = self { property.kind == .link } else { false }
    }

    var isMixed: Bool {
      switch self {
      case .property(let property): property.kind == .mixed
      case .field(_, let isMixed): isMixed
      }
    }
  }

  /// What has changed for the observer when properties of the class have.
  private func changed(
    _ properties: [Property], in table: TableKey
  ) throws(ShellError) -> [Changed] {
    guard let projection = observer.projection, let evaluators,
      let objectClass = new.objectClass(table)
    else { return properties.map { .property($0) } }
    var result: [Changed] = []
    let fields = projection.fields(
      startingWith: Set(properties.map(\.name)), among: observer.wantedFields)
    for field in fields {
      let type = try evaluators.new.type(of: field.name, through: projection, objectClass, at: nil)
      result.append(.field(field, isMixed: type.isMixed))
    }
    return result
  }

  /// Finds out whether the projection still fits the class: nothing leads to a property that has got
  /// another name, so that its changes would not be seen.
  func checkProjection(in table: TableKey) throws(ShellError) {
    guard let projection = observer.projection, let evaluators,
      let objectClass = new.objectClass(table)
    else { return }
    for field in projection.fields where observer.wantedFields?.contains(field.name) != false {
      _ = try evaluators.new.type(of: field.name, through: projection, objectClass, at: nil)
    }
  }

  /// `age 5 -> 6, name "a" -> "b"`.
  func writeChanges(
    _ properties: [Property], of key: ObjectKey, in table: TableKey
  ) throws(ShellError) {
    for (i, changed) in try changed(properties, in: table).enumerated() {
      if i > 0 { out.write(", ") }
      out.write(quotedName(changed.name))
      guard observer.values != .none else { continue }
      let before = try literal(of: changed, key, table, isOld: true)
      let after = try literal(of: changed, key, table, isOld: false)
      if let before { out.write([0x20] + before) }
      if changed.isLink, before == after {
        out.write(Self.linkedText)
      } else if let after {
        out.write(" -> ")
        out.write(after)
      }
    }
  }

  /// What stands behind links that are as they were, but lead to something that has changed.
  static let linkedText = " (a linked object)"

  /// The text of a value in one version; nil if there is none.
  private func literal(
    of changed: Changed, _ key: ObjectKey, _ table: TableKey, isOld: Bool
  ) throws(ShellError) -> [UInt8]? {
    guard let value = try value(of: changed, key, table, isOld: isOld) else { return nil }
    let memory = ByteWriter()
    let writer = ValueWriter(
      isOld ? old : new, to: memory, usesLocalTime: newValues.usesLocalTime)
    try write(value, changed, writer, .literal)
    return memory.takeBytes()
  }

  /// `{"age":[5,6]}`; without values `{"age":[]}`.
  func writeJSONChanges(
    _ properties: [Property], of key: ObjectKey, in table: TableKey
  ) throws(ShellError) {
    out.write("{")
    for (i, changed) in try changed(properties, in: table).enumerated() {
      if i > 0 { out.write(",") }
      JSONText.writeString(changed.name, to: out)
      out.write(":[")
      if observer.values != .none {
        let before = try value(of: changed, key, table, isOld: true)
        try write(before ?? .value(.null), changed, oldValues, .compactJSON)
        out.write(",")
        let after = try value(of: changed, key, table, isOld: false)
        try write(after ?? .value(.null), changed, newValues, .compactJSON)
      }
      out.write("]")
    }
    out.write("}")
  }

  private func write(
    _ cell: ResultCell, _ changed: Changed, _ values: ValueWriter, _ form: ValueWriter.Form
  ) throws(ShellError) {
    try session.reading { () throws(StorageError) in
      switch cell {
      case .stored(let value): try values.write(value, isMixed: changed.isMixed, form)
      case .value(let value): try values.write(value, isMixed: changed.isMixed, form)
      }
    }
  }

  /// The value of a property in one version; nil if there was no such property or object.
  private func value(
    of changed: Changed, _ key: ObjectKey, _ table: TableKey, isOld: Bool
  ) throws(ShellError) -> ResultCell? {
    let schema = isOld ? old : new
    guard let objectClass = schema.objectClass(table) else { return nil }
    switch changed {
    case .property(let property):
      return try session.reading { () throws(StorageError) in
        guard let stored = new.objectClass(table)?.table.columns[property.position].key,
          let position = objectClass.table.column(stored),
          let row = try objectClass.table.row(of: key)
        else { return nil }
        return .stored(try objectClass.table.value(of: position, in: row))
      }
    case .field(let field, _):
      guard let projection = observer.projection, let evaluators else { return nil }
      let exists = try session.reading { () throws(StorageError) in
        try objectClass.table.row(of: key) != nil
      }
      guard exists else { return nil }
      return .value(
        try (isOld ? evaluators.old : evaluators.new).value(
          of: field.name, through: projection, objectClass, key, at: nil))
    }
  }
}
