import RealmStorage
import RealmValues

/// Reads everything there is in a file, by all ways there are.
///
/// What cannot be read is counted, as is every step; a damaged file must not take many.
struct Reading {
  /// Number of errors.
  private(set) var errors = 0
  /// The first error.
  private(set) var firstError: StorageError?
  /// Number of values read.
  private(set) var steps = 0

  /// Opens the bytes as a file and reads its live snapshot.
  init(_ bytes: [UInt8], key: EncryptionKey?) {
    do throws(StorageError) {
      let file = try RealmFile(bytes: bytes, key: key)
      read(try Snapshot(of: file))
    } catch {
      note(error)
    }
  }

  /// Reads a snapshot.
  init(_ snapshot: Snapshot) {
    read(snapshot)
  }

  private mutating func note(_ error: StorageError) {
    errors += 1
    firstError = firstError ?? error
  }

  private mutating func read(_ snapshot: Snapshot) {
    snapshot.file.renewWork()
    for table in snapshot.brokenTables { note(table.error) }
    for table in snapshot.tables {
      for column in table.brokenColumns { note(column.error) }
      do throws(StorageError) {
        try read(table)
      } catch {
        note(error)
      }
    }
  }

  private mutating func read(_ table: StoredTable) throws(StorageError) {
    let cursor = try TableCursor(table, columns: Array(table.columns.indices))
    var found = 0
    while try cursor.next() {
      found += cursor.count
      for row in 0..<cursor.count {
        steps += 1
        for i in table.columns.indices {
          do throws(StorageError) {
            try read(try cursor.value(i, at: row))
          } catch {
            note(error)
          }
        }
        try readObject(of: table, cursor.key(at: row))
      }
    }
    let stored = try table.objectCount()
    if stored != found {
      throw .damaged(Damage(.countMismatch, at: 0, found: Int64(found), limit: Int64(stored)))
    }
  }

  /// Reads an object by its key.
  private mutating func readObject(of table: StoredTable, _ key: ObjectKey) throws(StorageError) {
    guard let row = try table.row(of: key) else {
      throw .damaged(Damage(.badIndex, at: 0, found: key.rawValue))
    }
    for i in table.columns.indices {
      steps += 1
      _ = try table.value(of: i, in: row)
    }
    for backlink in table.backlinks {
      steps += try table.backlinkCount(backlink, to: row)
    }
    guard let primaryKey = table.primaryKey,
      let value = try table.value(of: primaryKey, in: row).scalar
    else { return }
    _ = try table.find(column: primaryKey, value: value)
  }

  private mutating func read(_ value: StoredValue) throws(StorageError) {
    steps += 1
    switch value {
    case .string(let bytes), .data(let bytes): for byte in bytes { steps &+= Int(byte & 0) }
    case .list(let list):
      let values = try list.values()
      for value in values { try read(value) }
      let count = try list.count()
      if count != values.count {
        throw .damaged(Damage(.countMismatch, at: list.ref.magnitude, found: Int64(count)))
      }
    case .dictionary(let dictionary):
      let entries = try dictionary.entries()
      for entry in entries { try read(entry.value) }
      if try dictionary.count() != entries.count {
        throw .damaged(Damage(.countMismatch, at: 0, found: Int64(entries.count)))
      }
    default: break
    }
  }
}
