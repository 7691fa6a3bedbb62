import ByteKernels
import RealmObjects
import RealmStorage

/// Columns of the widest object that stands on one line.
private let widestLine = 80

/// What stands before the values of an object: separators and the names of the columns. All are in
/// one array, because to take one out of an array of arrays is to count a reference.
private struct ColumnPrefixes {
  private let bytes: [UInt8]
  private var bounds = [0]

  /// - Parameter write: Writes what stands before a column.
  init(_ columns: [ResultColumn], _ write: (Int, ResultColumn, ByteWriter) -> Void) {
    let memory = ByteWriter()
    for (i, column) in columns.enumerated() {
      write(i, column, memory)
      bounds.append(memory.bufferedByteCount)
    }
    bytes = memory.takeBytes()
  }

  var count: Int { bounds.count - 1 }

  /// The width of all on the screen.
  var width: Int { bytes.withUnsafeBytes { displayWidth(of: $0) } }

  func write(_ column: Int, to out: ByteWriter) {
    let range = bounds[column]..<bounds[column + 1]
    bytes.withUnsafeBytes { out.write(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

/// JSON modes.
extension Renderer {
  private func prefixes(_ style: RecordStyle) -> ColumnPrefixes {
    ColumnPrefixes(result.columns) { i, column, memory in
      memory.write(i == 0 ? "{" : style == .json ? ", " : ",")
      JSONText.writeString(column.title, to: memory)
      memory.write(style == .json ? ": " : ":")
    }
  }

  private func writeObject(
    _ record: RecordWriter<Rows>, _ prefixes: ColumnPrefixes, to out: ByteWriter
  ) throws(ShellError) {
    if prefixes.count == 0 { out.byte(UInt8(ascii: "{")) }
    for column in 0..<prefixes.count {
      prefixes.write(column, to: out)
      try record.write(column)
    }
    out.byte(UInt8(ascii: "}"))
  }

  /// One object a line.
  func renderJSONLines(_ rows: Range<Int>) throws(ShellError) {
    let record = RecordWriter(
      result, RecordFormat(.compactJSON), newKeys: settings.newKeys, to: out)
    let prefixes = prefixes(.compactJSON)
    try forEachRow(rows) { (_) throws(ShellError) in
      try writeObject(record, prefixes, to: out)
      out.byte(0x0A)
    }
  }

  /// An array of objects.
  func renderJSON(_ rows: Range<Int>) throws(ShellError) {
    try renderJSONArray(rows, indent: 0)
    out.byte(0x0A)
  }

  /// An array of objects at the end of a line, without the end of its last line.
  func renderJSONArray(_ rows: Range<Int>, indent: Int) throws(ShellError) {
    var isFirst = true
    try forEachJSONObject(rows, indent: indent + 2) {
      out.write(isFirst ? "[\n" : ",\n")
      isFirst = false
    }
    if isFirst {
      out.write("[]")
      return
    }
    out.byte(0x0A)
    out.pad(indent)
    out.byte(UInt8(ascii: "]"))
  }

  /// The objects one below the other, without the brackets of an array.
  func renderJSONObjects(_ rows: Range<Int>) throws(ShellError) {
    try forEachJSONObject(rows, indent: 0) {}
    out.byte(0x0A)
  }

  private func forEachJSONObject(
    _ rows: Range<Int>, indent: Int, _ before: () -> Void
  ) throws(ShellError) {
    // The values are written to memory without what stands between them, which depends on whether
    // they fit on a line.
    let memory = ByteWriter()
    let record = RecordWriter(
      result, RecordFormat(.json), newKeys: settings.newKeys, to: memory)
    let flat = prefixes(.json)
    let tall = tallPrefixes(indent: indent + 2)
    let restWidth = indent + 1 + flat.width
    var ends = [Int](repeating: 0, count: flat.count)
    try forEachRow(rows) { (_) throws(ShellError) in
      before()
      for column in ends.indices {
        try record.write(column)
        ends[column] = memory.bufferedByteCount
      }
      memory.drain { bytes in
        let fits =
          restWidth + bytes.count <= widestLine
          || restWidth + displayWidth(of: bytes) <= widestLine
        out.pad(indent)
        if ends.isEmpty { out.byte(UInt8(ascii: "{")) }
        var start = 0
        for column in ends.indices {
          if fits { flat.write(column, to: out) } else { tall.write(column, to: out) }
          out.write(UnsafeRawBufferPointer(rebasing: bytes[start..<ends[column]]))
          start = ends[column]
        }
        if !fits {
          out.byte(0x0A)
          out.pad(indent)
        }
        out.byte(UInt8(ascii: "}"))
      }
    }
  }

  /// What stands before each value if each has a line of its own.
  private func tallPrefixes(indent: Int) -> ColumnPrefixes {
    ColumnPrefixes(result.columns) { i, column, memory in
      memory.write(i == 0 ? "{\n" : ",\n")
      memory.pad(indent)
      JSONText.writeString(column.title, to: memory)
      memory.write(": ")
    }
  }
}
