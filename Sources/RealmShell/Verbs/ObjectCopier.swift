import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `copy SOURCE into NAME`.
///
/// Source: shell.md 5.
extension Session {
  func copy(_ statement: ObjectCopy, at range: SourceRange) throws(ShellError) -> String {
    let source = try current(at: statement.source.range)
    let target = try database(named: statement.database)
    guard target !== source, !OutputFile.areSame(source.realm.path, target.realm.path) else {
      throw ShellError(
        .illegalOperation, "objects are copied into another database",
        at: statement.database.range)
    }
    guard !target.isReadOnly else {
      throw ShellError(
        .readOnlyDatabase, "the database is open for reading only", at: statement.database.range)
    }
    try refresh(source)
    let evaluator = evaluator(source)
    let objects = try objects(of: statement.source, evaluator)
    let keys = try keys(
      of: objects, statement.condition ?? .everything(at: statement.source.range), evaluator)
    let copier = ObjectCopier(self, from: source, to: target, statement)
    return try change(in: target, at: range) { () throws(ShellError) in
      try copier.copy(objects.objectClass.base, keys)
      return copier.acknowledgement
    }
  }
}

/// Copies objects, and those they link to, from one database into another.
///
/// First all objects are made with their own values, then the links between them: so circles do no
/// harm.
final class ObjectCopier {
  private let session: Session
  private let source: Session.Database
  private let target: Session.Database
  private let statement: ObjectCopy
  private let policy: UpdatePolicy
  /// The copies by class and key of the original.
  private var copies: [TableKey: [ObjectKey: ObjectKey]] = [:]
  /// The originals whose links are to be set, in order.
  private var pending: [(objectClass: ObjectClass, key: ObjectKey)] = []
  private var counts: [(name: String, count: Int)] = []

  init(
    _ session: Session, from source: Session.Database, to target: Session.Database,
    _ statement: ObjectCopy
  ) {
    (self.session, self.source, self.target) = (session, source, target)
    self.statement = statement
    switch statement.policy?.kind {
    case .modified: policy = .modified
    case .all: policy = .all
    case .error, nil: policy = .error
    }
  }

  /// `copied 3 Dog, 2 Person into archive`.
  var acknowledgement: String {
    let parts = counts.map { "\(grouped($0.count)) \(quotedName($0.name))" }
    return "copied \(parts.isEmpty ? "nothing" : parts.joined(separator: ", "))"
      + " into \(quotedName(target.name))"
  }

  /// Copies objects of a class.
  func copy(_ objectClass: ObjectClass, _ keys: [ObjectKey]) throws(ShellError) {
    guard !objectClass.isEmbedded else {
      throw ShellError(
        .illegalOperation, "objects of \(quotedName(objectClass.name)) exist in their owner only",
        at: statement.source.range)
    }
    for key in keys { try make(objectClass, key) }
    var done = 0
    while done < pending.count {
      if done & 0xFFF == 0 { try Interruption.check() }
      try connect(pending[done].objectClass, pending[done].key)
      done += 1
    }
  }

  private func targetClass(_ objectClass: ObjectClass) throws(ShellError) -> ObjectClass {
    guard let found = target.realm.schema.objectClass(named: objectClass.name) else {
      throw ShellError(
        .noSuchTable, "\(target.name) has no class \(quotedName(objectClass.name))",
        at: statement.source.range)
    }
    return found
  }

  // MARK: Objects

  /// Makes, or updates, the copy of an object without its links.
  private func make(_ objectClass: ObjectClass, _ key: ObjectKey) throws(ShellError) {
    guard copies[objectClass.table.key]?[key] == nil else { return }
    let targetClass = try targetClass(objectClass)
    var fields: [InputField] = []
    for property in objectClass.properties where !property.canHoldLinks {
      let value = try source.value(of: property, in: objectClass, key)
      fields.append(InputField(property.name, InputMaker.input(value, isVerbatim: true)))
    }
    let outcome = try apply(objectClass, key) { (writer) throws(ObjectError) in
      if targetClass.primaryKey == nil { return try writer.planAdd(targetClass, [.map(fields)]) }
      return try writer.planUpsert(targetClass, [.map(fields)], policy: policy)
    }
    guard let subject = outcome.subjects.first else { return }
    copies[objectClass.table.key, default: [:]][key] = subject.key
    pending.append((objectClass, key))
    if let index = counts.firstIndex(where: { $0.name == objectClass.name }) {
      counts[index].count += 1
    } else {
      counts.append((objectClass.name, 1))
    }
  }

