import RealmStorage
import RealmValues

extension SchemaEditor {
  /// States how classes shall be: missing ones are made, missing properties and indexes are added.
  ///
  /// Objects of an existing class get the default of an added property, else null, else zero.
  /// Properties that an existing class has besides stay. With a new class a file without schema
  /// version gets 0.
  ///
  /// - Parameter mayLinkForward: Whether classes that are linked to may be declared later in the
  ///   transaction; see `finish`.
  /// - Returns: what was done, in the order of `classes`.
  /// - Throws: `invalid`; `mismatch` if an existing class differs in what cannot be added; `value`
  ///   for a default that does not fit.
  /// - Precondition: a write transaction is open, here and in the other operations.
  @discardableResult
  public func declare(
    _ classes: [ClassDefinition], mayLinkForward: Bool = true
  ) throws(SchemaError) -> [DeclarationOutcome] {
    let transaction = try begin()
    let plan = try planDeclaration(classes, mayLinkForward: mayLinkForward)
    for definition in classes {
      undeclared.remove(definition.name)
      if !definition.inverses.isEmpty { inverses[definition.name] = definition.inverses }
    }
    undeclared.formUnion(plan.forwardReferences)
    let outcomes = try change { () throws(StorageError) in try apply(plan, transaction) }
    try makeDefaults(plan)
    return outcomes
  }

  /// Makes the tables of classes that will be declared in this order: else a class that is linked
  /// to by one before it would get its table first.
  public func announce(_ names: [String]) throws(SchemaError) {
    let transaction = try begin()
    let new = names.filter { name in
      realm.schema.objectClass(named: name) == nil
        && SchemaValidator.violation(ofClassName: name) == nil
    }
    guard new.count > 1 else { return }
    try change { () throws(StorageError) in
      for name in new where undeclared.insert(name).inserted {
        _ = try transaction.createTable(ClassTable.prefix + name)
      }
    }
  }

  /// Makes the objects that are defaults of added properties.
  private func makeDefaults(_ plan: Declaration) throws(SchemaError) {
    for part in plan.parts {
      for property in part.added {
        guard case .made? = part.defaults[property.name],
          let value = part.defaults[property.name]
        else { continue }
        try make(
          Array(repeating: value, count: part.objects.count), for: part.objects,
          in: property.name, of: part.definition.name)
      }
    }
  }

  /// What a declaration needs.
  struct Declaration {
    /// One asked class.
    struct Part {
      /// The class as it will be.
      var definition: ClassDefinition
      /// Its table, if it exists.
      var table: TableKey?
      var added: [PropertyDefinition] = []
      var indexed: [PropertyDefinition] = []
      /// What existing objects get in added properties.
      var defaults: [String: ColumnValue] = [:]
      /// Number of objects that there are already.
      var objectCount = 0
      /// Their keys, if there are defaults for them.
      var objects: [ObjectKey] = []
      /// Whether the table was made for a forward reference only.
      var wasUndeclared = false
    }

    var parts: [Part] = []
    /// Classes that are linked to and do not exist.
    var forwardReferences: [String] = []
  }

