import RealmStorage
import TestSupport
import Testing

/// The parts of a file that `info space` tells add up to its size.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct SpaceTests {
  static let files: [String] = {
    guard let shared = Fixtures.shared else { return [] }
    return Files.allFiles(below: "\(shared)/fixtures").filter {
      $0.hasSuffix(".realm") && !$0.hasPrefix("bad/")
    }
  }()

  private static func key(of name: String) -> EncryptionKey? {
    guard name.contains("-encrypted") else { return nil }
    let isA = name.hasPrefix("dogs-") || name.hasPrefix("alltypes-")
    let bytes = (0..<64).map { UInt8(isA ? $0 : (37 * $0 + 11) % 256) }
    return bytes.withUnsafeBytes { EncryptionKey($0) }
  }

  @Test(arguments: files)
  func partsAddUp(_ name: String) throws {
    let path = try #require(Fixtures.shared("fixtures/\(name)"))
    let snapshot = try Snapshot(of: try RealmFile(path: path, key: Self.key(of: name)))
    let report = try snapshot.space()
    let tables = report.tables.reduce(0) { $0 + $1.byteCount }
    #expect(report.fileByteCount == Files.read(path).count)
    let sum =
      report.headerByteCount + report.listByteCount + report.freeListByteCount
      + report.historyByteCount + tables + report.freeByteCount + report.behindByteCount
      + report.encryptionByteCount
    // Every byte of a genuine file is used or free; files without a list of free ranges tell less.
    let hasFreeList = report.freeListByteCount > 0
    #expect(sum <= report.fileByteCount)
    if hasFreeList {
      #expect(report.otherByteCount == 0)
      #expect(sum == report.fileByteCount)
    }
    #expect(report.tables.count == snapshot.tables.count)
    let sizes = report.largest.map(\.byteCount)
    #expect(sizes == sizes.sorted(by: >))
  }
}
