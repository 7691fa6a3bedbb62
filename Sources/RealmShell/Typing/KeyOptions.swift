import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// The primary keys of a class that begin as what was typed.
struct KeyOptions {
  /// Most keys in the list. Source: shell.md 21.
  private static let maximumCount = 50
  /// Milliseconds that reading may take. Source: shell.md 21.
  private static let maximumTime = 10.0
  private static let rowsBetweenChecks = 32
  /// Bytes of a text beside a key.
  private static let longestComment = 100

  let names: NameResolver

  /// At most 50 keys in the order of the objects, with the first property that is a text.
  func options(of className: String, for word: String) -> [Completer.Option] {
    guard let realm = names.database?.realm,
      let objectClass = names.objectClass(named: className),
      let primaryKey = objectClass.primaryKey
    else { return [] }
    var options: [Completer.Option] = []
    do {
      try read(objectClass, primaryKey, word, into: &options)
    } catch {
      // A damaged part of the file gives fewer keys.
    }
    return realm.isWriting || realm.isIntact() ? options : []
  }

  private func read(
    _ objectClass: ObjectClass, _ primaryKey: Property, _ word: String,
    into options: inout [Completer.Option]
  ) throws(StorageError) {
    let end = monotonicMilliseconds() + Self.maximumTime
    let text = objectClass.properties.first {
      $0.kind == .string && $0.collection == .none && !$0.isPrimaryKey
    }
    let columns = [primaryKey.position] + (text.map { [$0.position] } ?? [])
    let cursor = try TableCursor(objectClass.table, columns: columns)
    while try cursor.next() {
      for row in 0..<cursor.count {
        if row % Self.rowsBetweenChecks == 0, monotonicMilliseconds() > end { return }
        guard let key = try cursor.value(0, at: row).scalar else { continue }
        let literal = CanonicalText.string(key, inMixed: false)
        guard word.isEmpty || literal.hasPrefix(word) else { continue }
        var comment = ""
        if text != nil, case .string(let bytes)? = try cursor.value(1, at: row).scalar {
          comment = Self.visible(bytes.prefix(Self.longestComment))
        }
        options.append(Completer.Option(literal, comment: comment, rank: .key))
        if options.count == Self.maximumCount { return }
      }
    }
  }

  /// A text in which control characters, which terminals would obey, are blanks.
  private static func visible(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }
}
