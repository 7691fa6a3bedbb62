import Glibc
import RealmLanguage
import RealmStorage

/// Measures the program as people start it, beside sqlite3: start, printing, and the reading of
/// scripts.
struct ShellBenchmarks {
  private let folder: String
  private let only: String?
  private let runs: Int
  private static let count: Int64 = 100_000
  private static let columns = "id, name, age, weight, city, born"

  init(_ options: Options, folder: String) {
    self.folder = folder
    only = options.only
    runs = options.isQuick ? 5 : 20
  }

  /// One line for each promise; files are made in the folder.
  func run() throws(StorageError) {
    if isWanted("start") || isWanted("print") { try measurePrograms() }
    if isWanted("import") { try ImportBenchmarks(folder: folder, isQuick: runs < 20).run() }
    if isWanted("script") { measureScript() }
  }

  private func isWanted(_ work: String) -> Bool { only == nil || only == work }

  // MARK: Programs

  private func measurePrograms() throws(StorageError) {
    guard let shell = Child.beside("realmsh") else {
      return print("start and print are left out: there is no realmsh beside this program")
    }
    let (file, peerFile) = ("\(folder)/printed.realm", "\(folder)/printed.sqlite")
    _ = try WritingBenchmarks.insertAll(Self.count, into: file)
    let sqlite = makePeerFile(peerFile, from: file, shell)
    if isWanted("start") {
      let ours = Child(shell, [file, "count Item"])
      let theirs = sqlite.map { Child($0, [peerFile, "select count(*) from item"]) }
      let (a, b) = alternate(200, ours, theirs) { $0.wall }
      Table.line("start, count Item", a, "sqlite3: count(*)", b)
    }
    guard isWanted("print") else { return }
    for (mode, peerMode) in [("csv", "csv"), ("jsonl", "json"), ("table", "column")] {
      let ours = Child(shell, [file, "-m", mode, "where Item show \(Self.columns)"])
      let theirs = sqlite.map {
        Child($0, [peerFile, "-\(peerMode)", "select \(Self.columns) from item"])
      }
      let (a, b) = alternate(runs, ours, theirs) { $0.processor }
      Table.line("100,000 as \(mode), processor", a, "sqlite3: \(peerMode)", b)
    }
  }

  /// Makes the same rows for sqlite3; returns its path, nil if it is not there.
  private func makePeerFile(_ peerFile: String, from file: String, _ shell: String) -> String? {
    guard let sqlite = Child.find("sqlite3"), let sh = Child.find("sh") else { return nil }
    unlink(peerFile)
    let table = """
      create table item(id integer primary key, name text not null, age int not null,
        weight real not null, city text not null, born text not null)
      """
    let pipe = """
      "$1" "$2" -m csv 'where Item show \(Self.columns)' |
        "$3" "$4" "$5" '.import --csv --skip 1 /dev/stdin item'
      """
    let child = Child(sh, ["-c", pipe, "sh", shell, file, sqlite, peerFile, table])
    return child.output() == nil ? nil : sqlite
  }

  /// Runs two programs in turn.
  private func alternate(
    _ count: Int, _ a: Child, _ b: Child?, _ time: (Child.Usage) -> Double
  ) -> (Sample, Sample) {
    var (ours, theirs) = (Sample(), Sample())
    for _ in 0..<count {
      ours.add(time(a.run()))
      if let b { theirs.add(time(b.run())) }
    }
    return (ours, theirs)
  }

  // MARK: Scripts

  /// How fast a script of 100 MB is cut into tokens, and read as the shell reads scripts: `add`
  /// statements of nothing but plain values without a syntax tree, all others with one.
  private func measureScript() {
    let bytes = MixedScript.make(byteCount: 100_000_000)
    let source = SourceText(fileName: "script", bytes: bytes)
    var (lexing, parsing, trees) = (Sample(), Sample(), Sample())
    var (tokens, plain, others) = (0, 0, 0)
    for _ in 0..<max(3, runs / 4) {
      tokens = 0
      lexing.add(
        Self.processorTime {
          var token = Token(.newline, start: 0, end: 0)
          while token.kind != .end {
            token = Lexer.token(in: bytes.span, at: token.end)
            tokens += 1
          }
        })
      parsing.add(Self.processorTime { (plain, others) = Self.read(source, plainly: true) })
      trees.add(Self.processorTime { _ = Self.read(source, plainly: false) })
    }
    print(
      "script of \(bytes.count) bytes, \(MixedScript.description):",
      "\(tokens) tokens, \(plain) plain adds, \(others) other statements")
    for (name, sample) in [
      ("lexing", lexing), ("parsing", parsing), ("parsing, a tree for each", trees),
    ] {
      let speeds = [sample.best, sample.median].map { Int(Double(bytes.count) / $0 / 1e3) }
      print("\(name): \(speeds[0]) MB/s at best, median \(speeds[1]) MB/s")
    }
  }

  /// Reads all statements; returns how many were plain and how many not.
  private static func read(_ source: SourceText, plainly: Bool) -> (Int, Int) {
    var parser = StatementParser(source)
    var add = PlainAdd()
    var (plain, others) = (0, 0)
    while true {
      if plainly, parser.next(&add) {
        plain += 1
        continue
      }
      do throws(SyntaxError) {
        guard try parser.next() != nil else { return (plain, others) }
      } catch {
        preconditionFailure("\(error.message) at \(source.place(of: error.range.start))")
      }
      others += 1
    }
  }

  private static func processorTime(_ body: () -> Void) -> Double {
    let start = Sample.processor()
    body()
    return Sample.processor() - start
  }
}
