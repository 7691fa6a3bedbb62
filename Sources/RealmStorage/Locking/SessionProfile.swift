/// What all participants of a session must agree on.
///
/// Source: file-format-writing.md 4.2, 6.6 (1).
public struct SessionProfile: Equatable, Sendable {
  /// 0 none, 2 in-realm, 3 sync client, 4 sync server.
  public var historyType: Int8
  /// 1 for type 2, 12 for type 3.
  public var historySchemaVersion: UInt16
  /// Whether the file is encrypted; not part of the agreement, but noted by who begins a session.
  public var isEncrypted: Bool

  /// Creates a profile.
  public init(historyType: Int8, historySchemaVersion: UInt16, isEncrypted: Bool = false) {
    self.historyType = historyType
    self.historySchemaVersion = historySchemaVersion
    self.isEncrypted = isEncrypted
  }

  /// That of a program that opens a local file as the SDKs do.
  public static let local = SessionProfile(historyType: 2, historySchemaVersion: 1)

  /// That of a program that opens a file without history.
  static let withoutHistory = SessionProfile(historyType: 0, historySchemaVersion: 0)

  /// The file format that a session writes. Source: file-format-writing.md, constants.
  static let fileFormat: UInt8 = 24
  /// Commits reach the disk before they are announced. Source: file-format-writing.md 6.6.
  static let fullDurability: UInt16 = 0

  /// Checks that a session of this profile may begin on a file.
  ///
  /// Source: file-format-writing.md 4.2, opening matrix.
  func check(_ start: SessionStart) throws(LockError) {
    guard start.topRef != 0 else { return }
    let fits =
      start.historyType == historyType || (start.historyType == 0 && historyType == 2)
    guard fits else {
      throw .incompatible(
        .historyType, found: Int(start.historyType), expected: Int(historyType), holder: nil)
    }
    guard start.historySchemaVersion <= Int(historySchemaVersion) else {
      throw .incompatible(
        .historySchemaVersion, found: start.historySchemaVersion,
        expected: Int(historySchemaVersion), holder: nil)
    }
  }
}

/// The snapshot of a file with which a session begins.
public struct SessionStart: Equatable, Sendable {
  /// Version number, at least 1.
  public var version: UInt64
  /// Ref of the top array; 0 for a file without one.
  public var topRef: UInt64
  /// Logical size from the top array; 24 without one.
  public var logicalByteCount: UInt64
  /// Slot 7 of the top array, 0 if missing.
  public var historyType: Int
  /// Slot 9 of the top array, 0 if missing.
  public var historySchemaVersion: Int

  /// Creates a description; without a top array by default.
  public init(
    version: UInt64 = 1, topRef: UInt64 = 0, logicalByteCount: UInt64 = 24, historyType: Int = 0,
    historySchemaVersion: Int = 0
  ) {
    self.version = version
    self.topRef = topRef
    self.logicalByteCount = logicalByteCount
    self.historyType = historyType
    self.historySchemaVersion = historySchemaVersion
  }
}
