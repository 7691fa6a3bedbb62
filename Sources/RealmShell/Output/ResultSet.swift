import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// One column of a result.
struct ResultColumn {
  /// Where the values of a column come from.
  enum Source {
    /// A stored property; the index among the properties that the reader reads.
    case property(Property, reader: Int)
    /// The objects that link to the object.
    case inverse(ObjectClass.Inverse)
    /// The owner of an embedded object.
    case owner
    /// An expression.
    case expression(Expression)
    /// A path whose objects are shown with chosen columns.
    case shape(PathExpression, Shape)
    /// The key of the section of the object.
    case section
    /// What the row itself holds.
    case row
  }

  let title: String
  let source: Source
  /// Whether the schema leaves the type open, so that texts have to tell it.
  let isMixed: Bool
  /// Whether it holds single numbers, which are aligned to the right.
  let isNumeric: Bool

  /// Whether it shows what is stored in the object itself.
  var isStored: Bool {
    switch source {
    case .inverse, .owner, .section, .row: false
    case .property, .expression, .shape: true
    }
  }
}

/// The columns of a shape, made once for each class that its path leads to.
final class Shape {
  private let requested: [Column]
  private var results: [TableKey: ResultSet] = [:]

  init(_ requested: [Column]) { self.requested = requested }

  /// A result that can be moved to any object of the class.
  func result(
    of objectClass: ObjectClass, _ evaluator: Evaluator
  ) throws(ShellError) -> ResultSet {
    if let known = results[objectClass.table.key] { return known }
    let columns = try ColumnMaker.columns(requested, of: objectClass, evaluator: evaluator)
    let result = ResultSet(objectClass, [], columns: columns, evaluator: evaluator)
    results[objectClass.table.key] = result
    return result
  }
}

/// Rows with columns, which can be printed.
protocol RowSource: AnyObject {
  var schema: Schema { get }
  var columns: [ResultColumn] { get }
  var rowCount: Int { get }
  /// The file, for errors.
  var path: String { get }

  /// Moves to a row; false if its object is gone.
  func move(toRow row: Int) throws(StorageError) -> Bool
  /// The value of the i-th column of the present row if it is a stored property.
  func storedValue(_ i: Int) throws(StorageError) -> StoredValue?
  /// The value of the i-th column of the present row.
  func cell(_ i: Int) throws(ShellError) -> ResultCell
  /// The object that a row shows; nil if it shows none.
  func object(ofRow row: Int) -> (objectClass: ObjectClass, key: ObjectKey)?
  /// How many objects the value of the i-th column of the present row has left out.
  func omittedCount(_ i: Int) throws(StorageError) -> Int
}

extension RowSource {
  func omittedCount(_ i: Int) throws(StorageError) -> Int { 0 }
}

/// The value of a column of a row.
enum ResultCell {
  case stored(StoredValue)
  case value(ShellValue)
}

/// Rows of values that were computed: what `aggregate` gives.
final class ValueTable: RowSource {
  let schema: Schema
  let columns: [ResultColumn]
  let path: String
  /// For each row the values of its columns.
  let rows: [[ShellValue]]
  private var row = 0

  init(_ rows: [[ShellValue]], columns: [ResultColumn], schema: Schema, path: String) {
    self.rows = rows
    self.columns = columns
    self.schema = schema
    self.path = path
  }

  var rowCount: Int { rows.count }

  func move(toRow row: Int) -> Bool {
    self.row = row
    return true
  }

  func storedValue(_ i: Int) -> StoredValue? { nil }
  func cell(_ i: Int) -> ResultCell { .value(rows[row][i]) }
  func object(ofRow row: Int) -> (objectClass: ObjectClass, key: ObjectKey)? { nil }
}

/// The parts of a result whose objects have a key in common.
struct ResultSections {
  /// A column with the keys.
  let column: ResultColumn
  let keys: [ShellValue]
  /// For each key the rows of its objects.
  let rows: [Range<Int>]

  var count: Int { keys.count }
}

/// The objects of a query with the columns to show.
final class ResultSet: RowSource {
  let schema: Schema
  let objectClass: ObjectClass
  /// The objects in order.
  let keys: [ObjectKey]
  let columns: [ResultColumn]
  /// The parts of the result; nil if it is not divided.
  let sections: ResultSections?
  /// Evaluates the columns that are expressions.
  let evaluator: Evaluator
  private let reader: ObjectReader
  /// For each column its index in the reader; -1 for columns that are no stored properties.
  private let readerIndexes: [Int]
  private var row = 0
  /// Objects that link to the object which are shown; nil for all.
  var inverseLimit: Int?
  /// The section looked at last.
  private var section = 0

