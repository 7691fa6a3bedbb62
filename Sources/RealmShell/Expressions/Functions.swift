import ByteKernels
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmValues

/// The functions of expressions.
///
/// Source: shell.md 11.
enum Functions {
  /// Calls a function of `Grammar.functions` with as many arguments as it needs.
  static func call(
    _ name: String, _ values: [ShellValue], at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    switch name {
    case "type": return .scalar(.string(Array(typeName(values[0]).utf8)))
    case "now": return .scalar(.date(Timestamp.now()))
    case "uuid": return .scalar(.uuid(UUIDValue.random()))
    case "oid": return .scalar(.objectID(ObjectID.generate()))
    case "count", "first", "last", "keys", "values":
      return try collection(name, values[0], at: range)
    case "index": return try position(of: values[1], in: values[0], at: range)
    default: break
    }
    if values.contains(where: \.isNull) { return .null }
    switch name {
    case "upper", "lower", "trim", "length", "substr", "replace", "split", "join":
      return try text(name, values, at: range)
    case "abs", "round", "floor", "ceil": return try rounding(name, values[0], at: range)
    case "year", "month", "day": return try part(name, values[0], at: range)
    case "env":
      let name = String(decoding: try string(values[0], range), as: UTF8.self)
      return .scalar(environment(name).map { .string(Array($0.utf8)) } ?? .null)
    case "file":
      let path = String(decoding: try string(values[0], range), as: UTF8.self)
      return .scalar(.data(try TextFile.read(path, shownAs: path, at: range)))
    default: return .scalar(try Conversion.convert(values[0], to: name, at: range))
    }
  }

  static func typeName(_ value: ShellValue) -> String {
    switch value {
    case .scalar(let scalar): scalar.kind?.name ?? "null"
    case .object(let objectClass, _): objectClass.name
    case .list, .results: "list"
    case .dictionary, .record: "dictionary"
    case .reference: "reference"
    }
  }

  private static func string(
    _ value: ShellValue, _ range: SourceRange
  ) throws(ShellError) -> [UInt8] {
    guard case .scalar(.string(let bytes)) = value else {
      throw ShellError(.typeMismatch, "a string is needed, this is \(value.kindText)", at: range)
    }
    return bytes
  }

  private static func int(_ value: ShellValue, _ range: SourceRange) throws(ShellError) -> Int {
    guard case .scalar(.int(let number)) = value else {
      throw ShellError(.typeMismatch, "an int is needed, this is \(value.kindText)", at: range)
    }
    return Int(number)
  }

  // MARK: Text

  private static func text(
    _ name: String, _ values: [ShellValue], at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    func result(_ text: some StringProtocol) -> ShellValue { .scalar(.string(Array(text.utf8))) }
    if name == "join" {
      guard let members = values[0].members else {
        throw ShellError(
          .typeMismatch, "a list is needed, this is \(values[0].kindText)", at: range)
      }
      var parts: [String] = []
      for member in members where !member.isNull {
        parts.append(String(decoding: try string(member, range), as: UTF8.self))
      }
      return result(
        parts.joined(separator: String(decoding: try string(values[1], range), as: UTF8.self)))
    }
    let text = String(decoding: try string(values[0], range), as: UTF8.self)
    switch name {
    case "upper": return result(text.uppercased())
    case "lower": return result(text.lowercased())
    case "trim":
      let start = text.drop { $0.isWhitespace }
      let rest = start.reversed().drop { $0.isWhitespace }
      return result(String(rest.reversed()))
    case "length": return .scalar(.int(Int64(text.count)))
    case "substr":
      let from = max(0, try int(values[1], range))
      let count = values.count > 2 ? max(0, try int(values[2], range)) : Int.max
      return result(String(text.dropFirst(from).prefix(count)))
    case "replace":
      let old = String(decoding: try string(values[1], range), as: UTF8.self)
      let new = String(decoding: try string(values[2], range), as: UTF8.self)
      return old.isEmpty ? result(text) : result(text.replacing(old, with: new))
    default:
      let separator = String(decoding: try string(values[1], range), as: UTF8.self)
      if separator.isEmpty { return .list(text.map { result(String($0)) }) }
      return .list(text.pieces(separatedBy: separator).map(result))
    }
  }

