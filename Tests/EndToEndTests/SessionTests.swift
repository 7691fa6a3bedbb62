import Glibc
import TestSupport
import Testing

/// Sessions at a terminal show what is recorded, byte for byte.
///
/// UPDATE_GOLDEN=1 writes what they show now into the files; read the difference in version control.
struct SessionTests {
  private static let isUpdating =
    getenv("UPDATE_GOLDEN").map { String(cString: $0) } == "1"

  @Test(arguments: RecordedSession.names)
  func isReproduced(_ name: String) {
    var texts: [String] = []
    for session in RecordedSession.sessions(of: name) {
      let (shown, isInTime) = session.run()
      let text = shown.joined()
      #expect(isInTime, "\(session.title): a prompt is missing behind: \(text)")
      texts.append(session.text(showing: shown))
      if Self.isUpdating { continue }
      #expect(
        text == session.expected, "\(session.title): \(firstDifference(session.expected, text))")
    }
    if Self.isUpdating {
      let text = texts.joined(separator: "\n")
      Files.write(Array(text.utf8), to: "\(RecordedSession.folder)/\(name)")
    }
  }
}
