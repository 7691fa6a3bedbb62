import Synchronization

/// A version that can be read, and how often it is pinned.
public struct LivingVersion: Equatable, Sendable {
  /// The version number.
  public let version: Int64
  /// Pins of this process.
  public let ownCount: Int
  /// Pins of other processes, and of those that died with a pin.
  public let otherCount: Int

  /// Describes a version.
  public init(version: Int64, ownCount: Int, otherCount: Int) {
    (self.version, self.ownCount, self.otherCount) = (version, ownCount, otherCount)
  }
}

/// How many pins this process has on the versions of one session, through all of its participants.
struct ProcessPins {
  private struct Key: Hashable {
    let lockFile: FileIdentity
    let version: UInt64
  }

  private static let counts = Mutex<[Key: Int]>([:])

  /// The lock file of the session.
  let lockFile: FileIdentity

  /// Notes that there are more or fewer pins.
  func add(_ change: Int, to version: UInt64) {
    let key = Key(lockFile: lockFile, version: version)
    Self.counts.withLock { counts in
      let count = counts[key, default: 0] + change
      counts[key] = count > 0 ? count : nil
    }
  }

  /// The number of pins on a version.
  func count(of version: UInt64) -> Int {
    let key = Key(lockFile: lockFile, version: version)
    return Self.counts.withLock { $0[key, default: 0] }
  }
}
