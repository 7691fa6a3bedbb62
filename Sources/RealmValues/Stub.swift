public enum ScalarValue: Sendable { case null, bool(Bool), int(Int64), float(Float), double(Double), decimal(Decimal128), string([UInt8]), data([UInt8]), date(Timestamp), objectID(ObjectID), uuid(UUIDValue), link(TableKey, ObjectKey), key(ObjectKey)
  public func totalOrder(_ o: ScalarValue) -> Int { 0 } }
extension ValueKind { public var name: String { "\(self)" } }