  // MARK: Numbers and dates

  private static func rounding(
    _ name: String, _ value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    guard case .scalar(let scalar) = value, scalar.isNumeric else {
      throw ShellError(.typeMismatch, "a number is needed, this is \(value.kindText)", at: range)
    }
    func rounded(_ number: Double) -> Double {
      switch name {
      case "abs": number.magnitude
      case "round": number.rounded()
      case "floor": number.rounded(.down)
      default: number.rounded(.up)
      }
    }
    switch scalar {
    case .int(let number):
      guard name != "abs" || number != .min else {
        throw ShellError(.arithmetic, "the result does not fit an int", at: range)
      }
      return .scalar(.int(name == "abs" ? abs(number) : number))
    case .double(let number): return .scalar(.double(rounded(number)))
    case .float(let number): return .scalar(.float(Float(rounded(Double(number)))))
    case .decimal(let number) where name == "abs":
      return .scalar(.decimal(number < Decimal128(0) ? Decimal128(0) - number : number))
    default:
      guard let number = Arithmetic.double(scalar) else { return .null }
      return .scalar(.decimal(Decimal128(rounding: rounded(number))))
    }
  }

  private static func part(
    _ name: String, _ value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    guard case .scalar(.date(let date)) = value else {
      throw ShellError(.typeMismatch, "a date is needed, this is \(value.kindText)", at: range)
    }
    // The printed form is YYYY-MM-DDT…, with a sign and more digits for far years.
    let day = date.description.prefix { $0 != "T" }
    let parts = day.dropFirst().split(separator: "-")
    let year = Int64(day.prefix(1) + (parts.first ?? "")) ?? 0
    let month = parts.count > 1 ? Int64(parts[1]) : nil
    let dayOfMonth = parts.count > 2 ? Int64(parts[2]) : nil
    let number = name == "year" ? year : name == "month" ? month ?? 0 : dayOfMonth ?? 0
    return .scalar(.int(number))
  }

  // MARK: Collections

  private static func collection(
    _ name: String, _ value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    if value.isNull { return .null }
    if name == "keys" {
      if case .results(let results) = value, let sections = results.sections {
        return .list(sections.keys)
      }
      guard case .dictionary(let entries) = value else {
        throw ShellError(
          .typeMismatch, "a dictionary is needed, this is \(value.kindText)", at: range)
      }
      return .list(entries.map { .scalar(.string($0.key)) })
    }
    if name == "count", let count = value.memberCount { return .scalar(.int(Int64(count))) }
    let members = try members(of: value, at: range)
    switch name {
    case "first": return members.first ?? .null
    case "last": return members.last ?? .null
    default: return .list(members)
    }
  }

