import ByteKernels
import RealmObjects
import RealmStorage

/// Columns of the widest object that stands on one line.
private let widestLine = 80

/// JSON modes.
extension Renderer {
  /// What stands before each value: separators and the name of the column.
  private func prefixes(_ style: RecordStyle) -> [[UInt8]] {
    let memory = ByteWriter()
    return result.columns.enumerated().map { i, column in
      memory.write(i == 0 ? "{" : style == .json ? ", " : ",")
      JSONText.writeString(column.title, to: memory)
      memory.write(style == .json ? ": " : ":")
      return memory.takeBytes()
    }
  }

  private func writeObject(
    _ record: RecordWriter<Rows>, _ prefixes: [[UInt8]], to out: ByteWriter
  ) throws(ShellError) {
    if prefixes.isEmpty { out.byte(UInt8(ascii: "{")) }
    for column in 0..<prefixes.count {
      out.write(prefixes[column])
      try record.write(column)
    }
    out.byte(UInt8(ascii: "}"))
  }

  /// One object a line.
  func renderJSONLines(_ rows: Range<Int>) throws(ShellError) {
    let record = RecordWriter(result, RecordFormat(.compactJSON), to: out)
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
    let record = RecordWriter(result, RecordFormat(.json), to: memory)
    let flat = prefixes(.json)
    let tall = tallPrefixes(indent: indent + 2)
    let restWidth = flat.reduce(indent + 1) { $0 + $1.withUnsafeBytes { displayWidth(of: $0) } }
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
          out.write(fits ? flat[column] : tall[column])
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
  private func tallPrefixes(indent: Int) -> [[UInt8]] {
    let memory = ByteWriter()
    return result.columns.enumerated().map { i, column in
      memory.write(i == 0 ? "{\n" : ",\n")
      memory.pad(indent)
      JSONText.writeString(column.title, to: memory)
      memory.write(": ")
      return memory.takeBytes()
    }
  }
}
