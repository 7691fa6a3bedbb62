import Glibc
public import Testing

/// Compares output with a file that holds what is expected.
///
/// With UPDATE_GOLDEN=1 the file is written instead; read the difference in version control.
///
/// - Parameter path: The file, relative to the folder of the package.
public func expectGolden(
  _ actual: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let file = "\(Fixtures.root)/\(path)"
  if getenv("UPDATE_GOLDEN").map({ String(cString: $0) }) == "1" {
    Files.write(Array(actual.utf8), to: file)
    return
  }
  guard let bytes = Files.contents(file) else {
    Issue.record(
      "\(path) is missing; UPDATE_GOLDEN=1 makes it", sourceLocation: sourceLocation)
    return
  }
  guard bytes != Array(actual.utf8) else { return }
  let expected = String(decoding: bytes, as: UTF8.self)
  Issue.record(
    "\(path) differs:\n\(firstDifference(expected, actual))", sourceLocation: sourceLocation)
}

/// The first line in which two texts differ, with its number, as expected and as it is.
public func firstDifference(_ expected: String, _ actual: String) -> String {
  let expectedLines = expected.split(separator: "\n", omittingEmptySubsequences: false)
  let actualLines = actual.split(separator: "\n", omittingEmptySubsequences: false)
  for i in 0..<max(expectedLines.count, actualLines.count) {
    let wanted = i < expectedLines.count ? String(expectedLines[i]) : nil
    let found = i < actualLines.count ? String(actualLines[i]) : nil
    // Bytes are compared: Swift takes differently composed characters for equal.
    if wanted.map({ Array($0.utf8) }) != found.map({ Array($0.utf8) }) {
      return """
        line \(i + 1)
        expected: \(wanted ?? "(end)")
        found:    \(found ?? "(end)")
        """
    }
  }
  return "no difference"
}
