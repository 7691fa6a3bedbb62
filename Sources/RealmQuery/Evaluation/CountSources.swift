import RealmObjects
import RealmStorage
import RealmValues

/// `@count` of a path that ends in links. Source: query-language.md 15.
final class LinkCountSource: OperandSource {
  private let walker: LinkWalker
  private let stepCount: Int

  init(_ walker: LinkWalker, stepCount: Int) {
    self.walker = walker
    self.stepCount = stepCount
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    if stepCount == 1 {
      buffer.single(.int(try walker.entryCount(ofLastStepFrom: key)))
      return
    }
    buffer.begin(isList: true)
    for owner in try walker.reachedBeforeLast(from: key) {
      buffer.append(.int(try walker.entryCount(ofLastStepFrom: owner)))
    }
  }
}

/// `@count` of a collection of values.
final class ElementCountSource: OperandSource {
  private let walker: LinkWalker
  private let reader: PropertyReader

  init(_ walker: LinkWalker, _ reader: PropertyReader) {
    self.walker = walker
    self.reader = reader
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    if walker.isUnary {
      var count: Int64 = 0
      if let owner = try walker.single(from: key) { count = try elementCount(owner) }
      buffer.single(.int(count))
      return
    }
    buffer.begin(isList: true)
    for owner in try walker.reached(from: key) {
      buffer.append(.int(try elementCount(owner)))
    }
  }

  private func elementCount(_ owner: ObjectKey) throws(QueryFailure) -> Int64 {
    guard let value = try reader.value(of: owner) else { return 0 }
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
final class AllBacklinksSource: OperandSource {
  private let walker: LinkWalker
  private let reader: ObjectReader

  init(_ walker: LinkWalker, _ objectClass: ObjectClass) {
    self.walker = walker
    reader = ObjectReader(objectClass.table, columns: [])
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    var total: Int64 = 0
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      total += try backlinkCount(owner)
    }
    buffer.single(.int(total))
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
final class SubquerySource: OperandSource {
  private let walker: LinkWalker
  private let predicate: TargetTest

  init(_ walker: LinkWalker, _ predicate: TargetTest) {
    self.walker = walker
    self.predicate = predicate
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    var count: Int64 = 0
    for object in try walker.reached(from: key) where try predicate.matches(object) { count += 1 }
    buffer.reset()
    buffer.single(.int(count))
  }
}