  private func planDeclaration(
    _ classes: [ClassDefinition], mayLinkForward: Bool
  ) throws(SchemaError) -> Declaration {
    let file = definitions()
    let names = Set(classes.map { $0.name })
    let known = Dictionary(file.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let merged = classes.map { $0.extended(by: known[$0.name]) }
    let all = file.filter { !names.contains($0.name) } + merged
    try check(
      all, allowingForwardReferences: mayLinkForward, awaited: undeclared.subtracting(names))

    // A class that is only named so far may become anything.
    let comparable = file.map { definition in
      guard undeclared.contains(definition.name),
        let asked = merged.first(where: { $0.name == definition.name })
      else { return definition }
      return ClassDefinition(asked.name, kind: asked.kind, [])
    }
    let changes = SchemaChange.list(from: comparable, to: merged)
    let differences = changes.filter {
      !$0.isAddition(among: changes, undeclared) && !(isMigrating && $0.addsKey(changes))
    }
    guard differences.isEmpty else { throw .mismatch(differences) }

    var plan = try declaration(of: merged, changes)
    let existing = Set(all.map { $0.name })
    for definition in merged {
      for target in definition.targets where !existing.contains(target) {
        if let violation = SchemaValidator.violation(ofClassName: target) {
          throw .invalid([violation])
        }
        if !plan.forwardReferences.contains(target) { plan.forwardReferences.append(target) }
      }
    }
    return plan
  }

  private func declaration(
    of classes: [ClassDefinition], _ changes: [SchemaChange]
  ) throws(SchemaError) -> Declaration {
    var plan = Declaration()
    for definition in classes { plan.parts.append(try part(definition, changes)) }
    return plan
  }

  private func part(
    _ definition: ClassDefinition, _ changes: [SchemaChange]
  ) throws(SchemaError) -> Declaration.Part {
    var part = Declaration.Part(definition: definition)
    part.wasUndeclared = undeclared.contains(definition.name)
    guard let existing = realm.schema.objectClass(named: definition.name),
      existing.origin != .system
    else {
      part.added = definition.properties
      return part
    }
    part.table = existing.table.key
    if part.wasUndeclared, definition.kind == .embedded { try checkEmbeddable(existing) }
    for change in changes where change.className == definition.name {
      guard let property = change.property.flatMap({ definition.property(named: $0) }) else {
        continue
      }
      switch change.kind {
      case .addProperty: part.added.append(property)
      case .addIndex: part.indexed.append(property)
      default: break
      }
    }
    part.objectCount = try objectCount(existing)
    for property in part.added {
      // Objects as defaults are looked at when there are objects to get them.
      guard let value = definition.defaults[property.name],
        property.type.kind != .link || part.objectCount > 0
      else { continue }
      let fitting = ColumnFitting(property, of: existing, writer)
      do throws(ObjectError) {
        let fitted = try fitting.fit(value)
        // Of objects with a primary key only one can be made.
        if case .made = fitted, part.objectCount > 1 { _ = try fitting.fit(value) }
        part.defaults[property.name] = fitted
      } catch {
        throw .value(error)
      }
    }
    if !part.defaults.isEmpty { part.objects = try objects(of: existing) }
    return part
  }

  /// Makes the classes of a file as declared, if that loses no value, and stores the version.
  ///
  /// - Parameter version: The schema version of the declared classes; nil for that of the file.
  /// - Returns: what was done.
  /// - Throws: as `SchemaOpening.plan`; `value` for a default that does not fit.
  @discardableResult
  public func open(
    _ classes: [ClassDefinition], version: UInt64?
  ) throws(SchemaError) -> SchemaOpening {
    let transaction = try begin()
    let opening = try SchemaOpening.plan(realm.schema, classes, version: version)
    guard !opening.isNothing else { return opening }
    let plan = try declaration(of: classes, opening.changes)
    try change { () throws(StorageError) in
      for change in opening.changes { try convert(change, transaction) }
      _ = try apply(plan, transaction)
      if let version = opening.version { try transaction.setSchemaVersion(version) }
    }
    try makeDefaults(plan)
    return opening
  }

  /// Makes the changes that a declaration does not make.
  private func convert(
    _ change: SchemaChange, _ transaction: WriteTransaction
  ) throws(StorageError) {
    guard let table = realm.schema.objectClass(named: change.className)?.table.key,
      let column = try change.property.flatMap({ (name) throws(StorageError) in
        try transaction.columnKey(table, name)
      })
    else { return }
    switch change.kind {
    case .makeNullable: _ = try transaction.setNullable(table, column, true)
    case .removeIndex: try transaction.removeIndex(table, column)
    default: break
    }
  }

  // MARK: Applying

  private func apply(
    _ plan: Declaration, _ transaction: WriteTransaction
  ) throws(StorageError) -> [DeclarationOutcome] {
    // Apps take a file without version for one that they may change at will.
    if realm.schema.version == nil, plan.parts.contains(where: { $0.table == nil }) {
      try transaction.setSchemaVersion(0)
    }
    var tables = self.tables()
    for part in plan.parts where part.table == nil {
      let definition = part.definition
      tables[definition.name] = try transaction.createTable(
        ClassTable.prefix + definition.name, kind: definition.kind)
    }
    for name in plan.forwardReferences {
      tables[name] = try transaction.createTable(ClassTable.prefix + name)
    }
    for part in plan.parts where part.wasUndeclared {
      if let table = part.table { try transaction.setKind(table, part.definition.kind) }
    }
    var outcomes: [DeclarationOutcome] = []
    for part in plan.parts {
      guard let table = tables[part.definition.name] else { continue }
      outcomes.append(try apply(part, table, tables, transaction))
    }
    return outcomes
  }

  private func apply(
    _ part: Declaration.Part, _ table: TableKey, _ tables: [String: TableKey],
    _ transaction: WriteTransaction
  ) throws(StorageError) -> DeclarationOutcome {
    for property in part.added {
      let column = try transaction.addColumn(table, property.column(tables))
      guard let value = part.defaults[property.name] else { continue }
      try transaction.fill(
        table, column, property.type, part.objects,
        Array(repeating: value, count: part.objects.count))
    }
    for property in part.added where property.isPrimaryKey {
      try transaction.setPrimaryKey(table, try transaction.columnKey(table, property.name))
    }
    for property in part.added + part.indexed {
      guard let index = property.index,
        let column = try transaction.columnKey(table, property.name)
      else { continue }
      switch index {
      case .general: try transaction.addIndex(table, column)
      case .fullText: try transaction.addFullTextIndex(table, column)
      }
    }
    var outcome = DeclarationOutcome(className: part.definition.name)
    outcome.isNew = part.table == nil || part.wasUndeclared
    outcome.indexed = part.indexed
    guard !outcome.isNew else { return outcome }
    outcome.added = part.added
    if !part.added.isEmpty { outcome.filledCount = part.objectCount }
    return outcome
  }
}

extension SchemaChange {
  /// Whether an added property becomes the primary key of a class that had none.
  fileprivate func addsKey(_ changes: [SchemaChange]) -> Bool {
    guard case .changePrimaryKey(from: nil, let name?) = kind else { return false }
    return changes.contains {
      guard case .addProperty = $0.kind else { return false }
      return $0.className == className && $0.property == name
    }
  }

