import ByteKernels
import RealmLanguage

/// What is wrong with a record of a file.
struct ImportProblem: Error {
  var name: ErrorName
  /// What is wrong; lower case, without a full stop.
  var message: String
  /// The place in the record, in bytes.
  var range: Range<Int>
  /// The name that was probably meant.
  var suggestion: String?
  /// What would help.
  var remedy: String?

  init(
    _ name: ErrorName, _ message: String, at range: Range<Int>, suggestion: String? = nil,
    remedy: String? = nil
  ) {
    (self.name, self.message, self.range) = (name, message, range)
    (self.suggestion, self.remedy) = (suggestion, remedy)
  }

  /// The same at another place.
  func moved(to range: Range<Int>) -> ImportProblem {
    var problem = self
    problem.range = range
    return problem
  }

  /// The error for the user.
  ///
  /// - Parameters:
  ///   - record: The bytes of the record.
  ///   - line: The number of its first line.
  ///   - column: Number of characters in front of it on the line.
  ///   - file: The name of the file.
  func shellError(
    in record: UnsafeRawBufferPointer, line: Int, column: Int, file: String
  ) -> ShellError {
    // Bytes that are not UTF-8 become characters, which moves what follows.
    func text(_ range: Range<Int>) -> [UInt8] {
      let part = UnsafeRawBufferPointer(rebasing: record[range.clamped(to: 0..<record.count)])
      return firstInvalidUTF8(in: part) == nil
        ? [UInt8](part) : Array(String(decoding: part, as: UTF8.self).utf8)
    }
    let before = text(0..<range.lowerBound)
    let place = text(range)
    let behind = text(range.upperBound..<max(range.upperBound, record.count))
    let source = SourceText(
      fileName: file, bytes: before + place + behind, baseLine: line, baseColumn: column)
    var error = ShellError(
      name, message,
      at: SourceRange(start: before.count, end: before.count + place.count),
      suggestion: suggestion, remedy: remedy)
    error.file = source
    return error
  }
}

/// Why a record was not taken.
enum RecordFailure: Error {
  /// The record is wrong; the next one may be right.
  case problem(ImportProblem)
  /// There is no going on.
  case fatal(ShellError)
}

extension RecordFailure {
  init(
    _ name: ErrorName, _ message: String, at range: Range<Int>, suggestion: String? = nil,
    remedy: String? = nil
  ) {
    self = .problem(
      ImportProblem(name, message, at: range, suggestion: suggestion, remedy: remedy))
  }

  /// The same failure at another place of the record.
  func moved(to range: Range<Int>) -> RecordFailure {
    guard case .problem(let problem) = self else { return self }
    return .problem(problem.moved(to: range))
  }
}
