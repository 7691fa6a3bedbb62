import RealmLanguage
import RealmObjects
import RealmStorage

extension Session {
  /// An open database.
  final class Database {
    /// The name that `use` knows.
    let name: String
    /// The thread that uses it.
    unowned let session: Session
    /// The number of this instance.
    let instance = Threads.newNumber()
    /// The number that all instances of a database have that `main` has opened.
    let number: Int
    /// Whether another thread has opened it first.
    var isAdopted = false
    /// How often it was invalidated.
    var generation = 0
    /// Most living versions with which a write transaction may begin.
    var versionLimit: Int?
    let realm: Realm
    var key: EncryptionKey? { realm.key }
    /// Whether it was opened with `readonly` or as an old snapshot.
    let isReadOnly: Bool
    /// Whether it did not exist before.
    let isNew: Bool
    /// Whether it lives in memory only.
    let isInMemory: Bool
    /// The name under which other databases of the session can share the memory.
    var memoryName: String?
    /// The transaction that `begin` or `write` has opened.
    var transaction: OpenTransaction?
    /// The migration that runs.
    var migration: Migration?
    /// Whether the note about opening for writing is due no more.
    var isOpenForWriting: Bool
    /// Whether the present statement has begun a change that cannot be taken back on its own.
    var isHalfDone = false
    /// What `class` statements have stated.
    let defaults: Defaults
    /// Writes objects; of the present transaction.
    private(set) lazy var writer = makeWriter()
    /// Changes classes.
    let schemaEditor: SchemaEditor

    init(
      name: String, realm: Realm, isReadOnly: Bool, isNew: Bool = false, isInMemory: Bool = false,
      number: Int = Threads.newNumber(), defaults: Defaults = Defaults(),
      for session: Session
    ) {
      self.session = session
      (self.number, self.defaults) = (number, defaults)
      self.name = name
      self.realm = realm
      self.isReadOnly = isReadOnly
      self.isNew = isNew
      self.isInMemory = isInMemory
      isOpenForWriting = isNew || isInMemory
      schemaEditor = SchemaEditor(realm)
      realm.computedProperties = defaults.computedProperties
    }

    private func makeWriter() -> ObjectWriter {
      let writer = ObjectWriter(realm)
      writer.defaults = { [unowned self] in defaultValue($0, $1) }
      schemaEditor.writer = writer
      return writer
    }

    /// Lets go of the version that the last transaction was made on.
    func endTransaction() { writer = makeWriter() }

    /// Runs something that reads or writes nodes.
    func reading<Result>(
      _ body: () throws(StorageError) -> Result
    ) throws(ShellError) -> Result {
      do throws(StorageError) {
        return try body()
      } catch {
        throw StorageMessages.error(error, path: realm.path)
      }
    }

    /// The file, for people.
    var shownPath: String {
      isInMemory ? "memory database \(name)" : RealmShell.shownPath(realm.path)
    }

    /// Whether it is a version that is kept as it is.
    var isFrozen: Bool { realm.state == .frozen }

    /// What the prompt shows behind the name.
    var stateText: String {
      if let transaction { return transaction.isFailed ? "!" : "*" }
      return isReadOnly ? ":ro" : ""
    }

    /// Whether what was read since the last `refresh` belongs to one version.
    var isIntact: Bool { realm.isWriting || realm.isIntact() }
  }

  /// A write transaction that lasts longer than a statement.
  struct OpenTransaction {
    var counts = ChangeCounts()
    /// Whether a statement failed after it had changed something: only `cancel` is possible.
    var isFailed = false
    /// Whether `close` or `exit` was refused because of it.
    var hasWarned = false
    /// References that were made in it.
    var references: [Reference] = []
    /// Number of scripts that were running when it began.
    let scriptDepth: Int
  }
}
