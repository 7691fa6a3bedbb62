import Glibc

/// How much the long tests do: little as part of all tests, more when it is asked for.
public enum TestScale {
  /// A number from the environment, or the standard one.
  public static func number(_ name: String, standard: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? standard
  }
}
