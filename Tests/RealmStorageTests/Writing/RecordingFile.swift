import RealmStorage
import TestSupport

/// A file that remembers what was done to it, to make up what a crash could leave on the disk.
final class RecordingFile: FileBackend {
  enum Step {
    case write(offset: Int, bytes: [UInt8])
    case extend(Int)
    case sync
  }

  private let disk: DiskFile
  private(set) var steps: [Step] = []
  /// The bytes when the recording began.
  private var start: [UInt8]

  private let sectorByteCount: Int

  /// - Parameter sectorByteCount: What a disk writes as a whole or not at all.
  init(path: String, sectorByteCount: Int = 512) throws {
    self.sectorByteCount = sectorByteCount
    disk = try DiskFile(path: path)
    start = Files.read(path)
  }

  var descriptor: Int32 { disk.descriptor }
  var byteCount: Int { disk.byteCount }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    steps.append(.write(offset: offset, bytes: Array(bytes)))
    try disk.write(bytes, at: offset)
  }

  func extend(to byteCount: Int) throws(StorageError) {
    steps.append(.extend(byteCount))
    try disk.extend(to: byteCount)
  }

  func measure() throws(StorageError) { try disk.measure() }

  func sync() throws(StorageError) {
    steps.append(.sync)
    try disk.sync()
  }

  /// What can be on the disk after a crash behind the first `count` steps: everything up to the
  /// last sync, and of what was written since then those sectors for which `survives` is true.
  func crash(after count: Int, survives: () -> Bool) -> [UInt8] {
    let lastSync = steps[..<count].lastIndex { if case .sync = $0 { true } else { false } } ?? -1
    var bytes = start
    for (i, step) in steps[..<count].enumerated() {
      switch step {
      // An extension is on the disk before anything else happens.
      case .extend(let byteCount) where i < count - 1 || survives():
        bytes += [UInt8](repeating: 0, count: max(0, byteCount - bytes.count))
      case .sync, .extend: break
      case .write(let offset, let written):
        for sector in sectors(offset, written.count) where i < lastSync || survives() {
          bytes += [UInt8](repeating: 0, count: max(0, sector.upperBound - bytes.count))
          bytes.replaceSubrange(
            sector, with: written[(sector.lowerBound - offset)..<(sector.upperBound - offset)])
        }
      }
    }
    return bytes
  }

  private func sectors(_ offset: Int, _ count: Int) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = offset
    while start < offset + count {
      let end = min(offset + count, (start / sectorByteCount + 1) * sectorByteCount)
      result.append(start..<end)
      start = end
    }
    return result
  }
}
