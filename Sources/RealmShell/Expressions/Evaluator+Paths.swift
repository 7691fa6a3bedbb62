import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Evaluator {
  /// The value at the end of a path.
  func value(of path: PathExpression, row: ShellValue?) throws(ShellError) -> ShellValue {
    if case .old = path.base, let old, let row { return try old.value(of: path, before: row) }
    var value = try start(of: path, row: row)
    var steps = path.steps[...]
    while let step = steps.popFirst() {
      // `dogs.@sum.age`: the property behind the aggregate is that of the members.
      if case .aggregate(let aggregate) = step.kind, aggregate != .count,
        let next = steps.first, case .property(let name) = next.kind, !value.isNull
      {
        steps.removeFirst()
        value = try member(name, of: value, at: next.range)
      }
      value = try self.value(of: step, in: value, row: row)
    }
    return value
  }

  /// Splits a path that leads to a collection into the object that has the collection, and the path
  /// from there; nil if it leads to something else.
  func owner(
    of path: PathExpression, row: ShellValue?
  ) throws(ShellError) -> (owner: ShellValue, path: PathExpression)? {
    var value = try start(of: path, row: row)
    var owner: (value: ShellValue, position: Int)?
    for (position, step) in path.steps.enumerated() {
      if value.isObject { owner = (value, position) }
      value = try self.value(of: step, in: value, row: row)
    }
    guard let owner, value.members != nil else { return nil }
    let rest = PathExpression(
      base: .row, steps: Array(path.steps[owner.position...]), range: path.range)
    return (owner.value, rest)
  }

  private func start(of path: PathExpression, row: ShellValue?) throws(ShellError) -> ShellValue {
    switch path.base {
    case .row, .old:
      guard let row else {
        let name = path.steps.first.map { text(of: $0.range) } ?? ""
        throw ShellError(
          .invalidProperty, "there is no object whose property \(name) could be",
          at: path.steps.first?.range ?? path.range)
      }
      return row
    case .variable(let name):
      guard let value = try variable(name) else {
        throw unknownVariable(name)
      }
      return value
    case .object(let name): return try object(named: name)
    }
  }

  /// The error for a name that is no variable.
  func unknownVariable(_ name: Name) -> ShellError {
    ShellError(
      .unknownVariable, "no variable $\(name.text)", at: name.range,
      suggestion: Spelling.nearest(to: name.text, among: variableNames()).map { "$" + $0 })
  }

  /// The object a name stands for.
  func object(named name: ObjectName) throws(ShellError) -> ShellValue {
    let objectClass: ObjectClass
    do throws(ShellError) {
      objectClass = try self.objectClass(named: name.className)
    } catch {
      throw unknownObject(name, error)
    }
    let key: ObjectKey?
    switch name.key {
    case .objectKey(let number): key = try existing(ObjectKey(number), objectClass)
    case .primaryKey(let literal): key = try find(literal.scalar, objectClass, literal.range)
    case .variable(let variableName):
      guard let found = try variable(variableName) else { throw unknownVariable(variableName) }
      guard case .scalar(let value) = found else {
        throw ShellError(
          .typeMismatch, "a primary key is needed, this is \(found.kindText)",
          at: variableName.range)
      }
      key = try find(value, objectClass, variableName.range)
    }
    guard let key else {
      var failure = missing(name, objectClass)
      failure.remedy = try nearbyKeys(name, objectClass)
      throw failure
    }
    return .object(objectClass, key)
  }

  /// The error for the name of an object of a class that does not exist, or of a function with a
  /// typing error.
  private func unknownObject(_ name: ObjectName, _ error: ShellError) -> ShellError {
    if case .objectKey = name.key { return error }
    guard error.name == .noSuchTable, let nearest = error.suggestion,
      Grammar.function(named: nearest) != nil, schema.objectClass(named: nearest) == nil
    else { return error }
    return ShellError(
      .unknownFunction, "no function \(name.className.text)", at: name.className.range,
      suggestion: nearest)
  }

  private func missing(_ name: ObjectName, _ objectClass: ObjectClass) -> ShellError {
    let range: SourceRange
    switch name.key {
    case .objectKey(let number):
      return ShellError(
        .keyNotFound, "no \(objectClass.name) with object key \(number)", at: name.range)
    case .primaryKey(let literal): range = literal.range
    case .variable(let variable): range = variable.range
    }
    return ShellError(
      .keyNotFound, "no \(objectClass.name) with primary key \(text(of: range))", at: range)
  }

  /// The keys that may have been meant, out of classes that are quickly looked through.
  private func nearbyKeys(
    _ name: ObjectName, _ objectClass: ObjectClass
  ) throws(ShellError) -> String? {
    guard case .primaryKey(let literal) = name.key, case .integer(let wanted) = literal.kind,
      let primaryKey = objectClass.primaryKey, primaryKey.kind == .int
    else { return nil }
    return try reading { () throws(StorageError) in
      guard try objectClass.table.objectCount() <= Evaluator.maximumKeyCount else { return nil }
      var nearest: [(distance: UInt64, key: Int64)] = []
      let cursor = try TableCursor(objectClass.table, columns: [primaryKey.position])
      while try cursor.next() {
        for row in 0..<cursor.count {
          guard case .int(let key) = try cursor.value(0, at: row) else { continue }
          let distance = key > wanted ? key.magnitude(from: wanted) : wanted.magnitude(from: key)
          if nearest.count == Evaluator.nearbyKeyCount {
            guard let last = nearest.last, distance < last.distance else { continue }
            nearest.removeLast()
          }
          nearest.insert(
            (distance, key),
            at: nearest.firstIndex { distance < $0.distance }
              ?? nearest.count)
        }
      }
      let keys = nearest.map(\.key).sorted().map(String.init)
      return keys.isEmpty ? nil : "keys nearby: " + keys.joined(separator: ", ")
    }
  }

  /// Most objects that are looked through for keys nearby.
  private static let maximumKeyCount = 100_000
  private static let nearbyKeyCount = 3

  private func existing(
    _ key: ObjectKey, _ objectClass: ObjectClass
  ) throws(ShellError) -> ObjectKey? {
    try reading { () throws(StorageError) in try objectClass.table.row(of: key).map(\.key) }
  }

  private func find(
    _ value: ScalarValue, _ objectClass: ObjectClass, _ range: SourceRange
  ) throws(ShellError) -> ObjectKey? {
    guard let primaryKey = objectClass.primaryKey else {
      throw ShellError(
        .missingPrimaryKey, "\(objectClass.name) has no primary key", at: range,
        remedy: "\(quotedName(objectClass.name))#OBJECTKEY, as mode lines shows it")
    }
    var value = value
    if primaryKey.kind == .objectID, case .string(let digits) = value,
      let id = ObjectID(hex: digits)
    {
      value = .objectID(id)
    }
    if value == .null, !primaryKey.isNullable {
      throw ShellError(
        .propertyNotNullable, "\(objectClass.name).\(primaryKey.name) cannot be null", at: range)
    }
    guard value.kind == primaryKey.kind || value.kind == nil else {
      throw ShellError(
        .typeMismatch,
        "\(objectClass.name).\(primaryKey.name) is \(primaryKey.kind.name), "
          + "this is \(ShellValue.scalar(value).kindText)", at: range)
    }
    return try reading { () throws(StorageError) in
      try objectClass.table.findPrimaryKey(value)
    }
  }

  /// The error for a name that is no class.
  static func unknownClass(
    _ name: Name, _ realm: Realm?, projections: [String] = []
  ) -> ShellError {
    let unreadable = realm?.snapshot.brokenTables.first {
      $0.name == ClassTable.prefix + name.text || $0.name == name.text
    }
    if let unreadable {
      return ShellError(
        .damaged, "class \(name.text) cannot be read: \(StorageMessages.reason(unreadable.error))",
        at: name.range)
    }
    // What looks like an object may be a function with a typing error.
    let names =
      (realm?.schema.classes.map(\.name) ?? []) + projections + Grammar.functions.map(\.name)
    return ShellError(
      .noSuchTable, "no class \(name.text)", at: name.range,
      suggestion: Spelling.nearest(to: name.text, among: names))
  }

  /// Runs a read of the file.
  func reading<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(ShellError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw StorageMessages.error(error, path: path)
    }
  }

  // MARK: Steps

  private func value(
    of step: PathStep, in value: ShellValue, row: ShellValue?
  ) throws(ShellError) -> ShellValue {
    if value.isNull, step.kind != .type { return .null }
    switch step.kind {
    case .property(let name): return try member(name, of: value, at: step.range)
    case .index(let expression):
      return try element(try self.value(of: expression, row: row), of: value, at: step.range)
    case .all: return .list(try members(of: value, at: step.range))
    case .first: return try members(of: value, at: step.range).first ?? .null
    case .last: return try members(of: value, at: step.range).last ?? .null
    case .aggregate(let aggregate):
      return try Functions.aggregate(aggregate, value, at: step.range)
    case .keys: return try Functions.call("keys", [value], at: step.range)
    case .values: return .list(try members(of: value, at: step.range))
    case .type: return try Functions.call("type", [value], at: step.range)
    case .backlinks(let origin, let property):
      return try backlinks(origin, property, of: value, at: step.range)
    }
  }

  private func member(
    _ name: String, of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    switch value {
    case .object(let objectClass, let key):
      if let projection = objectClass.projection {
        return try self.value(of: name, through: projection, objectClass, key, at: range)
      }
      guard let property = objectClass.property(named: name) else {
        if let inverse = objectClass.inverse(named: name) {
          return try backlinks(inverse, of: value, at: range)
        }
        throw Evaluator.unknownProperty(name, of: objectClass, at: range)
      }
      let schema = try schema(for: objectClass)
      return try reading { () throws(StorageError) in
        guard let row = try objectClass.table.row(of: key) else { return .null }
        return try ShellValue(
          try objectClass.table.value(of: property.position, in: row), schema)
      }
    case .dictionary(let entries):
      if let entry = entries.first(where: { $0.key.elementsEqual(name.utf8) }) {
        return entry.value
      }
      guard entries.contains(where: { $0.value.isObject }) else { return .null }
      return try member(name, of: .list(entries.map(\.value)), at: range)
    case .list, .results:
      var members: [ShellValue] = []
      for element in try self.members(of: value, at: range) {
        let inner = try member(name, of: element, at: range)
        if let nested = inner.members, !isDictionary(inner) {
          members += nested
        } else {
          members.append(inner)
        }
      }
      return .list(members)
    case .scalar(.null): return .null
    case .scalar, .record, .reference:
      throw ShellError(
        .typeMismatch, "\(value.kindText) has no property \(name)", at: range)
    }
  }

  private func isDictionary(_ value: ShellValue) -> Bool {
    if case .dictionary = value { return true }
    return false
  }

  private func members(
    of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> [ShellValue] {
    guard let members = value.members else {
      throw ShellError(.typeMismatch, "\(value.kindText) is no collection", at: range)
    }
    return members
  }

  private func element(
    _ index: ShellValue, of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    switch (value, index) {
    case (.dictionary(let entries), .scalar(.string(let key))):
      return entries.first { $0.key == key }?.value ?? .null
    case (.results(let results), .scalar(.int(let number))) where results.sections == nil:
      let i = try position(number, of: results.rowCount, "object", at: range)
      return .object(results.objectClass, results.keys[i])
    case (.results(let results), .scalar(.int(let number))):
      let i = try position(number, of: results.sections?.count ?? 0, "section", at: range)
      return results.section(at: i).map { .results($0) } ?? .null
    case (.results(let results), .scalar) where results.sections != nil:
      guard let section = results.section(with: index) else {
        throw ShellError(.invalidArgument, "no section has this key", at: range)
      }
      return .results(section)
    case (.list(let members), .scalar(.int(let number))):
      return members[try position(number, of: members.count, "member", at: range)]
    default:
      throw ShellError(
        .typeMismatch, "\(value.kindText) has no member \(index.kindText)", at: range)
    }
  }

  /// A position, which counts from the end if it is negative.
  private func position(
    _ number: Int64, of count: Int, _ noun: String, at range: SourceRange
  ) throws(ShellError) -> Int {
    let position = number < 0 ? number &+ Int64(count) : number
    guard position >= 0, position < Int64(count) else {
      throw ShellError(
        .outOfBounds, "position \(number) is outside of \(counted(count, noun, noun + "s"))",
        at: range)
    }
    return Int(position)
  }

  private func backlinks(
    _ origin: String, _ property: String, of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    guard case .object(let objectClass, _) = value else {
      throw ShellError(.typeMismatch, "\(value.kindText) is no object", at: range)
    }
    let inverse = objectClass.inverses.first {
      $0.originClass == origin && $0.originProperty == property
    }
    guard let inverse else { throw try noInverse(origin, property, of: objectClass, at: range) }
    return try backlinks(inverse, of: value, at: range)
  }

  /// Why `@links.CLASS.PROPERTY` leads nowhere.
  private func noInverse(
    _ origin: String, _ property: String, of objectClass: ObjectClass, at range: SourceRange
  ) throws(ShellError) -> ShellError {
    let names = SourceRange(start: range.start + "@links.".utf8.count, end: range.end)
    let (classRange, propertyRange) = names.divided(after: origin, before: property)
    let schema = try schema(for: objectClass)
    guard let found = schema.objectClass(named: origin) else {
      return Evaluator.unknownClass(Name(origin, range: classRange), database?.realm)
    }
    guard found.property(named: property) != nil else {
      return Evaluator.unknownProperty(property, of: found, at: propertyRange)
    }
    return ShellError(
      .invalidProperty, "\(origin).\(property) does not link to \(objectClass.name)", at: range)
  }

  private func backlinks(
    _ inverse: ObjectClass.Inverse, of value: ShellValue, at range: SourceRange
  ) throws(ShellError) -> ShellValue {
    guard case .object(let objectClass, let key) = value,
      let originClass = try schema(for: objectClass).objectClass(inverse.backlink.originTable)
    else { return .null }
    return try reading { () throws(StorageError) in
      guard let row = try objectClass.table.row(of: key) else { return .null }
      var members: [ShellValue] = []
      try objectClass.table.forEachBacklink(inverse.backlink, to: row) {
        (key) throws(StorageError) in members.append(.object(originClass, key))
      }
      return .list(members)
    }
  }

  // MARK: Shapes

  /// Objects of a path with the columns of a shape.
  func shape(
    _ path: PathExpression, _ shape: Shape, row: ShellValue
  ) throws(ShellError) -> ShellValue {
    let value = try value(of: path, row: row)
    switch value {
    case .list, .results:
      var records: [ShellValue] = []
      for member in value.members ?? [] { records.append(try record(of: member, shape, path)) }
      return .list(records)
    case .dictionary(let entries):
      var records: [(key: [UInt8], value: ShellValue)] = []
      for entry in entries { records.append((entry.key, try record(of: entry.value, shape, path))) }
      return .dictionary(records)
    case .scalar, .object, .record, .reference: return try record(of: value, shape, path)
    }
  }

  private func record(
    of value: ShellValue, _ shape: Shape, _ path: PathExpression
  ) throws(ShellError) -> ShellValue {
    if value.isNull { return .null }
    guard case .object(let objectClass, let key) = value else {
      throw ShellError(
        .typeMismatch, "a shape needs objects, this is \(value.kindText)", at: path.range)
    }
    let result = try shape.result(of: objectClass, self)
    guard try reading({ () throws(StorageError) in try result.move(to: key) }) else { return .null }
    var fields: [ShellValue.Field] = []
    for (i, column) in result.columns.enumerated() {
      // A shape inside may lead to the same class and move its reader, but has shapes of its own.
      let cell: ShellValue
      switch try result.cell(i) {
      case .value(let value): cell = value
      case .stored(let stored):
        cell = try reading { () throws(StorageError) in try ShellValue(stored, schema) }
      }
      fields.append(ShellValue.Field(title: column.title, value: cell, isMixed: column.isMixed))
    }
    return .record(fields)
  }
}

extension Int64 {
  /// The distance to a smaller number.
  fileprivate func magnitude(from other: Int64) -> UInt64 {
    UInt64(bitPattern: self) &- UInt64(bitPattern: other)
  }
}
