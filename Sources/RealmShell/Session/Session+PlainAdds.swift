import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Long runs of `add` and `upsert` statements with nothing but literals. An `upsert` whose object
/// exists is done in the ordinary way.
extension Session {
  /// Runs the plain `add` statements that come next, if a transaction is open. One that does not fit
  /// its class is left for the ordinary way, which also tells what is wrong.
  ///
  /// - Parameter place: The statement that an error belongs to.
  func addPlain(
    from statements: inout some PlainAddSource, place: inout SourceRange?, to writer: ByteWriter
  ) throws(ShellError) {
    guard !settings.echoes, !settings.showsTiming,
      let database = databases.first(where: { $0.name == currentName }),
      let transaction = database.transaction, !transaction.isFailed
    else { return }
    var add = PlainAdd()
    guard statements.next(&add) else { return }
    let acknowledgement = acknowledges ? AcknowledgementText(database) : nil
    let bytes = source.bytes
    try bytes.withUnsafeBufferPointer { (bytes) throws(ShellError) in
      var adder = PlainAdder(database, UnsafeRawBufferPointer(bytes))
      defer { adder.finish() }
      var count = 0
      repeat {
        place = add.range
        let key = try change(in: database, at: add.range) { () throws(ShellError) in
          try applying(database) { () throws(StorageError) in try adder.add(add) }
        }
        guard let key else { return statements.goBack(to: add) }
        if let acknowledgement, let objectClass = adder.objectClass {
          writer.write("added \(try acknowledgement.name(of: key, in: objectClass))\n")
        }
        count &+= 1
        if count & 0xFFF == 0 { scriptProgress?.update(add.range.end, of: bytes.count) }
      } while !Interruption.isRequested && statements.next(&add)
    }
    writer.flush()
  }
}

/// Adds plain objects in the open transaction of a database.
private struct PlainAdder {
  private let database: Session.Database
  private let writer: ObjectWriter
  private let text: UnsafeRawBufferPointer
  /// The class of the last object, and its name in the text.
  private(set) var objectClass: ObjectClass?
  private var className = SourceRange(start: 0, end: 0)
  /// The objects of the class that the transaction has added.
  private var keys = KeySet()

  /// - Parameter text: The text that the statements stand in.
  init(_ database: Session.Database, _ text: UnsafeRawBufferPointer) {
    self.database = database
    self.text = text
    writer = database.writer
  }

  /// Adds an object.
  ///
  /// - Returns: its key; nil if nothing was changed and the statement needs a plan.
  mutating func add(_ statement: PlainAdd) throws(StorageError) -> ObjectKey? {
    if !isName(statement.className) { change(to: statement.className) }
    guard let objectClass, !statement.isUpsert || objectClass.primaryKey != nil else { return nil }
    let text = text
    let key = try statement.fields.withUnsafeBufferPointer {
      (fields) throws(StorageError) in
      try writer.addPlain(objectClass, count: fields.count) { position in
        let field = fields[position]
        let literal = UnsafeRawBufferPointer(
          rebasing: text[field.literal.start..<field.literal.end])
        let value: PlainValue =
          switch field.value {
          case .null: .null
          case .bool(let value): .bool(value)
          case .int(let value): .int(value)
          case .double(let value): .double(value, text: literal)
          case .date(let value): .date(value)
          case .string: .string(literal)
          }
        let hasKey = field.key.end > field.key.start
        let name = UnsafeRawBufferPointer(rebasing: text[field.key.start..<field.key.end])
        return (hasKey ? name : nil, value)
      }
    }
    if let key { keys.insert(key) }
    return key
  }

  /// Hands over the counts.
  mutating func finish() {
    guard let objectClass else { return }
    database.transaction?.counts.putBack(keys, of: objectClass.table.key)
    self.objectClass = nil
    keys = KeySet()
  }

  private func isName(_ range: SourceRange) -> Bool {
    guard range.length == className.length else { return false }
    for index in 0..<range.length
    where text[range.start + index] != text[className.start + index] { return false }
    return true
  }

  private mutating func change(to name: SourceRange) {
    finish()
    className = name
    objectClass = database.realm.schema.objectClass(
      named: String(decoding: text[name.start..<name.end], as: UTF8.self))
    guard let objectClass else { return }
    keys = database.transaction?.counts.takeAdded(objectClass.table.key) ?? KeySet()
  }
}
