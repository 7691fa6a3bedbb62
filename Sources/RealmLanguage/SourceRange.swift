/// A half-open range of byte offsets into the source text of a statement.
public struct SourceRange: Hashable, Sendable {
  /// Offset of the first byte.
  public var start: Int
  /// Offset just past the last byte; equal to `start` for a place between two bytes.
  public var end: Int

  /// Makes the range `start ..< end`; an `end` before `start` counts as `start`.
  public init(start: Int, end: Int) {
    self.start = start
    self.end = max(start, end)
  }

  /// Number of bytes.
  public var length: Int { end - start }

  /// The same for the standard library.
  public var bounds: Range<Int> { start..<end }

  /// The ranges of two names with a dot between them, which are written here; all of it for both if
  /// they are written in another way, such as in back quotes.
  public func divided(
    after first: String, before second: String
  ) -> (first: SourceRange, second: SourceRange) {
    let (firstCount, secondCount) = (first.utf8.count, second.utf8.count)
    guard firstCount + 1 + secondCount == length else { return (self, self) }
    return (
      SourceRange(start: start, end: start + firstCount),
      SourceRange(start: end - secondCount, end: end)
    )
  }

  /// The smallest range that holds both.
  public func joined(with other: SourceRange) -> SourceRange {
    SourceRange(start: min(start, other.start), end: max(end, other.end))
  }
}
