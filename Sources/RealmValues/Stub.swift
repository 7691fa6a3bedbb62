public struct ObjectKey: Hashable, Comparable, Sendable {
  public var rawValue: Int64
  public init(_ r: Int64) { rawValue = r }
  public var isUnresolved: Bool { rawValue <= -2 }
  public static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.rawValue < b.rawValue }
}
public struct TableKey: Hashable, Sendable { public var rawValue: UInt32
  public init(_ r: UInt32) { rawValue = r } }
public struct ColumnAttributes: OptionSet, Sendable { public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let indexed = ColumnAttributes(rawValue: 1)
  public static let nullable = ColumnAttributes(rawValue: 16)
  public static let list = ColumnAttributes(rawValue: 32)
  public static let dictionary = ColumnAttributes(rawValue: 64)
  public static let set = ColumnAttributes(rawValue: 128)
  public static let fullText = ColumnAttributes(rawValue: 256)
}
public struct ColumnKey: Hashable, Sendable { public var rawValue: UInt64
  public init(_ r: UInt64) { rawValue = r }
  public var index: Int { Int(rawValue & 0xFFFF) }
  public var typeNumber: Int { Int(rawValue >> 16 & 63) }
  public var attributes: ColumnAttributes { ColumnAttributes(rawValue: UInt32(rawValue >> 22 & 255)) }
}
public enum ValueKind: UInt8, Sendable { case int = 0, bool = 1, string = 2, data = 4, mixed = 6, date = 8, float = 9, double = 10, decimal = 11, link = 12, objectID = 15, typedLink = 16, uuid = 17 }
public struct Timestamp: Sendable { public var seconds: Int64; public var nanoseconds: Int32
  public init(seconds: Int64, nanoseconds: Int32) { self.seconds = seconds; self.nanoseconds = nanoseconds } }
public struct ObjectID: Sendable { public init(_ p: UnsafeRawPointer) {} }
public struct UUIDValue: Sendable { public init(_ p: UnsafeRawPointer) {} }
public struct Decimal128: Sendable { public init(bid32: UInt32) {}; public init(bid64: UInt64) {}; public init(low: UInt64, high: UInt64) {}; public init(_ i: Int64) {}; public var isNull: Bool { false } }
public enum ScalarValue: Sendable { case null, bool(Bool), int(Int64), float(Float), double(Double), decimal(Decimal128), string([UInt8]), data([UInt8]), date(Timestamp), objectID(ObjectID), uuid(UUIDValue), link(TableKey, ObjectKey), key(ObjectKey)
  public func totalOrder(_ o: ScalarValue) -> Int { 0 } }
extension ValueKind { public var name: String { "\(self)" } }
