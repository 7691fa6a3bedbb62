import Glibc
import TestSupport
import Testing

/// Processes killed at random moments in the middle of their work: the database holds the last
/// commit that they told of or a later one, whole, and the next process goes on at once.
///
/// KILL_COUNT gives the number of kills of each test.
struct KillTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("x.realm") }
  static let killCount = TestScale.number("KILL_COUNT", standard: 15)

  /// A process that has the database open.
  private func participant(creating: Bool = false, isEncrypted: Bool) -> Participant {
    let participant = Participant(path)
    if isEncrypted { #expect(participant("key k") == "ok") }
    #expect(participant(creating ? "create" : "open") == "ok")
    return participant
  }

  /// Lets a process commit for a while and kills it.
  ///
  /// - Returns: the last commit that it told of.
  private func killUnderLoad(_ victim: Participant, _ random: inout SplitMix64) -> Int {
    victim.send("load")
    // Some die before their first commit.
    let first = Int.random(in: 0..<5, using: &random) == 0 ? nil : victim.answer()
    usleep(.random(in: 0...60_000, using: &random))
    return (victim.killForLastAnswer() ?? first).flatMap { Int($0) } ?? 0
  }

  /// Everybody dies, so that the next one begins a new session from what is in the file.
  @Test(arguments: [false, true])
  func deathOfTheOnlyProcess(isEncrypted: Bool) throws {
    var random = SplitMix64(seed: isEncrypted ? 1 : 2)
    do { _ = participant(creating: true, isEncrypted: isEncrypted) }
    var told = 0
    for _ in 0..<Self.killCount {
      let victim = participant(isEncrypted: isEncrypted)
      told = max(told, killUnderLoad(victim, &random))
      let next = participant(isEncrypted: isEncrypted)
      let inFile = Int(next("last-commit-in-file")) ?? -1
      #expect(inFile == told || inFile == told + 1)
      #expect(next("last-commit") == "\(inFile)")
      told = inFile
    }
    #expect(told > Self.killCount / 2)
  }

  /// Somebody goes on, so that the session continues from the last version that was announced.
  @Test func deathBesideOthers() throws {
    var random = SplitMix64(seed: 3)
    let survivor = participant(creating: true, isEncrypted: false)
    var told = 0
    for i in 0..<Self.killCount {
      let victim = participant(isEncrypted: false)
      // Two at work, sometimes.
      let other = i % 3 == 0 ? participant(isEncrypted: false) : nil
      other?.send("load")
      told = max(told, killUnderLoad(victim, &random))
      told = max(told, other.map { killUnderLoad($0, &random) } ?? 0)
      let seen = Int(survivor("last-commit")) ?? -1
      #expect(seen == told || seen == told + 1)
      // The one after the last that was told can be in the file without having been announced.
      let inFile = Int(survivor("last-commit-in-file")) ?? -1
      #expect(inFile == seen || inFile == seen + 1)
      told = seen
    }
    #expect(told > Self.killCount / 2)
  }
}
