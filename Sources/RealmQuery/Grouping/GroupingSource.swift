import RealmLanguage
public import RealmObjects
import RealmStorage
public import RealmValues

/// A property with a single value: of the objects themselves, or of those that single links lead to.
public struct SingleProperty {
  let steps: [LinkStep]
  /// Class of the property.
  let objectClass: ObjectClass
  /// The property at the end.
  public let property: Property

  init(_ property: Property, of objectClass: ObjectClass) {
    (steps, self.objectClass, self.property) = ([], objectClass, property)
  }

  /// Finds the properties with some names.
  ///
  /// Nil if a name is unknown or stands for a collection, or if one before the last is no link.
  public init?(_ names: [String], of objectClass: ObjectClass, schema: Schema) {
    guard let last = names.last, names.count <= Binder.maximumPathLength else { return nil }
    var present = objectClass
    var steps: [LinkStep] = []
    for name in names.dropLast() {
      guard let property = present.property(named: name), property.kind == .link,
        property.collection == .none, let target = property.target.flatMap(schema.objectClass)
      else { return nil }
      steps.append(LinkStep(kind: .single, origin: present, property: property, target: target))
      present = target
    }
    guard let property = present.property(named: last), property.collection == .none else {
      return nil
    }
    (self.steps, self.objectClass, self.property) = (steps, present, property)
  }
}

/// Where the values of a key, or of an aggregate, come from.
public enum GroupingSource {
  /// A property; a null link on the way gives null.
  case property(SingleProperty)
  /// Anything else about an object, computed by whoever runs the grouping; the type is mixed if only
  /// the values tell.
  case computed(ValueKind, (ObjectKey) throws(QueryFailure) -> ScalarValue)

  /// Position of the column of the objects themselves; nil for all other values.
  var column: Int? {
    if case .property(let path) = self, path.steps.isEmpty { path.property.position } else { nil }
  }

  /// The type of the values.
  var kind: ValueKind {
    switch self {
    case .property(let path): path.property.kind
    case .computed(let kind, _): kind
    }
  }
}

/// Reads the values of a source object by object.
final class GroupingReader {
  private let compute: ((ObjectKey) throws(QueryFailure) -> ScalarValue)?
  private let walker: LinkWalker?
  private let reader: PropertyReader?
  /// Holds the bytes of the computed text given last.
  private var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)

  init(_ source: GroupingSource, _ run: QueryRun) {
    switch source {
    case .property(let path):
      reader = PropertyReader(path.objectClass, position: path.property.position)
      walker = path.steps.isEmpty ? nil : LinkWalker(path.steps, run)
      compute = nil
    case .computed(_, let compute):
      (walker, reader) = (nil, nil)
      self.compute = compute
    }
  }

  deinit { scratch.deallocate() }

  /// Whether the bytes of texts are valid only until the next value is read.
  var isTransient: Bool { compute != nil }

  /// The value of an object.
  func value(of key: ObjectKey) throws(QueryFailure) -> QueryValue {
    if let compute { return QueryValue(try compute(key), keep: hold) }
    var owner: ObjectKey? = key
    if let walker { owner = try walker.single(from: key) }
    guard let owner, let value = try reader?.value(of: owner) else { return .null }
    return QueryValue(value)
  }

  private func hold(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    if bytes.count > scratch.count {
      scratch.deallocate()
      scratch = .allocate(byteCount: 2 * bytes.count, alignment: 8)
    }
    scratch.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(rebasing: scratch[..<bytes.count])
  }
}

extension QueryValue {
  /// A value whose bytes lie where `keep` puts them.
  init(_ value: ScalarValue, keep: ([UInt8]) -> UnsafeRawBufferPointer) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .decimal(value)
    case .string(let bytes): self = .string(keep(bytes))
    case .data(let bytes): self = .data(keep(bytes))
    case .date(let value): self = .date(value)
    case .objectID(let value): self = .objectID(value)
    case .uuid(let value): self = .uuid(value)
    case .link(let table, let key): self = .typedLink(table, key)
    case .key(let key): self = .link(key)
    }
  }

  /// The value with the bytes of a text where a pool keeps them.
  func kept(by pool: ConstantPool) -> QueryValue {
    switch self {
    case .string(let bytes): .string(pool.keep(bytes))
    case .data(let bytes): .data(pool.keep(bytes))
    default: self
    }
  }

  /// The value as a key that does not depend on the file.
  ///
  /// - Throws: `QueryFailure.query` for a collection.
  func key() throws(QueryFailure) -> ScalarValue {
    switch self {
    case .list, .dictionary:
      throw .query(
        QueryError(
          .badArgument, "a collection cannot be a key", at: SourceRange(start: 0, end: 0)))
    default: return scalar
    }
  }

  /// A copy that does not depend on the file; null for collections.
  var scalar: ScalarValue {
    switch self {
    case .null, .list, .dictionary, .type: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let bytes): .string([UInt8](bytes))
    case .data(let bytes): .data([UInt8](bytes))
    case .date(let value): .date(value)
    case .objectID(let value): .objectID(value)
    case .uuid(let value): .uuid(value)
    case .typedLink(let table, let key): .link(table, key)
    case .link(let key): .key(key)
    }
  }
}
