import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Reads values for properties: from fields of text and from JSON.
///
/// Source: shell.md 4 (JSON form), 16.
final class ImportValueReader {
  private let schema: Schema
  private let realm: Realm
  /// The class whose objects may still come.
  private let imported: TableKey
  let scratch = Scratch()
  /// Whether a link did not lead to an object since this was reset.
  var hasOpenLinks = false
  /// Whether all objects have come.
  var isStrict = false
  private var depth = 0

  init(_ realm: Realm, imported: ObjectClass) {
    (self.realm, schema, self.imported) = (realm, realm.schema, imported.table.key)
  }

  // MARK: Fields

  /// The value of a field that is not null.
  func value(
    ofField text: UnsafeRawBufferPointer, _ property: Property, of owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    let range = 0..<text.count
    if property.collection == .none {
      switch property.kind {
      case .mixed: break
      case .link:
        if let target = property.target.flatMap({ schema.objectClass($0) }), !target.isEmbedded,
          let kind = target.primaryKey?.kind, !Self.isTaggedLink(text)
        {
          guard let key = FieldText.value(text, kind) else {
            throw mismatch(text, kind, property, owner, range)
          }
          return try link(to: key, in: target, property, owner, range)
        }
      default:
        guard let value = FieldText.value(text, property.kind) else {
          throw mismatch(text, property.kind, property, owner, range)
        }
        return .scalar(value)
      }
    }
    var cursor = JSONCursor(text, scratch: scratch)
    let value = try self.value(&cursor, property, of: owner)
    try checked { () throws(ImportProblem) in try cursor.requireEnd() }
    return value
  }

  func checked<Result>(
    _ body: () throws(ImportProblem) -> Result
  ) throws(RecordFailure) -> Result {
    do throws(ImportProblem) { return try body() } catch { throw .problem(error) }
  }

  private func mismatch(
    _ text: UnsafeRawBufferPointer, _ kind: ValueKind, _ property: Property,
    _ owner: ObjectClass, _ range: Range<Int>
  ) -> RecordFailure {
    RecordFailure(
      .typeMismatch,
      "\(FieldText.quoted(text)) \(FieldText.refusal(text, kind)) "
        + "(\(ImportColumn.label(property, of: owner)))", at: range,
      remedy: FieldText.form(of: kind))
  }

  // MARK: JSON

  /// The value that follows, for a property.
  func value(
    _ cursor: inout JSONCursor, _ property: Property, of owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    guard depth < JSONCursor.maximumDepth else { throw .problem(cursor.tooDeep()) }
    depth += 1
    defer { depth -= 1 }
    _ = cursor.next()
    let start = cursor.place
    let kind = try kind(&cursor)
    switch (property.collection, kind) {
    case (_, .null): return .null
    case (.none, _): return try element(&cursor, kind, start, property, owner)
    case (.list, .array): return .array(try members(&cursor, property, owner))
    case (.set, .array): return .set(try members(&cursor, property, owner))
    case (.dictionary, .object): return try entries(&cursor, property, owner)
    case (.dictionary, _): throw wrong(&cursor, kind, start, "an object", property, owner)
    default: throw wrong(&cursor, kind, start, "an array", property, owner)
    }
  }

  private func kind(_ cursor: inout JSONCursor) throws(RecordFailure) -> JSONCursor.Kind {
    do throws(ImportProblem) { return try cursor.kind() } catch { throw .problem(error) }
  }

  private func string(
    _ cursor: inout JSONCursor
  ) throws(RecordFailure) -> UnsafeRawBufferPointer {
    do throws(ImportProblem) { return try cursor.string() } catch { throw .problem(error) }
  }

  private func require(_ sign: StaticString, _ cursor: inout JSONCursor) throws(RecordFailure) {
    do throws(ImportProblem) { try cursor.require(sign) } catch { throw .problem(error) }
  }

