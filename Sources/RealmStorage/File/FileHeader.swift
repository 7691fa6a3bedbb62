/// The header of a file and what it says about the live snapshot.
///
///     offset  size  meaning
///          0     8  top ref, slot 0 (all ones in the streaming form)
///          8     8  top ref, slot 1
///         16     4  "T-DB"
///         20     1  version that goes with slot 0
///         21     1  version that goes with slot 1
///         22     1  reserved
///         23     1  flags; bit 0 selects the slot
///
/// In the streaming form the last 16 bytes of the file hold the top ref and a cookie.
///
/// Source: file-format.md 1.1, 1.2.
public struct FileHeader: Equatable, Sendable {
  /// The 24 bytes as three words, for comparing two readings.
  let words: (UInt64, UInt64, UInt64)

  static let mnemonic: UInt32 = 0x542D_4442
  static let footerByteCount = 16
  static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8
  static let streamingTopRef = UInt64.max

  /// Reads the header at the start of `bytes`, which has at least 24 bytes.
  init(_ bytes: UnsafeRawPointer) {
    words = (
      bytes.loadUnaligned(as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    )
  }

  private init(words: (UInt64, UInt64, UInt64)) { self.words = words }

  /// The header after a slot was filled and selected.
  func selecting(_ slot: Int, topRef: Int64) -> FileHeader {
    let ref = UInt64(bitPattern: topRef)
    let flags = words.2 & ~(1 << 56) | UInt64(slot) << 56
    return FileHeader(
      words: slot == 0 ? (ref, words.1, flags) : (words.0, ref, flags))
  }

  /// Compares all 24 bytes.
  public static func == (a: FileHeader, b: FileHeader) -> Bool { a.words == b.words }

  /// Bytes 16 to 19, big endian.
  var mark: UInt32 { UInt32(truncatingIfNeeded: words.2).byteSwapped }
  /// Number of the live slot, 0 or 1.
  public var selectedSlot: Int { Int(words.2 &>> 56) & 1 }
  /// Whether the top ref stands in a footer.
  public var isStreaming: Bool { selectedSlot == 0 && words.0 == FileHeader.streamingTopRef }
  /// The top ref of a slot.
  func topRef(slot: Int) -> UInt64 { slot == 0 ? words.0 : words.1 }
  /// The version number of a slot.
  func version(slot: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: words.2 &>> (slot == 0 ? 32 : 40))
  }
}

/// The format version of a file, and what depends on it.
///
/// Source: file-format.md 1.6, 9.
public struct FileFormat: Equatable, Sendable {
  /// The number in the header.
  public let number: UInt8

  /// Accepts the numbers that readers accept; 0 ("not decided yet") only for empty databases.
  init?(_ number: UInt8) {
    guard (2...11).contains(number) || (20...24).contains(number) else { return nil }
    self.number = number
  }

  /// The format of files that the program writes.
  public static let current = FileFormat(number: 24)

  private init(number: UInt8) { self.number = number }

  /// Whether tables are stored column by column, with row numbers instead of object keys.
  public var hasColumnLayout: Bool { number < 10 }
  /// Whether dictionaries are cluster trees of hashes.
  var hasHashedDictionaries: Bool { number < 23 }
  /// Whether sets and dictionary keys are ordered as the specification says.
  var hasCanonicalOrder: Bool { number >= 24 }
}
