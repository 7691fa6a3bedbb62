import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Makes objects of records, in the open transaction of a database.
///
/// Most objects have nothing but plain values: those go straight to where the transaction collects new
/// objects. The others get a plan, as those of `add` and `upsert`.
final class RecordImporter {
  /// What was done so far.
  struct Counts {
    var added = 0
    var changed = 0
    var unchanged = 0

    var total: Int { added + changed + unchanged }
  }

  /// An object with links that did not lead anywhere when its record was read.
  struct OpenRecord {
    let object: ObjectKey
    let bytes: [UInt8]
    let line: Int
    let column: Int
    /// Root properties with open links.
    let roots: [Int]
    /// The primary key, if objects are updated.
    let key: InputValue?
  }

  let database: Session.Database
  let objectClass: ObjectClass
  let records: ImportRecords
  let layout: ImportLayout
  let reader: ImportValueReader
  /// What happens to objects that exist; nil if there may be none.
  let policy: UpdatePolicy?
  /// A text that stands for null.
  let nullText: [UInt8]?
  /// For each field of a record the number of its column, -1 if it is not read.
  let columnOfField: [Int]
  /// The columns by the names of the fields of JSON, and the name of each; negative numbers for those
  /// that are left out.
  let columnOfName: [[UInt8]: Int]
  let names: [[UInt8]]
  private(set) var counts = Counts()
  var openRecords: [OpenRecord] = []
  /// For each column where its value stands in the record.
  var ranges: [Range<Int>]
  /// For each column the record that had it last.
  var stamps: [Int]
  var stamp = 0
  /// Root properties of the record whose links are open.
  var openRoots: [Int] = []
  /// Whether something was changed in the transaction.
  private(set) var hasChanged = false

  private(set) var appender: ObjectAppender?
  private var keys = KeySet()
  private let primaryKeyColumn: Int?
  /// Properties without a column that new objects cannot do without or that have a default.
  private let absent: [Absent]
  /// Columns whose values new objects cannot do without, if records may lack them.
  private let required: [Int]

  private struct Absent {
    let property: Property
    let position: Int
    let hasDefault: Bool
  }

  init(
    _ database: Session.Database, _ layout: ImportLayout, _ records: ImportRecords,
    columnOfField: [Int], columnOfName: [[UInt8]: Int], policy: UpdatePolicy?,
    nullText: [UInt8]?
  ) {
    (self.database, self.layout, self.records) = (database, layout, records)
    (self.columnOfField, self.columnOfName) = (columnOfField, columnOfName)
    (self.policy, self.nullText) = (policy, nullText)
    objectClass = layout.objectClass
    let byNumber = columnOfName.filter { $0.value >= 0 }.sorted { $0.value < $1.value }
    names = byNumber.map(\.key)
    reader = ImportValueReader(database.realm, imported: layout.objectClass)
    let columns = layout.columns
    ranges = Array(repeating: 0..<0, count: columns.count)
    stamps = Array(repeating: 0, count: columns.count)
    primaryKeyColumn = columns.firstIndex { $0.path.count == 1 && $0.property.isPrimaryKey }
    let properties = layout.objectClass.properties
    func hasDefault(_ property: Property) -> Bool {
      database.defaultValue(layout.objectClass, property) != nil
    }
    absent = layout.missing.compactMap { index in
      let property = properties[index]
      let hasDefault = hasDefault(property)
      guard hasDefault else { return nil }
      return Absent(
        property: property, position: layout.positions[index], hasDefault: hasDefault)
    }
    let isJSON = records.format == .json || records.format == .jsonl
    required = columns.indices.filter { number in
      let column = columns[number]
      return isJSON && column.path.count == 1
        && (!column.property.isNullable && column.property.collection == .none
          || hasDefault(column.property))
    }
  }

  // MARK: Transactions

