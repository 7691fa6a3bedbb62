extension SwiftSource {
  /// The imported modules with their lines.
  var imports: [(module: String, line: Int)] {
    let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    return tokens.indices.filter { text(at: $0) == "import" && text(at: $0 - 1) != "." }.map {
      let module = text(at: $0 + (kinds.contains(text(at: $0 + 1)) ? 2 : 1))
      return (module, tokens[$0].line)
    }
  }

  /// The construct at a token that the compiler trusts blindly or that can end the program.
  func daringConstruct(at index: Int) -> String? {
    let before = text(at: index - 1)
    let after = text(at: index + 1)
    switch text(at: index) {
    case "unchecked" where before == "@": return "@unchecked"
    case "_silgen_name" where before == "@": return "@_silgen_name"
    case "unsafe" where before == "(" && text(at: index - 2) == "nonisolated":
      return "nonisolated(unsafe)"
    case "unsafe" where !["@", ".", "("].contains(before) && ![":", "(", ")"].contains(after):
      return "unsafe"
    case "unsafe" where before == "(" && !after.isEmpty && tokens[index + 1].isWord:
      return "unsafe"
    case "unsafeBitCast": return "unsafeBitCast"
    case "!" where tokens[index].isGlued && ["try", "as"].contains(before): return "\(before)!"
    case "!" where isUnwrapping(at: index): return "unwrapping"
    default: return nil
    }
  }

  /// Whether the `!` at a token follows its operand, unlike that of a negation or of `!=`.
  private func isUnwrapping(at index: Int) -> Bool {
    guard tokens[index].isGlued, index > 0 else { return false }
    let isOperand = tokens[index - 1].isWord || [")", "]", "?", "}"].contains(text(at: index - 1))
    let isComparison = text(at: index + 1) == "=" && tokens[index + 1].isGlued
    return isOperand && !isComparison
  }

  /// Whether the line or the one above has a comment; lines of `group` in a row share one.
  func givesReason(_ line: Int, among group: Set<Int>) -> Bool {
    if hasComment[line] || (line > 0 && hasComment[line - 1]) {
      return true
    }
    return group.contains(line - 1) && givesReason(line - 1, among: group)
  }

  /// Whether a function named `print` is declared.
  var declaresPrint: Bool {
    tokens.indices.contains { text(at: $0) == "func" && text(at: $0 + 1) == "print" }
  }

  /// Lines that call `print` or `debugPrint`.
  var printingLines: [Int] {
    tokens.indices.filter { index in
      ["print", "debugPrint"].contains(text(at: index)) && text(at: index + 1) == "("
        && ![".", "func", "case"].contains(text(at: index - 1))
    }.map { tokens[$0].line }
  }

  /// Lines with a public declaration that has no documentation comment above it.
  var undocumentedLines: [Int] {
    tokens.indices.compactMap { index in
      guard isAccess(at: index), tokens[index].isFirst || followsModifiers(index),
        !["import", "extension"].contains(text(at: index + 1)), text(at: index + 1) != "("
      else { return nil }
      let line = tokens[index].line
      return isDocumented(line) ? nil : line
    }
  }

  private func isAccess(at index: Int) -> Bool {
    switch text(at: index) {
    case "public": text(at: index - 1) != "."
    // Also the name of many a function and variable.
    case "open": ["class", "func", "var", "subscript", "override"].contains(text(at: index + 1))
    default: false
    }
  }

  /// Whether all tokens of the line before this one belong to attributes and modifiers.
  private func followsModifiers(_ index: Int) -> Bool {
    let line = tokens[index].line
    let before = tokens[..<index].reversed().prefix { $0.line == line }
    let declarations = ["func", "var", "let", "case", "return", "=", "{", "}", "import"]
    return !before.contains { declarations.contains($0.text) }
  }

  private func isDocumented(_ line: Int) -> Bool {
    for above in lines[..<line].reversed() {
      let text = above.drop { $0 == " " }
      if text.hasPrefix("///") || text.hasSuffix("*/") {
        return true
      }
      // Attributes on lines of their own, and conditions.
      if !text.hasPrefix("@") && !text.hasPrefix("#if") && !text.hasPrefix("#else") {
        return false
      }
    }
    return false
  }
}
