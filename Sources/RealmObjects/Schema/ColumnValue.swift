import RealmStorage
import RealmValues

/// A value that fits a column and can be written into it.
enum ColumnValue {
  case single(ScalarValue)
  /// A collection in a mixed value.
  case nested(MixedValue)
  case list([MixedValue])
  case set([ScalarValue])
  case map([(key: [UInt8], value: MixedValue)])
  /// A value that makes objects; the property gets it when it is there.
  case made(InputValue)

  /// The value if it is neither a link nor a collection.
  fileprivate var scalar: ScalarValue? {
    switch self {
    case .single(.link), .single(.key): nil
    case .single(let scalar): scalar
    default: nil
    }
  }
}

extension WriteTransaction {
  /// Gives all objects of a table values in a new column without index.
  ///
  /// - Parameter objects: All objects in ascending order.
  func fill(
    _ table: TableKey, _ column: ColumnKey, _ type: PropertyType, _ objects: [ObjectKey],
    _ values: [ColumnValue]
  ) throws(StorageError) {
    if type.collection == .none {
      let scalars = values.compactMap { $0.scalar }
      if scalars.count == values.count { return try fillColumn(table, column, scalars) }
    }
    for (object, value) in zip(objects, values) { try fill(table, column, object, value) }
  }

  private func fill(
    _ table: TableKey, _ column: ColumnKey, _ object: ObjectKey, _ value: ColumnValue
  ) throws(StorageError) {
    switch value {
    case .single(.null), .made: break
    case .single(let scalar): try set(table, object, column, scalar)
    case .nested(let mixed): try set(table, object, column, mixed: mixed)
    case .list(let values):
      for (index, value) in values.enumerated() {
        if case .scalar(let scalar) = value {
          try insert(table, object, column, at: index, scalar)
        } else {
          try insert(table, object, column, at: index, mixed: value)
        }
      }
    case .set(let values):
      for value in values { try insert(table, object, column, member: value) }
    case .map(let entries):
      for entry in entries {
        if case .scalar(let scalar) = entry.value {
          try set(table, object, column, key: entry.key, scalar)
        } else {
          try set(table, object, column, key: entry.key, mixed: entry.value)
        }
      }
    }
  }
}
