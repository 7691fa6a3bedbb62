import Glibc
import RealmValues

extension StoredValue {
  /// Compares bytes as unsigned numbers, the shorter first on a tie.
  @inline(__always)
  public static func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    if common > 0, let p = a.baseAddress, let q = b.baseAddress {
      let order = Int(memcmp(p, q, common))
      if order != 0 { return order }
    }
    return a.count - b.count
  }

  /// The order of mixed values, for sorting; below 0 if `a` comes first.
  ///
  /// Source: query-language.md 4.
  public static func totalOrder(_ a: StoredValue, _ b: StoredValue) -> Int {
    switch (a, b) {
    case (.string(let x), .string(let y)), (.data(let x), .data(let y)): compareBytes(x, y)
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
