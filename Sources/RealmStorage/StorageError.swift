public import RealmValues

/// Why a file, or a part of one, cannot be read.
///
/// Payloads are integers and enums only: throwing allocates nothing. Texts are composed by the
/// shell.
public enum StorageError: Error, Equatable, Sendable {
  /// A system call failed with this `errno`.
  case system(SystemOperation, Int32)
  /// The path names something that is not a regular file.
  case notAFile
  /// Bytes 16 to 19, big endian, are not "T-DB" and no key was given.
  case notARealmFile(found: UInt32)
  /// The file looks encrypted (no header, size a multiple of the page size, random bytes) and no
  /// key was given.
  case noKey
  /// The first page does not verify with the key.
  case wrongKey
  /// The first page verifies with the key, this page (plaintext page number) does not.
  case damagedPage(Int)
  /// The file has fewer bytes than a header, or a byte count that is not a multiple of 8.
  case badFileSize(Int)
  /// The version number of the selected header slot is outside the readable range.
  case unsupportedVersion(UInt8)
  /// An upgrade from a version below 10 was interrupted in this file.
  case unfinishedUpgrade
  /// The other header slot holds no snapshot, or one whose nodes are gone.
  case noPreviousSnapshot
  /// Something at a place in the file is not what the format demands.
  case damaged(Damage)
  /// A change was refused; nothing has been changed.
  case rejected(Rejection)

  /// The system call of `StorageError.system`.
  public enum SystemOperation: UInt8, Sendable {
    case open, status, map, read, write, resize, sync, lock
  }
}

/// Why a change was refused.
public enum Rejection: Equatable, Sendable {
  /// Another process has the file open; its id, if it is known.
  case inUse(holder: Int32?)
  /// Somebody else is writing; the id of the process, if it is known.
  case writeLocked(holder: Int32?)
  /// This thread is writing to the file through another instance, and would wait for itself.
  case wouldWaitForItself
  /// Waiting was given up.
  case interrupted
  /// Another process has the file open in a way that does not go together with this program's.
  case incompatibleSession(LockError.Mismatch, found: Int, expected: Int, holder: Int32?)
  /// The session contradicts the file or itself: all must close the file before anyone can write.
  /// With the id of a process that has it open, if it is known.
  case brokenSession(holder: Int32?)
  /// What stands in the place of the lock file is no file, or its list of versions is damaged. With
  /// the id of a process that has it open, if it is known.
  case unusableLockFile(holder: Int32?)
  /// The file has this format, which can be read only.
  case needsUpgrade(UInt8)
  /// Others have overwritten the snapshot that was being read.
  case versionGone
  /// A copy was given up because it does not hold what the original holds.
  case copyDiffers
  /// The file belongs to a synchronised realm.
  case synchronised
  /// The path leads to another file now, or nowhere.
  case fileReplaced
  /// The program does not support this change.
  case notSupported
  /// A name is empty, too long or taken.
  case badName
  /// There is no such table.
  case noTable
  /// There is no such column, or it is of a kind that the change does not apply to.
  case noColumn
  /// There is no such object.
  case noObject
  /// An index is outside the collection, or there is no such element.
  case noElement
  /// A value has another type than the column or collection, or is null where that is not allowed.
  case wrongType
  /// A text has more bytes than a node can hold.
  case valueTooLong
  /// The result of a calculation for an object does not fit the type of the column.
  case overflow(ObjectKey)
  /// Another object has the same primary key.
  case duplicatePrimaryKey(ObjectKey)
  /// Objects of other tables link to the table.
  case tableInUse
}

/// One violation of the file format: what, where, and the two numbers that disagree.
///
/// Source: file-format.md 10.
public struct Damage: Equatable, Sendable {
  /// What is wrong.
  public var kind: Kind
  /// Byte offset in the (decrypted) file: of the node, or of the field in the header.
  public var offset: UInt64
  /// The number found; its meaning depends on the kind.
  public var found: Int64
  /// The number expected, or the limit.
  public var limit: Int64

  /// Creates a description of one violation.
  public init(_ kind: Kind, at offset: UInt64, found: Int64 = 0, limit: Int64 = 0) {
    self.kind = kind
    self.offset = offset
    self.found = found
    self.limit = limit
  }

  /// The kinds of violations.
  public enum Kind: UInt8, Sendable {
    /// A ref is not a multiple of 8 (`found`).
    case misalignedRef
    /// A ref (`found`) lies beyond the end of the snapshot (`limit`) or inside the header.
    case refPastEnd
    /// A node of `found` bytes ends beyond the end of the snapshot (`limit`).
    case nodePastEnd
    /// The node uses the reserved width scheme.
    case reservedWidthScheme
    /// Flags or width of the node (`found`: header byte 4) do not fit its use.
    case wrongNodeKind
    /// A slot (`found`) that must hold a ref holds none.
    case missingRef
    /// A slot (`found`) that must hold a tagged integer holds a ref.
    case notTagged
    /// The node has `found` elements where at least `limit` are needed.
    case tooFewElements
    /// The node has `found` elements where `limit` is the most.
    case tooManyElements
    /// Two parts that must have the same number of elements have `found` and `limit`.
    case countMismatch
    /// The tree is deeper than `limit` levels, or its depth fields disagree.
    case badDepth
    /// More nodes were reached in one walk than the file can hold: nodes refer to each other.
    case cyclicRefs
    /// Keys are not in ascending order.
    case keyOrder
    /// A text or binary runs past its node: `found` > `limit` bytes.
    case textPastEnd
    /// An index (`found`) is outside its array (`limit` elements).
    case badIndex
    /// An unknown type number (`found`).
    case unknownType
    /// A value of the wrong length: `found` instead of `limit` bytes.
    case badLength
    /// The streaming footer is cut off or has a wrong cookie.
    case badFooter
    /// The logical size in the top array (`found`) is beyond the end of the file (`limit`).
    case truncated
    /// The size of the file (`found`) is not a multiple of 8.
    case oddFileSize
    /// Nanoseconds (`found`) out of range or of the other sign than the seconds.
    case badNanoseconds
    /// Collections are nested more than `limit` levels deep.
    case nestedTooDeep
    /// An instruction of a change set is unknown or cut off; `found` of `limit` bytes were read.
    case badInstruction
  }
}

extension StorageError {
  /// Makes the error for one violation.
  @inline(never)
  static func damage(
    _ kind: Damage.Kind, at offset: Int, found: Int = 0, limit: Int = 0
  ) -> StorageError {
    .damaged(
      Damage(
        kind, at: UInt64(truncatingIfNeeded: offset), found: Int64(found), limit: Int64(limit)))
  }
}
