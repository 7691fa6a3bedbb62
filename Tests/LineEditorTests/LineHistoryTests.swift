import Glibc
import LineEditor
import TestSupport
import Testing

/// What is kept of the statements, in memory and in the file.
struct LineHistoryTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("a/b/history") }

  @Test func entriesSurviveWithRowBreaksAndBackslashes() {
    let statements = ["count Dog", "a\nb", #"c\d\n"#, "é狗", "\\"]
    var history = LineHistory(path: path, limit: 10)
    let taken = statements.filter { history.append($0) }
    #expect(taken == statements)
    #expect(history.entries == statements)
    #expect(LineHistory(path: path, limit: 10).entries == statements)
    #expect(FileSnapshot(of: path)?.mode == S_IFREG | 0o600)
  }

  @Test func repetitionsAndIndentedStatementsAreNotKept() {
    var history = LineHistory(path: path, limit: 10)
    let taken = ["a", "a", " b", "\tb", "", "b", "a"].filter { history.append($0) }
    #expect(taken == ["a", "b", "a"])
    #expect(Files.readText(path) == "a\nb\na\n")
  }

  @Test func whatHasFailedIsKnownUntilItSucceeds() {
    var history = LineHistory(path: path, limit: 10)
    history.append("a")
    history.note("a", hasFailed: true)
    #expect(history.hasFailed("a") && !history.hasFailed("b"))
    #expect(!LineHistory(path: path, limit: 10).hasFailed("a"))
    history.note("a", hasFailed: false)
    #expect(!history.hasFailed("a"))
    #expect(history.entries == ["a"])
  }

  @Test func programsThatRunTogetherLoseNothing() {
    var first = LineHistory(path: path, limit: 10)
    var second = LineHistory(path: path, limit: 10)
    first.append("1")
    second.append("2")
    first.append("3")
    #expect(LineHistory(path: path, limit: 10).entries == ["1", "2", "3"])
  }

  @Test func onlyTheNewestEntriesAreKept() {
    var history = LineHistory(path: path, limit: 10)
    for i in 1...12 {
      history.append("\(i)")
    }
    #expect(history.entries == (3...12).map(String.init))
    #expect(LineHistory(path: path, limit: 10).entries == history.entries)
    // The file is left alone until it is a fifth too long.
    history.trimFile()
    #expect(Files.readText(path).hasPrefix("1\n"))
    history.append("13")
    history.trimFile()
    #expect(Files.readText(path) == (4...13).map { "\($0)\n" }.joined())
    #expect(FileSnapshot(of: path)?.mode == S_IFREG | 0o600)
    #expect(Files.names(in: folder.file("a/b")) == ["history"])
  }

  @Test func noFileAndNoLimitAreFine() {
    var inMemory = LineHistory(path: nil, limit: 10)
    inMemory.append("a")
    inMemory.trimFile()
    var none = LineHistory(path: path, limit: 0)
    none.append("a")
    #expect(none.entries == [])
    #expect(!Files.exists(path))
    var unwritable = LineHistory(path: "/dev/null/history", limit: 10)
    unwritable.append("a")
    #expect(unwritable.entries == ["a"])
  }
}
