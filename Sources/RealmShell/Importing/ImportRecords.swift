import ByteKernels
import Glibc
import RealmLanguage

/// One record of a file that is imported.
struct ImportRecord {
  /// The record without its line end.
  var bytes: UnsafeRawBufferPointer
  /// What goes to the file of rejected lines.
  var raw: UnsafeRawBufferPointer
  /// The number of its first line.
  var line: Int
  /// Number of characters in front of it on the line.
  var column = 0
  /// What is wrong with its form.
  var problem: ImportProblem?
}

/// Finds the records of a file.
final class ImportRecords {
  let input: ImportInput
  let format: ImportFormat
  /// The fields of the record, if it has separators.
  let fields: DelimitedText
  /// Whether empty lines are records.
  var keepsEmptyLines = false
  /// Characters of the line in front of what is next, in an array of JSON.
  private var column = 0
  /// Whether the bracket of the array was read, and that which closes it.
  private var (isInArray, isBehindArray) = (false, false)

  /// - Parameter separator: The sign between the fields of CSV.
  init(_ input: ImportInput, _ format: ImportFormat, separator: UInt8) {
    (self.input, self.format) = (input, format)
    fields = DelimitedText(separator: format == .csv ? separator : nil)
  }

  /// Passes over a byte-order mark.
  func start() throws(ShellError) {
    try input.fill()
    if input.rest.starts(with: [0xEF, 0xBB, 0xBF]) { input.start += 3 }
  }

  /// Passes over lines, or over members of an array.
  func skip(_ count: Int) throws(RecordFailure) {
    for _ in 0..<count {
      if Interruption.isRequested { throw .fatal(ShellError(.interrupted, "interrupted")) }
      if format == .json {
        guard try next() != nil else { return }
      } else {
        do throws(ShellError) {
          guard let (_, next) = try line() else { return }
          input.start += next
          input.line += 1
        } catch {
          throw .fatal(error)
        }
      }
    }
  }

  /// The next record, valid until the one after it; nil at the end.
  ///
  /// - Throws: A problem if the file as a whole is wrong.
  func next() throws(RecordFailure) -> ImportRecord? {
    do throws(ShellError) {
      switch format {
      case .csv, .tsv: return try nextFields()
      case .jsonl: return try nextLine()
      case .json: break
      }
    } catch {
      throw .fatal(error)
    }
    return try nextMember()
  }

  /// Takes a record off the text.
  private func take(_ count: Int, next: Int, lines: Int) -> ImportRecord {
    let rest = input.rest
    var record = ImportRecord(
      bytes: UnsafeRawBufferPointer(rebasing: rest[..<count]),
      raw: UnsafeRawBufferPointer(rebasing: rest[..<next]), line: input.line, column: column)
    if let invalid = input.firstInvalid(inRecordTo: input.start + next) {
      let isWide = input.position == 0 && (rest.starts(with: [0xFF, 0xFE]) || rest[0] == 0xFE)
      record.problem = ImportProblem(
        .invalidUTF8, "a byte that is not UTF-8", at: invalid..<min(count, invalid + 1),
        remedy: isWide ? "the file seems to be UTF-16: iconv -f utf-16 -t utf-8" : nil)
    }
    input.start += next
    input.line += lines
    return record
  }

  private func nextFields() throws(ShellError) -> ImportRecord? {
    while true {
      if input.rest.isEmpty, input.isAtEnd { return nil }
      switch fields.read(input.rest, isComplete: input.isAtEnd) {
      case .incomplete: try input.fill()
      case .record(let count, let next, let lines):
        var record = take(count, next: next, lines: lines)
        if count == 0, !keepsEmptyLines { continue }
        record.problem = record.problem ?? fields.problem
        return record
      }
    }
  }

  /// The bytes of the next line without and with its end; nil at the end of the file.
  private func line() throws(ShellError) -> (count: Int, next: Int)? {
    while true {
      let rest = input.rest
      if let base = rest.baseAddress, let end = memchr(base, 0x0A, rest.count) {
        let count = UnsafeRawPointer(end) - base
        let hasReturn = count > 0 && rest[count - 1] == 0x0D
        return (hasReturn ? count - 1 : count, count + 1)
      }
      if input.isAtEnd { return rest.isEmpty ? nil : (rest.count, rest.count) }
      try input.fill()
    }
  }

  private func nextLine() throws(ShellError) -> ImportRecord? {
    while let (count, next) = try line() {
      let record = take(count, next: next, lines: 1)
      if record.bytes.contains(where: { $0 > 0x20 }) { return record }
    }
    return nil
  }

  // MARK: Arrays of JSON

