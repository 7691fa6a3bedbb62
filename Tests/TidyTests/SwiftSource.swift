import TestSupport

/// A Swift file, cut into tokens, for rules that the formatter cannot check.
struct SwiftSource {
  /// A word, or one character of punctuation. Comments and the contents of strings are left out.
  struct Token {
    let text: String
    /// Index of the line.
    let line: Int
    /// Whether nothing stands between this token and the one before.
    let isGlued: Bool
    /// Whether it is the first of its line.
    let isFirst: Bool

    /// Whether it is a name, a keyword or a number.
    var isWord: Bool { text.utf8.first.map(SwiftScanner.isWordByte) ?? false }
  }

  /// Path, relative to the folder of the package.
  let path: String
  /// The lines as they are.
  let lines: [String]
  let tokens: [Token]
  /// For each line, whether it has a comment or a part of one.
  let hasComment: [Bool]

  init(path: String, text: String) {
    self.path = path
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" {
      lines.removeLast()
    }
    self.lines = lines
    var scanner = SwiftScanner(Array(text.utf8))
    scanner.scanCode(untilParenthesis: false)
    tokens = Self.tokens(of: scanner.code)
    hasComment = lines.indices.map { scanner.commentedLines.contains($0) }
  }

  /// The name of the target: the folder below Sources or Tests; nil for Package.swift.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : nil
  }

  /// The place of a line, for messages.
  func place(_ line: Int) -> String { "\(path):\(line + 1)" }

  /// The text of the token at an index, or an empty one beyond the ends.
  func text(at index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  /// All Swift files below a folder of the package.
  static func all(below folder: String) -> [SwiftSource] {
    Files.allFiles(below: "\(Fixtures.root)/\(folder)").filter { $0.hasSuffix(".swift") }.map {
      SwiftSource(
        path: "\(folder)/\($0)", text: Files.readText("\(Fixtures.root)/\(folder)/\($0)"))
    }
  }

  private static func tokens(of code: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    var line = 0
    var isGlued = false
    var isFirst = true
    var i = 0
    while i < code.count {
      let start = i
      i += 1
      switch code[start] {
      case UInt8(ascii: "\n"):
        line += 1
        isGlued = false
        isFirst = true
        continue
      case UInt8(ascii: " "):
        isGlued = false
        continue
      case let byte where SwiftScanner.isWordByte(byte):
        while i < code.count && SwiftScanner.isWordByte(code[i]) {
          i += 1
        }
      default: break
      }
      let text = String(decoding: code[start..<i], as: UTF8.self)
      tokens.append(Token(text: text, line: line, isGlued: isGlued, isFirst: isFirst))
      isGlued = true
      isFirst = false
    }
    return tokens
  }
}

/// Replaces comments and the contents of strings by blanks.
struct SwiftScanner {
  /// The text, of the same length and with the same lines.
  private(set) var code: [UInt8]
  private(set) var commentedLines: Set<Int> = []
  private var position = 0
  private var line = 0

  init(_ text: [UInt8]) {
    code = text
  }

  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
      true
    default: false
    }
  }

  /// Scans to the end, or past the parenthesis that closes an interpolation.
  mutating func scanCode(untilParenthesis: Bool) {
    var depth = 0
    while position < code.count {
      if starts(with: "//") {
        while position < code.count && code[position] != UInt8(ascii: "\n") {
          commentedLines.insert(line)
          blank()
        }
      } else if starts(with: "/*") {
        scanBlockComment()
      } else if let hashes = hashesOfString() {
        scanString(hashes: hashes)
      } else {
        if code[position] == UInt8(ascii: "(") {
          depth += 1
        } else if code[position] == UInt8(ascii: ")") {
          depth -= 1
          if untilParenthesis && depth < 0 {
            return
          }
        }
        advance()
      }
    }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        blank()
      } else if starts(with: "*/") {
        depth -= 1
        blank()
      }
      commentedLines.insert(line)
      blank()
    } while depth > 0 && position < code.count
  }

  /// The number of `#` before a string that starts here, or nil if none does.
  private func hashesOfString() -> Int? {
    let hashes = code[position...].prefix { $0 == UInt8(ascii: "#") }.count
    let quote = position + hashes
    return quote < code.count && code[quote] == UInt8(ascii: "\"") ? hashes : nil
  }

  private mutating func scanString(hashes: Int) {
    let marks = String(repeating: "#", count: hashes)
    position += hashes
    let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    position += quotes.utf8.count
    while position < code.count && !starts(with: quotes + marks) {
      if starts(with: "\\\(marks)(") {
        for _ in 0..<(hashes + 2) {
          blank()
        }
        let start = position
        scanCode(untilParenthesis: true)
        let end = position
        position = start
        // The rules are not applied inside of interpolations; lines have been counted.
        let endLine = line
        while position < end {
          blank()
        }
        line = endLine
      } else if starts(with: "\\\(marks)") {
        for _ in 0..<(hashes + 1) {
          blank()
        }
      }
      blank()
    }
    position = min(code.count, position + quotes.utf8.count + hashes)
  }

  private func starts(with text: String) -> Bool {
    code[position...].starts(with: text.utf8)
  }

  private mutating func advance() {
    if code[position] == UInt8(ascii: "\n") {
      line += 1
    }
    position += 1
  }

  private mutating func blank() {
    guard position < code.count else { return }
    if code[position] != UInt8(ascii: "\n") {
      code[position] = UInt8(ascii: " ")
    }
    advance()
  }
}
