import RealmValues

/// Indexes of words: full-text, and of the elements of lists of strings.
///
/// Every word is spelled out by the path to its entry, except that a word whose last chunk is full
/// ends there until a longer word with the same beginning comes.
///
/// Source: file-format-writing.md 8.11.
extension IndexEditor {
  /// The chunk behind the last full one.
  private static let endOfWord: Int64 = 0x5800_0000
  /// Longer elements of a list with an index are refused.
  static let maximumWordByteCount = 200

  /// Adds an object under a word; nil is the null element of a list.
  func insert(
    _ root: inout Int64, _ object: ObjectKey, word: [UInt8]?, offset: Int = 0
  ) throws(StorageError) {
    let key = word.map { IndexKey($0) } ?? .null
    let goesOn = (word?.count ?? 0) > offset + 4
    try insert(&root, chunk: Int64(key.chunk(at: offset))) {
      (element: inout Int64?) throws(StorageError) in
      guard let present = element else {
        element = SearchIndex.element(for: object)
        if goesOn {
          var sub = try makeEmpty()
          try insert(&sub, object, word: word, offset: offset + 4)
          element = sub
        }
        return
      }
      var below = present
      if present & 1 == 0, try store.node(present).hasContext {
        try insert(&below, object, word: word, offset: offset + 4)
      } else if goesOn {
        below = try makeEmpty()
        try insert(&below, chunk: IndexEditor.endOfWord) {
          (shorter: inout Int64?) throws(StorageError) in shorter = present
        }
        try insert(&below, object, word: word, offset: offset + 4)
      } else {
        try insert(object, intoEntry: &below)
      }
      element = below
    }
  }

  /// Adds an object to the entry of a word, unless it is there.
  private func insert(
    _ object: ObjectKey, intoEntry entry: inout Int64
  ) throws(StorageError) {
    if entry & 1 != 0 {
      let other = SearchIndex.objectKey(entry)
      guard other != object else { return }
      entry = try store.makeIntegers(
        [min(other, object).rawValue, max(other, object).rawValue])
      return
    }
    let tree = TreeEditor(integersIn: store)
    let position = try firstPosition(in: entry, notBelow: object)
    if position < (try tree.count(entry)), try key(in: entry, position) == object { return }
    try tree.insert(&entry, position, .value(.int(object.rawValue)))
  }
}
