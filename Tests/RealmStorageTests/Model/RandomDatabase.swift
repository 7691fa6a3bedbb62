import RealmStorage
import RealmValues
import TestSupport
import Testing

/// A database with random classes and objects, changed at random together with a model of it.
struct RandomDatabase {
  var model = ModelDatabase()
  var values: RandomValues
  private var nameCount = 0
  /// Levels of collections inside mixed values that may hold links; RANDOM_LINK_LEVELS limits them
  /// for checkers that look no deeper.
  private let linkLevels = TestScale.number("RANDOM_LINK_LEVELS", standard: .max)

  private static let maximumTableCount = 6
  private static let maximumColumnCount = 14
  private static let maximumObjectCount = 120

  init(seed: UInt64, model: ModelDatabase = ModelDatabase()) {
    values = RandomValues(seed: seed)
    self.model = model
    // Other names than those that an earlier run has given.
    nameCount = model.tables.isEmpty ? 0 : Int(seed) * 1000
  }

  // MARK: Choosing

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &values) }

  mutating func choice<Value>(_ choices: [Value]) -> Value? {
    choices.isEmpty ? nil : choices[number(0..<choices.count)]
  }

  mutating func name() -> String {
    nameCount += 1
    // Names of the longest kind, too.
    return values.oneIn(20) ? "\(nameCount)".padded(to: 50) : "n\(nameCount)"
  }

  mutating func table(_ condition: (ModelDatabase.Table) -> Bool = { _ in true })
    -> TableKey?
  {
    choice(model.sortedTables.filter { model.tables[$0].map(condition) ?? false })
  }

  mutating func object(of table: TableKey) -> ObjectKey? {
    choice((model.tables[table]?.objects.keys.map { $0 } ?? []).sorted())
  }

  /// An object and one of its columns.
  struct Place {
    var table: TableKey
    var object: ObjectKey
    var column: ModelDatabase.Column

    var key: ColumnKey { column.key }
    var definition: ColumnDefinition { column.definition }
  }

  mutating func place(
    _ condition: (ModelDatabase.Column) -> Bool
  ) -> Place? {
    for _ in 0..<8 {
      guard let table = table({ !$0.objects.isEmpty && $0.columns.contains(where: condition) }),
        let column = choice((model.tables[table]?.columns ?? []).filter(condition)),
        column.key != model.tables[table]?.primaryKey, let object = object(of: table)
      else { continue }
      return Place(table: table, object: object, column: column)
    }
    return nil
  }

  private func isEmbedded(_ table: TableKey?) -> Bool {
    table.map { model.tables[$0]?.isEmbedded == true } ?? false
  }

  /// A link to an object of a table that is not embedded.
  private mutating func link(to table: TableKey?) -> ScalarValue? {
    guard let target = table ?? self.table({ !$0.isEmbedded && !$0.objects.isEmpty }),
      !isEmbedded(target), let object = object(of: target)
    else { return nil }
    return .link(target, object)
  }

  /// A scalar for a property or element; nil if there is none.
  mutating func scalar(for column: ColumnDefinition) -> ScalarValue? {
    if column.isNullable, values.oneIn(8) { return .null }
    switch column.kind {
    case .link: return link(to: column.target)
    case .mixed:
      if values.oneIn(3), let link = link(to: nil) { return link }
      return values.scalar()
    default: return values.value(column.kind)
    }
  }

  /// A value for a property or element of type mixed, collections included.
  ///
  /// - Parameter depth: 0 for a property, 1 for an element.
  mutating func nested(depth: Int) -> ModelValue {
    let isLeaf = depth > 4 || !values.oneIn(3)
    if isLeaf {
      if depth <= linkLevels, values.oneIn(3), let link = link(to: nil) { return .scalar(link) }
      return .scalar(values.scalar())
    }
    let count = number(0..<5)
    if Bool.random(using: &values) {
      return .list((0..<count).map { _ in nested(depth: depth + 1) })
    }
    var entries: [[UInt8]: ModelValue] = [:]
    for _ in 0..<count { entries[values.key()] = nested(depth: depth + 1) }
    return .dictionary(entries)
  }
}

// MARK: - Changes

