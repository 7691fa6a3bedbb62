import ByteKernels
import RealmLanguage

/// A text that others are compared with by a folding of all scripts: `[cu]`, `[cd]`.
///
/// Both sides are folded and compared byte by byte; a match of a part ends where a character ends.
/// Bytes that are not UTF-8 match nothing.
final class FoldedPattern {
  private let comparison: ValueCondition.Operator
  private let dropsMarks: Bool
  /// Nil if the pattern is no text.
  private let pattern: [UInt8]?
  private let isASCII: Bool
  private var folded: [UInt8] = []

  init(_ condition: ValueCondition, _ pattern: UnsafeRawBufferPointer) {
    comparison = condition.comparison
    dropsMarks = condition.folding == .base
    var folded: [UInt8] = []
    let isText = UnicodeFolding.fold(pattern, dropsMarks: dropsMarks, into: &folded)
    self.pattern = isText ? folded : nil
    isASCII = folded.allSatisfy { $0 < 0x80 }
  }

  /// Whether a text is equal to the pattern.
  func isEqual(to text: UnsafeRawBufferPointer) -> Bool { matches(text, .equal) }

  /// Whether the operator holds for a text.
  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    comparison == .notEqual ? !matches(text, .equal) : matches(text, comparison)
  }

  private func matches(
    _ text: UnsafeRawBufferPointer, _ comparison: ValueCondition.Operator
  ) -> Bool {
    guard let pattern else { return false }
    return pattern.withUnsafeBytes { pattern in
      if UnicodeFolding.isASCII(text) {
        // What has no other letters has no part with others.
        guard isASCII || comparison == .like else { return false }
        return ValueCondition(comparison, folding: .latin).matches(text, pattern)
      }
      guard UnicodeFolding.fold(text, dropsMarks: dropsMarks, into: &folded) else { return false }
      return folded.withUnsafeBytes { matches(folded: $0, pattern, comparison) }
    }
  }

  private func matches(
    folded text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer,
    _ comparison: ValueCondition.Operator
  ) -> Bool {
    let plain = ValueCondition(comparison)
    switch comparison {
    case .beginsWith:
      return plain.matches(text, pattern)
        && UnicodeFolding.isEndOfCharacter(text, pattern.count)
    case .contains:
      var position = 0
      while let start = firstIndex(of: pattern, in: text, from: position) {
        if UnicodeFolding.isEndOfCharacter(text, start + pattern.count) { return true }
        position = start + 1
      }
      return false
    default: return plain.matches(text, pattern)
    }
  }
}
