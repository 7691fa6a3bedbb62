import RealmStorage
import RealmValues

/// Changes the classes of a realm in its write transaction.
///
/// Every operation checks everything before it changes anything: after an error other than `storage`
/// the transaction is as it was. The schema of the realm shows the changes at once.
///
/// Source: object-model.md 2, shell.md 7.
public final class SchemaEditor {
  /// The realm whose transaction is written to.
  public let realm: Realm
  /// Makes the objects that values of new properties stand for.
  public lazy var writer = ObjectWriter(realm)

  /// The transaction that the following belong to.
  private weak var transaction: WriteTransaction?
  /// Classes that were named in this transaction but not declared. Their tables exist, so that
  /// columns can lead to them.
  var undeclared: Set<String> = []
  /// Computed properties that were declared in this transaction, by class.
  var inverses: [String: [InverseDefinition]] = [:]

  /// Makes an editor; it may be kept over transactions.
  public init(_ realm: Realm) { self.realm = realm }

  /// Whether a migration runs: primary keys may have duplicates until its end, and objects that become
  /// embedded get exactly one owner each.
  var isMigrating: Bool { realm.transaction?.suspendsUniqueness ?? false }

  // MARK: State

  /// The transaction to work in.
  ///
  /// - Precondition: a write transaction is open.
  func begin() throws(SchemaError) -> WriteTransaction {
    guard let current = realm.transaction else {
      preconditionFailure("no write transaction is open")
    }
    if current !== transaction {
      (transaction, undeclared, inverses) = (current, [], [:])
    }
    try storage { () throws(StorageError) in try realm.refresh() }
    return current
  }

  /// Runs changes, so that the realm shows them.
  func change<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(SchemaError) -> Result {
    realm.noteChange()
    let result = try storage(body)
    try storage { () throws(StorageError) in try realm.refresh() }
    return result
  }

  /// Gives objects the values that make other objects, in a property that has been made.
  ///
  /// - Parameter values: Values that a `ColumnFitting` has checked, one for each object.
  func make(
    _ values: [ColumnValue], for objects: [ObjectKey], in property: String,
    of className: String
  ) throws(SchemaError) {
    guard let objectClass = realm.schema.objectClass(named: className),
      let layout = writer.layout(objectClass.table.key)
    else { return }
    let plan = WritePlan(writer)
    for (object, value) in zip(objects, values) {
      guard case .made(let value) = value else { continue }
      do throws(ObjectError) {
        try plan.setSubject(
          layout, object, [PropertyChange([.property(property)], .replace(value))])
      } catch {
        throw .value(error)
      }
    }
    guard !plan.subjects.isEmpty else { return }
    try change { () throws(StorageError) in _ = try writer.apply(plan) }
  }

  /// Runs something that fails with a `StorageError`.
  @discardableResult
  func storage<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(SchemaError) -> Result {
    do throws(StorageError) { return try body() } catch { throw .storage(error) }
  }

  /// All classes that can be named. A class hides a table of the library that has its name.
  private var classes: [ObjectClass] {
    realm.schema.classes.filter { realm.schema.objectClass(named: $0.name) === $0 }
  }

  /// All classes with the computed properties that are known.
  func definitions() -> [ClassDefinition] {
    classes.map {
      var definition = ClassDefinition($0)
      definition.inverses = inverses[$0.name] ?? []
      return definition
    }
  }

  /// The tables of all classes.
  func tables() -> [String: TableKey] {
    Dictionary(uniqueKeysWithValues: classes.map { ($0.name, $0.table.key) })
  }

  /// The class with a name.
  func objectClass(_ name: String) throws(SchemaError) -> ObjectClass {
    guard let found = realm.schema.objectClass(named: name), found.origin != .system else {
      throw .noClass(name)
    }
    return found
  }

  /// The property with a name.
  func property(
    _ name: String, of objectClass: ObjectClass
  ) throws(SchemaError) -> Property {
    guard let found = objectClass.property(named: name) else {
      throw .noProperty(SchemaError.Place(objectClass.name, name))
    }
    return found
  }

  func objectCount(_ objectClass: ObjectClass) throws(SchemaError) -> Int {
    try storage { () throws(StorageError) in try objectClass.table.objectCount() }
  }

  /// Checks the classes as they would be.
  ///
  /// What was wrong before is no reason to refuse a change.
  ///
  /// - Parameter awaited: Classes that will be declared later in the transaction.
  func check(
    _ classes: [ClassDefinition], allowingForwardReferences: Bool = false,
    awaited: Set<String> = []
  ) throws(SchemaError) {
    let before = SchemaValidator.violations(of: definitions())
    let found = SchemaValidator.violations(of: classes).filter {
      !before.contains($0)
        && !(allowingForwardReferences && $0.isForwardReference(awaiting: awaited))
    }
    guard found.isEmpty else { throw .invalid(found) }
  }

  // MARK: End of the transaction

  /// Classes that were named in this transaction, but not declared yet, in the order of their names.
  public var pendingClasses: [String] {
    guard realm.transaction === transaction else { return [] }
    return undeclared.sorted()
  }

  /// Checks that the transaction may be committed: all classes that were named exist.
  ///
  /// - Throws: `invalid` with the properties that lead nowhere.
  public func finish() throws(SchemaError) {
    guard realm.transaction != nil, realm.transaction === transaction else { return }
    guard !undeclared.isEmpty || !inverses.isEmpty else { return }
    let transaction = try begin()
    let known = definitions().filter { !undeclared.contains($0.name) }
    let found = SchemaValidator.violations(of: known).filter { violation in
      if case .unknownTarget(let name) = violation.kind, undeclared.contains(name) { return true }
      return isInverse(violation)
    }
    guard found.isEmpty else { throw .invalid(found) }
    // What has led to these classes is gone.
    for name in undeclared.sorted() {
      let named = try objectClass(name)
      guard try objectCount(named) == 0 else {
        throw .invalid([SchemaViolation(.unknownTarget(name), name)])
      }
      try change { () throws(StorageError) in try transaction.removeTable(named.table.key) }
    }
    undeclared = []
  }

  private func isInverse(_ violation: SchemaViolation) -> Bool {
    inverses[violation.className]?.contains { $0.name == violation.property } ?? false
  }

  // MARK: Schema version

  /// Sets the schema version.
  ///
  /// - Returns: the one before; nil if there was none.
  @discardableResult
  public func setVersion(_ version: UInt64) throws(SchemaError) -> UInt64? {
    let transaction = try begin()
    let old = realm.schema.version
    guard old != version else { return old }
    try change { () throws(StorageError) in try transaction.setSchemaVersion(version) }
    return old
  }
}
