import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Records of fields between commas or tabs.
extension RecordImporter {
  /// Gives a new object the values of a record; false if that takes a plan.
  func giveFields(of record: ImportRecord) throws(RecordFailure) -> Bool {
    try checkCount(record)
    let text = records.fields
    for number in columnOfField.indices {
      let columnNumber = columnOfField[number]
      if columnNumber < 0 { continue }
      let column = layout.columns[columnNumber]
      let field = text.fields[number]
      let value = text.text(of: field, in: record.bytes)
      if isNull(value, field, column, record) {
        if try giveNull(column, value, field) { continue }
        return false
      }
      guard try give(value, column, field, record) else { return false }
    }
    return true
  }

  private func checkCount(_ record: ImportRecord) throws(RecordFailure) {
    let (found, needed) = (records.fields.fields.count, columnOfField.count)
    if found == needed { return }
    let fields = counted(found, "field", "fields")
    let place: Range<Int>
    if found > needed {
      let last = records.fields.fields[found - 1]
      place = records.fields.fields[needed].start..<last.end
    } else {
      place = record.bytes.count..<record.bytes.count
    }
    throw RecordFailure(
      .importFailed, "the line has \(fields) instead of \(grouped(needed))", at: place)
  }

  /// Whether a field stands for null or, if that is not allowed, for the empty text.
  @inline(__always)
  private func isNull(
    _ value: UnsafeRawBufferPointer, _ field: DelimitedText.Field, _ column: ImportColumn,
    _ record: ImportRecord
  ) -> Bool {
    if field.isQuoted { return false }
    // Between tabs null is `\N`, and the empty text may be a primary key.
    if value.isEmpty { return records.fields.hasQuotes || !column.hasTextKey }
    return value.count == 2 && isNullMark(field, record) || isNullText(value)
  }

  /// `\N` between tabs.
  private func isNullMark(_ field: DelimitedText.Field, _ record: ImportRecord) -> Bool {
    !records.fields.hasQuotes && field.end - field.start == 2
      && record.bytes[field.start] == 0x5C
      && record.bytes[field.start + 1] == UInt8(ascii: "N")
  }

  private func isNullText(_ value: UnsafeRawBufferPointer) -> Bool {
    guard let nullText else { return false }
    return value.count == nullText.count && value.elementsEqual(nullText)
  }

  /// Whether the empty field is a text of a column: between tabs, where null is written `\N`, and
  /// where null is not allowed.
  private func isEmptyText(_ column: ImportColumn, _ value: UnsafeRawBufferPointer) -> Bool {
    let property = column.property
    guard value.isEmpty, property.collection == .none else { return false }
    guard property.kind == .string || property.kind == .data else { return false }
    return !records.fields.hasQuotes || !property.isNullable
  }

  /// Gives null; false if that takes a plan.
  private func giveNull(
    _ column: ImportColumn, _ value: UnsafeRawBufferPointer, _ field: DelimitedText.Field
  ) throws(RecordFailure) -> Bool {
    guard column.path.count == 1 else { return false }
    if isEmptyText(column, value) {
      try set(column, bytes: value, at: field.range)
      return true
    }
    let property = column.property
    guard
      property.isNullable || property.collection != .none || property.kind == .mixed
        || property.kind == .link
    else { throw nullFailure(column, field.range) }
    // A default is for what is not given.
    return true
  }

  /// Gives a value that is not null; false if that takes a plan.
  @inline(__always)
  private func give(
    _ value: UnsafeRawBufferPointer, _ column: ImportColumn, _ field: DelimitedText.Field,
    _ record: ImportRecord
  ) throws(RecordFailure) -> Bool {
    switch column.role {
    case .plain(.string):
      try set(column, bytes: value, at: field.range)
      return true
    case .plain(.int):
      if let number = parseInt(value) {
        try set(column, .int(number), at: field.range)
        return true
      }
    case .plain(.double):
      if let number = FieldText.double(value) {
        try set(column, .double(number), at: field.range)
        return true
      }
    case .other:
      // Of an empty collection there is nothing to set.
      guard value.count == 2, column.path.count == 1 else { return false }
      switch column.property.collection {
      case .none: return false
      case .dictionary: return value[0] == UInt8(ascii: "{") && value[1] == UInt8(ascii: "}")
      case .list, .set: return value[0] == UInt8(ascii: "[") && value[1] == UInt8(ascii: "]")
      }
    default: break
    }
    return try set(column, read(value, column, field, record), at: field.range)
  }

  /// The value of a field that is not null.
  private func read(
    _ value: UnsafeRawBufferPointer, _ column: ImportColumn, _ field: DelimitedText.Field,
    _ record: ImportRecord
  ) throws(RecordFailure) -> InputValue {
    do throws(RecordFailure) {
      return try reader.value(ofField: value, column.property, of: column.owner)
    } catch {
      guard case .problem(let problem) = error else { throw error }
      let isWhole = problem.range == 0..<value.count
      // Quotes and escapes move what is inside of the field.
      throw error.moved(
        to: isWhole
          ? field.range : records.fields.range(of: problem.range, in: field, of: record.bytes))
    }
  }

  /// The values of the columns of a record.
  func fieldValues(
    of record: ImportRecord, roots: [Int]?
  ) throws(RecordFailure) -> [InputValue?] {
    try checkCount(record)
    var values = [InputValue?](repeating: nil, count: layout.columns.count)
    let text = records.fields
    for number in columnOfField.indices {
      let columnNumber = columnOfField[number]
      if columnNumber < 0 { continue }
      let column = layout.columns[columnNumber]
      guard roots?.contains(column.root) ?? true else { continue }
      let field = text.fields[number]
      ranges[columnNumber] = field.range
      let value = text.text(of: field, in: record.bytes)
      if isNull(value, field, column, record) {
        values[columnNumber] = try nullValue(column, value, field)
        continue
      }
      reader.hasOpenLinks = false
      values[columnNumber] = try read(value, column, field, record)
      if reader.hasOpenLinks, !openRoots.contains(column.root) { openRoots.append(column.root) }
    }
    return values
  }

  private func nullValue(
    _ column: ImportColumn, _ value: UnsafeRawBufferPointer, _ field: DelimitedText.Field
  ) throws(RecordFailure) -> InputValue {
    if isEmptyText(column, value) {
      return .scalar(column.property.kind == .data ? .data([]) : .string([]))
    }
    let property = column.property
    let allowsNull =
      property.isNullable || property.collection != .none || property.kind == .mixed
      || property.kind == .link
    // The parts of an embedded object may be missing as a whole.
    guard allowsNull || column.path.count > 1 else { throw nullFailure(column, field.range) }
    return .null
  }
}
