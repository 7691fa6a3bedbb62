import Glibc

/// An encrypted file: whole pages are encrypted and written over another backend.
///
/// A page belongs to more than one snapshot, so that a crash must not leave one that cannot be
/// decrypted. Each entry therefore tells two encryptions of its page, the new one and the one
/// before, and is on the disk before the page is written. Pages are collected until `sync`, which
/// writes all their entries, waits for the disk, and then writes the pages.
///
/// Other readers decrypt a page again when its entry has changed. One that looks between the writing
/// of an entry and of its page remembers the new entry with the old page; therefore the entry is
/// changed once more after the page, by dropping the encryption before, which is not needed any more.
///
/// A reader of realm-core that is held up between an entry and its page, while the page is rewritten,
/// may end with a failure of decryption all the same. It does so beside writers of realm-core, too.
///
/// Nobody else may write the file meanwhile; the entries are read anew for each page.
///
/// Source: file-format-writing.md 7.6, 7.10.
public final class EncryptedFile: FileBackend {
  /// A page that has changed.
  private struct Page {
    /// The plaintext.
    var bytes: UnsafeMutableRawPointer
    /// The encryption that the file holds.
    var current: PageEntry.Encryption
  }

  /// The key.
  public var key: EncryptionKey? { encryptionKey }
  /// Descriptor of the open file, whose bytes are encrypted.
  public var descriptor: Int32 { file.descriptor }
  /// Size of the plaintext that the file has room for.
  public var byteCount: Int { PageLayout.plainByteCount(ofFile: file.byteCount) }
  /// The lock file by which the readers of a session learn that a page is being rewritten.
  public var lockFile: LockFile?

  private let file: any FileBackend
  private let encryptionKey: EncryptionKey
  private let codec: PageCodec
  private var pages: [Int: Page] = [:]
  /// Entries that tell two encryptions still, of pages that have been written.
  private var unsettled: [Int: PageEntry] = [:]

  /// Pages that are collected at most before they are written.
  private static let maximumPageCount = 4096

  /// Encrypts on top of an open file.
  public init(_ file: any FileBackend, key: EncryptionKey) {
    self.file = file
    encryptionKey = key
    codec = PageCodec(key)
  }

  deinit { discardUnsynced() }

  /// Forgets the collected pages.
  public func discardUnsynced() {
    for page in pages.values { page.bytes.deallocate() }
    pages.removeAll(keepingCapacity: true)
  }

  /// Asks for the size anew, which another process may have changed.
  public func measure() throws(StorageError) { try file.measure() }

  // MARK: Plaintext

