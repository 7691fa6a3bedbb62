import Glibc

/// What another thread needs to open a database that this process has open: a second instance of the
/// same file, with snapshots and transactions of its own.
///
/// The file was checked when it was opened first; another instance costs a few system calls.
public struct DatabaseHandle: Sendable {
  fileprivate let path: String
  fileprivate let key: EncryptionKey?
  fileprivate let isInMemory: Bool
  fileprivate let descriptor: SharedDescriptor
  let lockFile: LockFile
}

/// A version that is kept readable for every thread as long as this lives.
///
/// Source: object-model.md 3.7.
public final class FrozenVersion: Sendable {
  let pin: VersionPin
  private let handle: DatabaseHandle

  fileprivate init(_ pin: VersionPin, _ handle: DatabaseHandle) {
    (self.pin, self.handle) = (pin, handle)
  }

  /// The version number.
  public var version: Int64 { Int64(clamping: pin.version) }
  /// The path of the file.
  public var path: String { handle.path }

  /// A snapshot of it for the calling thread.
  ///
  /// - Throws: `system`, `damaged`.
  public func snapshot() throws(StorageError) -> Snapshot {
    try Snapshot(
      of: try RealmFile(
        descriptor: handle.descriptor.number, path: handle.path, key: handle.key, pin: pin))
  }
}

/// An open file that several threads use; closed when the last one lets it go.
final class SharedDescriptor: Sendable {
  let number: Int32

  /// Makes another descriptor of an open file.
  init(sameAs other: Int32) throws(StorageError) {
    number = fcntl(other, F_DUPFD_CLOEXEC, 3)
    guard number >= 0 else { throw .system(.open, errno) }
  }

  deinit { close(number) }

  /// Another descriptor of the file, for the caller to close.
  func duplicate() throws(StorageError) -> Int32 {
    let result = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard result >= 0 else { throw .system(.open, errno) }
    return result
  }
}

extension Database {
  /// What another thread opens the database with; nil for a file that nobody else can reach.
  ///
  /// - Throws: `system`.
  public func handle() throws(StorageError) -> DatabaseHandle? {
    guard let lockFile else { return nil }
    let descriptor = try SharedDescriptor(sameAs: file.descriptor)
    return DatabaseHandle(
      path: isInMemory ? Database.pathInMemory(descriptor.number) : path, key: file.key,
      isInMemory: isInMemory, descriptor: descriptor, lockFile: lockFile)
  }

  /// Opens another instance of a database of this process.
  ///
  /// - Throws: `system`.
  public convenience init(_ handle: DatabaseHandle) throws(StorageError) {
    let file = try DiskFile(descriptor: try handle.descriptor.duplicate())
    let path = handle.isInMemory ? Database.pathInMemory(file.descriptor) : handle.path
    let backend: any FileBackend =
      if let key = handle.key { EncryptedFile(file, key: key) } else { file }
    self.init(path: path, backend, joined: handle.lockFile, isInMemory: handle.isInMemory)
  }

  /// Keeps the version of a snapshot readable for every thread.
  ///
  /// - Parameter transaction: The open transaction, if there is one: the version it started from is
  ///   kept.
  /// - Throws: `system`; `rejected(.unusableLockFile)`, `rejected(.brokenSession)`.
  public func freeze(
    _ snapshot: Snapshot, in transaction: WriteTransaction?
  ) throws(StorageError) -> FrozenVersion? {
    guard let handle = try handle(), let pin = transaction?.basePin ?? snapshot.file.pin else {
      return nil
    }
    do throws(LockError) {
      return FrozenVersion(try handle.lockFile.pin(.frozen, sameAs: pin), handle)
    } catch {
      throw StorageError(error)
    }
  }

  /// The snapshot of a version, if it is alive still.
  ///
  /// - Throws: as `snapshot()`.
  public func snapshot(version: Int64) throws(StorageError) -> Snapshot? {
    guard let lockFile else { return nil }
    let pin: VersionPin?
    do throws(LockError) {
      pin = try lockFile.pin(version: UInt64(clamping: version))
    } catch {
      throw StorageError(error)
    }
    return try pin.map { (pin) throws(StorageError) in try snapshot(of: pin) }
  }

  /// The versions that are alive, the oldest first.
  ///
  /// - Throws: errors of the session.
  public func livingVersions() throws(StorageError) -> [LivingVersion] {
    guard let lockFile else { return [] }
    do throws(LockError) { return try lockFile.livingVersions() } catch {
      throw StorageError(error)
    }
  }
}
