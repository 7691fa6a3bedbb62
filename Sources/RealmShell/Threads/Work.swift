import RealmLanguage
import RealmObjects
import RealmStorage

/// A statement or block that a thread has been given.
struct Work: Sendable {
  /// What is to be done.
  enum Task: Sendable {
    case statement(Statement)
    case block(Block)
  }

  /// What `with` hands over.
  enum Handed: Sendable {
    /// Something that every thread can use.
    case variable(Variable)
    /// The way to something that belongs to the thread that hands over.
    case reference(Reference)
  }

  /// Counts all pieces of work of the program.
  let number: Int
  /// Whether nobody waits for it.
  let isAsync: Bool
  let task: Task
  /// The text that the task stands in.
  let source: SourceText
  let origin: ErrorPrinter.Origin
  /// What `with` hands over.
  let variables: [(name: Name, handed: Handed)]
  let settings: Settings
  let scriptFolders: [String]
  let isInteractive: Bool
  /// Where results go at once; nil to keep them.
  let descriptor: Int32?
  /// Where results go instead; nil if that is not somewhere else.
  let redirection: Int32?
}

/// How a piece of work has ended.
struct WorkOutcome: Sendable {
  var failure: ShellError?
  /// The settings as the work has left them.
  var settings: Settings
  /// What was kept of the results.
  var output: [UInt8] = []
  /// Errors and notes of asynchronous work at the prompt.
  var messages: [UInt8] = []
  var exitStatus: Int32 = 0
  /// Whether the program is to end.
  var isEnding = false
  var hasChanged = false
}

/// A database that `main` has opened, for the other threads.
struct SharedDatabase: Sendable {
  let number: Int
  let name: String
  let path: String
  var key: EncryptionKey?
  let state: Realm.State
  let isReadOnly: Bool
  let isInMemory: Bool
  let versionLimit: Int?
  let defaults: Defaults
  /// Whether one of the threads has said that it is open for writing.
  var isOpenForWriting: Bool
  /// The file as this process has it open; nil if it is opened by its path.
  var handle: DatabaseHandle?
}

/// What a thread tells about itself after each statement.
struct ThreadStatus: Sendable {
  /// The current database.
  var name: String?
  /// The number of the current database, if `main` has opened it.
  var adoptedNumber: Int?
  /// The observers.
  var observers: [(number: Int, name: String?)] = []
  var path = ""
  /// What the prompt shows behind the name.
  var stateText = ""
  var schemaVersion: UInt64?
  /// The version that is read; nil if none is.
  var version: Int64?
  /// The versions of all its databases that are read.
  var versions: [(file: FileIdentity, version: Int64)] = []
}
