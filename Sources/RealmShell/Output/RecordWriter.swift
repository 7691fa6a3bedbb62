import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Writes the values of the columns of a result, row by row.
final class RecordWriter<Rows: RowSource> {
  private let result: Rows
  private let format: RecordFormat
  private let style: RecordStyle
  private let out: ByteWriter
  private let values: ValueWriter
  /// For values whose text has to be quoted again.
  private let nested: ValueWriter
  /// For each column whether the schema leaves its type open.
  private let isMixed: [Bool]

  /// - Parameter newKeys: The keys that objects of classes without primary key will have where the
  ///   records are read, if those are others.
  init(
    _ result: Rows, _ format: RecordFormat, newKeys: [TableKey: ObjectPositions] = [:],
    to out: ByteWriter
  ) {
    self.result = result
    self.format = format
    style = format.style
    self.out = out
    values = ValueWriter(result.schema, to: out, usesLocalTime: format.usesLocalTime)
    nested = ValueWriter(result.schema, to: ByteWriter())
    isMixed = result.columns.map(\.isMixed)
    (values.newKeys, nested.newKeys) = (newKeys, newKeys)
  }

  /// Writes the value of a column of the object that the result was moved to.
  func write(_ column: Int) throws(ShellError) {
    do throws(StorageError) {
      if let value = try result.storedValue(column) {
        try write(value, isMixed[column])
        return
      }
    } catch {
      throw StorageMessages.error(error, path: result.path)
    }
    let cell = try result.cell(column)
    do throws(StorageError) {
      switch cell {
      case .stored(let value): try write(value, isMixed[column])
      case .value(let value): try write(value, isMixed[column])
      }
    } catch {
      throw StorageMessages.error(error, path: result.path)
    }
  }

  private func write(_ value: StoredValue, _ isMixed: Bool) throws(StorageError) {
    switch value {
    case .null: out.write(format.null)
    case .int(let number): out.writeInt(number)
    case .bool(let flag): out.write(flag ? "true" : "false")
    case .string(let bytes): writeString(bytes, isMixed)
    case .double(let number) where style == .csv || style == .tsv:
      // In mixed values the words for what is not finite are JSON strings.
      if isMixed, !number.isFinite {
        try writeField(value, isMixed)
      } else {
        out.writeDouble(number)
      }
    case .date(let date) where !isMixed && (style == .csv || style == .tsv):
      values.writePlain(date)
    default:
      if style == .csv || style == .tsv {
        try writeField(value, isMixed)
      } else {
        try values.write(value, isMixed: isMixed, style.form)
      }
    }
  }

  private func write(_ value: ShellValue, _ isMixed: Bool) throws(StorageError) {
    switch value {
    case .scalar(.null): out.write(format.null)
    case .scalar(.string(let bytes)): bytes.withUnsafeBytes { writeString($0, isMixed) }
    default:
      guard style == .csv || style == .tsv else {
        try values.write(value, isMixed: isMixed, style.form)
        return
      }
      if !isMixed, case .object(let target, let key) = value,
        try writePrimaryKey(of: key, in: target)
      {
        return
      }
      try nested.write(value, isMixed: isMixed, .compactJSON)
      writeNested(isMixed)
    }
  }

  private func writeString(_ bytes: UnsafeRawBufferPointer, _ isMixed: Bool) {
    switch style {
    case .json, .compactJSON: JSONText.writeString(bytes, to: out)
    case .literal: LiteralText.writeQuoted(bytes, to: out)
    case .cell: LiteralText.writeCell(bytes, isMixed: isMixed, to: out)
    case .csv, .tsv:
      if isMixed {
        JSONText.writeString(bytes, to: nested.out)
        writeNested(isMixed)
      } else {
        writeText(bytes)
      }
    }
  }

  /// Writes a field: the plain JSON text of the value, without the quotes of a JSON string; of a
  /// mixed value its JSON.
  private func writeField(_ value: StoredValue, _ isMixed: Bool) throws(StorageError) {
    if !isMixed, case .link(let table, let key) = value,
      let target = result.schema.objectClass(table), try writePrimaryKey(of: key, in: target)
    {
      return
    }
    try nested.write(value, isMixed: isMixed, .compactJSON)
    writeNested(isMixed)
  }

  private func writeNested(_ isMixed: Bool) {
    nested.out.drain { json in
      let isString = !isMixed && json.count >= 2 && json[0] == UInt8(ascii: "\"")
      writeText(isString ? UnsafeRawBufferPointer(rebasing: json[1..<(json.count - 1)]) : json)
    }
  }

  /// Writes a link by the primary key of its target; false if it has none.
  private func writePrimaryKey(
    of key: ObjectKey, in target: ObjectClass
  ) throws(StorageError) -> Bool {
    guard !target.isEmbedded, case .primaryKey(let value) = try target.identity(of: key),
      // No link, too, is null.
      value != .null
    else { return false }
    try write(ShellValue.scalar(value), false)
    return true
  }

  private func writeText(_ bytes: UnsafeRawBufferPointer) {
    style == .csv ? RecordText.writeCSV(bytes, to: out) : RecordText.writeTSV(bytes, to: out)
  }
}

extension Renderer {
  /// Prints a header line and a record for each object.
  func renderRecords(_ rows: Range<Int>, _ style: RecordStyle) throws(ShellError) {
    let separator = style == .csv ? UInt8(ascii: ",") : 0x09
    if settings.showsHeader { writeHeader(style, separator) }
    let record = RecordWriter(
      result, RecordFormat(style), newKeys: settings.newKeys, to: out)
    let columnCount = result.columns.count
    try forEachRow(rows) { (_) throws(ShellError) in
      for column in 0..<columnCount {
        if column > 0 { out.byte(separator) }
        try record.write(column)
      }
      out.byte(0x0A)
    }
  }

  private func writeHeader(_ style: RecordStyle, _ separator: UInt8) {
    for (i, column) in result.columns.enumerated() {
      if i > 0 { out.byte(separator) }
      var title = column.title
      title.withUTF8 {
        let bytes = UnsafeRawBufferPointer($0)
        style == .csv ? RecordText.writeCSV(bytes, to: out) : RecordText.writeTSV(bytes, to: out)
      }
    }
    out.byte(0x0A)
  }
}
