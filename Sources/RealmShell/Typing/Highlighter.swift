import ByteKernels
import LineEditor
import RealmLanguage
import RealmObjects

/// Colours the text being typed.
///
/// The text is kept in pieces of one statement each; a key touches one of them, so that long texts
/// cost no more than short ones. A statement that is long itself is only looked at by its tokens
/// between two keys, and parsed when no key has come for a while.
///
/// Source: shell.md 21.
final class Highlighter {
  /// Bytes of a statement that is parsed after each key.
  private static let quickLength = 16 << 10

  /// From the end of the statement before to the end of a statement.
  private struct Piece {
    var range: Range<Int>
    /// Counted from the start of the piece, in ascending order.
    var parts: [Part]
    /// Whether the parser has said what the words are.
    var isParsed: Bool
    /// Whether some words have still to be looked up.
    var isSettled: Bool
  }

  private struct Part {
    var range: Range<Int>
    var style: TextStyle
    /// What is red if there is no such name.
    var name: Mark.Role?
    var isUnknown = false
  }

  private let names: NameResolver
  private var bytes: [UInt8] = []
  private var pieces: [Piece] = []
  /// Classes that the text itself declares.
  private var declared: Set<String> = []

  init(_ names: NameResolver) { self.names = names }

  /// The looks of the parts of a text.
  ///
  /// - Parameter isSettled: Whether there is time to look up names and to parse long statements.
  func styles(of text: String, cursor: Int, isSettled: Bool) -> [StyledRange] {
    update(to: Array(text.utf8), isSettled: isSettled)
    if isSettled { lookUpNames() }
    let bracket = matchingBracket(before: cursor)
    var styles: [StyledRange] = []
    styles.reserveCapacity(pieces.reduce(1) { $0 + $1.parts.count })
    func append(_ range: Range<Int>, _ style: TextStyle) {
      if let bracket, bracket < range.lowerBound,
        styles.last.map({ $0.range.upperBound <= bracket })
          ?? true
      {
        styles.append(StyledRange(bracket..<bracket + 1, TextStyle(isUnderlined: true)))
      }
      styles.append(StyledRange(range, style))
    }
    for piece in pieces {
      let start = piece.range.lowerBound
      for part in piece.parts {
        let range = part.range.lowerBound + start..<part.range.upperBound + start
        let isBeingTyped = range.lowerBound <= cursor && cursor <= range.upperBound
        let style = part.isUnknown && !isBeingTyped ? TextStyle(.red) : part.style
        if style != .plain { append(range, style) }
      }
    }
    append(bytes.count..<bytes.count, .plain)
    styles.removeLast()
    return styles
  }

  // MARK: Pieces

  private func update(to new: [UInt8], isSettled: Bool) {
    let old = bytes
    bytes = new
    let before = Self.commonPrefix(old, new)
    let isSame = before == old.count && before == new.count
    let after = isSame ? 0 : Self.commonSuffix(old, new, before)
    let known = pieces
    var kept = known.prefix { $0.range.upperBound < before || isSame }
    if isSettled, let first = kept.firstIndex(where: { !$0.isParsed }) { kept = kept[..<first] }
    pieces = Array(kept)
    let shift = new.count - old.count
    var next = kept.count
    var offset = pieces.last?.range.upperBound ?? 0
    while offset < new.count {
      while next < known.count, known[next].range.lowerBound + shift < offset { next += 1 }
      if next < known.count, known[next].range.lowerBound + shift == offset,
        offset > new.count - after, !isSettled || known[next].isParsed
      {
        // Behind the change nothing is new.
        var piece = known[next]
        piece.range = offset..<piece.range.upperBound + shift
        pieces.append(piece)
        offset = piece.range.upperBound
      } else if !isSettled, new.count - offset > Self.quickLength, next < known.count,
        let piece = patched(known[next], from: offset, before: before, after: after, shift)
      {
        pieces.append(piece)
        offset = piece.range.upperBound
      } else {
        let piece = parsed(from: offset)
        pieces.append(piece)
        offset = piece.range.upperBound
      }
    }
  }

  /// A long piece of which only what was changed is looked at anew; nil if that is not possible.
  private func patched(
    _ piece: Piece, from start: Int, before: Int, after: Int, _ shift: Int
  ) -> Piece? {
    let end = piece.range.upperBound + shift
    guard piece.range.lowerBound == start, piece.range.count > Self.quickLength, before > start,
      end >= bytes.count - after, end <= bytes.count
    else { return nil }
    let head = piece.parts.prefix { $0.range.upperBound + start < before }
    let tail = piece.parts.drop { $0.range.lowerBound + start + shift < bytes.count - after }
    let from = head.last.map { $0.range.upperBound + start } ?? start
    let to = tail.first.map { $0.range.lowerBound + start + shift } ?? end
    guard from <= to else { return nil }
    var parts = Array(head)
    parts += self.parts(in: from..<to, marks: [], from: start)
    parts += tail.map { part in
      var part = part
      part.range = part.range.lowerBound + shift..<part.range.upperBound + shift
      return part
    }
    return Piece(range: start..<end, parts: parts, isParsed: false, isSettled: piece.isSettled)
  }