extension RandomDatabase {
  /// One random change of the transaction and the model.
  mutating func change(_ transaction: WriteTransaction) throws {
    switch number(0..<100) {
    case 0..<5: try changeSchema(transaction)
    case 5..<22: try create(transaction)
    case 22..<27: try delete(transaction)
    case 27..<29: try calculate(transaction)
    case 29..<47: try setProperty(transaction)
    case 47..<52: try setEmbedded(transaction)
    case 52..<74: try changeList(transaction)
    case 74..<86: try changeSet(transaction)
    default: try changeDictionary(transaction)
    }
  }

  private mutating func create(_ transaction: WriteTransaction) throws {
    guard let table = table({ !$0.isEmbedded && $0.objects.count < Self.maximumObjectCount })
    else { return try createTable(transaction) }
    // More than a cluster at once, sometimes.
    if values.oneIn(30) { return try append(number(1..<400), table, transaction) }
    try createObject(table, transaction)
  }

  /// Adds many objects with values at once.
  private mutating func append(
    _ count: Int, _ table: TableKey, _ transaction: WriteTransaction
  ) throws {
    let appender = try transaction.appender(table)
    for _ in 0..<count {
      var given: [ColumnKey: ScalarValue] = [:]
      for (position, key) in appender.columns.enumerated() {
        guard let column = model.column(table, key),
          position == appender.primaryKey || values.oneIn(3),
          let value = scalar(for: column.definition)
        else { continue }
        try appender.set(position, value)
        given[key] = value
      }
      if let key = model.tables[table]?.primaryKey, let value = given[key],
        let existing = model.tables[table]?.objects.first(where: { $0.value[key] == .scalar(value) }
        )
      {
        #expect(throws: StorageError.rejected(.duplicatePrimaryKey(existing.key))) {
          try appender.append()
        }
        continue
      }
      let object = try appender.append()
      model.create(table, object)
      for (key, value) in given { model.set(table, object, key, .scalar(value)) }
    }
  }

  private mutating func createObject(_ table: TableKey, _ transaction: WriteTransaction) throws {
    guard let primaryKey = model.tables[table]?.primaryKey,
      let column = model.column(table, primaryKey)
    else {
      model.create(table, try transaction.createObject(table))
      return
    }
    let value = try #require(scalar(for: column.definition))
    let existing = model.tables[table]?.objects.first { $0.value[primaryKey] == .scalar(value) }
    #expect(try transaction.object(table, primaryKey: value) == existing?.key)
    if let existing {
      #expect(throws: StorageError.rejected(.duplicatePrimaryKey(existing.key))) {
        try transaction.createObject(table, primaryKey: value)
      }
      return
    }
    let object = try transaction.createObject(table, primaryKey: value)
    model.create(table, object)
    model.set(table, object, primaryKey, .scalar(value))
  }

  private mutating func delete(_ transaction: WriteTransaction) throws {
    guard let table = table({ !$0.objects.isEmpty }) else { return }
    if values.oneIn(40) {
      try transaction.deleteAllObjects(table)
      for object in model.tables[table]?.objects.keys.map({ $0 }) ?? [] {
        model.delete(table, object)
      }
      return
    }
    // Many at once, sometimes, so that clusters are joined.
    if values.oneIn(15) { return try deleteMany(table, transaction) }
    guard let object = object(of: table) else { return }
    try transaction.deleteObject(table, object)
    model.delete(table, object)
  }

  private mutating func deleteMany(_ table: TableKey, _ transaction: WriteTransaction) throws {
    let share = number(1..<5)
    var doomed: [ObjectKey] = []
    for key in (model.tables[table]?.objects.keys.map { $0 } ?? []).sorted()
    where values.oneIn(share) { doomed.append(key) }
    let count = try transaction.deleteObjects(table, doomed)
    // Embedded objects can have gone with their owners.
    if model.tables[table]?.isEmbedded == false { #expect(count == doomed.count) }
    for object in doomed { model.delete(table, object) }
  }

  private mutating func setProperty(_ transaction: WriteTransaction) throws {
    guard let place = place({ $0.definition.collection == .none }) else { return }
    if place.definition.kind == .mixed, values.oneIn(3) {
      let value = nested(depth: 0)
      try transaction.set(place.table, place.object, place.key, mixed: value.mixed)
      model.set(place.table, place.object, place.key, value)
      return
    }
    if values.oneIn(15) { return try setMany(place, transaction) }
    guard let value = scalar(for: place.definition) else { return }
    try transaction.set(place.table, place.object, place.key, value)
    model.set(place.table, place.object, place.key, .scalar(value))
  }

  private mutating func setMany(_ place: Place, _ transaction: WriteTransaction) throws {
    var objects: [ObjectKey] = []
    var new: [ScalarValue] = []
    for key in (model.tables[place.table]?.objects.keys.map { $0 } ?? []).sorted()
    where values.oneIn(2) {
      guard let value = scalar(for: place.definition) else { return }
      objects.append(key)
      new.append(value)
    }
    try transaction.set(place.table, objects, place.key) { new[$0] }
    for (object, value) in zip(objects, new) {
      model.set(place.table, object, place.key, .scalar(value))
    }
  }

  private mutating func setEmbedded(_ transaction: WriteTransaction) throws {
    let tables = model.tables
    let owners = { (column: ModelDatabase.Column) in
      column.definition.target.map { tables[$0]?.isEmbedded == true } ?? false
    }
    guard let place = place(owners), let target = place.definition.target,
      (model.tables[target]?.objects.count ?? 0) < Self.maximumObjectCount * 3
    else { return }
    let (table, object, key) = (place.table, place.object, place.key)
    switch model.value(table, object, key) {
    case .list(var elements):
      let index = number(0..<(elements.count + 1))
      let new = try transaction.createEmbedded(table, object, key, at: index)
      model.create(target, new)
      elements.insert(.scalar(.link(target, new)), at: index)
      model.set(table, object, key, .list(elements))
    case .dictionary(var entries):
      let name = values.key()
      let new = try transaction.createEmbedded(table, object, key, key: name)
      model.create(target, new)
      entries[name] = .scalar(.link(target, new))
      model.set(table, object, key, .dictionary(entries))
    default:
      let new = try transaction.createEmbedded(table, object, key)
      model.create(target, new)
      model.set(table, object, key, .scalar(.link(target, new)))
    }
  }
}

