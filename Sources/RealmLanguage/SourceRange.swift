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

  /// The smallest range that holds both.
  public func joined(with other: SourceRange) -> SourceRange {
    SourceRange(start: min(start, other.start), end: max(end, other.end))
  }
}
