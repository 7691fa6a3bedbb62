import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `migrate`.
///
/// Source: shell.md 14; object-model.md 8.
extension Session {
  func migrate(
    _ statement: MigrateStatement, at range: SourceRange, origin: ErrorPrinter.Origin,
    to writer: ByteWriter
  ) throws(ShellError) {
    try check(statement)
    let database = try current(at: verbRange(range))
    guard statement.isDry, database.isReadOnly else {
      return try migrate(database, statement, at: range, origin: origin, to: writer)
    }
    try trying(on: database) { (copy) throws(ShellError) in
      try migrate(copy, statement, at: range, origin: origin, to: writer)
    }
  }

  private func migrate(
    _ database: Database, _ statement: MigrateStatement, at range: SourceRange,
    origin: ErrorPrinter.Origin, to writer: ByteWriter
  ) throws(ShellError) {
    try refuseNesting(database, at: range)
    if !database.isReadOnly { try refresh(database) }
    guard !missingSteps(of: statement, database).isEmpty else {
      return tellNothingToMigrate(database, to: writer)
    }
    _ = try writable(at: range)
    try startWriting(database, wait: .forever, at: range)
    noteBeginning(of: database)
    database.realm.transaction?.suspendsUniqueness = true
    let defaults = database.defaults.state
    isInBlock = true
    defer { isInBlock = false }
    do throws(ShellError) {
      // Another process may have migrated meanwhile.
      let steps = missingSteps(of: statement, database)
      var lines: [String] = []
      for step in steps {
        let report = try run(step, database, origin: origin, to: writer)
        if statement.isDry {
          report.write(to: writer, width: isOnScreen ? screenWidth : nil)
        } else {
          lines.append(report.line)
        }
      }
      isInBlock = false
      guard !statement.isDry, !steps.isEmpty else {
        try dropMigration(of: database, defaults)
        if steps.isEmpty { return tellNothingToMigrate(database, to: writer) }
        return writer.write("nothing was changed\n")
      }
      try finish(database, at: range, to: writer, telling: lines)
    } catch {
      var error = error
      if database.transaction != nil {
        try dropMigration(of: database, defaults)
        error.details.append("the migration was cancelled: nothing was changed")
      }
      throw error
    }
  }

  private func dropMigration(
    of database: Database, _ defaults: Defaults.State
  ) throws(ShellError) {
    database.defaults.restore(defaults)
    try drop(database)
    database.realm.computedProperties = database.defaults.computedProperties
  }

  private func tellNothingToMigrate(_ database: Database, to writer: ByteWriter) {
    let version = database.realm.schema.version.map(String.init) ?? "none"
    acknowledge("schema version is \(version); nothing to migrate", to: writer)
  }

  /// The blocks whose versions are above that of the file.
  private func missingSteps(
    of statement: MigrateStatement, _ database: Database
  ) -> [MigrateStatement.Step] {
    guard let version = database.realm.schema.version else { return statement.steps }
    return statement.steps.filter { UInt64($0.version.value) > version }
  }

  // MARK: One block

  /// Runs a block and sets the schema version.
  private func run(
    _ step: MigrateStatement.Step, _ database: Database, origin: ErrorPrinter.Origin,
    to writer: ByteWriter
  ) throws(ShellError) -> MigrationReport {
    let migration = Migration(
      try database.reading { () throws(StorageError) in try database.realm.keepState() })
    database.migration = migration
    defer { database.migration = nil }
    var statements = step.block.statements
    var place: SourceRange?
    while true {
      try addPlain(from: &statements, place: &place, to: writer)
      guard let statement = statements.next() else { break }
      try Interruption.check()
      try execute(statement, origin: origin)
    }
    guard database.transaction?.isFailed != true else {
      throw ShellError(.transactionFailed, "a statement of the block has failed", at: step.range)
    }
    try SchemaErrorText(database, text: source).during { () throws(SchemaError) in
      try database.schemaEditor.finish()
    }
    try verifyPrimaryKeys(of: database, step)
    try SchemaErrorText(database, text: source).during { () throws(SchemaError) in
      _ = try database.schemaEditor.setVersion(UInt64(step.version.value))
    }
    try refresh(database)
    let report = try database.reading { () throws(StorageError) in
      try MigrationReport(migration, database.realm.schema, isWide: outputIsTerminal)
    }
    try database.reading { () throws(StorageError) in try database.realm.releaseState() }
    return report
  }

  /// Values that are named as duplicates.
  private static let maximumValueCount = 5

  private func verifyPrimaryKeys(
    of database: Database, _ step: MigrateStatement.Step
  ) throws(ShellError) {
    let found = try database.reading { () throws(StorageError) in
      try database.realm.transaction?.verifyPrimaryKeys()
    }
    guard let found else { return }
    try refresh(database)
    let objectClass = database.realm.schema.objectClass(found.table)
    let className = quotedName(objectClass?.name ?? "")
    let property = quotedName(objectClass?.primaryKey?.name ?? "")
    var values = found.values.prefix(Session.maximumValueCount).map { value, count in
      "\(CanonicalText.string(value, inMixed: false)) (\(counted(count, "object", "objects")))"
    }
    if found.values.count > values.count {
      values.append("\(grouped(found.values.count - values.count)) more")
    }
    throw ShellError(
      .migrationFailed,
      "the primary key \(className).\(property) is not unique: \(values.joined(separator: ", "))",
      at: step.range)
  }

  // MARK: Rules

  /// Refuses versions out of order, and statements that cannot stand in a migration, before anything
  /// is done.
  private func check(_ statement: MigrateStatement) throws(ShellError) {
    var last: Int64 = -1
    for step in statement.steps {
      guard step.version.value > last else {
        throw ShellError(
          .invalidSchemaVersion, "version \(step.version.value) stands behind version \(last)",
          at: step.version.range)
      }
      last = step.version.value
    }
    for step in statement.steps {
      for inner in step.block.statements {
        if let prefix = inner.prefixes.first(where: \.isForThread) {
          throw refusal(of: "on", at: prefix.range)
        }
        guard inner.body.canMigrate else {
          let range = bodyRange(of: inner)
          throw refusal(of: source.text(of: verbRange(range)), at: verbRange(range))
        }
      }
    }
  }

  private func refusal(of verb: String, at range: SourceRange) -> ShellError {
    ShellError(.wrongTransactionState, "\(verb) cannot stand in a migration", at: range)
  }
}

extension StatementBody {
  /// Whether the statement can stand in a migration.
  fileprivate var canMigrate: Bool {
    switch self {
    case .class, .alter, .rename, .drop, .set, .add, .upsert, .delete, .assert, .print, .let,
      .unlet, .get, .where, .count, .aggregate, .sections:
      true
    case .schema(.version(let number)): number == nil
    case .schema: true
    default: false
    }
  }
}