  /// Sets the links of the copy of an object.
  private func connect(_ objectClass: ObjectClass, _ key: ObjectKey) throws(ShellError) {
    guard let copy = copies[objectClass.table.key]?[key] else { return }
    let targetClass = try targetClass(objectClass)
    var changes: [PropertyChange] = []
    for property in objectClass.properties where property.canHoldLinks {
      let value = try source.value(of: property, in: objectClass, key)
      changes.append(PropertyChange([.property(property.name)], .replace(try input(value))))
    }
    guard !changes.isEmpty else { return }
    _ = try apply(objectClass, key) { (writer) throws(ObjectError) in
      try writer.planSet(targetClass, copy, changes)
    }
  }

  private func apply(
    _ objectClass: ObjectClass, _ key: ObjectKey,
    _ plan: (ObjectWriter) throws(ObjectError) -> WritePlan
  ) throws(ShellError) -> WriteOutcome {
    let checked: WritePlan
    do throws(ObjectError) {
      checked = try plan(target.writer)
    } catch {
      let parts = StatementParts(text: session.source, subject: statement.source.range)
      var failure = ObjectErrorText(error, parts, objectClass, target).shellError
      failure.range = statement.source.range
      failure.remedy = failure.name == .objectAlreadyExists ? "policy modified" : nil
      throw failure
    }
    return try session.apply(checked, to: target)
  }

  // MARK: Values

  /// A value with the copies of the objects in it; links to what was not copied are null.
  private func input(_ value: ShellValue) throws(ShellError) -> InputValue {
    switch value {
    case .object(let objectClass, let key): return try link(objectClass, key)
    case .list(let members):
      var values: [InputValue] = []
      for member in members {
        let value = try input(member)
        // A link that leads nowhere leaves its list, as one to a deleted object does.
        if member.isObject, case .scalar(.null) = value { continue }
        values.append(value)
      }
      return .array(values)
    case .dictionary(let entries):
      var fields: [InputField] = []
      for entry in entries {
        fields.append(
          InputField(
            String(decoding: entry.key, as: UTF8.self), try input(entry.value), isVerbatim: true))
      }
      return .map(fields)
    case .scalar, .results, .record, .reference: return InputMaker.input(value)
    }
  }

  private func link(_ objectClass: ObjectClass, _ key: ObjectKey) throws(ShellError) -> InputValue {
    if objectClass.isEmbedded {
      var fields: [InputField] = []
      for property in objectClass.properties {
        let value = try source.value(of: property, in: objectClass, key)
        fields.append(InputField(property.name, try input(value)))
      }
      return .map(fields)
    }
    let targetClass = try targetClass(objectClass)
    if statement.links { try make(objectClass, key) }
    if let copy = copies[objectClass.table.key]?[key] { return .object(targetClass, copy) }
    guard let primaryKey = objectClass.primaryKey, let transaction = target.realm.transaction,
      case .scalar(let wanted) = try source.value(of: primaryKey, in: objectClass, key)
    else { return .null }
    do throws(StorageError) {
      let found = try transaction.object(targetClass.table.key, primaryKey: wanted)
      return found.map { .object(targetClass, $0) } ?? .null
    } catch {
      throw StorageMessages.error(error, path: target.realm.path)
    }
  }
}

extension Property {
  /// Whether values lead, or may lead, to other objects.
  fileprivate var canHoldLinks: Bool { kind == .link || kind == .typedLink || kind == .mixed }
}
