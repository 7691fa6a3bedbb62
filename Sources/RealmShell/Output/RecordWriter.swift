import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Writes the values of the columns of a result, row by row.
final class RecordWriter {
  private let result: ResultSet
  private let format: RecordFormat
  private let out: ByteWriter
  private let values: ValueWriter
  /// For values whose text has to be quoted again.
  private let nested: ValueWriter
  /// The writers of columns that have one.
  private let cells: [CellWriter?]
  /// Columns with a writer, with their number for the reader.
  private let stored: [(column: Int, reader: Int)]
  private var block = 0

  init(_ result: ResultSet, _ format: RecordFormat, to out: ByteWriter) {
    self.result = result
    self.format = format
    self.out = out
    values = ValueWriter(result.schema, to: out, usesLocalTime: format.usesLocalTime)
    nested = ValueWriter(result.schema, to: ByteWriter())
    var cells: [CellWriter?] = []
    var stored: [(column: Int, reader: Int)] = []
    for (column, source) in result.columns.map(\.source).enumerated() {
      guard case .property(let property, let reader) = source,
        let cell = CellWriter.make(for: property, format, to: out)
      else {
        cells.append(nil)
        continue
      }
      stored.append((column, reader))
      cells.append(cell)
    }
    self.cells = cells
    self.stored = stored
  }

  /// Prepares for the object that the result was moved to.
  func beginRow() throws(StorageError) {
    let reader = result.reader
    guard block != reader.block else { return }
    for (column, index) in stored {
      let (leaf, offset) = try reader.leaf(index)
      cells[column]?.load(leaf, offset: offset)
    }
    block = reader.block
  }

  /// Writes the value of a column.
  func write(_ column: Int) throws(ShellError) {
    do throws(StorageError) {
      if let cell = cells[column] {
        try cell.write(result.reader.row)
        return
      }
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
    let cell = try result.cell(result.columns[column])
    do throws(StorageError) {
      try write(cell, result.columns[column])
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
    }
  }

  private func write(
    _ cell: ResultSet.Cell, _ column: ResultColumn
  ) throws(StorageError) {
    if cell.isNull {
      out.write(format.null)
      return
    }
    switch format.style {
    case .json: try write(cell, column, .json, to: values)
    case .compactJSON: try write(cell, column, .compactJSON, to: values)
    case .literal: try write(cell, column, .literal, to: values)
    case .csv, .tsv: try writeField(cell, column)
    case .cell:
      switch cell {
      case .stored(.string(let bytes)):
        LiteralText.writeCell(bytes, isMixed: column.isMixed, to: out)
      case .value(.scalar(.string(let bytes))):
        bytes.withUnsafeBytes { LiteralText.writeCell($0, isMixed: column.isMixed, to: out) }
      default: try write(cell, column, .literal, to: values)
      }
    }
  }

  private func write(
    _ cell: ResultSet.Cell, _ column: ResultColumn, _ form: ValueWriter.Form,
    to writer: ValueWriter
  ) throws(StorageError) {
    switch cell {
    case .stored(let value): try writer.write(value, isMixed: column.isMixed, form)
    case .value(let value): try writer.write(value, isMixed: column.isMixed, form)
    }
  }

  /// A field is the plain JSON text of a value, without the quotes of a JSON string; a text as it
  /// is; of a mixed value always JSON.
  private func writeField(
    _ cell: ResultSet.Cell, _ column: ResultColumn
  ) throws(StorageError) {
    var cell = cell
    if !column.isMixed, let value = try primaryKey(of: cell) { cell = .value(.scalar(value)) }
    switch cell {
    case .stored(.string(let bytes)) where !column.isMixed:
      writeText(bytes)
      return
    case .value(.scalar(.string(let bytes))) where !column.isMixed:
      bytes.withUnsafeBytes { writeText($0) }
      return
    default: break
    }
    try write(cell, column, .compactJSON, to: nested)
    nested.out.consumeBytes { json in
      let isString = !column.isMixed && json.count >= 2 && json[0] == UInt8(ascii: "\"")
      writeText(isString ? UnsafeRawBufferPointer(rebasing: json[1..<(json.count - 1)]) : json)
    }
  }

  /// The primary key of the object that a cell links to; nil if there is none.
  private func primaryKey(of cell: ResultSet.Cell) throws(StorageError) -> ScalarValue? {
    let target: ObjectClass?
    let key: ObjectKey
    switch cell {
    case .stored(.link(let table, let linked)):
      (target, key) = (result.schema.objectClass(table), linked)
    case .value(.object(let linkedClass, let linked)): (target, key) = (linkedClass, linked)
    default: return nil
    }
    guard let target, !target.isEmbedded, case .primaryKey(let value) = try target.identity(of: key)
    else { return nil }
    return value
  }

  private func writeText(_ bytes: UnsafeRawBufferPointer) {
    format.style == .csv ? RecordText.writeCSV(bytes, to: out) : RecordText.writeTSV(bytes, to: out)
  }
}

extension Renderer {
  /// Prints a header line and a record for each object.
  func renderRecords(_ rows: Range<Int>, _ style: RecordStyle) throws(ShellError) {
    let separator = style == .csv ? UInt8(ascii: ",") : 0x09
    if settings.showsHeader { writeHeader(style, separator) }
    let record = RecordWriter(result, RecordFormat(style), to: out)
    let columnCount = result.columns.count
    try forEachRow(rows) { (_) throws(ShellError) in
      try begin(record)
      for column in 0..<columnCount {
        if column > 0 { out.byte(separator) }
        try record.write(column)
      }
      out.byte(0x0A)
    }
  }

  /// Prepares a writer for the object that the result was moved to.
  func begin(_ record: RecordWriter) throws(ShellError) {
    do throws(StorageError) {
      try record.beginRow()
    } catch {
      throw StorageMessages.error(error, path: result.evaluator.path)
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
