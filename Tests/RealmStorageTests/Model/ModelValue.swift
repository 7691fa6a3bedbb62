import RealmStorage
import RealmValues

/// A value of a property in a model of a database.
indirect enum ModelValue: Equatable {
  case scalar(ScalarValue)
  case list([ModelValue])
  /// In ascending order.
  case set([ScalarValue])
  case dictionary([[UInt8]: ModelValue])

  static let null = ModelValue.scalar(.null)

  /// What a new object has in a column.
  init(initialValueOf column: ColumnDefinition) {
    switch column.collection {
    case .list: self = .list([])
    case .set: self = .set([])
    case .dictionary: self = .dictionary([:])
    case .none: self = .scalar(column.isNullable ? .null : .zero(of: column.kind))
    }
  }

  /// What a reader has found.
  init(_ value: StoredValue) throws {
    switch value {
    case .list(let list):
      let elements = try list.values()
      self =
        list.isSet
        ? .set(elements.map { $0.scalar ?? .null }) : .list(try elements.map { try Self($0) })
    case .dictionary(let dictionary):
      var entries: [[UInt8]: ModelValue] = [:]
      for entry in try dictionary.entries() { entries[Array(entry.key)] = try Self(entry.value) }
      self = .dictionary(entries)
    default: self = .scalar(value.scalar ?? .null)
    }
  }

  /// The value as a transaction takes it.
  var mixed: MixedValue {
    switch self {
    case .scalar(let value): .scalar(value)
    case .list(let values): .list(values.map { $0.mixed })
    case .set(let values): .list(values.map { .scalar($0) })
    case .dictionary(let entries): .dictionary(entries.map { ($0.key, $0.value.mixed) })
    }
  }

  /// All links, at any depth.
  var links: Set<ScalarValue> {
    switch self {
    case .scalar(.link(let table, let object)): [.link(table, object)]
    case .scalar: []
    case .list(let values): values.reduce(into: []) { $0.formUnion($1.links) }
    case .set(let values): Set(values.filter { $0.kind == .typedLink })
    case .dictionary(let entries): entries.values.reduce(into: []) { $0.formUnion($1.links) }
    }
  }

  /// What is left when objects have been deleted: links become null, or leave their list or set.
  func removing(_ doomed: Set<ScalarValue>) -> ModelValue {
    switch self {
    case .scalar(let value): doomed.contains(value) ? .null : self
    case .list(let values):
      .list(
        values.compactMap {
          if case .scalar(let value) = $0, doomed.contains(value) {
            nil
          } else {
            $0.removing(doomed)
          }
        })
    case .set(let values): .set(values.filter { !doomed.contains($0) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.removing(doomed) })
    }
  }
}

extension ScalarValue {
  /// What a property that cannot be null has at first.
  static func zero(of kind: ValueKind) -> ScalarValue {
    let zeros = [UInt8](repeating: 0, count: 16)
    return switch kind {
    case .int: .int(0)
    case .bool: .bool(false)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string([])
    case .data: .data([])
    case .date: .date(Timestamp(seconds: 0, nanoseconds: 0))
    case .decimal: .decimal(Decimal128(0))
    case .objectID: .objectID(zeros.withUnsafeBytes { ObjectID($0.baseAddress!) })
    case .uuid: .uuid(zeros.withUnsafeBytes { UUIDValue($0.baseAddress!) })
    default: .null
    }
  }
}