  /// The failure for a value of another kind, which is passed over.
  private func wrong(
    _ cursor: inout JSONCursor, _ kind: JSONCursor.Kind, _ start: Int, _ needed: String,
    _ property: Property, _ owner: ObjectClass, form: String? = nil
  ) -> RecordFailure {
    var whole = JSONCursor(cursor.text, at: start, scratch: scratch)
    let range: Range<Int>
    do throws(ImportProblem) {
      range = try whole.skip()
    } catch {
      return .problem(error)
    }
    let found: String
    switch kind {
    case .null: found = "null"
    case .bool, .number: found = String(decoding: cursor.bytes(range).prefix(60), as: UTF8.self)
    case .string:
      found = FieldText.quoted(cursor.bytes((range.lowerBound + 1)..<(range.upperBound - 1)))
    case .array: found = "an array"
    case .object: found = "an object"
    }
    return RecordFailure(
      .typeMismatch,
      "\(found) is not \(needed) (\(ImportColumn.label(property, of: owner)))", at: range,
      remedy: form)
  }

  /// The failure for a number or another value that is none of a type.
  private func wrong(
    _ cursor: inout JSONCursor, _ kind: JSONCursor.Kind, _ start: Int, _ needed: ValueKind,
    _ property: Property, _ owner: ObjectClass
  ) -> RecordFailure {
    if case .number = kind {
      var number = JSONCursor(cursor.text, at: start, scratch: scratch)
      if let range = try? number.number().range {
        let text = cursor.bytes(range)
        let refusal = FieldText.refusal(text, needed)
        let label = ImportColumn.label(property, of: owner)
        return RecordFailure(
          .typeMismatch,
          "\(String(decoding: text.prefix(60), as: UTF8.self)) \(refusal) (\(label))", at: range)
      }
    }
    return wrong(
      &cursor, kind, start, FieldText.name(of: needed), property, owner,
      form: FieldText.form(of: needed))
  }

  private func members(
    _ cursor: inout JSONCursor, _ property: Property, _ owner: ObjectClass
  ) throws(RecordFailure) -> [InputValue] {
    var values: [InputValue] = []
    _ = cursor.take(UInt8(ascii: "["))
    if cursor.take(UInt8(ascii: "]")) { return values }
    repeat {
      _ = cursor.next()
      let start = cursor.place
      let kind = try kind(&cursor)
      values.append(try element(&cursor, kind, start, property, owner))
    } while cursor.take(UInt8(ascii: ","))
    try require("]", &cursor)
    return values
  }

  private func entries(
    _ cursor: inout JSONCursor, _ property: Property, _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    .map(
      try fields(&cursor) { (cursor, name, range) throws(RecordFailure) in
        // Written as escapes they are meant.
        let written = cursor.bytes((range.lowerBound + 1)..<range.upperBound)
        if written.first == UInt8(ascii: "$") || written.contains(UInt8(ascii: ".")) {
          throw RecordFailure(
            .invalidDictionaryKey,
            "\"\(name)\" cannot be a key: keys do not start with $ and have no point", at: range)
        }
        _ = cursor.next()
        let start = cursor.place
        let kind = try self.kind(&cursor)
        return InputField(
          name, try self.element(&cursor, kind, start, property, owner), isVerbatim: true)
      })
  }

  /// The fields of the object that follows, each key once.
  private func fields(
    _ cursor: inout JSONCursor,
    _ field: (inout JSONCursor, String, Range<Int>) throws(RecordFailure) -> InputField
  ) throws(RecordFailure) -> [InputField] {
    var fields: [InputField] = []
    var seen: Set<String> = []
    _ = cursor.take(UInt8(ascii: "{"))
    if cursor.take(UInt8(ascii: "}")) { return fields }
    repeat {
      guard cursor.next() == 0x22 else {
        throw .problem(cursor.unexpected("expected a key in quotes"))
      }
      let start = cursor.place
      let key = try string(&cursor)
      let range = start..<cursor.place
      let name = String(decoding: key, as: UTF8.self)
      guard seen.insert(name).inserted else {
        throw RecordFailure(
          .importFailed, "\(FieldText.quoted(key)) is given twice", at: range)
      }
      try require(":", &cursor)
      fields.append(try field(&cursor, name, range))
    } while cursor.take(UInt8(ascii: ","))
    try require("}", &cursor)
    return fields
  }