  init(
    _ objectClass: ObjectClass, _ keys: [ObjectKey], sections: ResultSections? = nil,
    columns: [ResultColumn], evaluator: Evaluator
  ) {
    self.objectClass = objectClass
    self.keys = keys
    self.sections = sections
    self.columns = columns
    self.evaluator = evaluator
    schema = evaluator.schema
    let positions = columns.compactMap { column -> Int? in
      guard case .property(let property, _) = column.source else { return nil }
      return property.position
    }
    reader = ObjectReader(objectClass.table, columns: positions)
    readerIndexes = columns.map { column in
      guard case .property(_, let index) = column.source else { return -1 }
      return index
    }
  }

  /// Moves to an object; false if it is gone.
  func move(to key: ObjectKey) throws(StorageError) -> Bool { try reader.move(to: key) }

  var rowCount: Int { keys.count }
  var path: String { evaluator.path }

  func move(toRow row: Int) throws(StorageError) -> Bool {
    self.row = row
    return try reader.move(to: keys[row])
  }

  func object(ofRow row: Int) -> (objectClass: ObjectClass, key: ObjectKey)? {
    (objectClass, keys[row])
  }

  /// The value of the i-th column if it is a stored property, which most columns are.
  @inline(__always)
  func storedValue(_ i: Int) throws(StorageError) -> StoredValue? {
    let index = readerIndexes[i]
    return index < 0 ? nil : try reader.value(index)
  }

  func cell(_ i: Int) throws(ShellError) -> ResultCell {
    let column = columns[i]
    do throws(StorageError) {
      switch column.source {
      case .property(_, let index): return .stored(try reader.value(index))
      case .inverse(let inverse): return .value(try origins(inverse, limit: inverseLimit))
      case .owner: return .value(try owner())
      case .section: return .value(presentSectionKey())
      case .expression, .shape, .row: break
      }
    } catch {
      throw StorageMessages.error(error, path: path)
    }
    do throws(ShellError) {
      let row = ShellValue.object(objectClass, reader.key)
      switch column.source {
      case .expression(let expression):
        return .value(try evaluator.value(of: expression, row: row))
      case .shape(let path, let shape): return .value(try evaluator.shape(path, shape, row: row))
      case .property, .inverse, .owner, .section, .row: return .value(.null)
      }
    } catch {
      throw naming(reader.key, in: error)
    }
  }

  /// Names the object in errors that depend on its values.
  private func naming(_ key: ObjectKey, in error: ShellError) -> ShellError {
    guard error.name == .arithmetic || error.name == .conversion else { return error }
    let memory = ByteWriter()
    guard (try? ValueWriter(schema, to: memory).name(of: key, in: objectClass)) != nil else {
      return error
    }
    var named = error
    named.message += " in " + String(decoding: memory.takeBytes(), as: UTF8.self)
    return named
  }

  // MARK: Sections

  /// The key of the section of the present row.
  private func presentSectionKey() -> ShellValue {
    guard let sections else { return .null }
    // Rows come one after the other, most of them in the same section as the one before.
    if section >= sections.count || row < sections.rows[section].lowerBound { section = 0 }
    while section < sections.count, row >= sections.rows[section].upperBound { section += 1 }
    return section < sections.count ? sections.keys[section] : .null
  }

  /// A section as a result of its own.
  func section(at i: Int) -> ResultSet? {
    guard let sections, i >= 0, i < sections.count else { return nil }
    return ResultSet(
      objectClass, Array(keys[sections.rows[i]]), columns: columns, evaluator: evaluator)
  }

  /// The section with a key; nil if there is none.
  func section(with key: ShellValue) -> ResultSet? {
    sections?.keys.firstIndex { Comparisons.areEqual($0, key) }.flatMap { section(at: $0) }
  }

  private func origins(
    _ inverse: ObjectClass.Inverse, limit: Int? = nil
  ) throws(StorageError) -> ShellValue {
    guard let origin = schema.objectClass(inverse.backlink.originTable) else { return .list([]) }
    var members: [ShellValue] = []
    let row = reader.storedRow
    try objectClass.table.forEachBacklink(inverse.backlink, to: row) { (key) throws(StorageError) in
      if members.count < limit ?? .max { members.append(.object(origin, key)) }
    }
    return .list(members)
  }

  func omittedCount(_ i: Int) throws(StorageError) -> Int {
    guard let inverseLimit, case .inverse(let inverse) = columns[i].source else { return 0 }
    return max(
      0, try objectClass.table.backlinkCount(inverse.backlink, to: reader.storedRow) - inverseLimit)
  }

  private func owner() throws(StorageError) -> ShellValue {
    for inverse in objectClass.inverses {
      if case .list(let members) = try origins(inverse), let first = members.first { return first }
    }
    return .null
  }
}

extension ObjectClass.Inverse {
  /// The way back as it is written in predicates.
  var way: String { way(inScript: false) }

  /// The same, in a script if the text is for one.
  func way(inScript: Bool) -> String {
    let names = [originClass, originProperty].map { quotedName($0, inScript: inScript) }
    return "@links.\(names[0]).\(names[1])"
  }

  /// The name of the computed property, or the way back.
  var title: String { name ?? way }
}
