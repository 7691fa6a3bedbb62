/// Keeps one version of a realm readable: its nodes are not overwritten while this exists.
///
/// Keeps the participant in the session as well.
public final class VersionPin: Sendable {
  /// What a reader needs.
  public enum Kind: Sendable {
    /// Nodes, and the history from this version on, to learn what later versions have changed.
    case live
    /// The nodes only.
    case frozen
  }

  /// The version number.
  public let version: UInt64
  /// Ref of its top array; 0 for a file without one.
  public let topRef: UInt64
  /// The logical size of the file in this version, in bytes.
  public let logicalByteCount: UInt64
  /// What it keeps.
  public let kind: Kind

  let slot: Int
  let lockFile: LockFile

  init(_ slot: Int, _ content: ReaderSlot, _ kind: Kind, _ lockFile: LockFile) {
    self.slot = slot
    version = content.version
    topRef = content.topRef
    logicalByteCount = content.logicalByteCount
    self.kind = kind
    self.lockFile = lockFile
  }

  deinit { lockFile.unpin(self) }
}
