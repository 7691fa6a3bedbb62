/// What all parts of a query share while it runs.
final class QueryRun {
  /// Asks whether the caller wants to stop.
  var isCancelled: () -> Bool = { false }
  private var countdown = QueryRun.interval

  /// Objects visited between two questions.
  private static let interval = 4096

  /// To be called for each object visited by a path.
  @inline(__always)
  func visit(_ count: Int = 1) throws(QueryFailure) {
    countdown &-= count
    if countdown < 0 { try ask() }
  }

  /// Stops if the caller wants so.
  @inline(never)
  func ask() throws(QueryFailure) {
    countdown = QueryRun.interval
    if isCancelled() { throw .interrupted }
  }
}
