import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Writes values in the forms of the shell: literals, table cells, JSON.
///
/// Texts go from the bytes of the file to the output without a copy.
///
/// Source: shell.md 4.
final class ValueWriter {
  /// How nested values are written.
  enum Form {
    /// The literal form, which can be typed.
    case literal
    /// JSON with a blank behind `:` and `,`.
    case json
    /// JSON without blanks.
    case compactJSON

    var isJSON: Bool { self != .literal }
  }

  let schema: Schema
  let out: ByteWriter
  /// Whether dates are shown in the local zone, which programs must not see.
  let usesLocalTime: Bool
  /// The keys that objects of classes without primary key will have where the text is read.
  var newKeys: [TableKey: ObjectPositions] = [:]
  /// Whether every literal gives back the same bits and, in mixed values, the same type.
  var isExact = false
  private var scratch: [UInt8] = []
  private var texts: [TableKey: ClassTexts] = [:]
  /// Objects that are being written inside each other.
  private var openObjects: [(TableKey, ObjectKey)] = []

  /// Embedded objects inside each other.
  static let maximumDepth = 100

  /// The names of a class and its properties, ready to be printed.
  private struct ClassTexts {
    let name: [UInt8]
    /// Names of properties with a colon, as keys of literals.
    let literalKeys: [[UInt8]]
    /// Names of properties as JSON strings with a colon.
    let jsonKeys: [[UInt8]]
  }

  init(_ schema: Schema, to out: ByteWriter, usesLocalTime: Bool = false) {
    self.schema = schema
    self.out = out
    self.usesLocalTime = usesLocalTime
  }

  private func texts(of objectClass: ObjectClass) -> ClassTexts {
    let isSeenAsItIs = objectClass.view == nil
    if isSeenAsItIs, let known = texts[objectClass.table.key] { return known }
    let memory = ByteWriter()
    func bytes(_ form: Form, _ name: String) -> [UInt8] {
      ValueWriter(schema, to: memory).key(name, form)
      return memory.takeBytes()
    }
    let names = objectClass.properties.map(\.name)
    let made = ClassTexts(
      name: Array(bytes(.literal, objectClass.name).dropLast(2)),
      literalKeys: names.map { bytes(.literal, $0) },
      jsonKeys: names.map { bytes(.compactJSON, $0) })
    if isSeenAsItIs { texts[objectClass.table.key] = made }
    return made
  }

  /// Writes a value.
  ///
  /// - Parameter isMixed: Whether the schema leaves the type open, so that the text has to tell it.
  func write(_ value: StoredValue, isMixed: Bool, _ form: Form) throws(StorageError) {
    switch value {
    case .null: out.write("null")
    case .bool(let flag): out.write(flag ? "true" : "false")
    case .int(let number): out.writeInt(number)
    case .float(let number): float(number, isMixed, form)
    case .double(let number): double(number, isMixed, form)
    case .decimal(let number) where isExact && !form.isJSON && !number.isCanonical:
      let digits = [number.high, number.low].map { ValueWriter.hexadecimal($0, digitCount: 16) }
      out.write("decimal(\"0x\(digits.joined())\")")
    case .decimal(let number): tagged("decimal", isMixed, form) { number.append(to: &$0) }
    case .string(let bytes):
      form.isJSON ? JSONText.writeString(bytes, to: out) : LiteralText.writeQuoted(bytes, to: out)
    case .data(let bytes): data(bytes, isMixed, form)
    case .date(let date): self.date(date, isMixed, form)
    case .objectID(let id):
      tagged("oid", isMixed || !form.isJSON, form) { id.append(to: &$0) }
    case .uuid(let id):
      tagged("uuid", isMixed || !form.isJSON, form) { id.append(to: &$0) }
    case .link(let table, let key): try link(table, key, isMixed, form)
    case .list(let list): try self.list(list, isMixed, form)
    case .dictionary(let dictionary): try self.dictionary(dictionary, isMixed, form)
    }
  }

