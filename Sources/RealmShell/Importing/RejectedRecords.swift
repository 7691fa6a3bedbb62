import ByteKernels
import RealmLanguage

/// The records of a file that could not be imported, as a file of the same format.
///
/// When they have been mended, it can be imported as the first one was.
final class RejectedRecords {
  private let writer: ByteWriter
  private let format: ImportFormat
  /// The line of the file that names its columns.
  var header: [UInt8] = []
  /// Number of records.
  private(set) var count = 0

  init(_ writer: ByteWriter, _ format: ImportFormat) {
    (self.writer, self.format) = (writer, format)
  }

  /// Adds a record, byte for byte.
  func add(_ record: ImportRecord) {
    if count == 0 {
      header.withUnsafeBytes { writer.write($0) }
      if format == .json { writer.write("[\n") }
    } else if format == .json {
      writer.write(",\n")
    }
    count += 1
    writer.write(record.raw)
    if format != .json, record.raw.last != 0x0A { writer.byte(0x0A) }
  }

  /// Writes what is left; returns the error number if not all could be written.
  func end() -> Int32? {
    if format == .json, count > 0 { writer.write("\n]\n") }
    writer.flush()
    return writer.failure
  }
}
