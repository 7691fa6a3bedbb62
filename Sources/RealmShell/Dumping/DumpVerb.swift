import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// `dump`.
///
/// Source: shell.md 16.
extension Session {
  func dump(
    _ statement: DumpStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let database = try current(at: range)
    let dump = try DatabaseDump(statement, database, for: self, at: range)
    guard let path = statement.path else {
      try dump.write(to: writer)
      return
    }
    try OutputFile.write(to: resolve(path), for: self, at: path.range) {
      (writer) throws(ShellError) in
      try dump.write(to: writer)
    }
    let classes = counted(dump.classCount, "class", "classes")
    let content =
      statement.part == .schema
      ? classes : "\(counted(dump.objectCount, "object", "objects")) of \(classes)"
    acknowledge("dumped \(content) to \(path.text)", to: writer)
  }
}

/// A script that makes the classes and objects of a database again.
final class DatabaseDump {
  private let part: DumpStatement.Part?
  private let isWhole: Bool
  private let database: Session.Database
  private let schema: Schema
  /// The classes in the order of the file, with the embedded ones that they need.
  private let classes: [ObjectClass]
  private let progress: Progress
  private let order: LinkOrder
  private let total: Int
  /// The number of objects written so far.
  private(set) var objectCount = 0

  /// The number of classes whose objects stand for themselves; of a schema of all.
  var classCount: Int { part == .schema ? classes.count : order.classes.count }

  init(
    _ statement: DumpStatement, _ database: Session.Database, for session: Session,
    at range: SourceRange
  ) throws(ShellError) {
    self.database = database
    part = statement.part
    isWhole = statement.classes.isEmpty
    schema = database.realm.schema
    progress = Progress("dumping", for: session)
    classes = try DatabaseDump.chosen(statement.classes, database.realm)
    if isWhole, let part = InfoText.unreadable(database.realm.snapshot).first {
      throw ShellError(
        .damaged, "not everything can be dumped; \(part)", at: range,
        remedy: "dump CLASS, ... for those that can be read")
    }
    do throws(StorageError) {
      order = try LinkOrder(classes, in: schema)
      var total = 0
      for objectClass in order.classes { total += try objectClass.table.objectCount() }
      self.total = total
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
    try Interruption.check()
  }

  /// The classes with the names, or all, and the embedded classes of their objects.
  ///
  /// - Throws: `NoSuchTable`; `IllegalOperation`: an embedded class cannot stand for itself.
  private static func chosen(_ names: [Name], _ realm: Realm) throws(ShellError) -> [ObjectClass] {
    let schema = realm.schema
    // A table of the library that has the name of a class could not be told from it.
    let all = schema.classes.filter { schema.objectClass(named: $0.name) === $0 }
    if names.isEmpty { return all }
    var wanted: Set<TableKey> = []
    var open: [ObjectClass] = []
    for name in names {
      guard let objectClass = schema.objectClass(named: name.text) else {
        throw Evaluator.unknownClass(name, realm)
      }
      open.append(objectClass)
    }
    while let objectClass = open.popLast() {
      guard wanted.insert(objectClass.table.key).inserted else { continue }
      let targets = objectClass.properties.compactMap(\.target)
      open += targets.compactMap { schema.objectClass($0) }.filter(\.isEmbedded)
    }
    return all.filter { wanted.contains($0.table.key) }
  }

  /// Writes the script.
  func write(to out: ByteWriter) throws(ShellError) {
    objectCount = 0
    writeHead(to: out)
    out.write("write {\n")
    if part != .data {
      SchemaText(classes: classes, out: out, isScript: true).writeStatements(
        margin: "  ", defaults: database.defaults)
    }
    if part != .schema {
      do throws(StorageError) {
        let writer = try DumpWriter(order, schema, to: out)
        for objectClass in order.classes where !Interruption.isRequested {
          try writer.writeAdds(of: objectClass, while: advance)
        }
        for objectClass in order.classes where !Interruption.isRequested {
          try writer.writeSets(of: objectClass, while: { !Interruption.isRequested })
        }
      } catch {
        throw StorageMessages.error(error, path: database.realm.path)
      }
      if Interruption.isRequested {
        throw ShellError(
          .interrupted, "interrupted after \(grouped(objectCount)) of \(grouped(total)) objects")
      }
    }
    if isWhole, part != .data, let version = schema.version, version != 0 {
      out.write("  schema version \(version)\n")
    }
    out.write("}\n")
  }

  /// Counts an object.
  ///
  /// - Returns: whether to go on.
  private func advance() -> Bool {
    objectCount += 1
    if objectCount & 0x3FF != 0 { return true }
    return progress.goesOn(objectCount, total)
  }

  private func writeHead(to out: ByteWriter) {
    out.write("# realmsh dump of \(database.shownName)\n")
    let others = order.otherTargets.map(quotedName)
    if part != .schema, !others.isEmpty {
      out.write(
        "# links lead to objects of \(others.joined(separator: ", ")), which have to exist\n")
    }
  }
}

extension Session.Database {
  /// The name of the file without its folder, controls escaped, for comments.
  var shownName: String {
    let path = isInMemory ? name : realm.path
    var last = path.split(separator: "/").last.map(String.init) ?? path
    let memory = ByteWriter()
    last.withUTF8 { EscapedText.write(UnsafeRawBufferPointer($0), .bare, to: memory) }
    return String(decoding: memory.takeBytes(), as: UTF8.self)
  }
}