  /// A value, or a member of a collection, whose kind was read.
  private func element(
    _ cursor: inout JSONCursor, _ kind: JSONCursor.Kind, _ start: Int, _ property: Property,
    _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    if case .null = kind { return .null }
    switch property.kind {
    case .mixed: return try mixed(&cursor, kind, start, property, owner)
    case .link: return try link(&cursor, kind, start, property, owner)
    default: break
    }
    switch kind {
    case .object:
      // The tagged form of mixed values is understood here too.
      let value = try mixed(&cursor, kind, start, property, owner)
      guard case .scalar(let scalar) = value, scalar.kind == property.kind else {
        throw wrong(&cursor, kind, start, property.kind, property, owner)
      }
      return value
    case .bool(let value) where property.kind == .bool: return .scalar(.bool(value))
    case .number:
      let number = try self.number(&cursor)
      if let value = Self.scalar(number, cursor, property.kind) { return value }
    case .string where property.kind != .int && property.kind != .bool:
      let text = try string(&cursor)
      if let value = FieldText.value(text, property.kind) { return .scalar(value) }
    default: break
    }
    throw wrong(&cursor, kind, start, property.kind, property, owner)
  }

  func number(
    _ cursor: inout JSONCursor
  ) throws(RecordFailure) -> (range: Range<Int>, isInteger: Bool) {
    do throws(ImportProblem) { return try cursor.number() } catch { throw .problem(error) }
  }

  private static func scalar(
    _ number: (range: Range<Int>, isInteger: Bool), _ cursor: JSONCursor, _ kind: ValueKind
  ) -> InputValue? {
    let text = cursor.bytes(number.range)
    switch kind {
    case .int, .float, .double, .decimal: return FieldText.value(text, kind).map { .scalar($0) }
    default: return nil
    }
  }

  // MARK: Links

  private func link(
    _ cursor: inout JSONCursor, _ kind: JSONCursor.Kind, _ start: Int, _ property: Property,
    _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    guard let target = property.target.flatMap({ schema.objectClass($0) }) else { return .null }
    if case .object = kind {
      if !target.isEmbedded, Self.isTagged(cursor) {
        return try mixed(&cursor, kind, start, property, owner)
      }
      return try object(&cursor, target)
    }
    guard !target.isEmbedded else {
      throw wrong(&cursor, kind, start, "an object", property, owner)
    }
    return try link(&cursor, kind, start, to: target, property, owner)
  }

  /// A link by the primary key that follows.
  private func link(
    _ cursor: inout JSONCursor, _ kind: JSONCursor.Kind, _ start: Int, to target: ObjectClass,
    _ property: Property, _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    guard let primaryKey = target.primaryKey else {
      throw wrong(
        &cursor, kind, start, "an object of \(quotedName(target.name)), which has no primary key",
        property, owner)
    }
    let value: ScalarValue
    if case .null = kind {
      value = .null
    } else {
      // The value is read as one of the primary key, so that messages name that type.
      guard case .scalar(let scalar) = try element(&cursor, kind, start, primaryKey, target) else {
        throw wrong(&cursor, kind, start, "a primary key", property, owner)
      }
      value = scalar
    }
    return try link(to: value, in: target, property, owner, start..<cursor.place)
  }

  /// The object with a primary key. One that may still come counts as null for now.
  func link(
    to key: ScalarValue, in target: ObjectClass, _ property: Property, _ owner: ObjectClass,
    _ range: Range<Int>
  ) throws(RecordFailure) -> InputValue {
    guard let transaction = realm.transaction else { return .null }
    let found: ObjectKey?
    do throws(StorageError) {
      found = try transaction.object(target.table.key, primaryKey: key)
    } catch {
      throw .fatal(StorageMessages.error(error, path: realm.path))
    }
    if let found { return .object(target, found) }
    guard isStrict || target.table.key != imported else {
      hasOpenLinks = true
      return .null
    }
    let text = CanonicalText.string(key, inMixed: false)
    throw RecordFailure(
      .keyNotFound,
      "no \(quotedName(target.name)) with primary key \(text) "
        + "(\(ImportColumn.label(property, of: owner)))", at: range)
  }

