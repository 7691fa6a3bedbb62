/// What the transactions of a database leave to the next one, which otherwise would have to make it
/// or read it again: the address space, a buffer, and the last commit.
final class WriteWorkspace {
  private var region: TransactionRegion?
  /// Collects what a commit writes.
  private(set) var buffer = OutputBuffer()
  private var last: CommittedVersion?

  /// The address space for a transaction.
  ///
  /// - Throws: `system` when the file cannot be mapped.
  func makeRegion(for file: any FileBackend) throws(StorageError) -> TransactionRegion {
    // Somebody may still show the nodes of the last transaction.
    if isKnownUniquelyReferenced(&region), let region, try region.renew(file) { return region }
    region = nil
    let fresh = try TransactionRegion(file)
    region = fresh
    return fresh
  }

  /// The last commit, if a transaction starts from it; it is forgotten until `keep`, since a failure
  /// can leave anything.
  func takeCommit(_ base: CommittedState) -> CommittedVersion? {
    defer { last = nil }
    guard let last, last.version == base.version, last.topRef == base.topRef else { return nil }
    return last
  }

  /// Remembers a commit that others have been told of.
  func keep(_ commit: CommittedVersion) {
    last = commit
    if buffer.byteCount > OutputBuffer.limit { buffer = OutputBuffer() }
  }
}