  /// Whether a declaration makes the change by itself.
  fileprivate func isAddition(among changes: [SchemaChange], _ undeclared: Set<String>) -> Bool {
    switch kind {
    case .addClass, .addInitialProperties, .addProperty: return true
    case .addIndex:
      // One index in the place of another one is no addition.
      return !changes.contains {
        guard case .removeIndex = $0.kind else { return false }
        return $0.className == className && $0.property == property
      }
    case .changePrimaryKey: return undeclared.contains(className)
    default: return false
    }
  }
}

extension ClassDefinition {
  /// The class with the properties that an existing one has besides.
  fileprivate func extended(by existing: ClassDefinition?) -> ClassDefinition {
    guard let existing else { return self }
    var result = self
    for var property in existing.properties where self.property(named: property.name) == nil {
      // The statement may name another primary key; that is a difference, not a violation.
      if primaryKey != nil { property.isPrimaryKey = false }
      result.properties.append(property)
    }
    let own = Set(inverses.map { $0.name })
    result.inverses += existing.inverses.filter { !own.contains($0.name) }
    return result
  }

  /// Names of the classes that are linked to, in the order of the properties.
  fileprivate var targets: [String] {
    properties.compactMap { $0.type.kind == .link ? $0.type.target : nil }
  }
}

extension PropertyDefinition {
  /// The column of the property.
  func column(_ tables: [String: TableKey]) -> ColumnDefinition {
    ColumnDefinition(
      name, type.kind, collection: type.collection, isNullable: type.isNullable,
      target: type.target.flatMap { tables[$0] })
  }
}
