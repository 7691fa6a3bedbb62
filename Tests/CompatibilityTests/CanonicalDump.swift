import CLibCrypto
import Glibc
import RealmObjects
import RealmStorage
import RealmValues
import TestSupport

/// Writes all objects of a database in the form of the recorded dumps.
///
/// Source: fixtures/README.md, "Form of the dumps".
struct CanonicalDump {
  private let realm: Realm
  /// Names of tables instead of names of classes.
  private let usesTableNames: Bool
  private var text: [UInt8] = []

  /// Values of more bytes are shown as hash and size.
  private static let hashedByteCount = 65_536

  private init(_ realm: Realm, usesTableNames: Bool) {
    self.realm = realm
    self.usesTableNames = usesTableNames
  }

  /// One line for each object of a top-level class, by class and key.
  static func lines(_ realm: Realm, usesTableNames: Bool) throws -> [[UInt8]] {
    var dump = CanonicalDump(realm, usesTableNames: usesTableNames)
    var lines: [[UInt8]] = []
    let classes = realm.schema.all.filter {
      !$0.isEmbedded && (usesTableNames ? true : $0.origin == .sdk)
    }
    for objectClass in classes.sorted(by: { dump.name($0) < dump.name($1) }) {
      let cursor = try TableCursor(
        objectClass.table, columns: objectClass.properties.map(\.position))
      while try cursor.next() {
        for row in 0..<cursor.count {
          dump.text = []
          dump.write("{\"class\":")
          dump.string(Array(dump.name(objectClass).utf8))
          dump.write(",\"key\":\(cursor.key(at: row).rawValue),\"props\":")
          try dump.object(objectClass) { try cursor.value($0, at: row) }
          dump.write("}")
          lines.append(dump.text)
        }
      }
    }
    return lines
  }

  private func name(_ objectClass: ObjectClass) -> String {
    usesTableNames ? objectClass.table.name : objectClass.name
  }

  private mutating func write(_ text: String) { self.text += Array(text.utf8) }

  /// The properties by name; `value` takes the index in the properties.
  private mutating func object(
    _ objectClass: ObjectClass, _ value: (Int) throws -> StoredValue
  ) throws {
    let order = objectClass.properties.indices.sorted {
      Array(objectClass.properties[$0].name.utf8)
        .lexicographicallyPrecedes(Array(objectClass.properties[$1].name.utf8))
    }
    write("{")
    for (n, i) in order.enumerated() {
      if n > 0 { write(",") }
      string(Array(objectClass.properties[i].name.utf8))
      write(":")
      try self.value(try value(i), isMixed: objectClass.properties[i].kind == .mixed)
    }
    write("}")
  }

  private mutating func value(_ value: StoredValue, isMixed: Bool) throws {
    switch value {
    case .null: write("null")
    case .bool(let flag): write(flag ? "true" : "false")
    case .int(let number): write("\(number)")
    case .float(let number):
      if isMixed { write("{\"$float\":") }
      double(Double(number))
      if isMixed { write("}") }
    case .double(let number):
      if isMixed, !number.isFinite { write("{\"$double\":") }
      double(number)
      if isMixed, !number.isFinite { write("}") }
    case .decimal(let number): write("{\"$dec\":\"\(number)\"}")
    case .string(let bytes): long(bytes, "string") { $0.string([UInt8](bytes)) }
    case .data(let bytes):
      long(bytes, "data") { $0.write("{\"$data\":\"\(base64([UInt8](bytes)))\"}") }
    case .date(let date): write("{\"$ts\":[\(date.seconds),\(date.nanoseconds)]}")
    case .objectID(let id): write("{\"$oid\":\"\(id)\"}")
    case .uuid(let id): write("{\"$uuid\":\"\(id)\"}")
    case .link(let table, let key): try link(table, key)
    case .list(let list):
      write("[")
      for (i, element) in try list.values().enumerated() {
        if i > 0 { write(",") }
        try self.value(element, isMixed: isMixed)
      }
      write("]")
    case .dictionary(let dictionary):
      write("{")
      for (i, entry) in try dictionary.entries().enumerated() {
        if i > 0 { write(",") }
        string([UInt8](entry.key))
        write(":")
        try self.value(entry.value, isMixed: isMixed)
      }
      write("}")
    }
  }

  private mutating func link(_ table: TableKey, _ key: ObjectKey) throws {
    guard let target = realm.schema.objectClass(table) else {
      write("{\"$link\":[null,\(key.rawValue)]}")
      return
    }
    guard target.isEmbedded, let row = try target.table.row(of: key) else {
      write("{\"$link\":[")
      string(Array(name(target).utf8))
      write(",\(key.rawValue)]}")
      return
    }
    try object(target) { try target.table.value(of: target.properties[$0].position, in: row) }
  }

  private mutating func long(
    _ bytes: UnsafeRawBufferPointer, _ kind: String, _ write: (inout CanonicalDump) -> Void
  ) {
    guard bytes.count > CanonicalDump.hashedByteCount else {
      write(&self)
      return
    }
    self.write("{\"$\(kind)_sha256\":\"\(sha256([UInt8](bytes)))\",\"size\":\(bytes.count)}")
  }

  private mutating func double(_ number: Double) {
    if number.isNaN {
      write("\"nan\"")
    } else if number.isInfinite {
      write(number < 0 ? "\"-inf\"" : "\"inf\"")
    } else {
      var buffer = [CChar](repeating: 0, count: 64)
      withVaList([number]) { _ = vsnprintf(&buffer, buffer.count, "%.17g", $0) }
      let digits = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      text += digits
      if !digits.contains(where: { ".e".utf8.contains($0) }) { write(".0") }
    }
  }

  private mutating func string(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      write("{\"$bytes\":\"\(base64(bytes))\"}")
      return
    }
    text.append(UInt8(ascii: "\""))
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 8: write("\\b")
      case 12: write("\\f")
      case 10: write("\\n")
      case 13: write("\\r")
      case 9: write("\\t")
      case 0..<32:
        let digits = String(byte, radix: 16)
        write("\\u00" + (digits.count == 1 ? "0" : "") + digits)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

/// Base64 with padding, by definition.
func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    var word = 0
    for i in 0..<3 { word = word << 8 | (i < group.count ? Int(group[start + i]) : 0) }
    for i in 0..<4 {
      text.append(i <= group.count ? alphabet[word >> (18 - 6 * i) & 63] : "=")
    }
  }
  return text
}

/// SHA-256 in hexadecimal digits.
private func sha256(_ bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: 32)
  SHA256(bytes, bytes.count, &digest)
  return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
