import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A value of an expression; it does not depend on the bytes of the file.
indirect enum ShellValue {
  case scalar(ScalarValue)
  case object(ObjectClass, ObjectKey)
  case list([ShellValue])
  case dictionary([(key: [UInt8], value: ShellValue)])
  /// The objects of a query.
  case results(ResultSet)
  /// Chosen columns of an object.
  case record([Field])
  /// The way to something of another thread.
  case reference(Reference)

  /// One column of a record.
  struct Field {
    let title: String
    let value: ShellValue
    /// Whether the schema leaves the type open.
    let isMixed: Bool
  }

  static var null: ShellValue { .scalar(.null) }

  /// The value of `-D`: a literal, or the text itself.
  init(definition text: String) {
    let statements = try? StatementParser.parse("print " + text)
    if statements?.count == 1, case .print(let values)? = statements?.first?.body,
      values.count == 1, case .literal(let literal)? = values.first
    {
      self = .scalar(literal.scalar)
    } else {
      self = .scalar(.string(Array(text.utf8)))
    }
  }

  /// Copies a value out of the file.
  init(_ value: StoredValue, _ schema: Schema) throws(StorageError) {
    switch value {
    case .link(let table, let key):
      if let target = schema.objectClass(table), try target.table.row(of: key) != nil {
        self = .object(target, key)
      } else {
        self = .null
      }
    case .list(let list):
      var members: [ShellValue] = []
      for element in try list.values() { members.append(try ShellValue(element, schema)) }
      self = .list(members)
    case .dictionary(let dictionary):
      var entries: [(key: [UInt8], value: ShellValue)] = []
      for entry in try dictionary.entries() {
        entries.append(([UInt8](entry.key), try ShellValue(entry.value, schema)))
      }
      self = .dictionary(entries)
    default: self = .scalar(value.scalar ?? .null)
    }
  }

  /// Whether it is null.
  var isNull: Bool {
    if case .scalar(.null) = self { return true }
    return false
  }

  /// Whether it is an object.
  var isObject: Bool {
    if case .object = self { return true }
    return false
  }

  /// Whether it is a number.
  var isNumber: Bool {
    switch self {
    case .scalar(.int), .scalar(.float), .scalar(.double), .scalar(.decimal): true
    default: false
    }
  }

  /// The members of a collection; nil for other values.
  var members: [ShellValue]? {
    switch self {
    case .list(let members): members
    case .dictionary(let entries): entries.map(\.value)
    case .results(let results):
      results.sections == nil
        ? results.keys.map { .object(results.objectClass, $0) }
        : results.sections.map { $0.keys.indices.compactMap(results.section).map { .results($0) } }
    case .scalar, .object, .record, .reference: nil
    }
  }

  /// Number of members of a collection; nil for other values.
  var memberCount: Int? {
    switch self {
    case .list(let members): members.count
    case .dictionary(let entries): entries.count
    case .results(let results): results.sections?.count ?? results.rowCount
    case .scalar, .object, .record, .reference: nil
    }
  }

  /// The class of the members of a collection of objects; nil for other values.
  var memberClass: ObjectClass? {
    if case .results(let results) = self { return results.objectClass }
    if case .object(let objectClass, _)? = members?.first { return objectClass }
    return nil
  }

  /// The kind of the value for messages.
  var kindText: String {
    switch self {
    case .scalar(let value): value.kind.map(ShellValue.kindText) ?? "null"
    case .object(let objectClass, _): "a \(objectClass.name)"
    case .list: "a list"
    case .dictionary: "a dictionary"
    case .results: "a result"
    case .record: "a shape"
    case .reference: "a reference"
    }
  }

  /// A kind of single values for messages.
  static func kindText(of kind: ValueKind) -> String {
    switch kind {
    case .bool: "a bool"
    case .int: "an int"
    case .float: "a float"
    case .double: "a double"
    case .decimal: "a decimal128"
    case .string: "a string"
    case .data: "data"
    case .date: "a date"
    case .objectID: "an objectId"
    case .uuid: "a uuid"
    case .mixed: "a mixed value"
    case .link, .typedLink: "a link"
    }
  }
}

extension Session.Database {
  /// The value of a property of an object; null if the object is gone.
  func value(
    of property: Property, in objectClass: ObjectClass, _ key: ObjectKey
  ) throws(ShellError) -> ShellValue {
    do throws(StorageError) {
      guard let row = try objectClass.table.row(of: key) else { return .null }
      return try ShellValue(
        try objectClass.table.value(of: property.position, in: row), realm.schema)
    } catch {
      throw StorageMessages.error(error, path: realm.path)
    }
  }
}

extension ValueWriter {
  /// Writes the value of an expression.
  func write(_ value: ShellValue, isMixed: Bool, _ form: Form) throws(StorageError) {
    switch value {
    case .scalar(let scalar): try write(scalar, isMixed: isMixed, form)
    case .reference(let reference): out.write(reference.text)
    case .object(let objectClass, let key)
    where (objectClass.frozen != nil || objectClass.view != nil) && !form.isJSON:
      try name(of: key, in: objectClass)
    case .object(let objectClass, let key):
      try write(StoredValue.link(objectClass.table.key, key), isMixed: isMixed, form)
    case .list, .results:
      out.byte(UInt8(ascii: "["))
      for (i, member) in (value.members ?? []).enumerated() {
        if i > 0 { separator(form) }
        try write(member, isMixed: isMixed, form)
      }
      out.byte(UInt8(ascii: "]"))
    case .dictionary(let entries):
      out.byte(UInt8(ascii: "{"))
      for (i, entry) in entries.enumerated() {
        if i > 0 { separator(form) }
        entry.key.withUnsafeBytes { memberKey($0, form) }
        try write(entry.value, isMixed: isMixed, form)
      }
      out.byte(UInt8(ascii: "}"))
    case .record(let fields):
      out.byte(UInt8(ascii: "{"))
      for (i, field) in fields.enumerated() {
        if i > 0 { separator(form) }
        key(field.title, form)
        try write(field.value, isMixed: field.isMixed, form)
      }
      out.byte(UInt8(ascii: "}"))
    }
  }
}
