extension FileView {
  /// Calls `body` with each place of a file where a node could begin, without the pages that cannot
  /// be decrypted.
  ///
  /// - Throws: `rejected(.interrupted)` if `onProgress` (place, number of bytes) answers no.
  func forEachReadablePlace(
    _ onProgress: (Int, Int) -> Bool, _ body: (Int) -> Void
  ) throws(StorageError) {
    var offset = FileView.headerByteCount
    while offset + FileView.nodeHeaderByteCount <= byteCount {
      if offset & 0xF_FFF8 == FileView.headerByteCount, !onProgress(offset, byteCount) {
        throw .rejected(.interrupted)
      }
      if isEncrypted, offset & 0xFFF == 0 || offset == FileView.headerByteCount,
        (try? makeReadable(offset, 8)) == nil
      {
        offset = (offset & ~0xFFF) + 0x1000
        continue
      }
      body(offset)
      offset += 8
    }
  }
}