  /// Writes an owned value.
  func write(_ value: ScalarValue, isMixed: Bool, _ form: Form) throws(StorageError) {
    switch value {
    case .string(let bytes):
      try withBytes(bytes) { (bytes) throws(StorageError) in
        try write(StoredValue.string(bytes), isMixed: isMixed, form)
      }
    case .data(let bytes):
      try withBytes(bytes) { (bytes) throws(StorageError) in
        try write(StoredValue.data(bytes), isMixed: isMixed, form)
      }
    case .null: out.write("null")
    case .bool(let value): try write(StoredValue.bool(value), isMixed: isMixed, form)
    case .int(let value): out.writeInt(value)
    case .float(let value): try write(StoredValue.float(value), isMixed: isMixed, form)
    case .double(let value): try write(StoredValue.double(value), isMixed: isMixed, form)
    case .decimal(let value): try write(StoredValue.decimal(value), isMixed: isMixed, form)
    case .date(let value): try write(StoredValue.date(value), isMixed: isMixed, form)
    case .objectID(let value): try write(StoredValue.objectID(value), isMixed: isMixed, form)
    case .uuid(let value): try write(StoredValue.uuid(value), isMixed: isMixed, form)
    case .link(let table, let key): try write(StoredValue.link(table, key), isMixed: isMixed, form)
    case .key(let key): out.writeInt(key.rawValue)
    }
  }

  private func withBytes(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try body(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  // MARK: Scalars

  private func float(_ number: Float, _ isMixed: Bool, _ form: Form) {
    guard form.isJSON else {
      if isExact, number.isNaN, isMixed || number.bitPattern != Float.nan.bitPattern {
        return notANumber(UInt64(number.bitPattern), digitCount: 8)
      }
      if isExact, isMixed, number.isInfinite {
        out.write(number < 0 ? "float(-inf)" : "float(inf)")
        return
      }
      out.writeFloat(number)
      if isMixed, number.isFinite { out.byte(UInt8(ascii: "f")) }
      return
    }
    if isMixed { openTag("float", form) }
    if number.isFinite { out.writeFloat(number) } else { special(Double(number)) }
    if isMixed { out.byte(UInt8(ascii: "}")) }
  }

  /// What is not a number has other bits than those of `nan` where a processor has made it.
  private func notANumber(_ bits: UInt64, digitCount: Int) {
    out.write("nan(\"\(ValueWriter.hexadecimal(bits, digitCount: digitCount))\")")
  }

  private static func hexadecimal(_ bits: UInt64, digitCount: Int) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: digitCount - digits.count) + digits
  }

  private func double(_ number: Double, _ isMixed: Bool, _ form: Form) {
    if isExact, number.isNaN, number.bitPattern != Double.nan.bitPattern, !form.isJSON {
      return notANumber(number.bitPattern, digitCount: 16)
    }
    guard form.isJSON, !number.isFinite else {
      out.writeDouble(number)
      return
    }
    if isMixed { openTag("double", form) }
    special(number)
    if isMixed { out.byte(UInt8(ascii: "}")) }
  }

  private func special(_ number: Double) {
    out.write(number.isNaN ? "\"nan\"" : number < 0 ? "\"-inf\"" : "\"inf\"")
  }

  private func openTag(_ name: StaticString, _ form: Form) {
    out.write("{\"$")
    out.write(name)
    out.write(form == .json ? "\": " : "\":")
  }