  private static func members(
    of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> [ShellValue] {
    guard let members = value.members else {
      throw ShellError(
        .typeMismatch, "a collection is needed, this is \(value.kindText)", at: range)
    }
    return members
  }

  /// The position of a member; null if it is not in the collection. Source: object-model.md 5.1.
  private static func position(
    of member: ShellValue, in value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    if value.isNull { return .null }
    if case .object(let objectClass, _) = member, let other = value.memberClass,
      other.base !== objectClass.base
    {
      throw ShellError(
        .objectTypeMismatch, "the members are \(other.name), this is a \(objectClass.name)",
        at: range)
    }
    let position = try members(of: value, at: range).firstIndex {
      Comparisons.areEqual($0, member)
    }
    return position.map { .scalar(.int(Int64($0))) } ?? .null
  }

  /// `@count`, `@min`, `@max`, `@sum`, `@avg` of a collection.
  ///
  /// Source: object-model.md 5.7.
  static func aggregate(
    _ aggregate: PathAggregate, _ value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    if aggregate == .count {
      if case .scalar(.string(let bytes)) = value { return .scalar(.int(Int64(bytes.count))) }
      return try collection("count", value, at: range)
    }
    var scalars: [ScalarValue] = []
    for member in try members(of: value, at: range) {
      guard case .scalar(let scalar) = member else {
        throw ShellError(
          .typeMismatch, "\(member.kindText) cannot be aggregated", at: range)
      }
      scalars.append(scalar)
    }
    if aggregate == .sum || aggregate == .average, !scalars.contains(where: \.isNumeric),
      let other = scalars.compactMap(\.kind).first
    {
      throw ShellError(
        .illegalOperation, "\(ShellValue.kindText(of: other)) cannot be added up", at: range)
    }
    let result =
      switch aggregate {
      case .min: Aggregate.minimum(of: scalars)
      case .max: Aggregate.maximum(of: scalars)
      case .average: Aggregate.average(of: scalars)
      case .sum, .count: Aggregate.sum(of: scalars)
      }
    return .scalar(result)
  }
}

/// The conversion functions: `int`, `double`, `float`, `decimal`, `string`, `bool`, `date`, `data`.
enum Conversion {
  static func convert(
    _ value: ShellValue, to name: String, at range: SourceRange
  ) throws(ShellError) -> ScalarValue {
    guard case .scalar(let scalar) = value, let result = converted(scalar, to: name) else {
      let text =
        if case .scalar(.string(let bytes)) = value {
          "\"" + String(decoding: bytes, as: UTF8.self) + "\""
        } else { value.kindText }
      throw ShellError(.conversion, "\(text) cannot be converted by \(name)()", at: range)
    }
    return result
  }

  private static func converted(_ value: ScalarValue, to name: String) -> ScalarValue? {
    switch name {
    case "int": return int(value).map { .int($0) }
    case "double": return double(value).map { .double($0) }
    case "float": return double(value).map { .float(Float($0)) }
    case "decimal":
      if case .string(let text) = value { return Decimal128(parsing: text).map { .decimal($0) } }
      return Arithmetic.decimal(value).map { .decimal($0) }
    case "string": return text(value).map { .string($0) }
    case "bool": return bool(value).map { .bool($0) }
    case "date":
      switch value {
      case .date: return value
      case .string(let text): return Timestamp(parsing: text).map { .date($0) }
      case .int(let seconds): return .date(Timestamp(seconds: seconds, nanoseconds: 0))
      default: return nil
      }
    case "data":
      switch value {
      case .data: return value
      case .string(let bytes): return .data(bytes)
      default: return nil
      }
    default: return nil
    }
  }

  private static func int(_ value: ScalarValue) -> Int64? {
    switch value {
    case .int(let number): return number
    case .bool(let flag): return flag ? 1 : 0
    case .string(let text): return text.withUnsafeBytes { parseInt($0) }
    case .date(let date): return date.seconds
    default: return Arithmetic.double(value).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }
  }

  private static func double(_ value: ScalarValue) -> Double? {
    if case .string(let text) = value { return text.withUnsafeBytes { parseDouble($0) } }
    return Arithmetic.double(value)
  }

  private static func bool(_ value: ScalarValue) -> Bool? {
    switch value {
    case .bool(let flag): return flag
    case .int(let number): return number != 0
    case .string(let text):
      return switch String(decoding: text, as: UTF8.self).lowercased() {
      case "true": true
      case "false": false
      default: nil
      }
    default: return nil
    }
  }

  private static func text(_ value: ScalarValue) -> [UInt8]? {
    if case .string(let bytes) = value { return bytes }
    if case .data(let bytes) = value {
      return bytes.withUnsafeBytes { firstInvalidUTF8(in: $0) } == nil ? bytes : nil
    }
    return Array(CanonicalText.string(value, inMixed: false).utf8)
  }
}