  private func link(
    toObject number: Int64, in target: ObjectClass, _ property: Property, _ owner: ObjectClass,
    _ range: Range<Int>
  ) throws(RecordFailure) -> InputValue {
    guard let transaction = realm.transaction else { return .null }
    let key = ObjectKey(number)
    let exists: Bool
    do throws(StorageError) {
      exists = number < 0 ? false : try transaction.hasObject(target.table.key, key)
    } catch {
      throw .fatal(StorageMessages.error(error, path: realm.path))
    }
    if exists { return .object(target, key) }
    guard isStrict || target.table.key != imported else {
      hasOpenLinks = true
      return .null
    }
    throw RecordFailure(
      .keyNotFound,
      "no object \(quotedName(target.name))#\(number) "
        + "(\(ImportColumn.label(property, of: owner)))", at: range)
  }

  // MARK: Objects

  /// An object of a class by its properties.
  private func object(
    _ cursor: inout JSONCursor, _ target: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    .map(
      try fields(&cursor) { (cursor, name, range) throws(RecordFailure) in
        guard let property = target.property(named: name) else {
          throw Self.unknown(name, in: target, at: range)
        }
        return InputField(property.name, try self.value(&cursor, property, of: target))
      })
  }

  /// The failure for a name that no property has.
  static func unknown(
    _ name: String, in objectClass: ObjectClass, at range: Range<Int>
  ) -> RecordFailure {
    if objectClass.inverse(named: name) != nil {
      return RecordFailure(
        .readOnlyProperty, "\(quotedName(objectClass.name)).\(quotedName(name)) is computed",
        at: range)
    }
    return RecordFailure(
      .invalidProperty, "\(quotedName(objectClass.name)) has no property \(name)", at: range,
      suggestion: Spelling.nearest(to: name, among: objectClass.properties.map(\.name)))
  }

  // MARK: Mixed values

  /// Whether a field holds a link in the tagged form, as one to the object whose primary key is null.
  private static func isTaggedLink(_ text: UnsafeRawBufferPointer) -> Bool {
    text.starts(with: "{\"$link\"".utf8)
  }

  /// Whether the object that follows has a tag for a key.
  private static func isTagged(_ cursor: JSONCursor) -> Bool {
    var ahead = cursor
    guard ahead.take(UInt8(ascii: "{")), ahead.next() == 0x22, ahead.place + 1 < ahead.text.count
    else { return false }
    return ahead.text[ahead.place + 1] == UInt8(ascii: "$")
  }

  private func mixed(
    _ cursor: inout JSONCursor, _ kind: JSONCursor.Kind, _ start: Int, _ property: Property,
    _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    switch kind {
    case .null: return .null
    case .bool(let value): return .scalar(.bool(value))
    case .string: return .scalar(.string([UInt8](try string(&cursor))))
    case .number:
      let number = try self.number(&cursor)
      let text = cursor.bytes(number.range)
      if number.isInteger, let value = parseInt(text) { return .scalar(.int(value)) }
      if !number.isInteger, let value = FieldText.double(text) { return .scalar(.double(value)) }
      throw wrong(&cursor, kind, start, number.isInteger ? .int : .double, property, owner)
    case .array:
      try deepen(cursor)
      defer { depth -= 1 }
      return .array(try members(&cursor, property, owner))
    case .object:
      if Self.isTagged(cursor) { return try tagged(&cursor, property, owner) }
      try deepen(cursor)
      defer { depth -= 1 }
      return try entries(&cursor, property, owner)
    }
  }

  private func deepen(_ cursor: JSONCursor) throws(RecordFailure) {
    guard depth < JSONCursor.maximumDepth else { throw .problem(cursor.tooDeep()) }
    depth += 1
  }

