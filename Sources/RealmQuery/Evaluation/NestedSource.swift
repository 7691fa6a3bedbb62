import RealmObjects
import RealmStorage
import RealmValues

/// A path into mixed values and dictionaries.
///
/// Source: query-language.md 19.
final class NestedSource: OperandSource {
  private let walker: LinkWalker
  private let reader: PropertyReader
  private let path: [PathPart]
  private let schema: Schema
  private let run: QueryRun
  /// Whether an instance with one value is that value rather than a list.
  private let yieldsSingles: Bool

  /// - Parameter isDictionary: The property is a dictionary, not a mixed value or list of them.
  init(
    _ walker: LinkWalker, _ reader: PropertyReader, path: [PathPart], isDictionary: Bool,
    schema: Schema, run: QueryRun
  ) {
    self.walker = walker
    self.reader = reader
    self.path = path
    self.schema = schema
    self.run = run
    yieldsSingles =
      isDictionary && walker.isUnary
      && !path.contains { if case .all = $0 { true } else { false } }
  }

  override var yieldsLists: Bool { !yieldsSingles }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      if let value = try reader.value(of: owner) { try apply(0, to: value, &buffer) }
    }
    if buffer.instances.isEmpty { buffer.begin(isList: true) }
    if yieldsSingles { buffer.markSingles() }
  }

  /// Applies the elements from the i-th on; the last one starts an instance.
  private func apply(
    _ i: Int, to value: StoredValue, _ buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    try run.visit()
    let isLast = i == path.count - 1
    if isLast { buffer.begin(isList: true) }
    switch (value, path[i]) {
    case (.dictionary(let dictionary), .name(let name, let key)):
      let entries = try reading { () throws(StorageError) in try dictionary.entries() }
      if entries.isEmpty { return }
      if let entry = entries.first(where: { ScalarValue.compare($0.key, key) == 0 }) {
        try take(entry.value, i, isLast, &buffer)
      } else if isLast {
        if name == "@keys" {
          for entry in entries { buffer.append(.string(entry.key)) }
        } else {
          buffer.append(.null)
        }
      }
    case (.dictionary(let dictionary), .all):
      for entry in try reading({ () throws(StorageError) in try dictionary.entries() }) {
        try take(entry.value, i, isLast, &buffer)
      }
    case (.list(let list), .all):
      for value in try reading({ () throws(StorageError) in try list.values() }) {
        try take(value, i, isLast, &buffer)
      }
    case (.list(let list), .index(let index)):
      if let value = try reading({ () throws(StorageError) in try list.element(at: index) }) {
        try take(value, i, isLast, &buffer)
      }
    case (.link(let table, let key), .name(let name, _)):
      if let value = try property(name, of: key, in: table) { try take(value, i, isLast, &buffer) }
    default: break
    }
  }

  private func take(
    _ value: StoredValue, _ i: Int, _ isLast: Bool, _ buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    if isLast { buffer.append(QueryValue(value)) } else { try apply(i + 1, to: value, &buffer) }
  }

  /// A single property of an object; nil if there is none.
  private func property(
    _ name: String, of key: ObjectKey, in table: TableKey
  ) throws(QueryFailure) -> StoredValue? {
    guard let objectClass = schema.objectClass(table),
      let property = objectClass.property(named: name), property.collection == .none
    else { return nil }
    return try reading { () throws(StorageError) in
      guard let row = try objectClass.table.row(of: key) else { return nil }
      return try objectClass.table.value(of: property.position, in: row)
    }
  }
}
