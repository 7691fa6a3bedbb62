/// What was saved from a damaged file, and what was not.
public struct RecoveryReport: Sendable {
  /// Which state of the file was read.
  public enum Origin: Sendable {
    /// The newest one.
    case live
    /// The one before the last commit: the newest cannot be reached.
    case previous
    /// One that no header leads to, found by a search for its top node.
    case found
  }

  /// Why something was not saved, and where.
  public struct Place: Equatable, Sendable {
    /// Byte offset in the (decrypted) file, if there is one.
    public var offset: UInt64?
    /// Why.
    public var reason: Reason
  }

  /// Reasons.
  public enum Reason: Equatable, Sendable {
    /// A node cannot be read, or a value in it.
    case unreadable(StorageError)
    /// A text is not UTF-8.
    case badText
    /// A value that must not be null is.
    case badNull
    /// Another object has the same primary key.
    case duplicatePrimaryKey
  }

  /// A table.
  public struct Table: Sendable {
    /// The name as stored.
    public let name: String
    /// Whether its objects are parts of others.
    public let isEmbedded: Bool
    /// Number of objects in the damaged file; nil if nothing tells it any more.
    public internal(set) var total: Int?
    /// Number of objects in the new file.
    public internal(set) var saved = 0
    /// How many of them have got a null, a zero or nothing in place of a value that is lost, or a
    /// part of a collection only.
    public internal(set) var incomplete = 0
    /// How many of them are as the state before had them.
    public internal(set) var older = 0
    /// How many of them have lost links, since the objects that those lead to are lost.
    public internal(set) var unlinked = 0
    /// Why objects are lost: the first places.
    public internal(set) var losses: [Place] = []
    /// Number of places where objects are lost.
    public internal(set) var lossCount = 0
    /// Why values are lost: the first places.
    public internal(set) var damages: [Place] = []
    /// Number of places where values are lost.
    public internal(set) var damageCount = 0
    /// Properties that cannot be read at all, with the reason.
    public internal(set) var lostProperties: [(name: String, error: StorageError)] = []

    /// Places that are kept.
    private static let keptCount = 16

    mutating func addLoss(_ place: Place) {
      if losses.contains(place) { return }
      lossCount += 1
      if losses.count < Table.keptCount { losses.append(place) }
    }

    mutating func addDamage(_ place: Place) {
      if damages.contains(place) { return }
      damageCount += 1
      if damages.count < Table.keptCount { damages.append(place) }
    }
  }

  /// Which state was read.
  public internal(set) var origin = Origin.live
  /// Number of its version.
  public internal(set) var version: Int64 = 1
  /// The tables, in the order of the file.
  public internal(set) var tables: [Table] = []
  /// Tables of which nothing can be read.
  public internal(set) var lostTables: [(name: String, error: StorageError)] = []
  /// Size of the new file.
  public internal(set) var byteCount = 0
}

extension RecoveryReport.Place {
  init(_ error: StorageError, at offset: Int? = nil) {
    reason = .unreadable(error)
    self.offset = offset.flatMap { UInt64(exactly: $0) }
    if case .damaged(let damage) = error, damage.offset != 0 { self.offset = damage.offset }
    if case .damagedPage(let page) = error {
      self.offset = UInt64(exactly: page * PageLayout.pageByteCount)
    }
  }

  init(_ reason: RecoveryReport.Reason, at offset: Int?) {
    (self.reason, self.offset) = (reason, offset.flatMap { UInt64(exactly: $0) })
  }
}
