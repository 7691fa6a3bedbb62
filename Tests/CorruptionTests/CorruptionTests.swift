import Glibc
import RealmStorage
import TestSupport
import Testing

/// Damaged files give errors or other values, never a trap and never endless work; and a file that
/// passes the deep check can be read completely.
///
/// The genuine files are damaged in memory: every byte in turn, and at random. A few of the many
/// cases run by default; CORRUPTION_FULL=1 runs all of them, CORRUPTION_CASES sets the number of
/// random ones, CORRUPTION_TRACE=1 prints each case before it runs, so that the last line names
/// the one that trapped.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct CorruptionTests {
  static let isFull = getenv("CORRUPTION_FULL") != nil
  static let isTraced = getenv("CORRUPTION_TRACE") != nil
  static let caseCount =
    getenv("CORRUPTION_CASES").flatMap { Int(String(cString: $0)) } ?? (isFull ? 20_000 : 1500)
  /// Values that reading a small file may yield, whatever is in it.
  static let maximumSteps = 8_000_000

  static let smallFiles = files(upTo: 16_384)
  static let mediumFiles = files(upTo: 300_000).filter { !smallFiles.contains($0) }

  static func files(upTo byteCount: Int) -> [String] {
    guard let shared = Fixtures.shared else { return [] }
    return Files.allFiles(below: "\(shared)/fixtures").filter {
      $0.hasSuffix(".realm") && Files.read("\(shared)/fixtures/\($0)").count <= byteCount
    }
  }

  static func specimen(_ name: String) -> Specimen? {
    Fixtures.shared("fixtures/\(name)").map { Specimen(name: name, bytes: Files.read($0)) }
  }

  /// Key A or B of the fixtures; nil for a plain file.
  static func key(of name: String) -> EncryptionKey? {
    guard name.contains("encrypted") else { return nil }
    let isA = name.hasPrefix("dogs") || name.hasPrefix("alltypes")
    let bytes = (0..<64).map { UInt8(truncatingIfNeeded: isA ? $0 : 37 * $0 + 11) }
    return bytes.withUnsafeBytes { EncryptionKey($0) }
  }

  /// Reads and checks bytes as a file.
  private func run(_ bytes: [UInt8], _ label: @autoclosure () -> String, key: EncryptionKey?) {
    if CorruptionTests.isTraced {
      print(label())
      fflush(nil)
    }
    let reading = Reading(bytes, key: key)
    #expect(reading.steps < CorruptionTests.maximumSteps, "\(label())")
    guard let file = try? RealmFile(bytes: bytes, key: key), let snapshot = try? Snapshot(of: file)
    else {
      #expect(reading.errors > 0, "\(label())")
      return
    }
    let report = FileChecker.check(snapshot, depth: .deep)
    if report.isGood, reading.errors > 0 {
      Issue.record("\(label()): good, but \(String(describing: reading.firstError))")
    }
  }

  @Test(arguments: smallFiles)
  func anyByteCanBeWrong(_ name: String) throws {
    let specimen = try #require(CorruptionTests.specimen(name))
    let key = CorruptionTests.key(of: name)
    let masks: [UInt8] = CorruptionTests.isFull ? [0xFF, 0x01, 0x80] : [0xFF]
    let stride = CorruptionTests.isFull ? 1 : 61
    for offset in Swift.stride(from: 0, to: specimen.bytes.count, by: stride) {
      for mask in masks {
        var bytes = specimen.bytes
        bytes[offset] ^= mask
        run(bytes, "\(name): byte \(offset) ^ \(mask)", key: key)
      }
    }
  }

  @Test(arguments: smallFiles + mediumFiles)
  func anythingCanBeWrong(_ name: String) throws {
    let specimen = try #require(CorruptionTests.specimen(name))
    let key = CorruptionTests.key(of: name)
    let isSmall = specimen.bytes.count <= 16_384
    let share = CorruptionTests.caseCount / CorruptionTests.smallFiles.count
    for number in 0..<(isSmall ? share : max(1, share / 8)) {
      var random = SplitMix64(seed: UInt64(number))
      run(specimen.mutated(by: &random), "\(name): case \(number)", key: key)
    }
  }
}
