import Glibc
import TestSupport
import Testing

/// The transcripts run as they are written, byte for byte, errors included.
///
/// UPDATE_GOLDEN=1 writes the present output into them; read the difference in version control.
struct TranscriptTests {
  private static let isUpdating =
    getenv("UPDATE_GOLDEN").map { String(cString: $0) } == "1"

  @Test(arguments: Transcript.names)
  func isReproduced(_ name: String) {
    var transcript = Transcript(named: name)
    if Self.isUpdating {
      transcript = transcript.updated()
      Files.write(Array(transcript.text.utf8), to: "\(Transcript.folder)/\(name)")
    }
    let result = transcript.run()
    #expect(!result.hasTimedOut)
    #expect(
      result.output == Array(transcript.expectedOutput.utf8),
      "\(firstDifference(transcript.expectedOutput, result.outputText))")
    #expect(result.status == transcript.expectedStatus)
  }
}
