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
    case .inverse, .owner: false
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

/// The objects of a query with the columns to show.
final class ResultSet {
  let schema: Schema
  let objectClass: ObjectClass
  /// The objects in order.
  let keys: [ObjectKey]
  let columns: [ResultColumn]
  /// Evaluates the columns that are expressions.
  let evaluator: Evaluator
  private let reader: ObjectReader
  /// For each column its index in the reader; -1 for columns that are no stored properties.
  private let readerIndexes: [Int]

  init(
    _ objectClass: ObjectClass, _ keys: [ObjectKey], columns: [ResultColumn], evaluator: Evaluator
  ) {
    self.objectClass = objectClass
    self.keys = keys
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

  /// A value of a column of the object that was moved to.
  enum Cell {
    case stored(StoredValue)
    case value(ShellValue)

    /// Whether it is null.
    var isNull: Bool {
      switch self {
      case .stored(.null), .value(.scalar(.null)): true
      default: false
      }
    }
  }

  /// The value of the i-th column if it is a stored property, which most columns are.
  @inline(__always)
  func storedValue(_ i: Int) throws(StorageError) -> StoredValue? {
    let index = readerIndexes[i]
    return index < 0 ? nil : try reader.value(index)
  }

  /// The value of a column.
  func cell(_ column: ResultColumn) throws(ShellError) -> Cell {
    do throws(StorageError) {
      switch column.source {
      case .property(_, let index): return .stored(try reader.value(index))
      case .inverse(let inverse): return .value(try origins(inverse))
      case .owner: return .value(try owner())
      case .expression, .shape: break
      }
    } catch {
      throw StorageMessages.error(error, path: evaluator.path)
    }
    do throws(ShellError) {
      let row = ShellValue.object(objectClass, reader.key)
      switch column.source {
      case .expression(let expression):
        return .value(try evaluator.value(of: expression, row: row))
      case .shape(let path, let shape): return .value(try evaluator.shape(path, shape, row: row))
      case .property, .inverse, .owner: return .value(.null)
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

  private func origins(_ inverse: ObjectClass.Inverse) throws(StorageError) -> ShellValue {
    guard let origin = schema.objectClass(inverse.backlink.originTable) else { return .list([]) }
    var members: [ShellValue] = []
    let row = reader.storedRow
    try objectClass.table.forEachBacklink(inverse.backlink, to: row) { (key) throws(StorageError) in
      members.append(.object(origin, key))
    }
    return .list(members)
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
  var title: String { "@links.\(quotedName(originClass)).\(quotedName(originProperty))" }
}
