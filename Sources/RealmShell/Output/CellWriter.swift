import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// The forms of the values of a result.
enum RecordStyle {
  /// Plain JSON, with or without blanks inside nested values.
  case json, compactJSON
  /// Fields between commas or tabs.
  case csv, tsv
  /// Literals, which can be typed.
  case literal
  /// Cells of tables: literals, but strings without quotes where they cannot be mistaken.
  case cell

  fileprivate var isJSON: Bool { self == .json || self == .compactJSON }
}

/// How values are written and where to.
struct RecordFormat {
  var style: RecordStyle
  /// What stands for null.
  var null: [UInt8]
  /// Whether dates are shown in the local zone.
  var usesLocalTime = false

  /// The form of a style for programs.
  init(_ style: RecordStyle) {
    self.style = style
    switch style {
    case .csv: null = []
    case .tsv: null = Array("\\N".utf8)
    default: null = Array("null".utf8)
    }
  }

  /// The form of a style for people.
  init(_ style: RecordStyle, _ settings: OutputSettings) {
    self.style = style
    null = Array(settings.nullText.utf8)
    usesLocalTime = settings.usesLocalTime
  }
}

/// Writes the values of one stored column from its leaves.
///
/// The type is decided once for each leaf and no value is made, which is several times faster than
/// asking for a value and looking what it is.
class CellWriter {
  fileprivate let out: ByteWriter
  fileprivate let format: RecordFormat
  fileprivate let style: RecordStyle

  fileprivate init(_ format: RecordFormat, to out: ByteWriter) {
    self.format = format
    style = format.style
    self.out = out
  }

  /// A writer for a column; nil if its type has none.
  static func make(
    for property: Property, _ format: RecordFormat, to out: ByteWriter
  ) -> CellWriter? {
    guard property.collection == .none else { return nil }
    switch property.kind {
    case .int: return IntegerCell(format, to: out)
    case .bool: return BoolCell(format, to: out)
    case .double: return DoubleCell(format, to: out)
    case .string: return StringCell(format, to: out)
    case .date: return DateCell(format, to: out)
    default: return nil
    }
  }

  /// Takes the leaf that the following rows are in; `offset` is added to each of them.
  func load(_ leaf: ColumnLeaf, offset: Int) {}

  /// Writes the value of a row.
  func write(_ row: Int) throws(StorageError) {}
}

private final class IntegerCell: CellWriter {
  private var leaf: IntegerLeaf?
  private var offset = 0

  override func load(_ leaf: ColumnLeaf, offset: Int) {
    if case .int(let leaf) = leaf { self.leaf = leaf }
    self.offset = offset
  }

  override func write(_ row: Int) throws(StorageError) {
    if let value = leaf?.value(at: row + offset) {
      out.writeInt(value)
    } else {
      out.write(format.null)
    }
  }
}

private final class BoolCell: CellWriter {
  private var leaf: ColumnLeaf?
  private var offset = 0

  override func load(_ leaf: ColumnLeaf, offset: Int) {
    self.leaf = leaf
    self.offset = offset
  }

  override func write(_ row: Int) throws(StorageError) {
    if case .bool(let value)? = try leaf?.value(at: row + offset) {
      out.write(value ? "true" : "false")
    } else {
      out.write(format.null)
    }
  }
}

private final class DoubleCell: CellWriter {
  private var leaf: FloatingLeaf<Double>?
  private var offset = 0

  override func load(_ leaf: ColumnLeaf, offset: Int) {
    if case .double(let leaf) = leaf { self.leaf = leaf }
    self.offset = offset
  }

  override func write(_ row: Int) throws(StorageError) {
    guard let value = leaf?.value(at: row + offset) else {
      out.write(format.null)
      return
    }
    let isText = !value.isFinite && (style.isJSON)
    if isText { out.byte(UInt8(ascii: "\"")) }
    out.writeDouble(value)
    if isText { out.byte(UInt8(ascii: "\"")) }
  }
}

private final class StringCell: CellWriter {
  private var leaf: StringLeaf?
  private var offset = 0

  override func load(_ leaf: ColumnLeaf, offset: Int) {
    if case .string(let leaf) = leaf { self.leaf = leaf }
    self.offset = offset
  }

  override func write(_ row: Int) throws(StorageError) {
    guard let bytes = try leaf?.value(at: row + offset) else {
      out.write(format.null)
      return
    }
    switch style {
    case .json, .compactJSON: JSONText.writeString(bytes, to: out)
    case .csv: RecordText.writeCSV(bytes, to: out)
    case .tsv: RecordText.writeTSV(bytes, to: out)
    case .literal: LiteralText.writeQuoted(bytes, to: out)
    case .cell: LiteralText.writeCell(bytes, isMixed: false, to: out)
    }
  }
}

private final class DateCell: CellWriter {
  private var leaf: TimestampLeaf?
  private var offset = 0
  private var text: [UInt8] = []

  override func load(_ leaf: ColumnLeaf, offset: Int) {
    if case .date(let leaf) = leaf { self.leaf = leaf }
    self.offset = offset
  }

  override func write(_ row: Int) throws(StorageError) {
    guard let value = try leaf?.value(at: row + offset) else {
      out.write(format.null)
      return
    }
    text.removeAll(keepingCapacity: true)
    let isText = style.isJSON
    if isText { text.append(UInt8(ascii: "\"")) }
    if format.usesLocalTime {
      LocalTime.append(value, to: &text)
    } else {
      value.append(to: &text)
    }
    if isText { text.append(UInt8(ascii: "\"")) }
    out.write(text)
  }
}

/// The fields of text files with one record a line.
enum RecordText {
  /// Writes a CSV field; an empty text stands in quotes, since an empty field is null.
  ///
  /// Source: RFC 4180.
  static func writeCSV(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    guard bytes.isEmpty || needsQuotesInRecord(bytes, separator: UInt8(ascii: ",")) else {
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

  /// Writes a field with tabs, line ends and backslashes escaped.
  static func writeTSV(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    var start = 0
    var i = firstTabbedSpecial(in: bytes)
    while i < bytes.count {
      out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
      switch bytes[i] {
      case 0x09: out.write("\\t")
      case 0x0A: out.write("\\n")
      case 0x0D: out.write("\\r")
      default: out.write("\\\\")
      }
      start = i + 1
      i = firstTabbedSpecial(in: bytes, from: start)
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }
}
