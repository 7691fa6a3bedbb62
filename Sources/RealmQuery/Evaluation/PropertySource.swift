import RealmObjects
import RealmStorage
import RealmValues

/// The object that single links lead to.
final class LinkSource: SingleSource {
  private let walker: LinkWalker

  init(_ walker: LinkWalker) { self.walker = walker }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    try walker.single(from: key).map { .link($0) } ?? .null
  }
}

/// The objects that a path of links leads to.
final class LinksSource: OperandSource {
  private let walker: LinkWalker

  init(_ walker: LinkWalker) { self.walker = walker }

  override func load(
    _ key: ObjectKey, into buffer: inout InstanceBuffer
  ) throws(QueryFailure) {
    buffer.reset()
    buffer.begin(isList: true)
    for key in try walker.reached(from: key) { buffer.append(.link(key)) }
  }
}

/// A single property of the object itself or behind single links.
final class ValueSource: SingleSource {
  private let walker: LinkWalker
  private let reader: PropertyReader

  init(_ walker: LinkWalker, _ reader: PropertyReader) {
    self.walker = walker
    self.reader = reader
  }

  override func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    guard let owner = try walker.single(from: key), let value = try reader.value(of: owner)
    else { return .null }
    return QueryValue(value)
  }
}

/// A single property of many objects.
final class ValuesSource: OperandSource {
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
      if let value = try reader.value(of: owner) { buffer.append(QueryValue(value)) }
    }
  }
}

/// The elements of a list or set of values, or one of them.
final class ListSource: OperandSource {
  private let walker: LinkWalker
  private let reader: PropertyReader
  private let index: Int64?

  init(_ walker: LinkWalker, _ reader: PropertyReader, index: Int64?) {
    self.walker = walker
    self.reader = reader
    self.index = index
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      guard case .list(let list)? = try reader.value(of: owner) else { return }
      buffer.begin(isList: true)
      guard let index else {
        for value in try reading({ () throws(StorageError) in try list.values() }) {
          buffer.append(QueryValue(value))
        }
        return
      }
      try reading { () throws(StorageError) in
        if try list.count() > 0 {
          buffer.append(try list.element(at: index).map { QueryValue($0) } ?? .null)
        }
      }
    }
    if buffer.instances.isEmpty { buffer.begin(isList: true) }
  }
}

/// The byte lengths of all texts of a list or set.
final class LengthSource: OperandSource {
  private let walker: LinkWalker
  private let reader: PropertyReader
  private let isMixed: Bool

  init(_ walker: LinkWalker, _ reader: PropertyReader, isMixed: Bool) {
    self.walker = walker
    self.reader = reader
    self.isMixed = isMixed
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    buffer.begin(isList: true)
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      guard case .list(let list)? = try reader.value(of: owner) else { return }
      for value in try reading({ () throws(StorageError) in try list.values() }) {
        if let bytes = QueryValue(value).bytes {
          buffer.append(.int(Int64(bytes.count)))
        } else if !isMixed {
          buffer.append(.int(0))
        }
      }
    }
  }
}

/// The keys of a dictionary.
final class KeysSource: OperandSource {
  private let walker: LinkWalker
  private let reader: PropertyReader

  init(_ walker: LinkWalker, _ reader: PropertyReader) {
    self.walker = walker
    self.reader = reader
  }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    buffer.reset()
    try walker.forEachReached(from: key) { (owner) throws(QueryFailure) in
      guard case .dictionary(let dictionary)? = try reader.value(of: owner) else { return }
      let entries = try reading { () throws(StorageError) in try dictionary.entries() }
      if entries.isEmpty, walker.isEmpty {
        buffer.single(.null)
        return
      }
      buffer.begin(isList: true)
      for entry in entries { buffer.append(.string(entry.key)) }
    }
    if buffer.instances.isEmpty { buffer.begin(isList: true) }
  }
}

/// The kinds of the values of another operand.
final class TypeSource: OperandSource {
  private let source: OperandSource

  init(_ source: OperandSource) { self.source = source }

  override var yieldsLists: Bool { source.yieldsLists }

  override func load(_ key: ObjectKey, into buffer: inout InstanceBuffer) throws(QueryFailure) {
    try source.load(key, into: &buffer)
    buffer.mapValues { .type($0.typeSet) }
  }
}
