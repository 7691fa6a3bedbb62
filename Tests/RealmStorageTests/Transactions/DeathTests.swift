import Glibc
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// Processes that die at a certain point of a commit: the others, and the next one, go on at once.
struct DeathTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }

  /// Starts a process.
  func participant(_ command: String, isEncrypted: Bool = false) -> Participant {
    let participant = Participant(path)
    if isEncrypted { #expect(participant("key k") == "ok") }
    #expect(participant(command) == "ok")
    return participant
  }

  /// Starts processes that have the database open; the first one makes it.
  func participants(_ count: Int, isEncrypted: Bool = false) -> [Participant] {
    let all = (0..<count).map { participant($0 == 0 ? "create" : "open", isEncrypted: isEncrypted) }
    #expect(all[0]("prepare") == "ok")
    return all
  }

  func check(isEncrypted: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let key =
      isEncrypted
      ? [UInt8](repeating: UInt8(ascii: "k"), count: 64).withUnsafeBytes { EncryptionKey($0) } : nil
    let report = FileChecker.check(
      try Snapshot(of: try RealmFile(path: path, key: key)), depth: .deep)
    #expect(report.isGood, "\(report.findings.prefix(5))", sourceLocation: sourceLocation)
  }

  struct Scene: CustomTestStringConvertible {
    var survivorCount: Int
    var isEncrypted = false
    /// Whether the file grows in the commit, and the victim dies while it does.
    var isGrowing = false

    var testDescription: String {
      "\(survivorCount) survive\(isEncrypted ? ", encrypted" : "")\(isGrowing ? ", growing" : "")"
    }
  }

  @Test(arguments: [
    Scene(survivorCount: 0), Scene(survivorCount: 1), Scene(survivorCount: 2),
    Scene(survivorCount: 1, isEncrypted: true), Scene(survivorCount: 0, isGrowing: true),
    Scene(survivorCount: 1, isGrowing: true),
  ])
  func deathAtAnyPointOfACommit(_ scene: Scene) throws {
    var survivors = participants(max(1, scene.survivorCount), isEncrypted: scene.isEncrypted)
    if scene.survivorCount == 0 { survivors = [] }
    var value = 0
    var point = 0
    while !scene.isGrowing || point < 2 {
      let victim = participant("open-mortal", isEncrypted: scene.isEncrypted)
      #expect(victim("\(scene.isGrowing ? "die-extending" : "die-at") \(point)") == "ok")
      if scene.isGrowing {
        for _ in 0..<100 where victim("keep") == "ok" && victim("raise-all 1") == "ok" {
          value += 1
        }
      }
      let answer = victim("raise-all 1")
      if answer == "ok" { break }
      #expect(answer == "(dead)")
      let newcomer = Participant(path)
      if scene.isEncrypted { #expect(newcomer("key k") == "ok") }
      #expect(newcomer("open", withinMilliseconds: 5000) == "ok")
      let found = try #require(Int(newcomer("see")))
      // A commit that nobody was told of counts if everybody has closed the file.
      #expect(found == value || survivors.isEmpty && found == value + 1)
      value = found
      for writer in survivors + [newcomer] {
        #expect(writer("raise-all 1", withinMilliseconds: 5000) == "ok")
        value += 1
      }
      for reader in survivors + [newcomer] { #expect(reader("see") == "\(value)") }
      try check(isEncrypted: scene.isEncrypted)
      point += 1
    }
    #expect(point > 8 || scene.isGrowing)
  }

  /// A genuine writer died in its critical phase: those that keep the file open write on, and what
  /// they have pinned stays readable.
  @Test(arguments: [1, 2, 3])
  func markOfTheCriticalPhaseBlocksNobody(survivorCount: Int) throws {
    let all = participants(survivorCount)
    for one in all { #expect(one("keep") == "ok") }
    let lock = open(path + ".lock", O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    var value = 0
    for _ in 0..<3 {
      #expect(pwrite(lock, [1 as UInt8], 1, LockLayout.criticalPhase) == 1)
      let newcomer = participant("open")
      #expect(newcomer("see") == "\(value)")
      for one in all { one.send("raise-all 5") }
      for one in all { #expect(one.answer() == "ok") }
      value += 5 * all.count
      #expect(newcomer("raise-all 1") == "ok")
      value += 1
      for one in all {
        #expect(one("see") == "\(value)")
        #expect(one("kept") == "0")
      }
      try check()
    }
  }
}