// MARK: - Collections

extension RandomDatabase {
  /// An element for a list; indexes of lists take short texts only.
  mutating func element(for column: ModelDatabase.Column) -> ScalarValue? {
    let value = scalar(for: column.definition)
    if column.index != .none, case .string(let bytes) = value {
      return .string(Array(bytes.prefix(200)))
    }
    return value
  }

  private mutating func changeList(_ transaction: WriteTransaction) throws {
    guard let place = place({ $0.definition.collection == .list }),
      case .list(var elements) = model.value(place.table, place.object, place.key)
    else { return }
    let (table, object, key) = (place.table, place.object, place.key)
    let index = number(0..<(elements.count + 1))
    let isElement = index < elements.count
    switch number(0..<16) {
    case 0 where values.oneIn(3):
      try transaction.removeAll(table, object, key)
      elements = []
    case 0...3 where isElement:
      try transaction.remove(table, object, key, at: index)
      elements.remove(at: index)
    case 4...5 where isElement:
      let target = number(0..<elements.count)
      try transaction.move(table, object, key, from: index % elements.count, to: target)
      let element = elements.remove(at: index % elements.count)
      elements.insert(element, at: target)
    case 6...7 where isElement && place.definition.kind == .mixed:
      let value = nested(depth: 1)
      try transaction.set(table, object, key, at: index, mixed: value.mixed)
      elements[index] = value
    case 6...9 where isElement:
      guard let value = element(for: place.column) else { return }
      try transaction.set(table, object, key, at: index, value)
      elements[index] = .scalar(value)
    case 10 where place.definition.kind == .mixed:
      let value = nested(depth: 1)
      try transaction.insert(table, object, key, at: index, mixed: value.mixed)
      elements.insert(value, at: index)
    default:
      // More than a leaf at once, sometimes.
      for _ in 0..<(values.oneIn(400) ? 1200 : values.oneIn(8) ? 12 : 1) {
        guard let value = element(for: place.column) else { return }
        try transaction.insert(table, object, key, at: index, value)
        elements.insert(.scalar(value), at: index)
      }
    }
    model.set(table, object, key, .list(elements))
  }