  /// Begins to add to the open transaction.
  func begin() throws(ShellError) {
    hasChanged = false
    guard let transaction = database.realm.transaction, policy == nil else { return }
    do throws(StorageError) {
      appender = try transaction.appender(objectClass.table.key)
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    keys = database.transaction?.counts.takeAdded(objectClass.table.key) ?? KeySet()
  }

  /// Ends the part of the work that belongs to the open transaction.
  func end() {
    if policy == nil {
      database.transaction?.counts.putBack(keys, of: objectClass.table.key)
    }
    appender = nil
  }

  private func noteChange() {
    if hasChanged { return }
    hasChanged = true
    database.isHalfDone = true
    database.realm.noteChange()
  }

  // MARK: Plain objects

  /// Gives a new object a value; fails if the value is too large.
  @inline(__always)
  func set(
    _ column: ImportColumn, _ value: ScalarValue, at range: Range<Int>
  ) throws(RecordFailure) {
    guard let appender else { return }
    do throws(StorageError) {
      try appender.set(column.position, value)
    } catch {
      throw failure(error, column, range)
    }
  }

  /// The same with the bytes of a text.
  @inline(__always)
  func set(
    _ column: ImportColumn, bytes: UnsafeRawBufferPointer, at range: Range<Int>
  ) throws(RecordFailure) {
    guard let appender else { return }
    do throws(StorageError) {
      try appender.set(column.position, bytes: bytes)
    } catch {
      throw failure(error, column, range)
    }
  }

  private func failure(
    _ error: StorageError, _ column: ImportColumn, _ range: Range<Int>
  ) -> RecordFailure {
    if case .rejected(.valueTooLong) = error {
      return RecordFailure(
        .limitExceeded, "the value exceeds the limit of 16 MiB (\(column.label))", at: range)
    }
    return .fatal(StorageMessages.error(error, path: database.realm.path))
  }

  /// The failure for null where it is not allowed.
  func nullFailure(_ column: ImportColumn, _ range: Range<Int>) -> RecordFailure {
    RecordFailure(.propertyNotNullable, "\(column.label) cannot be null", at: range)
  }

  /// Gives a new object a value that was read; false if that takes a plan.
  func set(
    _ column: ImportColumn, _ value: InputValue, at range: Range<Int>
  ) throws(RecordFailure) -> Bool {
    if reader.hasOpenLinks {
      reader.hasOpenLinks = false
      openRoots.append(column.root)
      return true
    }
    switch value {
    case .scalar(.null): return true
    case .scalar(let scalar): try set(column, scalar, at: range)
    case .object(let target, let key):
      if column.property.kind == .mixed {
        try set(column, .link(target.table.key, key), at: range)
      } else {
        try set(column, .key(key), at: range)
      }
    default: return false
    }
    return true
  }

  /// Adds the object that values were given for; false if that takes a plan.
  func append(_ record: ImportRecord) throws(RecordFailure) -> Bool {
    guard let appender else { return false }
    for part in absent {
      guard let value = database.defaultValue(objectClass, part.property),
        case .scalar(let scalar) = value, scalar.kind == part.property.kind, part.position >= 0
      else { return false }
      do throws(StorageError) { try appender.set(part.position, scalar) } catch { return false }
    }
    for number in required where stamps[number] != stamp {
      let column = layout.columns[number]
      if database.defaultValue(objectClass, column.property) != nil { return false }
      throw RecordFailure(
        .missingPropertyValue, "\(column.label) has no value and no default",
        at: 0..<min(1, record.bytes.count))
    }
    noteChange()
    do throws(StorageError) {
      let key = try appender.append()
      keys.insert(key)
      counts.added += 1
      keepOpen(record, key, nil)
    } catch {
      guard case .rejected(.duplicatePrimaryKey) = error else {
        throw .fatal(StorageMessages.error(error, path: database.realm.path))
      }
      // A plan finds the same and tells what is wrong.
      return false
    }
    return true
  }

  private func keepOpen(_ record: ImportRecord, _ object: ObjectKey, _ key: InputValue?) {
    if openRoots.isEmpty { return }
    openRecords.append(
      OpenRecord(
        object: object, bytes: [UInt8](record.raw), line: record.line, column: record.column,
        roots: openRoots, key: key))
    openRoots.removeAll(keepingCapacity: true)
  }

  // MARK: Plans

  /// Adds or updates the object of a record.
  func add(_ record: ImportRecord) throws(RecordFailure) {
    if let problem = record.problem { throw .problem(problem) }
    openRoots.removeAll(keepingCapacity: true)
    stamp += 1
    if appender != nil {
      do throws(RecordFailure) {
        if try addPlainly(record) { return }
      } catch {
        appender?.discard()
        throw error
      }
      appender?.discard()
      openRoots.removeAll(keepingCapacity: true)
      stamp += 1
    }
    try addByPlan(record)
  }

  private func addPlainly(_ record: ImportRecord) throws(RecordFailure) -> Bool {
    reader.hasOpenLinks = false
    switch records.format {
    case .csv, .tsv: guard try giveFields(of: record) else { return false }
    case .json, .jsonl: guard try giveMembers(of: record) else { return false }
    }
    return try append(record)
  }

  /// The values of the columns of a record.
  ///
  /// - Parameter roots: The root properties that are asked for; nil for all.
  private func values(
    of record: ImportRecord, roots: [Int]?
  ) throws(RecordFailure) -> [InputValue?] {
    switch records.format {
    case .csv, .tsv: try fieldValues(of: record, roots: roots)
    case .json, .jsonl: try memberValues(of: record, roots: roots)
    }
  }

  private func addByPlan(_ record: ImportRecord) throws(RecordFailure) {
    let values = try values(of: record, roots: nil)
    var fields: [InputField] = []
    for (root, part) in layout.parts where !openRoots.contains(root) {
      guard let value = Self.value(of: part, values) else { continue }
      fields.append(InputField(objectClass.properties[root].name, value))
    }
    let plan: WritePlan
    do throws(ObjectError) {
      if let policy {
        plan = try database.writer.planUpsert(objectClass, [.map(fields)], policy: policy)
      } else {
        plan = try database.writer.planAdd(objectClass, [.map(fields)])
      }
    } catch {
      throw failure(error, record)
    }
    noteChange()
    let outcome = try apply(plan)
    guard let subject = outcome.subjects.first else { return }
    switch subject.effect {
    case .added: counts.added += 1
    case .changed: counts.changed += 1
    case .unchanged: counts.unchanged += 1
    }
    let key = policy == nil ? nil : primaryKeyColumn.flatMap { values[$0] }
    keepOpen(record, subject.key, key)
  }

  private func apply(_ plan: WritePlan) throws(RecordFailure) -> WriteOutcome {
    do throws(StorageError) {
      var outcome = try database.writer.apply(plan)
      if policy == nil, let subject = outcome.subjects.first, subject.effect == .added {
        keys.insert(subject.key)
        outcome.subjects = []
        database.transaction?.counts.count(outcome)
        outcome.subjects = [subject]
      } else {
        database.transaction?.counts.count(outcome)
      }
      return outcome
    } catch {
      throw .fatal(StorageMessages.error(error, path: database.realm.path))
    }
  }

  /// The value that columns make; nil if they have none.
  private static func value(
    of part: ImportLayout.Part, _ values: [InputValue?]
  ) -> InputValue? {
    switch part {
    case .column(let number): return values[number]
    case .embedded(let parts):
      var fields: [InputField] = []
      var isNull = true
      for (name, part) in parts {
        guard let value = value(of: part, values) else { continue }
        if case .scalar(.null) = value {} else { isNull = false }
        fields.append(InputField(name, value))
      }
      return fields.isEmpty ? nil : isNull ? .null : .map(fields)
    }
  }

  /// Why an object was refused, with the place of its value.
  private func failure(_ error: ObjectError, _ record: ImportRecord) -> RecordFailure {
    let text = ObjectErrorText(
      error, StatementParts(text: SourceText("")), objectClass, database
    ).shellError
    if case .storage = error.kind { return .fatal(text) }
    var range = 0..<min(1, record.bytes.count)
    var remedy: String?
    var column: ImportColumn?
    for case .property(let name) in error.place.prefix(2) {
      let root = objectClass.properties.firstIndex { $0.name == name }
      let number = layout.columns.firstIndex { $0.root == root }
      if let number, stamps[number] == stamp || !columnOfField.isEmpty {
        range = ranges[number]
        column = layout.columns[number]
      }
    }
    if case .objectAlreadyExists = error.kind {
      remedy = policy == nil ? "to change it: add upsert to the import" : nil
    }
    var message = text.message
    if let column, error.property != column.property.name, case .limitExceeded = error.kind {
      message += " (\(column.label))"
    }
    return RecordFailure(
      text.name, message, at: range, suggestion: text.suggestion, remedy: remedy)
  }

  // MARK: Open links

  /// Sets the links that did not lead to an object before all had come.
  ///
  /// - Parameter reject: Takes a record whose links lead nowhere; nil to fail then. The object is
  ///   deleted, and so are those whose open links led to it.
  func closeLinks(
    reject: ((ImportRecord, ImportProblem) throws(RecordFailure) -> Void)?
  ) throws(RecordFailure) {
    reader.isStrict = true
    defer { reader.isStrict = false }
    var open = openRecords
    openRecords = []
    if let reject {
      var isStable = false
      while !isStable {
        isStable = true
        var kept: [OpenRecord] = []
        for entry in open {
          do throws(RecordFailure) {
            _ = try withRecord(entry) { (record) throws(RecordFailure) in
              try values(of: record, roots: entry.roots)
            }
            kept.append(entry)
          } catch {
            guard case .problem(let problem) = error else { throw error }
            isStable = false
            try withRecord(entry) { (record) throws(RecordFailure) in
              try reject(record, problem)
            }
            try remove(entry.object)
          }
        }
        open = kept
      }
    }
    for entry in open {
      if Interruption.isRequested { throw .fatal(ShellError(.interrupted, "interrupted")) }
      do throws(RecordFailure) {
        try withRecord(entry) { (record) throws(RecordFailure) in try close(entry, record) }
      } catch {
        throw .fatal(error.shellError(of: entry, file: records.input.name))
      }
    }
  }

  private func withRecord<Result>(
    _ entry: OpenRecord, _ body: (ImportRecord) throws(RecordFailure) -> Result
  ) throws(RecordFailure) -> Result {
    try entry.bytes.withUnsafeBufferPointer { (bytes) throws(RecordFailure) in
      let raw = UnsafeRawBufferPointer(bytes)
      var count = raw.count
      if records.format != .json, count > 0, raw[count - 1] == 0x0A { count -= 1 }
      if records.format != .json, count > 0, raw[count - 1] == 0x0D { count -= 1 }
      let record = ImportRecord(
        bytes: UnsafeRawBufferPointer(rebasing: raw[..<count]), raw: raw, line: entry.line,
        column: entry.column)
      if !columnOfField.isEmpty { _ = records.fields.read(record.bytes, isComplete: true) }
      stamp += 1
      return try body(record)
    }
  }

  private func remove(_ object: ObjectKey) throws(RecordFailure) {
    let plan: WritePlan
    do throws(ObjectError) {
      plan = try database.writer.planDelete(objectClass, [object])
    } catch {
      throw .fatal(ShellError(.invalidatedObject, "the object was deleted"))
    }
    _ = try apply(plan)
    counts.added -= 1
  }

  private func close(_ entry: OpenRecord, _ record: ImportRecord) throws(RecordFailure) {
    let values = try values(of: record, roots: entry.roots)
    var fields: [InputField] = []
    for (root, part) in layout.parts where entry.roots.contains(root) {
      guard let value = Self.value(of: part, values) else { continue }
      fields.append(InputField(objectClass.properties[root].name, value))
    }
    let plan: WritePlan
    do throws(ObjectError) {
      if let policy, let key = entry.key, let primaryKey = objectClass.primaryKey {
        fields.insert(InputField(primaryKey.name, key), at: 0)
        plan = try database.writer.planUpsert(objectClass, [.map(fields)], policy: policy)
      } else {
        plan = try database.writer.planSet(
          objectClass, entry.object,
          fields.map { PropertyChange([.property($0.key)], .replace($0.value)) })
      }
    } catch {
      throw failure(error, record)
    }
    noteChange()
    do throws(StorageError) {
      _ = try database.writer.apply(plan)
    } catch {
      throw .fatal(StorageMessages.error(error, path: database.realm.path))
    }
  }
}

extension RecordFailure {
  /// The error for the user about a record that was kept.
  fileprivate func shellError(
    of entry: RecordImporter.OpenRecord, file: String
  ) -> ShellError {
    switch self {
    case .fatal(let error): error
    case .problem(let problem):
      entry.bytes.withUnsafeBytes {
        problem.shellError(in: $0, line: entry.line, column: entry.column, file: file)
      }
    }
  }
}
