import Glibc
import TestSupport
import Testing

@testable import RealmStorage

/// Eight processes with one file: no change is lost, every reader sees whole versions, and the file
/// does not grow without bound.
///
/// PEER_MILLISECONDS says how long they work.
struct PeerTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  @Test func fourWritersAndFourReaders() throws {
    let time = TestScale.number("PEER_MILLISECONDS", standard: 1500)
    let writers = (0..<4).map { _ in Participant(path) }
    let readers = (0..<4).map { _ in Participant(path) }
    #expect(writers[0]("create") == "ok")
    #expect(writers[0]("prepare") == "ok")
    for other in writers.dropFirst() + readers { #expect(other("open") == "ok") }
    #expect(writers[0]("raise-all 30") == "ok")
    let limit = Int32(time) + 60_000
    for reader in readers { reader.send("watch \(time)") }
    for writer in writers { writer.send("write-for \(time)") }
    let written = writers.map { Int($0.answer(withinMilliseconds: limit)) ?? -1 }
    let read = readers.map { Int($0.answer(withinMilliseconds: limit)) ?? -1 }
    #expect(written.allSatisfy { $0 > 0 } && read.allSatisfy { $0 > 0 }, "\(written) \(read)")
    print("commits \(written), snapshots read \(read), bytes \(Files.read(path).count)")
    let total = 30 + written.reduce(0, +)
    for one in writers + readers { #expect(one("see") == "\(total)") }
    // What readers held back is reused when they have moved on.
    let byteCount = Files.read(path).count
    #expect(writers[0]("raise-all 200") == "ok")
    #expect(Files.read(path).count == byteCount)
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: nil))
    #expect(FileChecker.check(snapshot, depth: .deep).isGood)
  }
}