  private func nextMember() throws(RecordFailure) -> ImportRecord? {
    if !isInArray {
      guard try nextByte() == UInt8(ascii: "[") else {
        throw try unexpected("expected [: a json file is an array of objects")
      }
      pass(1)
      isInArray = true
      guard try nextByte() != UInt8(ascii: "]") else { return try endArray() }
    } else if isBehindArray {
      return nil
    } else {
      let byte = try nextByte()
      if byte == UInt8(ascii: "]") { return try endArray() }
      guard byte == UInt8(ascii: ",") else { throw try unexpected("expected , or ]") }
      pass(1)
    }
    guard let first = try nextByte() else {
      throw try unexpected("expected an object, not the end")
    }
    guard first != UInt8(ascii: ","), first != UInt8(ascii: "]") else {
      throw try unexpected("expected an object")
    }
    let count = try memberCount()
    let (line, place) = (input.line, column)
    let text = UnsafeRawBufferPointer(rebasing: input.rest[..<count])
    let lineCount = countLines(text)
    var record = take(count, next: count, lines: 0)
    (record.line, record.column) = (line, place)
    input.line += lineCount
    return record
  }

  private func endArray() throws(RecordFailure) -> ImportRecord? {
    pass(1)
    isBehindArray = true
    if try nextByte() != nil { throw try unexpected("text behind the array") }
    return nil
  }

  private func pass(_ count: Int) {
    input.line += countLines(UnsafeRawBufferPointer(rebasing: input.rest[..<count]))
    input.start += count
  }

  /// Counts the line ends of a text that is passed, and the characters behind the last one.
  private func countLines(_ text: UnsafeRawBufferPointer) -> Int {
    var lines = 0
    for byte in text {
      if byte == 0x0A {
        lines += 1
        column = 0
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return lines
  }

  private func fill() throws(RecordFailure) {
    do throws(ShellError) { try input.fill() } catch { throw .fatal(error) }
  }

  /// The next byte that is no blank, nil at the end; blanks are passed.
  private func nextByte() throws(RecordFailure) -> UInt8? {
    while true {
      let rest = input.rest
      let blanks = rest.prefix { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }.count
      pass(blanks)
      if blanks < rest.count { return rest[blanks] }
      if input.isAtEnd { return nil }
      try fill()
    }
  }

  private func unexpected(_ message: String) throws(RecordFailure) -> RecordFailure {
    let text = UnsafeRawBufferPointer(rebasing: input.rest.prefix(1))
    let problem = ImportProblem(.importFailed, message, at: 0..<text.count)
    return .fatal(
      shellError(
        problem, in: ImportRecord(bytes: text, raw: text, line: input.line, column: column)))
  }

  /// Most bytes that are shown on each side of a record that shares its line with others.
  private static let maximumSurroundings = 200

  /// The error for the user about the record that was read last.
  func shellError(_ problem: ImportProblem, in record: ImportRecord) -> ShellError {
    let memory = UnsafeRawBufferPointer(start: input.base, count: input.end)
    guard format == .json, let first = record.bytes.baseAddress, let base = memory.baseAddress,
      first >= base, first <= base + memory.count
    else {
      return problem.shellError(
        in: record.bytes, line: record.line, column: record.column, file: input.name)
    }
    // The whole line is shown, as far as it is in memory.
    let start = first - base
    let end = min(start + record.bytes.count, memory.count)
    var from = start
    let earliest = max(0, start - Self.maximumSurroundings)
    while from > earliest, memory[from - 1] != 0x0A { from -= 1 }
    while from < start, memory[from] & 0xC0 == 0x80 || memory[from] == 0xEF { from += 1 }
    let latest = min(memory.count, end + Self.maximumSurroundings)
    var to = end
    while to < latest, memory[to] != 0x0A, memory[to] != 0x0D { to += 1 }
    while to > end, to < memory.count, memory[to] & 0xC0 == 0x80 { to -= 1 }
    let lead = memory[from..<start].count { $0 & 0xC0 != 0x80 }
    let offset = start - from
    let moved = problem.moved(
      to: problem.range.lowerBound + offset..<problem.range.upperBound + offset)
    return moved.shellError(
      in: UnsafeRawBufferPointer(rebasing: memory[from..<to]), line: record.line,
      column: max(0, record.column - lead), file: input.name)
  }

  /// Number of bytes of the member that begins here; brackets are counted only.
  private func memberCount() throws(RecordFailure) -> Int {
    var scan = MemberScan()
    while true {
      if let count = scan.read(input.rest) { return count }
      if input.isAtEnd { return input.rest.count }
      try fill()
    }
  }
}

/// Looks for the end of a member of an array.
private struct MemberScan {
  private var place = 0
  private var depth = 0
  private var isInString = false

  /// Goes on in a text that has become longer; nil if the end is not in it.
  mutating func read(_ text: UnsafeRawBufferPointer) -> Int? {
    while place < text.count {
      let byte = text[place]
      if isInString {
        if byte == 0x5C {
          guard place + 1 < text.count else { return nil }
          place += 1
        } else if byte == 0x22 {
          isInString = false
        }
      } else {
        switch byte {
        case 0x22: isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "]") where depth == 0: return place
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth <= 0 { return place + 1 }
        case UInt8(ascii: ",") where depth == 0: return place
        default: break
        }
      }
      place += 1
    }
    return nil
  }
}
