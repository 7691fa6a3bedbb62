import ByteKernels
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage
import RealmValues

/// What `observe` has begun: something that is watched, and how its changes are told.
///
/// Source: shell.md 12.
final class Observer {
  /// What is watched.
  enum Target {
    case realm
    case object(TableKey, ObjectKey)
    case results(Results)
    case sections(Sections)
    case collection(CollectionPlace)
  }

  /// Objects that are found anew when something has changed.
  struct Results {
    /// The class of the objects.
    let table: TableKey
    /// Whether they come in the order of their keys.
    let isInTableOrder: Bool
    /// The object whose collection or backlinks they are taken from.
    let owner: (table: TableKey, key: ObjectKey)?
    let find: () throws(ShellError) -> [ObjectKey]
    /// Whether they change only with objects of the class itself.
    var isLocal = false
    /// The query on the version in use, if the results follow from the touched objects alone.
    var query: (() throws(ShellError) -> Query)?
  }

  /// Objects in sections that are found anew when something has changed.
  struct Sections {
    /// The class of the objects.
    let table: TableKey
    /// The object whose collection or backlinks they are taken from.
    let owner: (table: TableKey, key: ObjectKey)?
    /// Whether they change only with objects of the class itself.
    let isLocal: Bool
    /// The key of the only section that is watched; nil for all.
    let key: ScalarValue?
    /// Whether the schema leaves the type of the keys open.
    let keyIsMixed: Bool
    let find: () throws(ShellError) -> SectionedObjects
  }

  let number: Int
  let name: String?
  /// What is watched, as the statement spells it.
  let text: String
  let target: Target
  let values: ObserveStatement.Values
  /// The key paths that count; nil for the rule that holds without any.
  let filter: KeyPathFilter?
  /// The results in a variable that are watched: their observers share their key paths.
  /// Source: object-model.md 6.10.
  let handle: LiveResults?
  /// How the objects are seen.
  let projection: Projection?
  /// The properties of the projection that count; nil for all.
  let wantedFields: Set<String>?
  /// What `show` asks for.
  let columns: [Column]
  /// The text and the variables of the statement.
  let scope: Scope
  let isJSON: Bool
  /// The file that diffs are appended to; nil for the screen.
  let file: ByteWriter?

  /// The objects of results as they were told last, if they are found anew each time.
  var keys: [ObjectKey] = []
  /// The objects of results as they were told last, if they are brought up to date.
  var live: LiveKeys?
  /// Sections as they were told last.
  var sections = SectionedObjects.none
  /// Diffs that no `wait` has waited for yet.
  var unseenCount = 0
  /// Whether what was watched is gone.
  var hasEnded = false
  /// Whether it was told that the file takes no more.
  var hasToldOfFile = false

  init(
    number: Int, _ statement: ObserveStatement, text: String, target: Target,
    filter: KeyPathFilter?, handle: LiveResults?, projection: Projection?, scope: Scope,
    isJSON: Bool, file: ByteWriter?
  ) {
    self.number = number
    name = statement.name?.text
    self.text = text
    self.target = target
    values = statement.values ?? .changes
    self.filter = filter
    self.handle = handle
    self.projection = projection
    let names = statement.keyPaths?.map { operand in
      if case .property(let name)? = operand.steps.first { name.text } else { nil as String? }
    }
    // A star stands for all.
    wantedFields = names?.contains(nil) == true ? nil : names.map { Set($0.compactMap(\.self)) }
    columns = statement.columns
    self.scope = scope
    self.isJSON = isJSON
    self.file = file
  }

  /// The word for what is watched.
  var kindText: String {
    switch target {
    case .realm: "realm"
    case .object: "object"
    case .results: "results"
    case .sections: "sections"
    case .collection(let place): place.kindText
    }
  }

  /// Whether an operand names the observer.
  func isNamed(by operand: ObserverOperand) -> Bool {
    switch operand {
    case .name(let name): name.text == self.name
    case .number(let number): Int64(self.number) == number.value
    }
  }
}

/// The observers of one database, and the version that they have been told of.
final class Watch {
  let database: Session.Database
  /// The version that was told last. It stays readable, so that old values can be told.
  private(set) var snapshot: Snapshot
  private(set) var schema: Schema
  /// Tells when somebody else has committed; nil if nobody can tell.
  let listener: ChangeListener?
  /// In the order of registration.
  var observers: [Observer] = []
  /// Observers that are not told of a commit, by its version.
  var skipped: [Int64: Set<Int>] = [:]
  /// Whether the note about the space it keeps is due no more.
  var hasNotedOldPin = false

  init(_ database: Session.Database) {
    self.database = database
    (snapshot, schema) = (database.realm.snapshot, database.realm.schema)
    listener =
      database.isInMemory ? nil : try? ChangeListener(realmPath: database.realm.path)
  }

  /// The key paths that count for an observer and those that share its handle; nil for the rule that
  /// holds without any.
  func filter(of observer: Observer) -> KeyPathFilter? {
    guard let handle = observer.handle else { return observer.filter }
    let sharing = observers.filter { $0.handle === handle }
    let filters = sharing.compactMap(\.filter)
    return filters.count < sharing.count ? nil : KeyPathFilter(joining: filters)
  }

  /// Lets go of the version before.
  func move(to snapshot: Snapshot, _ schema: Schema) {
    (self.snapshot, self.schema) = (snapshot, schema)
    skipped = skipped.filter { $0.key > snapshot.version }
    observers.removeAll(where: \.hasEnded)
  }
}

/// All observers of a thread.
struct Observers {
  private(set) var watches: [Watch] = []
  /// Whether observers are being told, which nothing interrupts.
  var isDelivering = false
  /// Whether the program stays for the observers alone.
  var isFollowing = false

  var isEmpty: Bool { watches.isEmpty }

  /// All observers by their number.
  var all: [(observer: Observer, watch: Watch)] {
    watches.flatMap { watch in watch.observers.map { ($0, watch) } }
      .sorted { $0.observer.number < $1.observer.number }
  }

  mutating func add(_ observer: Observer, to database: Session.Database) {
    let watch = watch(of: database) ?? Watch(database)
    if watch.observers.isEmpty { watches.append(watch) }
    watch.observers.append(observer)
  }

  func watch(of database: Session.Database) -> Watch? {
    watches.first { $0.database === database }
  }

  /// Ends the observers that fulfil a condition.
  ///
  /// - Returns: how many there were.
  @discardableResult
  mutating func end(where isEnding: (Observer) -> Bool) -> Int {
    var count = 0
    for watch in watches {
      count += watch.observers.count
      watch.observers.removeAll(where: isEnding)
      count -= watch.observers.count
    }
    watches.removeAll(where: \.observers.isEmpty)
    return count
  }

  /// Ends the observers of databases that were closed.
  mutating func keep(_ databases: [Session.Database]) {
    watches.removeAll { watch in !databases.contains { $0 === watch.database } }
  }
}