  private mutating func changeSet(_ transaction: WriteTransaction) throws {
    guard let place = place({ $0.definition.collection == .set }),
      case .set(var members) = model.value(place.table, place.object, place.key)
    else { return }
    let (table, object, key) = (place.table, place.object, place.key)
    if values.oneIn(30) {
      try transaction.removeAll(table, object, key)
      members = []
    } else if values.oneIn(4), let member = choice(members) {
      #expect(try transaction.remove(table, object, key, member: member))
      members.removeAll { $0 == member }
    } else {
      for _ in 0..<(values.oneIn(8) ? 12 : 1) {
        guard let member = scalar(for: place.definition) else { return }
        let isNew = !members.contains { $0.totalOrder(member) == 0 }
        #expect(try transaction.insert(table, object, key, member: member) == isNew)
        if isNew { members.append(member) }
      }
      members.sort { $0.totalOrder($1) < 0 }
    }
    model.set(table, object, key, .set(members))
  }

  private mutating func changeDictionary(_ transaction: WriteTransaction) throws {
    guard let place = place({ $0.definition.collection == .dictionary }),
      case .dictionary(var entries) = model.value(place.table, place.object, place.key)
    else { return }
    let (table, object, key) = (place.table, place.object, place.key)
    let name = values.key()
    if values.oneIn(30) {
      try transaction.removeAll(table, object, key)
      entries = [:]
    } else if values.oneIn(4) {
      let known = choice(entries.keys.sorted { $0.lexicographicallyPrecedes($1) }) ?? name
      #expect(
        try transaction.remove(table, object, key, key: known) == (entries[known] != nil))
      entries[known] = nil
    } else if place.definition.kind == .mixed, values.oneIn(3) {
      let value = nested(depth: 1)
      try transaction.set(table, object, key, key: name, mixed: value.mixed)
      entries[name] = value
    } else {
      guard let value = scalar(for: place.definition) else { return }
      try transaction.set(table, object, key, key: name, value)
      entries[name] = .scalar(value)
    }
    model.set(table, object, key, .dictionary(entries))
  }
}

// MARK: - Schema

