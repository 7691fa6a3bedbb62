import RealmValues

/// Reads every value of a snapshot and checks that they agree with each other.
final class ContentCheck {
  let snapshot: Snapshot
  var report: CheckReport
  let hasSharedNodes: Bool
  let onProgress: (Int, Int) -> Bool

  init(
    _ snapshot: Snapshot, report: CheckReport, hasSharedNodes: Bool,
    onProgress: @escaping (Int, Int) -> Bool
  ) {
    self.snapshot = snapshot
    self.report = report
    self.hasSharedNodes = hasSharedNodes
    self.onProgress = onProgress
  }

  func run() {}
}
