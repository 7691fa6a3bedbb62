import ByteKernels
import RealmLanguage
import RealmStorage
import RealmValues

/// How two values are compared in the general form.
///
/// Source: query-language.md 4, 12.
struct ValueCondition {
  enum Operator: UInt8 {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case beginsWith, endsWith, contains, like
  }

  let comparison: Operator
  /// How letters are compared; nil as they are.
  let folding: CaseFolding?

  init(_ comparison: Operator, folding: CaseFolding? = nil) {
    self.comparison = comparison
    self.folding = folding
  }

  /// Whether some differences between letters do not count.
  @inline(__always) var ignoresCase: Bool { folding != nil }

  /// Whether the folding is one of all scripts.
  @inline(__always) var isUnicodeFolded: Bool { folding == .unicode || folding == .base }

  /// Whether the condition orders values.
  var isRelational: Bool {
    switch comparison {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  /// Whether `left OP right` holds.
  func holds(_ left: QueryValue, _ right: QueryValue) -> Bool {
    switch comparison {
    case .equal: isEqual(left, right)
    case .notEqual: !isEqual(left, right)
    case .less: QueryValue.areComparable(left, right) && QueryValue.order(left, right) < 0
    case .greater: QueryValue.areComparable(left, right) && QueryValue.order(left, right) > 0
    case .lessOrEqual:
      left.isNull
        ? right.isNull
        : QueryValue.areComparable(left, right) && QueryValue.order(left, right) <= 0
    case .greaterOrEqual:
      left.isNull
        ? right.isNull
        : QueryValue.areComparable(left, right) && QueryValue.order(left, right) >= 0
    case .beginsWith, .endsWith, .contains, .like: matchesText(left, right)
    }
  }

  private func isEqual(_ left: QueryValue, _ right: QueryValue) -> Bool {
    if ignoresCase {
      switch (left, right) {
      case (.string(let a), .string(let b)), (.data(let a), .data(let b)):
        if isUnicodeFolded { return FoldedPattern(self, b).isEqual(to: a) }
        // Bytes that are no text have no case and equal nothing.
        return equalsFolded(a, b) && firstInvalidUTF8(in: b) == nil
      default: break
      }
    }
    switch (left, right) {
    case (.null, .null): return true
    case (.type(let a), .type(let b)): return !a.isDisjoint(with: b)
    default:
      return QueryValue.areComparable(left, right) && QueryValue.order(left, right) == 0
    }
  }

  /// The string operators. Source: query-language.md 12.2, general form.
  private func matchesText(_ value: QueryValue, _ pattern: QueryValue) -> Bool {
    if pattern.isNull {
      switch comparison {
      case .contains: return !value.isNull
      case .like: return value.isNull
      default: return false
      }
    }
    switch (value, pattern) {
    case (.string(let text), .string(let pattern)), (.data(let text), .data(let pattern)):
      return isUnicodeFolded
        ? FoldedPattern(self, pattern).matches(text) : matches(text, pattern)
    default: return false
    }
  }

  /// Whether a text matches a pattern that is not null, by no folding or that of `[c]`.
  @inline(__always)
  func matches(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
    switch comparison {
    case .beginsWith:
      guard pattern.count <= text.count else { return false }
      let start = UnsafeRawBufferPointer(rebasing: text[..<pattern.count])
      return areEqual(start, pattern)
    case .endsWith:
      guard pattern.count <= text.count else { return false }
      let end = UnsafeRawBufferPointer(rebasing: text[(text.count - pattern.count)...])
      return areEqual(end, pattern)
    case .contains:
      return ignoresCase
        ? containsFolded(text, pattern) : firstIndex(of: pattern, in: text) != nil
    case .like: return matchesWildcards(text, pattern, isFolded: ignoresCase)
    case .equal: return areEqual(text, pattern)
    case .notEqual: return !areEqual(text, pattern)
    case .less: return ScalarValue.compare(text, pattern) < 0
    case .lessOrEqual: return ScalarValue.compare(text, pattern) <= 0
    case .greater: return ScalarValue.compare(text, pattern) > 0
    case .greaterOrEqual: return ScalarValue.compare(text, pattern) >= 0
    }
  }

  @inline(__always)
  private func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    ignoresCase
      ? equalsFolded(a, b) : a.count == b.count && ScalarValue.compare(a, b) == 0
  }
}
