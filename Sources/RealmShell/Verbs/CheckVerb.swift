import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `check`.
///
/// Source: shell.md 6.
extension Session {
  /// The exit status after findings.
  private static let findingsStatus: Int32 = 7

  func check(_ statement: CheckStatement, to writer: ByteWriter) throws(ShellError) {
    let realm: Realm
    if let path = statement.file {
      do throws(ShellError) {
        realm = try openRealm(path: resolve(path), key: try readKey(statement.key))
      } catch {
        var error = placed(error, path)
        if error.name == .fileNotFound { error.remedy = nil }
        throw error
      }
    } else {
      realm = try committed(try current())
    }
    let depth: FileChecker.Depth =
      switch statement.depth {
      case .quick: .quick
      case .standard: .normal
      case .deep: .deep
      }
    let progress = Progress("checking", for: self)
    let report = FileChecker.check(realm.snapshot, depth: depth) { progress.goesOn($0, $1) }
    if Interruption.isRequested { throw ShellError(.interrupted, "interrupted") }
    CheckText(realm: realm, report: report, depth: depth).write(to: writer)
    if !report.isGood { exitStatus = Session.findingsStatus }
  }
}

/// The lines of `check`.
struct CheckText {
  let realm: Realm
  let report: CheckReport
  let depth: FileChecker.Depth

  /// One line for each finding, then a summary.
  func write(to writer: ByteWriter) {
    for finding in report.findings { writer.write("\(line(finding))\n") }
    let hidden = report.findingCount - report.findings.count
    if hidden > 0 { writer.write("\(counted(hidden, "more finding", "more findings"))\n") }
    writer.write(summary + "\n")
  }

  private var summary: String {
    var parts = [counted(report.classCount, "class", "classes")]
    let total = counted(report.objectTotal, "object", "objects")
    let isWhole = report.objectCount == report.objectTotal
    parts.append(isWhole ? total : "\(grouped(report.objectCount)) of \(total)")
    if depth > .quick { parts.append(counted(report.nodeCount, "node", "nodes")) }
    let findings =
      report.findingCount == 0 ? "no findings" : counted(report.findingCount, "finding", "findings")
    let end = report.isComplete ? "" : "; the check gave up"
    return "checked \(parts.joined(separator: ", ")): \(findings)\(end)"
  }

  private func line(_ finding: Finding) -> String {
    var parts = [shownPath(realm.path)]
    if let offset = finding.offset { parts.append("offset \(StorageMessages.offset(offset))") }
    let place = place(finding)
    if !place.isEmpty { parts.append(place) }
    parts.append(text(finding))
    return parts.joined(separator: ": ")
  }

  private func place(_ finding: Finding) -> String {
    if case .freeRangeInUse = finding.kind { return "free list" }
    var parts: [String] = []
    if let table = finding.table { parts.append(tableText(table)) }
    if let column = finding.column { parts.append("property \(column)") }
    if let object = finding.object { parts.append("object \(object.rawValue)") }
    return parts.joined(separator: ", ")
  }

  private func tableText(_ name: String) -> String {
    ClassTable.className(ofTable: name).map { "class \($0)" } ?? "table \(name)"
  }

  private func name(_ key: TableKey) -> String {
    realm.schema.objectClass(key)?.name ?? "table \(key.rawValue)"
  }

  private func range(_ start: Int64, _ end: Int64) -> String {
    let from = StorageMessages.offset(UInt64(bitPattern: start))
    return "\(from)-\(StorageMessages.offset(UInt64(bitPattern: end)))"
  }

  private func text(_ finding: Finding) -> String {
    switch finding.kind {
    case .unreadable(.damaged(let damage)): StorageMessages.text(damage)
    case .unreadable(let error): StorageMessages.error(error, path: realm.path).message
    case .reservedHeaderBits(let bits): "reserved bits of the header are \(bits), not 0"
    case .topElementCount(let count): "the top array has \(count) elements"
    case .historyType(let number): "unknown kind of history (\(number))"
    case .damagedPage(let page): "page \(page) does not verify with the key"
    case .count(let found, let stored): "\(found) found, \(stored) stored"
    default: freeSpaceText(finding) ?? contentText(finding) ?? linkText(finding)
    }
  }

  private func freeSpaceText(_ finding: Finding) -> String? {
    switch finding.kind {
    case .freeListLengths(let positions, let sizes, let versions):
      return "free list: \(positions) positions, \(sizes) sizes, \(versions) versions"
    case .freeListOrder(let start, let end):
      return "free list: range at \(start) begins before \(end), where the one before ends"
    case .freeRangeAlignment(let start, let count):
      return "free list: range at \(start) of \(count) bytes is not made of whole words"
    case .freeRangeOutside(let start, let count, let limit):
      return "free list: range at \(start) of \(count) bytes is outside of \(limit) bytes"
    case .freeRangeInUse(let start, let end):
      let user = finding.table.map { " by " + tableText($0) } ?? ""
      return "\(range(start, end)) is listed as free but used\(user)"
    case .lostSpace(let count): return "\(count) bytes are neither used nor free"
    case .sharedNode: return "node is referred to twice"
    case .overlappingNode: return "node overlaps another one"
    default: return nil
    }
  }

  private func contentText(_ finding: Finding) -> String? {
    switch finding.kind {
    case .notFoundByKey: return "the object is not found by its key"
    case .objectKeyOrder: return "object keys are not in ascending order"
    case .setOrder(let index): return "set members \(index - 1) and \(index) are not in order"
    case .dictionaryOrder(let index): return "keys \(index - 1) and \(index) are not in order"
    case .invalidText(let index): return "text is not UTF-8 from byte \(index) on"
    case .duplicateColumnIndex(let index): return "two columns have the index \(index)"
    case .missingInIndex: return "the search index lacks the object"
    case .strayInIndex: return "the search index has an entry too many"
    case .wrongIndexEntry: return "the search index has the object under another value"
    case .indexOrder: return "the search index is not in order"
    default: return nil
    }
  }

  private func linkText(_ finding: Finding) -> String {
    switch finding.kind {
    case .missingTable(let key): "links to table \(key.rawValue), which does not exist"
    case .missingObject(let table, let key):
      "links to \(name(table))#\(key.rawValue), which does not exist"
    case .missingBacklink(let table, let key):
      "links to \(name(table))#\(key.rawValue), which has no backlink for it"
    case .strayBacklink(let table, let key):
      "has a backlink from \(name(table))#\(key.rawValue), which does not link to it"
    case .ownerCount(let count): "embedded object with \(count) owners"
    case .duplicatePrimaryKey(let key): "has the primary key of object \(key.rawValue)"
    default: "damaged"
    }
  }
}
