import ByteKernels
import Glibc
import RealmLanguage
import RealmStorage
import RealmValues

/// `recover`.
///
/// Source: shell.md 6.
extension Session {
  func recover(_ statement: RecoverStatement, to writer: ByteWriter) throws(ShellError) {
    let target = resolve(statement.target)
    try permitCopying(to: target, at: statement.target.range)
    let report = try recover(statement, resolve(statement.file), to: target)
    RecoverText(report: report, target: statement.target.text).write(to: writer)
  }

  private func recover(
    _ statement: RecoverStatement, _ file: String, to target: String
  ) throws(ShellError) -> RecoveryReport {
    let progress = Progress("recovering", for: self)
    let attempt = { (key: EncryptionKey?) throws(StorageError) in
      try FileRecovery.recover(path: file, key: key, to: target) { progress.goesOn($0, $1) }
    }
    let key = try readKey(statement.key)
    do throws(StorageError) {
      return try attempt(key)
    } catch {
      guard error == .noKey, nonEmptyEnvironment("REALMSH_KEY") != nil else {
        throw recoverError(error, statement)
      }
    }
    let other = try nonEmptyEnvironment("REALMSH_KEY").map { (source) throws(ShellError) in
      try readKey(source)
    }
    do throws(StorageError) {
      return try attempt(other)
    } catch {
      throw recoverError(error, statement)
    }
  }

  private func recoverError(
    _ error: StorageError, _ statement: RecoverStatement
  ) -> ShellError {
    var failure: ShellError
    switch error {
    case .system(_, EEXIST):
      let target = statement.target
      failure =
        StorageMessages.danglingLink(resolve(target), shownAs: target.text, at: target.range)
        ?? ShellError(.fileAlreadyExists, "\(target.text) exists already", at: target.range)
    case .rejected(.interrupted):
      return ShellError(.interrupted, "interrupted; nothing was saved")
    case .damaged(let damage) where damage.kind == .missingRef && damage.offset == 0:
      failure = ShellError(
        .damaged, "\(statement.file.text) has no list of classes that can be read")
    default: failure = placed(StorageMessages.error(error, path: file(statement)), statement.file)
    }
    if failure.name == .fileNotFound { failure.remedy = nil }
    if failure.name == .noKey {
      failure.remedy =
        "recover \(statement.file.text) key \"file:PATH\" to \(statement.target.text)"
    }
    failure.range = failure.range ?? statement.file.range
    return failure
  }

  private func file(_ statement: RecoverStatement) -> String { resolve(statement.file) }
}

/// The lines of `recover`.
private struct RecoverText {
  let report: RecoveryReport
  let target: String

  func write(to writer: ByteWriter) {
    switch report.origin {
    case .live: break
    case .previous:
      writer.write(
        "the newest state cannot be reached: this is the one before it, version "
          + "\(report.version)\n")
    case .found:
      writer.write(
        "the header leads nowhere: this is version \(report.version), found by a search\n")
    }
    let tables = report.tables.filter { !$0.isEmbedded && isShown($0.name) }
    let lost = report.lostTables.filter { isShown($0.name) }
    let width = (tables.map(\.name) + lost.map(\.name)).map { title($0).count }.max() ?? 0
    for table in tables {
      writer.write("\(padded(title(table.name), width))  \(line(table))\n")
      for (name, error) in table.lostProperties {
        writer.write(
          "\(padded("", width))  \(quotedName(name)) is lost (\(RecoverText.reason(error)))\n")
      }
    }
    for (name, error) in lost {
      writer.write(
        "\(padded(title(name), width))  all objects lost (\(RecoverText.reason(error)))\n")
    }
    let saved = tables.reduce(0) { $0 + $1.saved }
    let isKnown = lost.isEmpty && tables.allSatisfy { $0.total != nil }
    let total = tables.reduce(0) { $0 + max($1.total ?? 0, $1.saved) }
    let incomplete = tables.reduce(0) { $0 + $1.incomplete }
    let count =
      isKnown
      ? "\(grouped(saved)) of \(counted(total, "object", "objects"))"
      : counted(saved, "object", "objects")
    let rest = incomplete > 0 ? ", \(grouped(incomplete)) of them incomplete" : ""
    writer.write("saved \(count) in \(target)\(rest)\n")
  }

  /// Whether a table is one of the user's.
  private func isShown(_ name: String) -> Bool { name != "metadata" && name != "pk" }

  private func title(_ name: String) -> String {
    quotedName(ClassTable.className(ofTable: name) ?? name)
  }

  private func line(_ table: RecoveryReport.Table) -> String {
    var parts: [String] = []
    if let total = table.total, total < table.saved {
      // Objects of the state before may have been deleted since.
      parts.append(
        "\(counted(table.saved, "object", "objects")), where \(grouped(total)) are counted")
    } else if let total = table.total {
      parts.append("\(grouped(table.saved)) of \(counted(total, "object", "objects"))")
      if total > table.saved {
        parts.append("\(grouped(total - table.saved)) lost\(places(table.losses, table.lossCount))")
      }
    } else {
      parts.append(counted(table.saved, "object", "objects"))
      parts.append("an unknown number lost\(places(table.losses, table.lossCount))")
    }
    if table.older > 0 { parts.append("\(grouped(table.older)) as before the last commit") }
    if table.incomplete > 0 {
      parts.append(
        "\(grouped(table.incomplete)) incomplete\(places(table.damages, table.damageCount))")
    }
    if table.unlinked > 0 {
      parts.append("\(grouped(table.unlinked)) without links to lost objects")
    }
    return parts.joined(separator: "; ")
  }

  /// ` (offset 0x5f20: bad text, and 2 other places)`.
  private func places(_ places: [RecoveryReport.Place], _ count: Int) -> String {
    guard let first = places.first else { return "" }
    let rest = count > 1 ? ", and \(counted(count - 1, "other place", "other places"))" : ""
    return " (\(RecoverText.text(first))\(rest))"
  }

  private static func text(_ place: RecoveryReport.Place) -> String {
    let reason =
      switch place.reason {
      case .unreadable(let error): reason(error, withOffset: false)
      case .badText: "bad text"
      case .badNull: "null where none may be"
      case .badValue: "values of another type"
      case .duplicatePrimaryKey: "a primary key twice"
      }
    return place.offset.map { "offset \(StorageMessages.offset($0)): \(reason)" } ?? reason
  }

  private static func reason(_ error: StorageError, withOffset: Bool = true) -> String {
    switch error {
    case .damaged(let damage):
      let text =
        damage.kind == .textPastEnd ? "bad text" : StorageMessages.text(damage)
      return withOffset ? "offset \(StorageMessages.offset(damage.offset)): \(text)" : text
    case .damagedPage(let page): return "page \(page) does not verify"
    case .rejected: return "the class it leads to is lost"
    default: return StorageMessages.reason(error)
    }
  }
}
