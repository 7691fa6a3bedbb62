import RealmStorage
import RealmValues

/// A value as two numbers that compare in its order, or tell nothing: rank, then prefix.
struct SortCode {
  /// Place of the kinds of values, ascending. Objects behind a null link come last.
  enum Rank {
    static let null: UInt8 = 1
    static let notANumber: UInt8 = 2
    static let value: UInt8 = 3
    static let unreachable: UInt8 = 9
  }

  let rank: UInt8
  let prefix: UInt64

  @inline(__always)
  init(rank: UInt8, prefix: UInt64) {
    self.rank = rank
    self.prefix = prefix
  }

  static var null: SortCode { SortCode(rank: Rank.null, prefix: 0) }

  /// A signed number as an unsigned one of the same order.
  @inline(__always)
  init(_ number: Int64) {
    self.init(rank: Rank.value, prefix: UInt64(bitPattern: number) ^ 1 &<< 63)
  }

  @inline(__always)
  init(_ number: Double) {
    if number.isNaN {
      self.init(rank: Rank.notANumber, prefix: number.bitPattern)
    } else {
      // Adding 0 makes one zero of both.
      let bits = (number + 0).bitPattern
      self.init(rank: Rank.value, prefix: bits &>> 63 == 0 ? bits | 1 &<< 63 : ~bits)
    }
  }

  @inline(__always)
  init(_ text: UnsafeRawBufferPointer) {
    self.init(rank: Rank.value, prefix: SortColumn.word(text, at: 0))
  }

  /// The code of an int, double, text or date; that of null for other values.
  init(_ value: StoredValue) {
    switch value {
    case .int(let number): self.init(number)
    case .double(let number): self.init(number)
    case .string(let text): self.init(text)
    case .date(let date): self.init(date.seconds)
    default: self = .null
    }
  }
}
