import RealmStorage
import RealmValues
import TestSupport
import Testing

// MARK: - Calculating

extension RandomDatabase {
  /// Calculates with the numbers of some objects, or of all.
  mutating func calculate(_ transaction: WriteTransaction) throws {
    let kinds: [ValueKind] = [.int, .float, .double]
    guard
      let place = place({
        $0.definition.collection == .none && kinds.contains($0.definition.kind)
      })
    else { return }
    let isAll = values.oneIn(3)
    var objects: [ObjectKey] = []
    for key in (model.tables[place.table]?.objects.keys.map { $0 } ?? []).sorted()
    where isAll || values.oneIn(2) { objects.append(key) }
    let operations: [WriteTransaction.Arithmetic] = [.add, .subtract, .multiply, .divide]
    let operation = choice(operations) ?? .add
    let operand = operand(place.definition.kind, operation)
    var results: [(ObjectKey, ScalarValue)] = []
    for object in objects {
      guard case .scalar(let old) = model.value(place.table, object, place.key), old != .null
      else { continue }
      guard let result = Self.result(operation, old, operand) else {
        #expect(throws: StorageError.rejected(.overflow(object))) {
          try transaction.calculate(
            place.table, isAll ? nil : objects, place.key, operation, operand)
        }
        return
      }
      results.append((object, result))
    }
    let count = try transaction.calculate(
      place.table, isAll ? nil : objects, place.key, operation, operand)
    #expect(count == results.count)
    for (object, result) in results {
      model.set(place.table, object, place.key, .scalar(result))
    }
  }

  private mutating func operand(
    _ kind: ValueKind, _ operation: WriteTransaction.Arithmetic
  ) -> ScalarValue {
    // Small ones mostly, so that some results fit.
    let value = values.oneIn(3) ? values.value(kind) : .int(Int64(number(-3..<4)))
    return switch (kind, value) {
    case (.float, .int(let number)): .float(Float(number))
    case (.double, .int(let number)): .double(Double(number))
    default: value
    }
  }

  /// What comes out; nil if it does not fit.
  private static func result(
    _ operation: WriteTransaction.Arithmetic, _ old: ScalarValue, _ operand: ScalarValue
  ) -> ScalarValue? {
    switch (old, operand) {
    case (.int(let a), .int(let b)):
      let (value, isTooLarge) =
        switch operation {
        case .add: a.addingReportingOverflow(b)
        case .subtract: a.subtractingReportingOverflow(b)
        case .multiply: a.multipliedReportingOverflow(by: b)
        case .divide: a.dividedReportingOverflow(by: b)
        }
      return isTooLarge ? nil : .int(value)
    case (.float(let a), .float(let b)): return .float(floating(operation, a, b))
    case (.double(let a), .double(let b)): return .double(floating(operation, a, b))
    default: return nil
    }
  }

  private static func floating<Value: BinaryFloatingPoint>(
    _ operation: WriteTransaction.Arithmetic, _ a: Value, _ b: Value
  ) -> Value {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }
}

// MARK: - Converting

extension RandomDatabase {
  /// Another nullability, or another type with or without new values.
  mutating func convertColumn(_ table: TableKey, _ transaction: WriteTransaction) throws {
    guard let columns = model.tables[table]?.columns, let column = choice(columns) else { return }
    if Bool.random(using: &values) { return try changeNullability(table, column, transaction) }
    let collections: [StoredColumn.Collection] = [.none, .none, .none, .list, .set, .dictionary]
    let kind = choice(RandomValues.kinds) ?? .int
    let definition = ColumnDefinition(
      values.oneIn(3) ? name() : column.definition.name, kind,
      collection: choice(collections) ?? .none,
      isNullable: kind == .mixed || Bool.random(using: &values))
    let position = columns.firstIndex { $0.key == column.key } ?? 0
    let key = try transaction.replaceColumn(table, column.key, by: definition)
    model.removeColumn(table, column.key)
    model.addColumn(table, key, definition)
    if let new = model.tables[table]?.columns.popLast() {
      model.tables[table]?.columns.insert(new, at: position)
    }
    guard definition.collection == .none, values.oneIn(2) else { return }
    let objects = (model.tables[table]?.objects.keys.map { $0 } ?? []).sorted()
    var new: [ScalarValue] = []
    for _ in objects {
      new.append(
        definition.isNullable && values.oneIn(8)
          ? .null : kind == .mixed ? values.scalar() : values.value(kind))
    }
    try transaction.fillColumn(table, key, new)
    for (object, value) in zip(objects, new) { model.set(table, object, key, .scalar(value)) }
  }

