public import RealmValues

/// A value passed with a query for `$0`, `$1`, … or for a shell variable.
public enum QueryArgument: Sendable {
  /// One value. `ScalarValue.key` is a link to an object of whatever class the other side links to.
  case scalar(ScalarValue)
  /// Several values.
  case list([ScalarValue])
}