  /// `name(text)` in literals, where `isTagged`; in JSON a string, inside an object if `isTagged`.
  private func tagged(
    _ name: StaticString, _ isTagged: Bool, _ form: Form, _ append: (inout [UInt8]) -> Void
  ) {
    scratch.removeAll(keepingCapacity: true)
    append(&scratch)
    guard form.isJSON else {
      // Without a point a number is an int, whose zero has no sign.
      let isTagged = isTagged || scratch.elementsEqual("-0".utf8)
      if isTagged {
        out.write(name)
        out.byte(UInt8(ascii: "("))
      }
      out.write(scratch)
      if isTagged { out.byte(UInt8(ascii: ")")) }
      return
    }
    if isTagged { openTag(name, form) }
    out.byte(UInt8(ascii: "\""))
    out.write(scratch)
    out.byte(UInt8(ascii: "\""))
    if isTagged { out.byte(UInt8(ascii: "}")) }
  }

  private func date(_ date: Timestamp, _ isMixed: Bool, _ form: Form) {
    guard form.isJSON else { return writePlain(date) }
    if isMixed { openTag("date", form) }
    out.byte(UInt8(ascii: "\""))
    writePlain(date)
    out.byte(UInt8(ascii: "\""))
    if isMixed { out.byte(UInt8(ascii: "}")) }
  }

  /// A point in time without quotes, which needs no escapes in any form.
  func writePlain(_ date: Timestamp) {
    if usesLocalTime {
      scratch.removeAll(keepingCapacity: true)
      LocalTime.append(date, to: &scratch)
      out.write(scratch)
    } else {
      out.write(atMost: Timestamp.maximumByteCount) { date.print(to: $0) }
    }
  }

  private func data(_ bytes: UnsafeRawBufferPointer, _ isMixed: Bool, _ form: Form) {
    if form.isJSON {
      if isMixed { openTag("data", form) }
      out.byte(UInt8(ascii: "\""))
      out.writeBase64(bytes)
      out.byte(UInt8(ascii: "\""))
      if isMixed { out.byte(UInt8(ascii: "}")) }
    } else {
      out.write("B64\"")
      out.writeBase64(bytes)
      out.byte(UInt8(ascii: "\""))
    }
  }

  // MARK: Objects and collections

  private func link(
    _ table: TableKey, _ key: ObjectKey, _ isMixed: Bool, _ form: Form
  ) throws(StorageError) {
    guard let target = schema.objectClass(table) else {
      out.write("null")
      return
    }
    if target.isEmbedded, !openObjects.contains(where: { $0 == (table, key) }),
      openObjects.count < ValueWriter.maximumDepth, let row = try target.table.row(of: key)
    {
      openObjects.append((table, key))
      defer { openObjects.removeLast() }
      try object(target, row, form)
    } else if form.isJSON {
      try jsonLink(target, key, isMixed, form)
    } else {
      try name(of: key, in: target)
    }
  }

  /// The name of an object: `Dog(1)`, `Dog#12`.
  func name(of key: ObjectKey, in target: ObjectClass) throws(StorageError) {
    out.write(texts(of: target).name)
    switch try target.identity(of: key) {
    case .objectKey(let key):
      out.byte(UInt8(ascii: "#"))
      out.writeInt(newKeys[target.table.key]?.newKey(of: key) ?? key.rawValue)
    case .primaryKey(let value):
      out.byte(UInt8(ascii: "("))
      try write(value, isMixed: false, .literal)
      out.byte(UInt8(ascii: ")"))
    }
  }

  private func jsonLink(
    _ target: ObjectClass, _ key: ObjectKey, _ isMixed: Bool, _ form: Form
  ) throws(StorageError) {
    let colon: StaticString = form == .json ? ": " : ":"
    let comma: StaticString = form == .json ? ", " : ","
    let identity = try target.identity(of: key)
    // No link, too, is null.
    let isNullKey = if case .primaryKey(.null) = identity { true } else { false }
    let isMixed = isMixed || isNullKey
    if isMixed {
      openTag("link", form)
      JSONText.writeString(target.name, to: out)
      out.write(comma)
    }
    switch identity {
    case .primaryKey(let value):
      if isMixed {
        out.write("\"key\"")
        out.write(colon)
      }
      try write(value, isMixed: false, form)
      if isMixed { out.byte(UInt8(ascii: "}")) }
    case .objectKey(let key):
      out.write(isMixed ? "\"obj\"" : "{\"$obj\"")
      out.write(colon)
      out.writeInt(newKeys[target.table.key]?.newKey(of: key) ?? key.rawValue)
      out.byte(UInt8(ascii: "}"))
    }
  }