  /// Changes bytes of the plaintext; they reach the file with the next `sync` at the latest.
  ///
  /// - Throws: `damagedPage` if a page that is changed in part does not verify; `system`.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    guard let source = bytes.baseAddress else { return }
    let size = PageLayout.pageByteCount
    var done = 0
    while done < bytes.count {
      let (page, start) = ((offset + done) / size, (offset + done) % size)
      let count = min(bytes.count - done, size - start)
      let target = try plaintext(ofPage: page, isReplaced: count == size)
      memcpy(target + start, source + done, count)
      done += count
    }
    // Who writes on and on will go on with the last page.
    if pages.count >= EncryptedFile.maximumPageCount {
      try writePages(except: (offset + bytes.count - 1) / size)
    }
  }

  /// The collected plaintext of a page.
  private func plaintext(
    ofPage number: Int, isReplaced: Bool
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    if let known = pages[number] { return known.bytes }
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: PageLayout.pageByteCount, alignment: 16)
    do throws(StorageError) {
      let current = try read(number, into: bytes, isReplaced: isReplaced)
      pages[number] = Page(bytes: bytes, current: current)
    } catch {
      bytes.deallocate()
      throw error
    }
    return bytes
  }

  /// Reads and decrypts a page.
  ///
  /// - Parameter isReplaced: Whether nothing of what the page holds is needed.
  /// - Returns: the encryption that the file holds.
  private func read(
    _ number: Int, into bytes: UnsafeMutableRawPointer, isReplaced: Bool
  ) throws(StorageError) -> PageEntry.Encryption {
    let size = PageLayout.pageByteCount
    var entry = PageEntry.none
    try withUnsafeMutableBytes(of: &entry) { (buffer) -> Result<Void, StorageError> in
      Result { () throws(StorageError) in
        try readFile(buffer, at: PageLayout.offset(ofEntry: number))
      }
    }.get()
    if !entry.isUnused {
      try readFile(
        UnsafeMutableRawBufferPointer(start: bytes, count: size),
        at: PageLayout.offset(ofPage: number))
      if let current = entry.encryption(withCode: codec.code(of: bytes)) {
        if !isReplaced {
          codec.decipher(
            bytes, counter: current.counter, offset: number * size, into: bytes)
        }
        return current
      }
      // The first writing of the page was interrupted, or the file was cut off and grew again.
      let isEmpty = entry.previous.counter == 0 || EncryptedFile.isZero(bytes)
      guard isReplaced || isEmpty else { throw .damagedPage(number) }
    }
    memset(bytes, 0, size)
    return entry.newest
  }

  private static func isZero(_ page: UnsafeRawPointer) -> Bool {
    UnsafeRawBufferPointer(start: page, count: PageLayout.pageByteCount).allSatisfy { $0 == 0 }
  }

  /// Reads bytes of the file; those behind its end are zero.
  private func readFile(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let count = pread(file.descriptor, base + done, buffer.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(.read, errno) }
      if count == 0 {
        memset(base + done, 0, buffer.count - done)
        return
      }
      done += count
    }
  }

  /// Makes room for more plaintext; the new pages count as never written.
  public func extend(to byteCount: Int) throws(StorageError) {
    guard byteCount > self.byteCount else { return }
    try file.extend(to: PageLayout.fileByteCount(ofPlain: byteCount))
  }

  /// Writes the collected pages, and returns when they are on the disk.
  public func sync() throws(StorageError) {
    try writePages()
    try file.sync()
    try settle()
  }

  /// Writes the collected pages, and when they are on the disk that of the header.
  ///
  /// Slot and selection are on one page, which reaches the disk as a whole or not at all; its entry is
  /// written with those of the other pages. So this waits three times: for the entries, for the pages,
  /// for the header.
  public func sync(selecting header: SelectedHeader) throws(StorageError) {
    try header.writeSlot(to: self)
    try header.select(in: self)
    try writePages(last: 0)
    try file.sync()
    try settle()
  }

  // MARK: Ciphertext

  /// Drops the encryptions before those that are on the disk now.
  private func settle() throws(StorageError) {
    defer { unsettled.removeAll(keepingCapacity: true) }
    for (number, entry) in unsettled {
      try announcing(number) { () throws(StorageError) in
        try file.write(
          PageEntry(newest: entry.newest, previous: .none), at: PageLayout.offset(ofEntry: number))
      }
    }
  }

  /// Writes the collected pages, but one that is still needed: all entries, then all pages.
  ///
  /// - Parameter last: A page that leads to the others, to be written when they are on the disk.
  private func writePages(except needed: Int? = nil, last: Int? = nil) throws(StorageError) {
    let kept = needed.flatMap { number in pages.removeValue(forKey: number).map { (number, $0) } }
    defer {
      // After a failure pages have to be collected anew: some are encrypted already.
      discardUnsynced()
      if let (number, page) = kept { pages[number] = page }
    }
    let numbers = pages.keys.sorted()
    guard let end = numbers.last else { return }
    // The page at the end must be there as a whole.
    if end >= byteCount / PageLayout.pageByteCount {
      try extend(to: (end + 1) * PageLayout.pageByteCount)
    }
    var entries: [PageEntry] = []
    entries.reserveCapacity(numbers.count)
    // Without anything to lose the order does not matter.
    var isOrdered = false
    for number in numbers {
      guard let page = pages[number] else { continue }
      entries.append(try encipher(page, number))
      isOrdered = isOrdered || page.current.counter != 0
    }
    for (number, entry) in zip(numbers, entries) {
      if lockFile != nil { unsettled[number] = entry }
      try announcing(number) { () throws(StorageError) in
        try file.write(entry, at: PageLayout.offset(ofEntry: number))
      }
    }
    if isOrdered { try file.sync() }
    for number in numbers where number != last { try writePage(number) }
    guard let last, pages[last] != nil else { return }
    if numbers.count > 1 || !isOrdered { try file.sync() }
    try writePage(last)
  }

  /// Writes the ciphertext of a collected page.
  private func writePage(_ number: Int) throws(StorageError) {
    guard let page = pages[number] else { return }
    let bytes = UnsafeRawBufferPointer(start: page.bytes, count: PageLayout.pageByteCount)
    try announcing(number) { () throws(StorageError) in
      try file.write(bytes, at: PageLayout.offset(ofPage: number))
    }
  }

  /// Replaces the plaintext of a page by its ciphertext.
  private func encipher(_ page: Page, _ number: Int) throws(StorageError) -> PageEntry {
    let size = PageLayout.pageByteCount
    return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) {
      (buffer) -> Result<PageEntry, StorageError> in
      Result { () throws(StorageError) in
        guard let target = buffer.baseAddress else { throw .system(.write, ENOMEM) }
        let entry = codec.encipher(
          page.bytes, offset: number * size, after: page.current, into: target)
        memcpy(page.bytes, target, size)
        return entry
      }
    }.get()
  }

  /// Writes a part of a page while the lock file says so.
  private func announcing(
    _ page: Int, _ write: () throws(StorageError) -> Void
  ) throws(StorageError) {
    lockFile?.beginPageWrite(at: UInt64(page * PageLayout.pageByteCount))
    defer { lockFile?.endPageWrite() }
    try write()
  }
}
