import Glibc
import RealmStorage

/// A file whose process dies at a point of its work on it: in the middle of a step (a write, an
/// extension or a sync), or right after it.
final class DeadlyFile: FileBackend {
  private let disk: DiskFile
  /// Points until the process dies, two for each step; nil for never.
  var pointsLeft: Int?
  /// Whether the points of extensions alone count.
  var countsExtensionsOnly = false

  init(path: String) throws(StorageError) { disk = try DiskFile(path: path) }

  var descriptor: Int32 { disk.descriptor }
  var byteCount: Int { disk.byteCount }

  /// Comes to a point; returns whether the process is to die there.
  private func isLast() -> Bool {
    guard let left = pointsLeft else { return false }
    pointsLeft = left - 1
    return left == 0
  }

  private func die() -> Never {
    kill(getpid(), SIGKILL)
    while true { pause() }
  }

  func measure() throws(StorageError) { try disk.measure() }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    if !countsExtensionsOnly, isLast() {
      // The system looks for a signal that kills between two pages.
      let middle = (offset + bytes.count / 2) / 4096 * 4096
      let done = UnsafeRawBufferPointer(rebasing: bytes[..<max(0, middle - offset)])
      try disk.write(done, at: offset)
      die()
    }
    try disk.write(bytes, at: offset)
    if !countsExtensionsOnly, isLast() { die() }
  }

  func extend(to byteCount: Int) throws(StorageError) {
    let isLonger = byteCount > self.byteCount
    if isLonger, isLast() { die() }
    try disk.extend(to: byteCount)
    if isLonger, isLast() { die() }
  }

  func sync() throws(StorageError) {
    if !countsExtensionsOnly, isLast() { die() }
    try disk.sync()
    if !countsExtensionsOnly, isLast() { die() }
  }
}
