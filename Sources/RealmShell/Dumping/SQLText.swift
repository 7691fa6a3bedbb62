import ByteKernels

/// Writes statements and rows as text that SQLite can run.
final class SQLText: SQLSink {
  private let out: ByteWriter
  private var rowStart: [UInt8] = []
  private var isFirst = true

  init(to out: ByteWriter) { self.out = out }

  var failure: ShellError? {
    out.failure.map { number in
      ShellError(.fileOperationFailed, StorageMessages.systemText(number))
    }
  }

  func run(_ statement: String) {
    out.write(statement)
    out.write(";\n")
  }

  func beginRows(of table: String, columnCount: Int) {
    rowStart = Array("INSERT INTO \(table) VALUES (".utf8)
    isFirst = true
  }

  private func separate() {
    if isFirst { out.write(rowStart) } else { out.write(", ") }
    isFirst = false
  }

  func addNull() {
    separate()
    out.write("NULL")
  }

  func add(_ number: Int64) {
    separate()
    // The parser reads the digits before it sees the sign.
    if number == .min { out.write("(-9223372036854775807 - 1)") } else { out.writeInt(number) }
  }

  func add(_ number: Double) {
    separate()
    if number.isInfinite {
      out.write(number < 0 ? "-9e999" : "9e999")
    } else if number.magnitude < 1e-280, number != 0 {
      writeTiny(number)
    } else {
      out.writeDouble(number)
    }
  }

  /// SQLite rounds some decimals this small wrongly; an integer divided by powers of two is exact.
  private func writeTiny(_ number: Double) {
    // 2^1074 is the reciprocal of the least number, and too large for one factor.
    let scaled = number * 0x1p1000 * 0x1p74
    out.write("(")
    out.writeDouble(scaled)
    out.write(" / 1.0715086071862673e+301 / 18889465931478580854784.0)")
  }

  func addText(_ bytes: UnsafeRawBufferPointer) {
    separate()
    let quote = UInt8(ascii: "'")
    if isPrintableASCII(bytes, without: quote, quote) {
      out.byte(quote)
      out.write(bytes)
      out.byte(quote)
      return
    }
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      out.write("CAST(")
      writeHexadecimal(bytes)
      out.write(" AS TEXT)")
      return
    }
    out.byte(quote)
    var start = 0
    for i in 0..<bytes.count where bytes[i] == quote {
      out.write(UnsafeRawBufferPointer(rebasing: bytes[start...i]))
      out.byte(quote)
      start = i + 1
    }
    out.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    out.byte(quote)
  }

  func addData(_ bytes: UnsafeRawBufferPointer) {
    separate()
    writeHexadecimal(bytes)
  }

  private func writeHexadecimal(_ bytes: UnsafeRawBufferPointer) {
    out.write("x'")
    for byte in bytes {
      out.byte(SQLText.digits[Int(byte >> 4)])
      out.byte(SQLText.digits[Int(byte & 15)])
    }
    out.byte(UInt8(ascii: "'"))
  }

  private static let digits = Array("0123456789abcdef".utf8)

  func endRow() {
    out.write(");\n")
    isFirst = true
  }

  func endRows(of table: String, count: Int) {}
}
