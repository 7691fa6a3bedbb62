import ByteKernels
import Glibc
import RealmObjects
import RealmStorage
import RealmValues

/// Records that are objects of JSON.
extension RecordImporter {
  /// Gives a new object the values of a record; false if that takes a plan.
  func giveMembers(of record: ImportRecord) throws(RecordFailure) -> Bool {
    var cursor = JSONCursor(record.bytes, scratch: reader.scratch)
    var isPlain = true
    try forEachMember(&cursor) { (cursor, number) throws(RecordFailure) in
      isPlain = try give(&cursor, layout.columns[number])
      return isPlain
    }
    return isPlain
  }

  /// The values of the columns of a record.
  func memberValues(
    of record: ImportRecord, roots: [Int]?
  ) throws(RecordFailure) -> [InputValue?] {
    var values = [InputValue?](repeating: nil, count: layout.columns.count)
    var cursor = JSONCursor(record.bytes, scratch: reader.scratch)
    try forEachMember(&cursor) { (cursor, number) throws(RecordFailure) in
      let column = layout.columns[number]
      let start = cursor.place
      guard roots?.contains(column.root) ?? true else {
        do throws(ImportProblem) { _ = try cursor.skip() } catch { throw .problem(error) }
        return true
      }
      reader.hasOpenLinks = false
      values[number] = try reader.value(&cursor, column.property, of: column.owner)
      ranges[number] = start..<cursor.place
      if reader.hasOpenLinks, !openRoots.contains(column.root) { openRoots.append(column.root) }
      if case .scalar(.null)? = values[number] {
        try checkNull(column, ranges[number])
      }
      return true
    }
    return values
  }

  private func checkNull(_ column: ImportColumn, _ range: Range<Int>) throws(RecordFailure) {
    let property = column.property
    guard
      property.isNullable || property.collection != .none || property.kind == .mixed
        || property.kind == .link || column.path.count > 1
    else { throw nullFailure(column, range) }
  }

  /// Calls a body for each member of the object, with its column and in front of its value.
  ///
  /// - Parameter body: Reads the value; returns whether to go on.
  private func forEachMember(
    _ cursor: inout JSONCursor,
    _ body: (inout JSONCursor, Int) throws(RecordFailure) -> Bool
  ) throws(RecordFailure) {
    do throws(ImportProblem) {
      guard cursor.take(UInt8(ascii: "{")) else { throw cursor.unexpected("expected an object") }
      if cursor.take(UInt8(ascii: "}")) { return try cursor.requireEnd() }
    } catch {
      throw .problem(error)
    }
    var guess = 0
    repeat {
      let number = try column(&cursor, guess)
      guard number >= 0 else {
        do throws(ImportProblem) { _ = try cursor.skip() } catch { throw .problem(error) }
        continue
      }
      guess = number + 1
      guard stamps[number] != stamp else {
        throw RecordFailure(
          .importFailed, "\(layout.columns[number].label) is given twice", at: ranges[number])
      }
      stamps[number] = stamp
      guard try body(&cursor, number) else { return }
    } while cursor.take(UInt8(ascii: ","))
    do throws(ImportProblem) {
      try cursor.require("}")
      try cursor.requireEnd()
    } catch {
      throw .problem(error)
    }
  }

  /// Takes a key and its colon.
  ///
  /// - Parameter guess: The column that is most likely.
  /// - Returns: its column, whose range is that of the key; negative if it is left out.
  private func column(
    _ cursor: inout JSONCursor, _ guess: Int
  ) throws(RecordFailure) -> Int {
    let number: Int
    do throws(ImportProblem) {
      guard cursor.next() == 0x22 else { throw cursor.unexpected("expected a key in quotes") }
      let start = cursor.place
      let key = try cursor.string()
      let range = start..<cursor.place
      if guess < names.count, Self.areEqual(key, names[guess]) {
        number = guess
      } else if let known = columnOfName[[UInt8](key)] {
        number = known
      } else {
        let name = String(decoding: key, as: UTF8.self)
        guard
          case .problem(var problem) = ImportValueReader.unknown(
            name, in: objectClass, at: range)
        else { return ImportMatching.leftOut }
        problem.remedy = "to leave it out: map (\(quotedName(name)) -> none)"
        throw problem
      }
      if number >= 0 { ranges[number] = range }
      try cursor.require(":")
      _ = cursor.next()
    } catch {
      throw .problem(error)
    }
    return number
  }

  @inline(__always)
  private static func areEqual(_ text: UnsafeRawBufferPointer, _ name: [UInt8]) -> Bool {
    guard text.count == name.count else { return false }
    for i in 0..<text.count where text[i] != name[i] { return false }
    return true
  }

  /// Gives a value; false if that takes a plan.
  private func give(
    _ cursor: inout JSONCursor, _ column: ImportColumn
  ) throws(RecordFailure) -> Bool {
    let start = cursor.place
    let first = cursor.next()
    switch column.role {
    case .plain(.string) where first == 0x22:
      let text: UnsafeRawBufferPointer
      do throws(ImportProblem) { text = try cursor.string() } catch { throw .problem(error) }
      try set(column, bytes: text, at: start..<cursor.place)
      return true
    case .plain(.int) where first != UInt8(ascii: "n") && first != UInt8(ascii: "{"):
      var ahead = cursor
      if case .number = try kind(&ahead),
        let value = parseInt(ahead.bytes(try reader.number(&ahead).range))
      {
        cursor = ahead
        try set(column, .int(value), at: start..<cursor.place)
        return true
      }
    case .other:
      guard column.path.count == 1 else { return false }
      if first == UInt8(ascii: "n") { break }
      guard column.property.collection != .none else { return false }
      // Of an empty collection there is nothing to set.
      var ahead = cursor
      let isEmpty =
        column.property.collection == .dictionary
        ? ahead.take(UInt8(ascii: "{")) && ahead.take(UInt8(ascii: "}"))
        : ahead.take(UInt8(ascii: "[")) && ahead.take(UInt8(ascii: "]"))
      if isEmpty { cursor = ahead }
      return isEmpty
    default: break
    }
    reader.hasOpenLinks = false
    let value = try reader.value(&cursor, column.property, of: column.owner)
    if case .scalar(.null) = value, !reader.hasOpenLinks {
      try checkNull(column, start..<cursor.place)
    }
    return try set(column, value, at: start..<cursor.place)
  }

  private func kind(_ cursor: inout JSONCursor) throws(RecordFailure) -> JSONCursor.Kind {
    do throws(ImportProblem) { return try cursor.kind() } catch { throw .problem(error) }
  }
}
