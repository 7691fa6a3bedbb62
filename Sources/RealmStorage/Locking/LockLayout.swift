import Glibc
import Synchronization

/// The layout of the lock file: a fixed part, then reader slots.
///
/// The offsets are computed from the sizes of the platform's mutex and condition variable; the table
/// has those of x86-64 with glibc, which are asserted.
///
/// | offset | size | meaning | source (file-format-writing.md) |
/// | --- | --- | --- | --- |
/// | 0 | 1 | initialized: 1 when usable; never moves | 6.2 (2), 6.6 |
/// | 1 | 1 | size of a mutex, 40 | 6.6 |
/// | 2 | 1 | size of a condition variable, 48 | 6.6 |
/// | 3 | 1 | critical phase: 1 while a version is being published | 6.6 (5f), 6.7 |
/// | 4 | 1 | file format of the session, 24 | 6.6 (1) |
/// | 5 | 1 | history type | 4.2, 6.6 (1) |
/// | 6 | 2 | generation of this layout, 14; never moves | 6.2 (4), 6.6 |
/// | 8 | 2 | durability: 0 full | 6.6 (1) |
/// | 10 | 2 | unused | 6.6 |
/// | 12 | 4 | number of participants (control mutex) | 6.2 (5, 6) |
/// | 16 | 8 | newest version (control mutex) | 6.6 (5g) |
/// | 24 | 8 | process that began an encrypted session | 6.6 |
/// | 32 | 8 | number of versions in use, a statistic | 6.6 (5g) |
/// | 40 | 1 | a sync client is present | 6.6 |
/// | 41 | 3 | unused | 6.6 |
/// | 44 | 2 | history schema version | 4.2, 6.6 (1) |
/// | 46 | 2 | unused | 6.6 |
/// | 48 | 40 | write mutex | 6.6 (4) |
/// | 88 | 40 | control mutex | 6.2 (5), 6.6 |
/// | 128 | 40 | version list mutex | 6.6 (2, 3, 5b, 5f) |
/// | 168 | 144 | three condition variables, unused | 6.6 |
/// | 312 | 48 | condition variable: new version | 6.6 (5g) |
/// | 360 | 48 | condition variable: next writer | 6.6 (4, 5h) |
/// | 408 | 4 | next ticket of a writer | 6.6 (4) |
/// | 412 | 4 | ticket being served | 6.6 (4, 5h) |
/// | 416 | 8 | encryption: offset of the page being written + 1, else 0 | 6.6, 7.10 |
/// | 424 | 8 | encryption: counter, raised before and after each page | 6.6, 7.10 |
/// | 432 | 4 | number of reader slots, 32 at first | 6.6 |
/// | 436 | 4 | slot being filled | 6.6 (5f) |
/// | 440 | 4 | slot of the newest version; all ones: none | 6.6 (2) |
/// | 444 | 4 | padding | 6.6 |
/// | 448 | 40 each | reader slots, see `ReaderSlot` | 6.6 |
enum LockLayout {
  static let initialized = 0
  static let mutexByteCountField = 1
  static let conditionByteCountField = 2
  static let criticalPhase = 3
  static let fileFormat = 4
  static let historyType = 5
  static let generation = 6
  static let durability = 8
  static let participantCount = 12
  static let newestVersion = 16
  static let initiatorID = 24
  static let versionCount = 32
  static let historySchemaVersion = 44
  static let writeMutex = 48
  static let controlMutex = writeMutex + mutexByteCount
  static let versionsMutex = controlMutex + mutexByteCount
  private static let unusedConditions = versionsMutex + mutexByteCount
  static let newVersionCondition = unusedConditions + 3 * conditionByteCount
  static let nextWriterCondition = newVersionCondition + conditionByteCount
  static let nextTicket = nextWriterCondition + conditionByteCount
  static let servedTicket = nextTicket + 4
  static let pageBeingWritten = (servedTicket + 4 + 7) & ~7
  static let pageWriteCounter = pageBeingWritten + 8
  static let slotCount = pageWriteCounter + 8
  static let slotBeingFilled = slotCount + 4
  static let newestSlot = slotBeingFilled + 4
  static let slots = (newestSlot + 4 + 7) & ~7

