import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// The rules of text files with one record a line.
struct SeparatedText {
  let separator: UInt8
  /// What stands for null.
  let null: StaticString
  /// Fields with special characters stand in quotes; else they are escaped.
  let usesQuotes: Bool

  /// RFC 4180 with LF line ends.
  static let csv = SeparatedText(separator: UInt8(ascii: ","), null: "", usesQuotes: true)
  /// Tabs, with `\t`, `\n` and `\\` escaped.
  static let tsv = SeparatedText(separator: 0x09, null: "\\N", usesQuotes: false)

  /// Writes a field.
  ///
  /// - Parameter isText: Whether an empty field is an empty text, which has to differ from null.
  func write(_ bytes: UnsafeRawBufferPointer, isText: Bool, to out: ByteWriter) {
    usesQuotes ? writeQuoted(bytes, isText, out) : writeEscaped(bytes, out)
  }

  private func writeQuoted(_ bytes: UnsafeRawBufferPointer, _ isText: Bool, _ out: ByteWriter) {
    guard !bytes.isEmpty else {
      if isText { out.write("\"\"") }
      return
    }
    var isPlain = true
    for byte in bytes where byte == 0x22 || byte == 0x0A || byte == 0x0D || byte == separator {
      isPlain = false
      break
    }
    if isPlain {
      out.write(bytes)
      return
    }
    out.byte(0x22)
    var start = 0
    for i in 0..<bytes.count where bytes[i] == 0x22 {
      out.write(UnsafeRawBufferPointer(rebasing: bytes[start...i]))
      out.byte(0x22)
      start = i + 1
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    out.byte(0x22)
  }

  private func writeEscaped(_ bytes: UnsafeRawBufferPointer, _ out: ByteWriter) {
    var start = 0
    for i in 0..<bytes.count {
      let escape: StaticString
      switch bytes[i] {
      case 0x09: escape = "\\t"
      case 0x0A: escape = "\\n"
      case 0x0D: escape = "\\r"
      case 0x5C: escape = "\\\\"
      default: continue
      }
      out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
      out.write(escape)
      start = i + 1
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }
}

extension Renderer {
  /// Prints a header line and a record for each object.
  func renderRecords(
    _ rows: Range<Int>, _ text: SeparatedText, header: Bool = true
  ) throws(ShellError) {
    if header { writeHeader(text) }
    let memory = ByteWriter()
    let nested = ValueWriter(result.schema, to: memory)
    try forEachRow(rows) { (_) throws(ShellError) in
      for (i, column) in result.columns.enumerated() {
        if i > 0 { out.byte(text.separator) }
        try writeField(column, text, nested)
      }
      out.byte(0x0A)
    }
  }

  private func writeHeader(_ text: SeparatedText) {
    for (i, column) in result.columns.enumerated() {
      if i > 0 { out.byte(text.separator) }
      var title = column.title
      title.withUTF8 { text.write(UnsafeRawBufferPointer($0), isText: true, to: out) }
    }
    out.byte(0x0A)
  }

  /// Scalars are written as they are, all else as JSON text.
  private func writeField(
    _ column: ResultColumn, _ text: SeparatedText, _ nested: ValueWriter
  ) throws(ShellError) {
    let cell = try result.cell(column)
    do throws(StorageError) {
      switch cell {
      case .stored(.null), .value(.scalar(.null)): out.write(text.null)
      case .stored(.string(let bytes)) where !column.isMixed:
        text.write(bytes, isText: true, to: out)
      case .stored(.int(let number)): out.writeInt(number)
      case .stored(.bool(let flag)): out.write(flag ? "true" : "false")
      case .stored(.double(let number)) where !column.isMixed: out.writeDouble(number)
      case .stored(.link(let table, let key)) where !column.isMixed:
        try writeLink(table, key, text, nested)
      case .stored(let value):
        try nested.write(value, isMixed: column.isMixed, .compactJSON)
        writeNested(text, nested.out, isPlain: !column.isMixed && !value.isNested)
      case .value(.scalar(.string(let bytes))) where !column.isMixed:
        bytes.withUnsafeBytes { text.write($0, isText: true, to: out) }
      case .value(let value):
        try nested.write(value, isMixed: column.isMixed, .compactJSON)
        writeNested(text, nested.out, isPlain: !column.isMixed && value.members == nil)
      }
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
  }

  /// A link is told by the primary key of its target; embedded objects and targets without a
  /// primary key as JSON.
  private func writeLink(
    _ table: TableKey, _ key: ObjectKey, _ text: SeparatedText, _ nested: ValueWriter
  ) throws(StorageError) {
    guard let target = result.schema.objectClass(table), !target.isEmbedded,
      case .primaryKey(let value) = try target.identity(of: key)
    else {
      try nested.write(StoredValue.link(table, key), isMixed: false, .compactJSON)
      writeNested(text, nested.out, isPlain: false)
      return
    }
    if case .string(let bytes) = value {
      bytes.withUnsafeBytes { text.write($0, isText: true, to: out) }
    } else {
      try nested.write(value, isMixed: false, .compactJSON)
      writeNested(text, nested.out, isPlain: true)
    }
  }

  /// Copies a value from its JSON text; a plain one without the quotes of JSON, which holds no
  /// escapes then.
  private func writeNested(_ text: SeparatedText, _ memory: ByteWriter, isPlain: Bool) {
    memory.takeBytes().withUnsafeBytes { bytes in
      var bytes = bytes
      if isPlain, bytes.count >= 2, bytes.first == 0x22 {
        bytes = UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
      }
      text.write(bytes, isText: true, to: out)
    }
  }
}

extension StoredValue {
  /// Whether its JSON form has parts: collections, and links, whose form depends on their class.
  fileprivate var isNested: Bool {
    switch self {
    case .list, .dictionary, .link: true
    default: false
    }
  }
}
