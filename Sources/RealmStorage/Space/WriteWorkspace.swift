/// What the transactions of a database leave to the next one, which otherwise would have to make it
/// or read it again: the address space, a buffer, and the last commit.
final class WriteWorkspace {
  private var mapping: FileMapping?
  private var region: TransactionRegion?
  /// Collects what a commit writes.
  private(set) var buffer = OutputBuffer()
  private var last: CommittedVersion?
  /// Where the last commits have written.
  private var recent: [[Extent]] = []

  private static let recentCount = 32

  /// The mapping of a file of the present size; nil if it is encrypted.
  ///
  /// - Throws: `system` when the file cannot be mapped.
  func mapping(of file: any FileBackend) throws(StorageError) -> FileMapping? {
    guard file.key == nil else { return nil }
    if let mapping, try mapping.follow(file) { return mapping }
    let fresh = try FileMapping(file)
    mapping = fresh
    return fresh
  }

  /// The address space for a transaction.
  ///
  /// - Throws: `system` when the file cannot be mapped.
  func makeRegion(for file: any FileBackend) throws(StorageError) -> TransactionRegion {
    file.discardUnsynced()
    guard let mapping = try mapping(of: file) else { return try TransactionRegion(file) }
    let isUnused = isKnownUniquelyReferenced(&region)
    if let region, region.mapping === mapping {
      if isUnused {
        region.renew()
        return region
      }
      // Somebody still shows the nodes of the last transaction.
      self.mapping = try FileMapping(file)
    }
    let fresh = try TransactionRegion(self.mapping ?? mapping, file)
    region = fresh
    return fresh
  }

  /// What is known of the last commits, if a transaction starts from there; it is forgotten until `keep`,
  /// since a failure can leave anything.
  func takePrevious(_ base: CommittedState) -> PreviousCommits? {
    defer { last = nil }
    guard let last, last.version == base.version, last.topRef == base.topRef else {
      recent.removeAll()
      return nil
    }
    return PreviousCommits(freeEntries: last.freeEntries, written: recent.flatMap(\.self))
  }

  /// Remembers a commit that others have been told of.
  func keep(_ commit: CommittedVersion) {
    last = commit
    recent.append(commit.written)
    if recent.count > WriteWorkspace.recentCount { recent.removeFirst() }
    if buffer.byteCount > OutputBuffer.limit { buffer = OutputBuffer() }
  }
}

/// What a process remembers of its last commits, as long as nobody else makes one.
struct PreviousCommits {
  /// The lists of free space of the last one.
  var freeEntries: [FreeSpaceList.Entry]
  /// Where they have written.
  var written: [Extent]
}
