import ByteKernels
import RealmObjects
import RealmStorage

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
    _ record: RecordWriter, _ prefixes: [[UInt8]], to out: ByteWriter
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
    let record = RecordWriter(result, .compactJSON, to: out)
    let prefixes = prefixes(.compactJSON)
    try forEachRow(rows) { (_) throws(ShellError) in
      try begin(record)
      try writeObject(record, prefixes, to: out)
      out.byte(0x0A)
    }
  }

  /// An array of objects.
  func renderJSON(_ rows: Range<Int>) throws(ShellError) {
    var isFirst = true
    try forEachJSONObject(rows, indent: 2) {
      out.write(isFirst ? "[\n" : ",\n")
      isFirst = false
    }
    out.write(isFirst ? "[]\n" : "\n]\n")
  }

  /// The objects one below the other, without the brackets of an array.
  func renderJSONObjects(_ rows: Range<Int>) throws(ShellError) {
    try forEachJSONObject(rows, indent: 0) {}
    out.byte(0x0A)
  }

  /// Columns of the widest object that stands on one line.
  private static let lineWidth = 80

  private func forEachJSONObject(
    _ rows: Range<Int>, indent: Int, _ before: () -> Void
  ) throws(ShellError) {
    let memory = ByteWriter()
    let flat = RecordWriter(result, .json, to: memory)
    let tall = RecordWriter(result, .json, to: out)
    let prefixes = prefixes(.json)
    try forEachRow(rows) { (_) throws(ShellError) in
      before()
      try begin(flat)
      try writeObject(flat, prefixes, to: memory)
      out.pad(indent)
      let fits = memory.consumeBytes { bytes in
        let fits = indent + displayWidth(of: bytes) <= Renderer.lineWidth
        if fits { out.write(bytes) }
        return fits
      }
      if !fits {
        try begin(tall)
        try writeTall(tall, indent: indent)
      }
    }
  }

  /// One property a line.
  private func writeTall(_ record: RecordWriter, indent: Int) throws(ShellError) {
    for (i, column) in result.columns.enumerated() {
      out.write(i == 0 ? "{\n" : ",\n")
      out.pad(indent + 2)
      JSONText.writeString(column.title, to: out)
      out.write(": ")
      try record.write(i)
    }
    out.byte(0x0A)
    out.pad(indent)
    out.byte(UInt8(ascii: "}"))
  }
}
