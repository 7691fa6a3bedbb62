import RealmLanguage
import RealmObjects
import RealmStorage

/// `info versions`.
///
/// Source: shell.md 6, 8.
extension Session {
  /// The versions of a database that are alive, the newest first, and who keeps them.
  func livingVersions(
    of database: Database
  ) throws(ShellError) -> [(name: String, value: String)] {
    let versions: [LivingVersion]
    do throws(StorageError) {
      versions = try database.realm.livingVersions()
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    let holders = holders(of: database)
    var lines = [(name: "version", value: "pinned by")]
    for version in versions.reversed() {
      var texts = holders.filter { $0.version == version.version }.map(\.text)
      // A statement can have looked at it just now.
      if texts.isEmpty, version.ownCount > 0 { texts.append("this process") }
      if version.otherCount > 0 { texts.append("other processes") }
      lines.append(
        (String(version.version), texts.isEmpty ? "nobody" : texts.joined(separator: ", ")))
    }
    return lines
  }

  /// What in this process keeps versions of a database.
  private func holders(of database: Database) -> [(version: Int64, text: String)] {
    guard let file = FileIdentity(path: database.realm.path) else { return [] }
    publishStatus()
    var holders: [(version: Int64, text: String)] = []
    let (members, variables) = threads.monitor.withLock { ($0.members, $0.variables) }
    for member in members {
      for (other, version) in member.status.versions where other == file {
        holders.append((version, "thread \(member.identity.name)"))
      }
    }
    for watch in observers.watches where FileIdentity(path: watch.database.realm.path) == file {
      for observer in watch.observers where observer.values != .none {
        holders.append(
          (
            watch.snapshot.version,
            "observer \(observer.number) (values \(observer.values.rawValue))"
          ))
      }
    }
    for name in variables.keys.sorted() {
      guard let variable = variables[name] else { continue }
      for version in variable.keptVersions where FileIdentity(path: version.path) == file {
        let kind = if case .value(.reference, _) = variable { "reference" } else { "frozen" }
        holders.append((version.version, "\(kind) $\(name)"))
      }
    }
    return holders
  }
}

extension Variable {
  /// The versions that stay alive because of the variable.
  var keptVersions: [FrozenVersion] {
    switch self {
    case .value(.reference(let reference), _): reference.frozenVersion.map { [$0] } ?? []
    case .value(let value, _): Array(value.frozenVersions.prefix(1))
    case .frozenResults(let results): [results.version]
    case .results, .invalidated: []
    }
  }
}
