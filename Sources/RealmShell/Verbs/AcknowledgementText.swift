import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// The acknowledgements of statements that change objects.
///
/// Source: shell.md 25.
struct AcknowledgementText {
  private let database: Session.Database

  init(_ database: Session.Database) { self.database = database }

  /// The name of an object, read from the open transaction.
  func name(of key: ObjectKey, in objectClass: ObjectClass) throws(ShellError) -> String {
    let className = quotedName(objectClass.name)
    guard let primaryKey = objectClass.primaryKey, let transaction = database.realm.transaction
    else { return "\(className)#\(key.rawValue)" }
    do throws(StorageError) {
      let column = objectClass.table.columns[primaryKey.position].key
      let value = try transaction.value(objectClass.table.key, key, column)
      return "\(className)(\(CanonicalText.string(value, inMixed: false)))"
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  /// `added Person(3), 1 Dog`, `added 2 Dog`.
  func added(_ outcome: WriteOutcome) throws(ShellError) -> String {
    let nested = outcome.addedNested.map { ", " + text($0) }.joined()
    guard outcome.subjects.count == 1, let subject = outcome.subjects.first else {
      let name = outcome.subjects.first.map { quotedName($0.objectClass.name) } ?? "objects"
      return "added \(grouped(outcome.subjects.count)) \(name)\(nested)"
    }
    return "added \(try name(of: subject.key, in: subject.objectClass))\(nested)"
  }

  /// `changed Dog(4): age`, `Dog(4) unchanged`, `2 added, 1 changed`.
  func upserted(_ outcome: WriteOutcome) throws(ShellError) -> String {
    guard outcome.subjects.count == 1, let subject = outcome.subjects.first else {
      return several(outcome) + nestedText(outcome)
    }
    if subject.effect == .added, outcome.changedNested.isEmpty { return try added(outcome) }
    return try changed(outcome)
  }

  private func several(_ outcome: WriteOutcome) -> String {
    var counts = (added: 0, changed: 0, unchanged: 0)
    for subject in outcome.subjects {
      switch subject.effect {
      case .added: counts.added += 1
      case .changed: counts.changed += 1
      case .unchanged: counts.unchanged += 1
      }
    }
    let parts = [
      (counts.added, "added"), (counts.changed, "changed"), (counts.unchanged, "unchanged"),
    ]
    return parts.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }.joined(separator: ", ")
  }

  /// `changed Dog(1): age, name`, `Dog(4) unchanged`, with what happened to nested objects.
  func changed(_ outcome: WriteOutcome) throws(ShellError) -> String {
    guard let subject = outcome.subjects.first else { return "" }
    let name = try name(of: subject.key, in: subject.objectClass)
    let text: String
    switch subject.effect {
    case .added: text = "added \(name)"
    case .changed(let properties): text = "changed \(name): \(properties.joined(separator: ", "))"
    case .unchanged: text = "\(name) unchanged"
    }
    return text + nestedText(outcome)
  }

  /// `; added 1 Dog; changed 1 Address`.
  func nestedText(_ outcome: WriteOutcome) -> String {
    var result = ""
    for (word, counts) in [("added", outcome.addedNested), ("changed", outcome.changedNested)]
    where !counts.isEmpty {
      result += "; \(word) " + counts.map(text).joined(separator: ", ")
    }
    return result
  }

  /// `deleted 3 Dog, 2 Person`.
  func deletedEverything(_ outcome: WriteOutcome) -> String {
    let counts = (outcome.deleted + outcome.deletedEmbedded).map(text)
    return "deleted " + (counts.isEmpty ? "nothing" : counts.joined(separator: ", "))
  }

  private func text(_ count: WriteOutcome.Count) -> String {
    "\(grouped(count.count)) \(quotedName(count.objectClass.name))"
  }
}
