import RealmStorage
import RealmValues

/// Fits values to the types of properties.
///
/// Source: object-model.md 4.6, 10.2.
enum ValueFitting {
  /// Most bytes of a text and of a binary.
  static let maximumTextByteCount = 16_777_199
  static let maximumDataByteCount = 16_777_200

  /// A value for a property, or for an element of its collection, that is neither link nor mixed.
  ///
  /// - Throws: `typeMismatch`, `propertyNotNullable`, `limitExceeded`.
  static func fit(
    _ value: InputValue, _ property: Property, _ layout: ClassLayout
  ) throws(ObjectError) -> ScalarValue {
    let scalar: ScalarValue
    var text: String?
    switch value {
    case .scalar(let value): scalar = value
    case .number(let value, let written): (scalar, text) = (value, written)
    default: throw mismatch(value, property, layout)
    }
    if case .null = scalar {
      if property.isNullable { return .null }
      throw error(
        property.collection == .dictionary ? .invalidDictionaryValue : .propertyNotNullable,
        property, layout)
    }
    if scalar.kind == property.kind {
      try check(scalar, property, layout)
      return scalar
    }
    guard let fitted = convert(scalar, text, to: property.kind) else {
      throw mismatch(value, property, layout)
    }
    return fitted
  }

  private static func error(
    _ kind: ObjectError.Kind, _ property: Property, _ layout: ClassLayout
  ) -> ObjectError {
    ObjectError(kind, className: layout.name, property: property.name)
  }

  private static func mismatch(
    _ value: InputValue, _ property: Property, _ layout: ClassLayout
  ) -> ObjectError {
    error(.typeMismatch(value.found), property, layout)
  }

  /// Whether a value has an allowed size.
  static func isShort(_ value: ScalarValue) -> Bool {
    switch value {
    case .string(let bytes): bytes.count <= maximumTextByteCount
    case .data(let bytes): bytes.count <= maximumDataByteCount
    default: true
    }
  }

  /// Checks the size of a value.
  static func check(
    _ value: ScalarValue, _ property: Property, _ layout: ClassLayout
  ) throws(ObjectError) {
    switch value {
    case .string(let bytes) where bytes.count > maximumTextByteCount:
      throw error(.limitExceeded(limit: maximumTextByteCount), property, layout)
    case .data(let bytes) where bytes.count > maximumDataByteCount:
      throw error(.limitExceeded(limit: maximumDataByteCount), property, layout)
    default: return
    }
  }

  private static func convert(
    _ value: ScalarValue, _ text: String?, to kind: ValueKind
  ) -> ScalarValue? {
    switch (kind, value) {
    case (.int, .float(let number)): Int64(exactly: number).map { .int($0) }
    case (.int, .double(let number)): Int64(exactly: number).map { .int($0) }
    case (.bool, .int(let number)) where number == 0 || number == 1: .bool(number == 1)
    case (.float, .int(let number)): .float(Float(number))
    case (.float, .double(let number)): float(number)
    case (.double, .int(let number)): .double(Double(number))
    case (.double, .float(let number)): .double(double(number, text))
    case (.decimal, .int), (.decimal, .float), (.decimal, .double): decimal(value, text)
    case (.decimal, .string(let bytes)): Decimal128(parsing: bytes).map { .decimal($0) }
    case (.uuid, .string(let bytes)): UUIDValue(hex: bytes).map { .uuid($0) }
    default: nil
    }
  }

  private static func float(_ number: Double) -> ScalarValue? {
    let rounded = Float(number)
    return rounded.isInfinite && !number.isInfinite ? nil : .float(rounded)
  }

  /// A float literal means what is written, not the nearest float.
  private static func double(_ number: Float, _ text: String?) -> Double {
    guard let text, let exact = Double(withoutSuffix(text)) else { return Double(number) }
    return exact
  }

  private static func withoutSuffix(_ text: String) -> Substring {
    text.last == "f" || text.last == "F" ? text.dropLast() : text[...]
  }

  /// A number as decimal, exactly as it is written if that is known.
  static func decimal(_ value: ScalarValue, _ text: String?) -> ScalarValue? {
    if let text {
      let isInfinite = if case .double(let number) = value { number.isInfinite } else { false }
      // The suffix of a float is no part of the number; `inf` ends in the same letter.
      let digits = isInfinite ? text[...] : withoutSuffix(text)
      if let exact = Decimal128(parsing: Array(digits.utf8)) { return .decimal(exact) }
    }
    return switch value {
    case .int(let number): .decimal(Decimal128(number))
    case .float(let number): .decimal(Decimal128(rounding: number))
    case .double(let number): .decimal(Decimal128(rounding: number))
    case .decimal: value
    default: nil
    }
  }

  /// The key of a dictionary as bytes.
  ///
  /// - Parameter isVerbatim: Whether keys that SDKs refuse are possible.
  /// - Throws: `invalidDictionaryKey`, `limitExceeded`.
  static func key(
    _ key: String, isVerbatim: Bool = false, _ property: Property, _ layout: ClassLayout
  ) throws(ObjectError) -> [UInt8] {
    let bytes = Array(key.utf8)
    guard isVerbatim || (bytes.first != UInt8(ascii: "$") && !bytes.contains(UInt8(ascii: ".")))
    else {
      throw error(.invalidDictionaryKey(key), property, layout)
    }
    guard bytes.count <= maximumTextByteCount else {
      throw error(.limitExceeded(limit: maximumTextByteCount), property, layout)
    }
    return bytes
  }
}
