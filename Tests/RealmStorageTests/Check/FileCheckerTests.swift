import RealmStorage
import TestSupport
import Testing

/// The genuine files are good by every depth of check.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct FileCheckerTests {
  static let goodFiles: [String] = {
    guard let shared = Fixtures.shared else { return [] }
    return Files.allFiles(below: "\(shared)/fixtures").filter {
      $0.hasSuffix(".realm") && !$0.hasPrefix("bad/") && !$0.contains("encrypted")
    }
  }()

  @Test(arguments: goodFiles, [FileChecker.Depth.quick, .normal, .deep])
  func genuineFilesAreGood(_ name: String, _ depth: FileChecker.Depth) throws {
    let path = try #require(Fixtures.shared("fixtures/\(name)"))
    let file = try RealmFile(path: path, key: nil)
    let report = FileChecker.check(try Snapshot(of: file), depth: depth)
    #expect(report.isGood, "\(report.findings.prefix(5)) of \(report.findingCount)")
    #expect(report.objectCount == report.objectTotal)
  }
}
