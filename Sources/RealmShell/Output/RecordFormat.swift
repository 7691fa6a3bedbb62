import ByteKernels
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

  /// The form of values inside others.
  var form: ValueWriter.Form {
    switch self {
    case .json: .json
    case .compactJSON, .csv, .tsv: .compactJSON
    case .literal, .cell: .literal
    }
  }
}

/// How values are written.
struct RecordFormat {
  let style: RecordStyle
  /// What stands for null.
  let null: [UInt8]
  /// Whether dates are shown in the local zone.
  let usesLocalTime: Bool

  /// The form of a style for programs.
  init(_ style: RecordStyle) {
    self.style = style
    usesLocalTime = false
    switch style {
    case .csv: null = []
    case .tsv: null = Array("\\N".utf8)
    case .json, .compactJSON, .literal, .cell: null = Array("null".utf8)
    }
  }

  /// The form of a style for people.
  init(_ style: RecordStyle, _ settings: OutputSettings) {
    self.style = style
    null = Array(settings.nullText.utf8)
    usesLocalTime = settings.usesLocalTime
  }
}

/// The fields of text files with one record a line.
enum RecordText {
  /// Writes a CSV field; an empty text stands in quotes, since an empty field is null.
  ///
  /// Source: RFC 4180.
  static func writeCSV(_ bytes: UnsafeRawBufferPointer, to out: ByteWriter) {
    if isPrintable(bytes, without: 0x22, UInt8(ascii: ",")), !bytes.isEmpty {
      out.write(bytes)
      return
    }
    let isPlain = !bytes.contains { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D || $0 == 0x2C }
    if isPlain, !bytes.isEmpty {
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
    if isPrintable(bytes, without: 0x5C, 0x5C) {
      out.write(bytes)
      return
    }
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