  /// All stored properties of an object in place.
  func object(
    _ target: ObjectClass, _ row: StoredRow, _ form: Form
  ) throws(StorageError) {
    let texts = texts(of: target)
    out.byte(UInt8(ascii: "{"))
    for (i, property) in target.properties.enumerated() {
      if i > 0 { separator(form) }
      out.write(form == .literal ? texts.literalKeys[i] : texts.jsonKeys[i])
      if form == .json { out.byte(0x20) }
      let value = try target.table.value(of: property.position, in: row)
      try write(value, isMixed: property.kind == .mixed, form)
    }
    out.byte(UInt8(ascii: "}"))
  }

  /// `, ` between members.
  func separator(_ form: Form) { out.write(form == .compactJSON ? "," : ", ") }

  /// The name of a member with its colon.
  func key(_ name: String, _ form: Form) {
    switch form {
    case .literal:
      out.write(quotedName(name, inScript: isExact) + ": ")
    case .json, .compactJSON:
      JSONText.writeString(name, to: out)
      out.write(form == .json ? ": " : ":")
    }
  }

  /// A key of a dictionary with its colon.
  func memberKey(_ key: UnsafeRawBufferPointer, _ form: Form) {
    if form.isJSON || isExact, key.first == UInt8(ascii: "$") || key.contains(UInt8(ascii: ".")) {
      writeVerbatimKey(key, form)
    } else if form.isJSON {
      JSONText.writeString(key, to: out)
    } else if LiteralText.isName(key) {
      out.write(key)
    } else {
      LiteralText.writeQuoted(key, to: out)
    }
    out.write(form == .compactJSON ? ":" : ": ")
  }

  /// A key that only old files have: escapes tell that it is meant, and no tag.
  private func writeVerbatimKey(_ key: UnsafeRawBufferPointer, _ form: Form) {
    let escaped: EscapedText.Form = form.isJSON ? .json : .literal
    out.byte(UInt8(ascii: "\""))
    var start = 0
    for i in 0..<key.count
    where key[i] == UInt8(ascii: ".") || (i == 0 && key[i] == UInt8(ascii: "$")) {
      EscapedText.write(UnsafeRawBufferPointer(rebasing: key[start..<i]), escaped, to: out)
      out.write(key[i] == UInt8(ascii: ".") ? "\\u002e" : "\\u0024")
      start = i + 1
    }
    EscapedText.write(UnsafeRawBufferPointer(rebasing: key[start...]), escaped, to: out)
    out.byte(UInt8(ascii: "\""))
  }

  private func list(_ list: StoredList, _ isMixed: Bool, _ form: Form) throws(StorageError) {
    out.byte(UInt8(ascii: "["))
    var isFirst = true
    if list.isSet {
      for value in try list.values() {
        if !isFirst { separator(form) }
        isFirst = false
        try write(value, isMixed: isMixed, form)
      }
    } else {
      var cursor = try list.makeCursor()
      while let value = try cursor.next() {
        if !isFirst { separator(form) }
        isFirst = false
        try write(value, isMixed: isMixed, form)
      }
    }
    out.byte(UInt8(ascii: "]"))
  }

  private func dictionary(
    _ dictionary: StoredDictionary, _ isMixed: Bool, _ form: Form
  ) throws(StorageError) {
    out.byte(UInt8(ascii: "{"))
    var isFirst = true
    for entry in try dictionary.entries() {
      if !isFirst { separator(form) }
      isFirst = false
      memberKey(entry.key, form)
      try write(entry.value, isMixed: isMixed, form)
    }
    out.byte(UInt8(ascii: "}"))
  }
}