extension RandomDatabase {
  private mutating func changeSchema(_ transaction: WriteTransaction) throws {
    guard let table = table() else { return try createTable(transaction) }
    switch number(0..<35) {
    case 0..<4: try createTable(transaction)
    case 4 where values.oneIn(2): try removeTable(table, transaction)
    case 5:
      let name = "class_\(name())"
      try transaction.renameTable(table, to: name)
      model.tables[table]?.name = name
      #expect(throws: StorageError.rejected(.badName)) {
        try transaction.renameTable(table, to: name)
      }
    case 6..<9: try removeColumn(table, transaction)
    case 9:
      guard let column = choice(model.tables[table]?.columns ?? []) else { return }
      let name = name()
      try transaction.renameColumn(table, column.key, to: name)
      changeColumn(table, column.key) { $0.definition.name = name }
    case 10..<18: try changeIndex(table, transaction)
    case 18..<21: try changePrimaryKey(table, transaction)
    case 21..<25: try convertColumn(table, transaction)
    case 25: try changeKind(table, transaction)
    default: try addColumn(table, transaction)
    }
  }

  mutating func changeColumn(
    _ table: TableKey, _ key: ColumnKey, _ change: (inout ModelDatabase.Column) -> Void
  ) {
    guard let i = model.tables[table]?.columns.firstIndex(where: { $0.key == key }) else { return }
    if var column = model.tables[table]?.columns[i] {
      change(&column)
      model.tables[table]?.columns[i] = column
    }
  }

  private mutating func createTable(_ transaction: WriteTransaction) throws {
    guard model.tables.count < Self.maximumTableCount else { return }
    let name = "class_\(name())"
    let isEmbedded = !model.tables.isEmpty && values.oneIn(3)
    let key = try transaction.createTable(name, kind: isEmbedded ? .embedded : .topLevel)
    model.tables[key] = ModelDatabase.Table(name: name, isEmbedded: isEmbedded)
    for _ in 0..<number(2..<8) { try addColumn(key, transaction) }
  }

  private mutating func removeTable(_ table: TableKey, _ transaction: WriteTransaction) throws {
    let others = model.tables.filter { $0.key != table }.values
    let isTarget = others.contains { $0.columns.contains { $0.definition.target == table } }
    do {
      try transaction.removeTable(table)
      #expect(!isTarget)
      model.removeTable(table)
    } catch StorageError.rejected(.tableInUse) {
      #expect(isTarget)
    }
  }

  private mutating func addColumn(_ table: TableKey, _ transaction: WriteTransaction) throws {
    guard (model.tables[table]?.columns.count ?? 0) < Self.maximumColumnCount else { return }
    let collections: [StoredColumn.Collection] = [.none, .none, .none, .list, .set, .dictionary]
    var collection = choice(collections) ?? .none
    var definition: ColumnDefinition
    if values.oneIn(3), let target = self.table() {
      if isEmbedded(target), collection == .set { collection = .list }
      definition = ColumnDefinition(name(), .link, collection: collection, target: target)
      definition.isNullable = collection == .none || collection == .dictionary
    } else {
      let kind = choice(RandomValues.kinds) ?? .int
      definition = ColumnDefinition(
        name(), kind, collection: collection,
        isNullable: kind == .mixed || Bool.random(using: &values))
    }
    let key = try transaction.addColumn(table, definition)
    model.addColumn(table, key, definition)
    #expect(throws: StorageError.rejected(.badName)) {
      try transaction.addColumn(table, definition)
    }
    if values.oneIn(3) { try changeIndex(table, transaction) }
  }

  private mutating func removeColumn(_ table: TableKey, _ transaction: WriteTransaction) throws {
    guard let columns = model.tables[table]?.columns, columns.count > 2,
      let column = choice(columns)
    else { return }
    try transaction.removeColumn(table, column.key)
    model.removeColumn(table, column.key)
  }

  private mutating func changeIndex(_ table: TableKey, _ transaction: WriteTransaction) throws {
    let columns = model.tables[table]?.columns ?? []
    let simple = columns.filter { $0.definition.collection == .none }
    guard let column = choice(values.oneIn(6) ? columns : simple) else { return }
    let key = column.key
    let isIndexable =
      switch column.definition.kind {
      case .int, .bool, .string, .date, .objectID, .uuid, .mixed: true
      default: false
      }
    let isTextList = column.definition.collection == .list && column.definition.kind == .string
    if isTextList, column.index == .none, hasLongElement(table, key) {
      #expect(throws: StorageError.rejected(.valueTooLong)) {
        try transaction.addIndex(table, key)
      }
      return
    }
    guard column.definition.collection == .none || isTextList, isIndexable else {
      #expect(throws: StorageError.rejected(.wrongType)) {
        try transaction.addIndex(table, key)
      }
      return
    }
    let isPrimaryKey = key == model.tables[table]?.primaryKey
    if column.index != .none {
      try transaction.removeIndex(table, key)
      changeColumn(table, key) { $0.index = .none }
    } else if column.definition.kind == .string, !isTextList, !isPrimaryKey,
      Bool.random(using: &values)
    {
      try transaction.addFullTextIndex(table, key)
      changeColumn(table, key) { $0.index = .words }
    } else {
      try transaction.addIndex(table, key)
      changeColumn(table, key) { $0.index = .values }
    }
  }

  /// Whether a list holds a text that an index of lists does not take.
  private func hasLongElement(_ table: TableKey, _ column: ColumnKey) -> Bool {
    (model.tables[table]?.objects.values).map { objects in
      objects.contains { values in
        guard case .list(let elements) = values[column] else { return false }
        return elements.contains {
          if case .scalar(.string(let bytes)) = $0 { bytes.count > 200 } else { false }
        }
      }
    } ?? false
  }

  private mutating func changePrimaryKey(
    _ table: TableKey, _ transaction: WriteTransaction
  ) throws {
    guard model.tables[table]?.isEmbedded == false else { return }
    if model.tables[table]?.primaryKey != nil, values.oneIn(2) {
      try transaction.setPrimaryKey(table, nil)
      model.tables[table]?.primaryKey = nil
      return
    }
    let kinds: [ValueKind] = [.int, .string, .objectID, .uuid]
    let candidates = model.tables[table]?.columns.filter {
      kinds.contains($0.definition.kind) && $0.definition.collection == .none && $0.index != .words
    }
    guard let column = choice(candidates ?? []) else { return }
    let objects = model.tables[table]?.objects.values.map { $0[column.key] ?? .null } ?? []
    let isUnique = !objects.enumerated().contains { objects[..<$0.offset].contains($0.element) }
    do {
      try transaction.setPrimaryKey(table, column.key)
      #expect(isUnique)
      model.tables[table]?.primaryKey = column.key
    } catch StorageError.rejected(.duplicatePrimaryKey) {
      #expect(!isUnique)
    }
  }
}

extension String {
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: "_", count: max(0, count - self.count))
  }
}
