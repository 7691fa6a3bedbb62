import Glibc
import RealmStorage

/// A file on which one step fails: a write (after half of the bytes), an extension or a sync.
final class FailingFile: FileBackend {
  private let disk: DiskFile
  /// Steps until one fails; nil for never.
  var stepsLeft: Int?
  /// Whether all steps after the one that fails do so as well.
  var staysBroken = false

  private let sectorByteCount: Int

  /// - Parameter sectorByteCount: What a disk writes as a whole or not at all.
  init(path: String, sectorByteCount: Int = 1) throws {
    self.sectorByteCount = sectorByteCount
    disk = try DiskFile(path: path)
  }

  var descriptor: Int32 { disk.descriptor }
  var byteCount: Int { disk.byteCount }

  /// Counts a step; returns whether it fails.
  private func fails() -> Bool {
    guard let left = stepsLeft else { return false }
    if left > 0 || !staysBroken { stepsLeft = left - 1 }
    return left == 0
  }

  func measure() throws(StorageError) { try disk.measure() }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    guard fails() else { return try disk.write(bytes, at: offset) }
    let count = bytes.count / 2 / sectorByteCount * sectorByteCount
    try disk.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    throw .system(.write, ENOSPC)
  }

  func extend(to byteCount: Int) throws(StorageError) {
    if byteCount > self.byteCount, fails() { throw .system(.resize, ENOSPC) }
    try disk.extend(to: byteCount)
  }

  func sync() throws(StorageError) {
    if fails() { throw .system(.sync, EIO) }
    try disk.sync()
  }
}