  private func parsed(from start: Int) -> Piece {
    guard let outline = StatementParser.outline(of: bytes, from: start) else {
      let range = start..<bytes.count
      let parts = self.parts(in: range, marks: [], from: start)
      return Piece(range: range, parts: parts, isParsed: true, isSettled: true)
    }
    let range = start..<outline.range.upperBound
    for mark in outline.marks where mark.role == .declaredClass {
      declared.insert(Self.name(bytes[mark.range.bounds]))
    }
    return Piece(
      range: range, parts: parts(in: range, marks: outline.marks, from: start), isParsed: true,
      isSettled: false)
  }

  // MARK: Parts

  private static let word = TextStyle(isBold: true)
  private static let string = TextStyle(.green)
  private static let number = TextStyle(.cyan)
  private static let variable = TextStyle(.magenta)
  private static let comment = TextStyle(isDim: true)

  /// The parts of a range, counted from `origin`.
  private func parts(in range: Range<Int>, marks: [Mark], from origin: Int) -> [Part] {
    var parts: [Part] = []
    func append(_ start: Int, _ end: Int, _ style: TextStyle, _ name: Mark.Role? = nil) {
      guard end > start, style != .plain || name != nil else { return }
      parts.append(Part(range: start - origin..<end - origin, style: style, name: name))
    }
    // The optimiser refuses the span of a property that may change.
    let bytes = bytes
    var marks = marks[...]
    var offset = range.lowerBound
    while offset < range.upperBound {
      let token = Lexer.token(in: bytes.span, at: offset)
      if let sign = bytes[offset..<min(token.start, range.upperBound)]
        .firstIndex(of: UInt8(ascii: "#"))
      {
        append(sign, min(token.start, range.upperBound), Self.comment)
      }
      while let first = marks.first, first.range.end <= token.start { marks = marks.dropFirst() }
      if let mark = marks.first, mark.range.start <= token.start, token.kind != .end {
        marks = marks.dropFirst()
        let style = Self.style(of: mark.role, token.kind)
        append(mark.range.start, mark.range.end, style.look, style.name)
        offset = max(mark.range.end, token.end)
        continue
      }
      append(token.start, min(token.end, range.upperBound), Self.style(of: token.kind))
      offset = max(token.end, offset + 1)
    }
    return parts
  }

  private static func style(of kind: TokenKind) -> TextStyle {
    switch kind {
    case .string, .unterminatedString: string
    case .number, .date: number
    case .variable: variable
    default: .plain
    }
  }

  private static func style(
    of role: Mark.Role, _ kind: TokenKind
  ) -> (look: TextStyle, name: Mark.Role?) {
    switch role {
    case .word: (word, nil)
    case .literal: (number, nil)
    case .className, .property: (.plain, role)
    case .file: (kind == .string ? string : .plain, nil)
    case .function, .declaredClass, .raw: (.plain, nil)
    }
  }

  // MARK: Names

  private func lookUpNames() {
    guard names.schema != nil else { return }
    for i in pieces.indices {
      let start = pieces[i].range.lowerBound
      for j in pieces[i].parts.indices {
        guard let role = pieces[i].parts[j].name else { continue }
        let range = pieces[i].parts[j].range
        let name = Self.name(bytes[range.lowerBound + start..<range.upperBound + start])
        pieces[i].parts[j].isUnknown =
          switch role {
          case .className: names.objectClass(named: name) == nil && !declared.contains(name)
          case .property(let owner?):
            !(owner.className.map(declared.contains) ?? false) && names.isUnknown(name, of: owner)
          default: false
          }
      }
      pieces[i].isSettled = true
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("`"), text.hasSuffix("`"), text.utf8.count > 1 else { return text }
    return String(text.dropFirst().dropLast()).replacing("``", with: "`")
  }

  // MARK: Brackets

  /// The bracket that belongs to the one before the cursor.
  private func matchingBracket(before cursor: Int) -> Int? {
    guard cursor > 0, cursor <= bytes.count, "()[]{}".utf8.contains(bytes[cursor - 1]),
      let piece = pieces.first(where: { $0.range.contains(cursor - 1) })
    else { return nil }
    let bytes = bytes
    var open: [Int] = []
    var offset = piece.range.lowerBound
    while offset < piece.range.upperBound {
      let token = Lexer.token(in: bytes.span, at: offset)
      if token.kind.opens {
        open.append(token.start)
      } else if token.kind.closes, let start = open.popLast() {
        if start == cursor - 1 { return token.start }
        if token.start == cursor - 1 { return start }
      }
      offset = max(token.end, offset + 1)
    }
    return nil
  }

  // MARK: Changes

  private static func commonPrefix(_ a: [UInt8], _ b: [UInt8]) -> Int {
    let limit = min(a.count, b.count)
    var index = 0
    while index < limit, a[index] == b[index] { index += 1 }
    return index
  }

  /// - Parameter prefix: Bytes at the start that are not looked at.
  private static func commonSuffix(_ a: [UInt8], _ b: [UInt8], _ prefix: Int) -> Int {
    let limit = min(a.count, b.count) - prefix
    var count = 0
    while count < limit, a[a.count - 1 - count] == b[b.count - 1 - count] { count += 1 }
    return count
  }
}
