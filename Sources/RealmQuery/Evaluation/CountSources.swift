import RealmObjects
import RealmStorage
import RealmValues

/// One number for the links of each object, counted block by block where that is possible.
class LinkNumberSource: SingleSource {
  let walker: LinkWalker

  init(_ walker: LinkWalker) { self.walker = walker }

  final override var columns: [Int] { walker.blocks?.columns ?? [] }

  final override func forEachValue(
    _ rows: RowMask, _ cursor: TableCursor,
    _ body: (Int, QueryValue) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    guard let blocks = walker.blocks, cursor.hasClusters else {
      return try super.forEachValue(rows, cursor, body)
    }
    try forEachNumber(rows, cursor, blocks) { (row, number) throws(QueryFailure) in
      try body(row, .int(number))
    }
  }

  /// The numbers of rows of a block.
  func forEachNumber(
    _ rows: RowMask, _ cursor: TableCursor, _ blocks: BlockLinks,
    _ body: (Int, Int64) throws(QueryFailure) -> Void
  ) throws(QueryFailure) { preconditionFailure("abstract") }
}

/// `@count` of one link step. Source: query-language.md 15.
final class LinkCountSource: LinkNumberSource {
  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    .int(try walker.entryCount(ofLastStepFrom: key, countsNull: false))
  }

  override func forEachNumber(
    _ rows: RowMask, _ cursor: TableCursor, _ blocks: BlockLinks,
    _ body: (Int, Int64) throws(QueryFailure) -> Void
  ) throws(QueryFailure) { try blocks.forEachCount(rows, cursor, body) }
}

/// `@count` of a link step behind others: one number for each object they lead to.
///
/// Here realm-core counts the entries of dictionaries without a link, too.
final class LinkCountsSource: OperandSource {
  private let walker: LinkWalker

  init(_ walker: LinkWalker) { self.walker = walker }

  override func load(
    _ key: ObjectKey, into buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    buffer.reset()
    buffer.begin(isList: true)
    for owner in try walker.reachedBeforeLast(from: key) {
      buffer.append(.int(try walker.entryCount(ofLastStepFrom: owner, countsNull: true)))
    }
  }
}

/// `@count` of one collection of values; 0 where a link on the way is null.
final class ElementCountSource: SingleSource {
  private let walker: LinkWalker
  private let reader: PropertyReader

  init(_ walker: LinkWalker, _ reader: PropertyReader) {
    self.walker = walker
    self.reader = reader
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    guard let owner = try walker.single(from: key) else { return .int(0) }
    return .int(try reader.elementCount(of: owner))
  }
}

/// `@count` of collections of values of many owners.
final class ElementCountsSource: OperandSource {
  private let walker: LinkWalker
  private let reader: PropertyReader

  init(_ walker: LinkWalker, _ reader: PropertyReader) {
    self.walker = walker
    self.reader = reader
  }

  override func load(
    _ key: ObjectKey, into buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    buffer.reset()
    buffer.begin(isList: true)
    for owner in try walker.reached(from: key) {
      buffer.append(.int(try reader.elementCount(of: owner)))
    }
  }
}

extension PropertyReader {
  /// Number of elements of a collection.
  fileprivate func elementCount(of owner: ObjectKey) throws(QueryFailure) -> Int64 {
    guard let value = try value(of: owner) else { return 0 }
    return try QueryValue(value).elementCount() ?? 0
  }
}

extension QueryValue {
  /// Number of elements of a collection; nil for other values.
  func elementCount() throws(QueryFailure) -> Int64? {
    try reading { () throws(StorageError) in
      switch self {
      case .list(let list): Int64(try list.count())
      case .dictionary(let dictionary): Int64(try dictionary.count())
      default: nil
      }
    }
  }
}

/// `@count` of single texts, binaries and mixed values: bytes or elements.
final class SizeSource: OperandSource {
  private let source: OperandSource
  private var inner = InstanceBuffer()

  init(_ source: OperandSource) { self.source = source }

  override var yieldsLists: Bool { source.yieldsLists }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    try source.load(key, into: &inner)
    buffer.reset()
    for instance in inner.instances {
      buffer.begin(isList: instance.isList)
      for value in inner.values[instance.start..<instance.end] {
        if let bytes = value.bytes {
          buffer.append(.int(Int64(bytes.count)))
        } else {
          buffer.append(try value.elementCount().map { .int($0) } ?? .null)
        }
      }
    }
  }
}

/// Number of all backlinks of the objects reached, links in mixed values included.
final class AllBacklinksSource: SingleSource {
  private let walker: LinkWalker
  private let reader: ObjectReader

  init(_ walker: LinkWalker, _ objectClass: ObjectClass) {
    self.walker = walker
    reader = ObjectReader(objectClass.table, columns: [])
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    var total: Int64 = 0
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      total += try backlinkCount(owner)
    }
    return .int(total)
  }

  private func backlinkCount(_ owner: ObjectKey) throws(QueryFailure) -> Int64 {
    do throws(StorageError) {
      guard try reader.move(to: owner) else { return 0 }
      var count = 0
      for backlink in reader.table.backlinks {
        count += try reader.table.backlinkCount(backlink, to: reader.storedRow)
      }
      return Int64(count)
    } catch { throw .storage(error) }
  }
}

/// `SUBQUERY(…).@count`.
final class SubquerySource: LinkNumberSource {
  private let predicate: TargetTest

  init(_ walker: LinkWalker, _ predicate: TargetTest) {
    self.predicate = predicate
    super.init(walker)
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    var count: Int64 = 0
    for object in try walker.reached(from: key) where try predicate.matches(object) { count += 1 }
    return .int(count)
  }

  override func forEachNumber(
    _ rows: RowMask, _ cursor: TableCursor, _ blocks: BlockLinks,
    _ body: (Int, Int64) throws(QueryFailure) -> Void
  ) throws(QueryFailure) {
    try blocks.forEachRow(rows, cursor) { (row, links) throws(QueryFailure) in
      try body(row, Int64(try predicate.matchCount(links)))
    }
  }
}