  /// `{"$date": "..."}` and its like.
  private func tagged(
    _ cursor: inout JSONCursor, _ property: Property, _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    let start = cursor.place
    _ = cursor.take(UInt8(ascii: "{"))
    _ = cursor.next()
    let tagStart = cursor.place
    let tag = String(decoding: try string(&cursor).dropFirst(), as: UTF8.self)
    let tagRange = tagStart..<cursor.place
    try require(":", &cursor)
    let result: InputValue
    switch tag {
    case "link": result = try taggedLink(&cursor, property, owner)
    case "obj":
      guard let target = property.target.flatMap({ schema.objectClass($0) }) else {
        throw unknownTag(tag, tagRange)
      }
      result = try objectNumber(&cursor, start, in: target, property, owner)
    default:
      guard let kind = Self.tags[tag] else { throw unknownTag(tag, tagRange) }
      result = try taggedScalar(&cursor, kind, property, owner)
    }
    try require("}", &cursor)
    return result
  }

  private func unknownTag(_ tag: String, _ range: Range<Int>) -> RecordFailure {
    RecordFailure(
      .invalidDictionaryKey, "\"$\(tag)\" is no tag of a value", at: range,
      suggestion: Spelling.nearest(
        to: "$" + tag, among: (Self.tags.keys + ["link", "obj"]).sorted().map { "$" + $0 }))
  }

  private static let tags: [String: ValueKind] = [
    "double": .double, "float": .float, "decimal": .decimal, "data": .data, "date": .date,
    "oid": .objectID, "uuid": .uuid,
  ]

  private func taggedScalar(
    _ cursor: inout JSONCursor, _ kind: ValueKind, _ property: Property, _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    _ = cursor.next()
    let start = cursor.place
    let found = try self.kind(&cursor)
    var value: ScalarValue?
    switch found {
    case .number where kind == .double || kind == .float || kind == .decimal:
      value = FieldText.value(cursor.bytes(try number(&cursor).range), kind)
    case .string: value = FieldText.value(try string(&cursor), kind)
    default: break
    }
    guard let value else {
      throw wrong(&cursor, found, start, kind, property, owner)
    }
    return .scalar(value)
  }

  /// `"Dog", "key": 1` or `"Dog", "obj": 12`.
  private func taggedLink(
    _ cursor: inout JSONCursor, _ property: Property, _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    _ = cursor.next()
    let start = cursor.place
    guard cursor.next() == 0x22 else {
      throw .problem(cursor.unexpected("expected the name of a class"))
    }
    let name = String(decoding: try string(&cursor), as: UTF8.self)
    guard let target = schema.objectClass(named: name) else {
      throw RecordFailure(
        .noSuchTable, "no class \(name)", at: start..<cursor.place,
        suggestion: Spelling.nearest(to: name, among: schema.classes.map(\.name)))
    }
    try require(",", &cursor)
    guard cursor.next() == 0x22 else { throw .problem(cursor.unexpected("expected \"key\"")) }
    let keyStart = cursor.place
    let word = String(decoding: try string(&cursor), as: UTF8.self)
    let keyRange = keyStart..<cursor.place
    try require(":", &cursor)
    _ = cursor.next()
    let valueStart = cursor.place
    switch word {
    case "key":
      let kind = try self.kind(&cursor)
      return try link(&cursor, kind, valueStart, to: target, property, owner)
    case "obj": return try objectNumber(&cursor, valueStart, in: target, property, owner)
    default:
      throw RecordFailure(.importFailed, "expected \"key\" or \"obj\"", at: keyRange)
    }
  }

  private func objectNumber(
    _ cursor: inout JSONCursor, _ start: Int, in target: ObjectClass, _ property: Property,
    _ owner: ObjectClass
  ) throws(RecordFailure) -> InputValue {
    _ = cursor.next()
    let numberStart = cursor.place
    let kind = try self.kind(&cursor)
    guard case .number = kind, let number = parseInt(cursor.bytes(try number(&cursor).range))
    else { throw wrong(&cursor, kind, numberStart, "an object key", property, owner) }
    return try link(toObject: number, in: target, property, owner, start..<cursor.place)
  }
}
