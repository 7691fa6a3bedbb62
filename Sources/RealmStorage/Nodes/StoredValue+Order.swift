import RealmValues

extension StoredValue {
  /// The order of mixed values, for sorting; below 0 if `a` comes first.
  ///
  /// Source: query-language.md 4.
  public static func totalOrder(_ a: StoredValue, _ b: StoredValue) -> Int {
    switch (a, b) {
    case (.string(let x), .string(let y)), (.data(let x), .data(let y)): ScalarValue.compare(x, y)
    default:
      if let x = a.scalar, let y = b.scalar { x.totalOrder(y) } else { a.rank - b.rank }
    }
  }

  /// Rank of the kinds of values, collections last.
  private var rank: Int {
    switch self {
    case .list: 1
    case .dictionary: 2
    default: 0
    }
  }
}
