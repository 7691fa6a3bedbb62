extension SwiftSource {
  /// A function, initialiser, subscript or computed property with its body.
  struct Function {
    let line: Int
    let lineCount: Int
  }

  /// All functions, those inside others too.
  var functions: [Function] {
    tokens.indices.compactMap { index in
      guard startsFunction(at: index), let open = bodyStart(after: index) else { return nil }
      let line = tokens[index].line
      return Function(line: line, lineCount: tokens[closingBrace(of: open)].line - line + 1)
    }
  }

  private func startsFunction(at index: Int) -> Bool {
    switch tokens[index].text {
    case "func", "subscript", "deinit", "var": text(at: index - 1) != "."
    case "init": text(at: index - 1) != "." && ["(", "<", "?", "!"].contains(text(at: index + 1))
    default: false
    }
  }

  /// The index of the brace that opens the body, or nil for a declaration without one.
  private func bodyStart(after index: Int) -> Int? {
    var depth = 0
    for i in tokens.indices.dropFirst(index + 1) {
      switch tokens[i].text {
      case "(", "[": depth += 1
      case ")", "]":
        depth -= 1
        // The pattern of a loop, a case or a parameter.
        if depth < 0 { return nil }
      case "{" where depth == 0: return i
      case "}", ";":
        if depth == 0 { return nil }
      // A stored property, or the variable of a loop.
      case "=" where depth == 0 && tokens[index].text == "var": return nil
      case "in" where depth == 0 && tokens[index].text == "var": return nil
      case let text where depth == 0 && tokens[i].isFirst && Self.startsDeclaration(text):
        return nil
      default: break
      }
    }
    return nil
  }

  private static func startsDeclaration(_ text: String) -> Bool {
    [
      "func", "var", "let", "init", "subscript", "deinit", "static", "class", "struct", "enum",
      "extension", "protocol", "case", "typealias", "associatedtype", "mutating", "public",
      "private", "fileprivate", "internal", "nonisolated", "@", "#", "return", "if", "for", "while",
      "guard", "switch",
    ].contains(text)
  }

  private func closingBrace(of open: Int) -> Int {
    var depth = 0
    for i in tokens.indices.dropFirst(open) {
      switch tokens[i].text {
      case "{": depth += 1
      case "}":
        depth -= 1
        if depth == 0 { return i }
      default: break
      }
    }
    return tokens.count - 1
  }
}
