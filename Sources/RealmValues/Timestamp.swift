import Glibc

/// An instant: `seconds + nanoseconds × 10⁻⁹` after 1970-01-01T00:00:00Z.
///
/// Nanoseconds are in -999 999 999 ... 999 999 999 and have the sign of the seconds: 1.1 seconds
/// before 1970 is (-1, -100 000 000). A damaged file may hold others; they compare as they are.
/// Source: file-format.md 3.8.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970, cut towards zero.
  public var seconds: Int64
  /// What is left, in nanoseconds, with the sign of the seconds.
  public var nanoseconds: Int32

  /// The instant with the given parts, which are taken as they are.
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The current time of the system clock.
  public static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      seconds: Int64(time.tv_sec), nanoseconds: Int32(truncatingIfNeeded: time.tv_nsec))
  }

  /// Orders by time.
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds
  }
}
