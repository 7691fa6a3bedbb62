/// Text to be parsed, with the name and line it came from, so that errors can show their place.
///
/// Offsets everywhere in this module count bytes from the start of this text.
public struct SourceText: Sendable {
  /// Name shown in error messages: a path, `<stdin>`, `<prompt>` or `<command N>`.
  public let fileName: String
  /// The text; normally UTF-8.
  public let bytes: [UInt8]
  /// Number of the first line of `bytes` in its file, from 1.
  public let baseLine: Int
  /// Number of characters in front of `bytes` on that line.
  public let baseColumn: Int

  /// Wraps `bytes`, whose first line is line `baseLine` of the file.
  public init(fileName: String, bytes: [UInt8], baseLine: Int = 1, baseColumn: Int = 0) {
    self.fileName = fileName
    self.bytes = bytes
    self.baseLine = baseLine
    self.baseColumn = baseColumn
  }

  /// Wraps a Swift string.
  public init(_ text: String, fileName: String = "<prompt>") {
    self.init(fileName: fileName, bytes: Array(text.utf8))
  }

  /// A place as shown to people: line and column count from 1, a column is a grapheme cluster.
  public struct Place: Hashable, Sendable {
    /// Line number, from 1.
    public var line: Int
    /// Column number in grapheme clusters, from 1.
    public var column: Int

    /// Makes a place.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The start of a line, from which the lines behind it are counted.
  public struct LineStart: Hashable, Sendable {
    /// Offset of the first byte of the line.
    public var offset: Int
    /// Line number, from 1.
    public var line: Int
  }

  /// The line that holds `offset`; offsets beyond the text count as its end.
  ///
  /// - Parameter start: A line counted before. Who asks for one place after the other passes the
  ///   last result, so that a long text is not read from its start each time.
  public func lineStart(of offset: Int, after start: LineStart? = nil) -> LineStart {
    let target = max(0, min(offset, bytes.count))
    var result = LineStart(offset: 0, line: baseLine)
    if let start, start.offset <= target { result = start }
    for index in result.offset..<target where bytes[index] == UInt8(ascii: "\n") {
      result = LineStart(offset: index + 1, line: result.line + 1)
    }
    return result
  }

  /// The line and column of a byte offset; offsets beyond the text count as its end.
  ///
  /// - Parameter start: See `lineStart`.
  public func place(of offset: Int, after start: LineStart? = nil) -> Place {
    let target = max(0, min(offset, bytes.count))
    let line = lineStart(of: target, after: start)
    let before = String(decoding: bytes[line.offset..<target], as: UTF8.self)
    let column = before.count + 1 + (line.offset == 0 ? baseColumn : 0)
    return Place(line: line.line, column: column)
  }

  /// The byte range of the line that holds `offset`, without its line end.
  public func lineRange(containing offset: Int) -> Range<Int> {
    let target = max(0, min(offset, bytes.count))
    var start = target
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    var end = target
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return start..<end
  }

  /// The text of the line that holds `offset`, without its line end.
  public func line(containing offset: Int) -> String {
    String(decoding: bytes[lineRange(containing: offset)], as: UTF8.self)
  }

  /// The number of grapheme clusters in `range`, at least 1: the length of the marks under a line.
  public func clusterCount(of range: SourceRange) -> Int {
    max(1, text(of: range).count)
  }

  /// The text of `range`; ill-formed bytes become U+FFFD.
  public func text(of range: SourceRange) -> String {
    let start = max(0, min(range.start, bytes.count))
    let end = max(start, min(range.end, bytes.count))
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
