import RealmValues

/// What a row of a leaf holds while it is moved or written.
enum Cell {
  case value(ScalarValue)
  /// An element as it is stored: the ref of a collection, an entry of backlinks.
  case raw(Int64)
  /// A collection inside a mixed value: its root, 0 while it is empty, and its key in the leaf.
  case nested(isList: Bool, root: Int64, key: Int64)

  static let null = Cell.value(.null)

  /// The scalar; null for anything else.
  var scalar: ScalarValue {
    if case .value(let value) = self { value } else { .null }
  }

  /// The stored number.
  var number: Int64 {
    if case .raw(let value) = self { value } else { 0 }
  }
}

extension StorageError {
  /// A value of another type than the column or collection holds.
  static var wrongType: StorageError { .rejected(.wrongType) }
}
