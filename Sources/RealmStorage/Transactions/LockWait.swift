/// How long to wait for the process that is writing to a database.
public enum LockWait: Equatable, Sendable {
  /// Until it has finished.
  case forever
  /// Not at all.
  case no
  /// So many milliseconds.
  case milliseconds(Int)
}
