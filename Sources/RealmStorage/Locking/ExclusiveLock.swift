import Glibc

/// A realm for this process alone: for compaction, upgrade, encryption in place, deletion.
///
/// While it is held, processes that try to open the realm wait; keep it short. The lock file is
/// emptied before anything else happens: a process that waited would otherwise believe what a
/// crashed session left in it, and use a top array that no longer exists. The empty file stays
/// behind; deleting it could let two processes lock two different files.
///
/// Source: file-format-writing.md 6.4.
public final class ExclusiveLock {
  private let descriptor: LockDescriptor

  /// Takes the lock.
  ///
  /// - Parameter timeoutMilliseconds: How long to wait for others to close the realm.
  /// - Throws: `inUse` with a process that has the realm open; `system`, `notAFile`.
  public init(realmPath: String, timeoutMilliseconds: Int = 0) throws(LockError) {
    let deadline = Deadline(afterMilliseconds: timeoutMilliseconds)
    let path = LockDescriptor.path(ofRealm: realmPath)
    while true {
      let descriptor = try LockDescriptor(path: path)
      if try descriptor.tryExclusive() {
        // Someone may have removed the file between open and lock.
        guard try descriptor.isCurrent() else { continue }
        try descriptor.truncate()
        self.descriptor = descriptor
        return
      }
      if deadline.isPast { throw .inUse(holder: descriptor.holder()) }
      deadline.sleep(microseconds: 2000)
    }
  }
}