  private mutating func changeNullability(
    _ table: TableKey, _ column: ModelDatabase.Column, _ transaction: WriteTransaction
  ) throws {
    let definition = column.definition
    let isNullable = !definition.isNullable
    let objects = model.tables[table]?.objects ?? [:]
    let isFree = definition.kind != .link && definition.kind != .mixed
    guard isFree, isNullable || !objects.values.contains(where: { $0[column.key]?.hasNull == true })
    else {
      #expect(throws: StorageError.rejected(.wrongType)) {
        try transaction.setNullable(table, column.key, isNullable)
      }
      return
    }
    let key = try transaction.setNullable(table, column.key, isNullable)
    #expect(key != column.key)
    var new = ModelDatabase.Column(key: key, definition: definition, index: column.index)
    new.definition.isNullable = isNullable
    if let i = model.tables[table]?.columns.firstIndex(where: { $0.key == column.key }) {
      model.tables[table]?.columns[i] = new
    }
    if model.tables[table]?.primaryKey == column.key { model.tables[table]?.primaryKey = key }
    for (object, values) in objects {
      model.tables[table]?.objects[object]?[column.key] = nil
      model.tables[table]?.objects[object]?[key] = values[column.key]
    }
  }

  /// Makes a table embedded, or one of objects that stand for themselves.
  mutating func changeKind(_ table: TableKey, _ transaction: WriteTransaction) throws {
    let isEmbedded = model.tables[table]?.isEmbedded == true
    guard isEmbedded || model.canBeEmbedded(table) else {
      #expect(throws: StorageError.rejected(.wrongType)) {
        try transaction.setKind(table, .embedded)
      }
      return
    }
    try transaction.setKind(table, isEmbedded ? .topLevel : .embedded)
    model.tables[table]?.isEmbedded = !isEmbedded
  }
}

extension ModelValue {
  /// Whether it is null or a collection with a null.
  var hasNull: Bool {
    switch self {
    case .scalar(let value): value == .null
    case .list(let values): values.contains { $0.hasNull }
    case .set(let values): values.contains(.null)
    case .dictionary(let entries): entries.values.contains { $0.hasNull }
    }
  }

  /// Number of links to an object, at any depth.
  func linkCount(_ link: ScalarValue) -> Int {
    switch self {
    case .scalar(let value): value == link ? 1 : 0
    case .list(let values): values.reduce(0) { $0 + $1.linkCount(link) }
    case .set(let values): values.count { $0 == link }
    case .dictionary(let entries): entries.values.reduce(0) { $0 + $1.linkCount(link) }
    }
  }
}

extension ModelDatabase {
  /// Whether each object has exactly one link to it, and that from a place that can own it.
  func canBeEmbedded(_ key: TableKey) -> Bool {
    guard let target = tables[key], target.primaryKey == nil else { return false }
    var counts: [ObjectKey: Int] = [:]
    for table in tables.values {
      for column in table.columns where column.canLink {
        let isMixed = column.definition.kind == .mixed
        guard isMixed || column.definition.target == key else { continue }
        if !isMixed, column.definition.collection == .set { return false }
        for value in table.objects.values.compactMap({ $0[column.key] }) {
          for link in value.links {
            guard case .link(key, let object) = link else { continue }
            if isMixed { return false }
            counts[object, default: 0] += value.linkCount(link)
          }
        }
      }
    }
    return target.objects.keys.allSatisfy { counts[$0] == 1 }
  }
}
