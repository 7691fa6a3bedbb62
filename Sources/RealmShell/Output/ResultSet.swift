import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// One column of a result.
struct ResultColumn {
  /// Where the values of a column come from.
  indirect enum Source {
    /// A stored property; the index in the properties that the reader reads.
    case property(Property, reader: Int)
    /// The objects that link to the object.
    case inverse(ObjectClass.Inverse)
    /// The owner of an embedded object.
    case owner
    /// An expression.
    case expression(Expression)
    /// A path whose objects are shown with chosen columns.
    case shape(PathExpression, [Column])
  }

  let title: String
  let source: Source
  /// Whether the type is not fixed by the schema.
  let isMixed: Bool
  /// Whether it holds numbers, which are aligned to the right.
  let isNumeric: Bool
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
  }

  /// Moves to an object; false if it is gone.
  func move(to key: ObjectKey) throws(StorageError) -> Bool { try reader.move(to: key) }

  /// A value of a column of the object that was moved to.
  enum Cell {
    case stored(StoredValue)
    case value(ShellValue)
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
    let row = ShellValue.object(objectClass, reader.key)
    switch column.source {
    case .expression(let expression): return .value(try evaluator.value(of: expression, row: row))
    case .shape(let path, let columns):
      return .value(try evaluator.shape(path, columns, row: row))
    default: return .value(.null)
    }
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

/// Makes the columns that `show` asks for.
struct ColumnMaker {
  private let objectClass: ObjectClass
  private let evaluator: Evaluator
  private var columns: [ResultColumn] = []
  private var propertyCount = 0

  /// The columns of a `show`; without one the stored properties.
  static func columns(
    _ requested: [Column], of objectClass: ObjectClass, evaluator: Evaluator
  ) throws(ShellError) -> [ResultColumn] {
    var maker = ColumnMaker(objectClass, evaluator)
    if requested.isEmpty {
      maker.addStored { _ in true }
      if objectClass.isEmbedded { maker.addOwner() }
    }
    for column in requested { try maker.add(column) }
    return maker.columns
  }

  private init(_ objectClass: ObjectClass, _ evaluator: Evaluator) {
    self.objectClass = objectClass
    self.evaluator = evaluator
  }

  private mutating func add(_ column: Column) throws(ShellError) {
    switch column {
    case .stored: addStored { _ in true }
    case .everything:
      addStored { _ in true }
      if objectClass.isEmbedded { addOwner() }
      for inverse in objectClass.inverses { addInverse(inverse) }
    case .except(let names, _):
      for name in names { _ = try property(name) }
      addStored { property in !names.contains { $0.text == property.name } }
    case .shape(let path, let inner, _):
      let text = evaluator.text(of: path.range)
      columns.append(
        ResultColumn(title: text, source: .shape(path, inner), isMixed: false, isNumeric: false))
    case .expression(let expression, let name): try add(expression, name)
    }
  }

  private mutating func add(_ expression: Expression, _ name: Name?) throws(ShellError) {
    if case .path(let path) = expression, path.base == .row, path.steps.count == 1,
      case .property(let text) = path.steps[0].kind
    {
      if text == "@owner", objectClass.isEmbedded {
        addOwner()
      } else {
        let found = try property(Name(text, range: path.steps[0].range))
        add(found, title: name?.text ?? found.name)
      }
      return
    }
    try evaluator.check(expression, for: objectClass)
    columns.append(
      ResultColumn(
        title: name?.text ?? evaluator.text(of: expression.range), source: .expression(expression),
        isMixed: evaluator.isMixed(expression, objectClass),
        isNumeric: evaluator.isNumeric(expression, objectClass)))
  }

  private func property(_ name: Name) throws(ShellError) -> Property {
    guard let property = objectClass.property(named: name.text) else {
      throw Evaluator.unknownProperty(name.text, of: objectClass, at: name.range)
    }
    return property
  }

  private mutating func add(_ property: Property, title: String) {
    columns.append(
      ResultColumn(
        title: title, source: .property(property, reader: propertyCount),
        isMixed: property.kind == .mixed, isNumeric: property.isNumber))
    propertyCount += 1
  }

  private mutating func addStored(_ isWanted: (Property) -> Bool) {
    for property in objectClass.properties where isWanted(property) {
      add(property, title: property.name)
    }
  }

  private mutating func addOwner() {
    columns.append(
      ResultColumn(title: "@owner", source: .owner, isMixed: false, isNumeric: false))
  }

  private mutating func addInverse(_ inverse: ObjectClass.Inverse) {
    columns.append(
      ResultColumn(
        title: inverse.title, source: .inverse(inverse), isMixed: false, isNumeric: false))
  }
}

extension Property {
  /// Whether it holds single numbers.
  var isNumber: Bool {
    guard collection == .none else { return false }
    switch kind {
    case .int, .float, .double, .decimal: return true
    default: return false
    }
  }
}

extension ObjectClass.Inverse {
  /// The way back as it is written in predicates.
  var title: String { "@links.\(quotedName(originClass)).\(quotedName(originProperty))" }
}