  static let mutexByteCount = MemoryLayout<pthread_mutex_t>.size
  static let conditionByteCount = MemoryLayout<pthread_cond_t>.size

  /// The only generation that is understood. Source: file-format-writing.md 6.6.
  static let knownGeneration: UInt16 = 14
  /// Reader slots of a new lock file, and by how many it grows. Source: 6.6 (1, 5f).
  static let slotCountStep: UInt32 = 32
  /// "No slot." Source: 6.6.
  static let noSlot = UInt32.max
  /// Size of a lock file with the initial slots.
  static let byteCount = byteCount(slotCount: slotCountStep)

  static func byteCount(slotCount: UInt32) -> Int {
    slots + Int(slotCount) * MemoryLayout<ReaderSlot>.stride
  }

  /// Traps if the computed layout is not that of the table, where the table holds.
  static func check() {
    precondition(MemoryLayout<ReaderSlot>.stride == 40)
    precondition(MemoryLayout<ReaderSlot>.offset(of: \.liveCount) == 24)
    precondition(MemoryLayout<ReaderSlot>.offset(of: \.frozenCount) == 28)
    precondition(MemoryLayout<ReaderSlot>.offset(of: \.fullCount) == 32)
    // All of the fixed part is reached through one page.
    precondition(slots < 4096)
    #if arch(x86_64)
      precondition(mutexByteCount == 40 && conditionByteCount == 48)
      precondition(controlMutex == 88 && versionsMutex == 128 && newVersionCondition == 312)
      precondition(nextWriterCondition == 360 && nextTicket == 408 && pageBeingWritten == 416)
      precondition(slotCount == 432 && slots == 448 && byteCount == 1728)
    #endif
  }
}

/// A version that readers may use, as it lies in the lock file.
///
/// | offset | size | meaning |
/// | --- | --- | --- |
/// | 0 | 8 | version; 0 = the slot is free |
/// | 8 | 8 | logical size of the file in this version |
/// | 16 | 8 | ref of the top array, or 0 |
/// | 24 | 4 | live readers: they need the history from here on |
/// | 28 | 4 | frozen readers: they need the nodes only |
/// | 32 | 4 | full readers: they need this version and all later ones |
/// | 36 | 4 | padding |
///
/// Source: file-format-writing.md 6.6.
struct ReaderSlot {
  var version: UInt64
  var logicalByteCount: UInt64
  var topRef: UInt64
  var liveCount: UInt32
  var frozenCount: UInt32
  var fullCount: UInt32
  var padding: UInt32 = 0

  /// A slot that nobody uses; all ones as the genuine engine leaves them.
  static let free = ReaderSlot(
    version: 0, logicalByteCount: .max, topRef: .max, liveCount: 0, frozenCount: 0, fullCount: 0)

  var isActive: Bool { version != 0 }
}

/// The fixed part of a mapped lock file.
///
/// Safety: `base` is the start of a page that stays mapped, readable and writable, while this is
/// used; fields are naturally aligned, see `LockLayout`.
struct SharedHeader {
  let base: UnsafeMutableRawPointer

  func value<Value: BitwiseCopyable>(at offset: Int, as type: Value.Type = Value.self) -> Value {
    base.load(fromByteOffset: offset, as: type)
  }

  func set<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
    base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }

  /// A field that other processes read or write without a mutex.
  ///
  /// `Atomic` has the layout of its value.
  func atomic<Value: AtomicRepresentable>(
    at offset: Int, as type: Value.Type = Value.self
  ) -> UnsafeMutablePointer<Atomic<Value>> {
    (base + offset).assumingMemoryBound(to: Atomic<Value>.self)
  }

  func mutex(at offset: Int) -> SharedMutex { SharedMutex(base + offset) }
  func condition(at offset: Int) -> SharedCondition { SharedCondition(base + offset) }
}
