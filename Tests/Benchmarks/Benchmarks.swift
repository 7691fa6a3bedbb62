import Glibc
import RealmLanguage
import RealmObjects
import RealmQuery
import RealmStorage

/// Measures what the README promises, one line for each; returns the exit status.
func runBenchmarks() -> Int32 {
  guard let options = Options(Array(CommandLine.arguments.dropFirst())),
    options.file != nil || options.writingFolder != nil || options.readingFolder != nil
      || options.shellFolder != nil || options.followingFolder != nil
  else {
    print(Options.usage, terminator: "")
    return 2
  }
  if let folder = options.writingFolder {
    Table.header()
    do throws(StorageError) {
      try WritingBenchmarks(options, folder: folder).run()
    } catch {
      print("\(folder): \(error)")
      return 1
    }
  }
  if let folder = options.readingFolder {
    do throws(QueryFailure) {
      try QueryBenchmarks(options, folder: folder).run()
    } catch {
      print("\(folder): \(error)")
      return 1
    }
  }
  if let folder = options.shellFolder {
    Table.header()
    do throws(StorageError) {
      try ShellBenchmarks(options, folder: folder).run()
    } catch {
      print("\(folder): \(error)")
      return 1
    }
  }
  if let folder = options.followingFolder {
    do throws(QueryFailure) {
      try FollowingBenchmarks(options, folder: folder).run()
    } catch {
      print("\(folder): \(error)")
      return 1
    }
  }
  guard let file = options.file else { return 0 }
  guard let shell = Child.beside("realmsh") else {
    print("there is no realmsh beside this program: swift build -c release")
    return 2
  }
  let benchmarks = Benchmarks(options, file: file, shell: shell)
  print("reading memory: \(Table.text(readBandwidth(), decimals: 1)) GB/s in one thread\n")
  Table.header()
  do throws(QueryFailure) {
    benchmarks.start()
    try benchmarks.count()
    for format in ["csv", "json"] { benchmarks.export(format) }
    try benchmarks.opening()
    benchmarks.memory()
  } catch {
    print("\(file): \(error)")
    return 1
  }
  return 0
}

/// The promises.
struct Benchmarks {
  private let file: String
  private let smallFile: String
  private let shell: String
  private let sqliteFile: String?
  private let sqlite: String?
  /// Divides the number of runs.
  private let divisor: Int

  init(_ options: Options, file: String, shell: String) {
    self.file = file
    self.shell = shell
    smallFile = options.smallFile
    sqliteFile = options.sqliteFile
    sqlite = options.sqliteFile == nil ? nil : Child.find("sqlite3")
    divisor = options.isQuick ? 10 : 1
  }

  /// sqlite3 with a statement, if it is there.
  private func peer(_ arguments: [String]) -> Child? {
    guard let sqlite, let sqliteFile else { return nil }
    return Child(sqlite, [sqliteFile] + arguments)
  }

  /// Runs two programs in turn.
  private func alternate(
    _ count: Int, _ a: Child, _ b: Child?, _ time: (Child.Usage) -> Double
  ) -> (Sample, Sample) {
    var (ours, theirs) = (Sample(), Sample())
    for _ in 0..<max(3, count / divisor) {
      ours.add(time(a.run()))
      if let b { theirs.add(time(b.run())) }
    }
    return (ours, theirs)
  }

  /// From the start of the program to the end of its first result.
  func start() {
    let ours = Child(shell, [file, "count Item"])
    let peers = [
      ("select count(*)", peer(["select count(*) from item"])), ("select 1", peer(["select 1"])),
    ]
    for (statement, peer) in peers {
      let (a, b) = alternate(200, ours, peer) { $0.wall }
      Table.line("start, count Item", a, "sqlite3: \(statement)", b)
    }
  }

  /// A condition on an integer, in a warm process with one thread.
  func count() throws(QueryFailure) {
    let realm = try open(file)
    guard let item = realm.schema.objectClass(named: "Item"),
      let syntax = try? PredicateParser.parse("age < 30")
    else { return print("\(file) has no class Item") }
    let query = try Query(syntax, class: item, schema: realm.schema)
    let ours = try Sample(count: 200 / divisor) { () throws(QueryFailure) in _ = try query.count() }
    Table.line("count, age < 30", ours, "duckdb, 1 thread", duckdbCount())
    Table.line("count, age < 30", ours, "sqlite3", sqliteCount())
  }

  /// The same in DuckDB, from memory.
  private func duckdbCount() -> Sample {
    guard let python = Child.find("python3"), let sh = Child.find("sh") else { return Sample() }
    let program = """
      import duckdb, time
      db = duckdb.connect(config={'threads': 1})
      db.execute("create table item as select * from read_csv('/dev/stdin')")
      for i in range(\(1 + 200 / divisor)):
          t = time.perf_counter()
          db.execute('select count(*) from item where age < 30').fetchone()
          if i: print((time.perf_counter() - t) * 1e3)
      """
    let pipe = "\"$1\" \"$2\" -m csv 'where Item' | \"$3\" -c \"$4\" 2>/dev/null"
    let child = Child(sh, ["-c", pipe, "sh", shell, file, python, program])
    return Sample((child.output() ?? "").split(separator: "\n").compactMap { Double($0) })
  }

  private func sqliteCount() -> Sample {
    guard let sqlite, let sqliteFile, let sh = Child.find("sh") else { return Sample() }
    let statement = "select count(*) from item where age < 30;\n"
    let script = ".timer on\n" + String(repeating: statement, count: max(3, 20 / divisor) + 1)
    let pipe = "printf %s \"$1\" | \"$2\" \"$3\""
    let text = Child(sh, ["-c", pipe, "sh", script, sqlite, sqliteFile]).output() ?? ""
    // Run Time: real 0.101 user 0.097 sys 0.004
    let times = text.split(separator: "\n").filter { $0.hasPrefix("Run Time:") }
    return Sample(
      times.dropFirst().compactMap { line in
        line.split(separator: " ").dropFirst(3).first.flatMap { Double($0) }.map { $0 * 1e3 }
      })
  }

  /// All rows as text, in processor time.
  func export(_ format: String) {
    let mode = format == "csv" ? "csv" : "jsonl"
    let ours = Child(shell, [file, "-m", mode, "where Item"])
    let peer = peer(["-\(format)", "select * from item"])
    let (a, b) = alternate(20, ours, peer) { $0.processor }
    Table.line("all rows as \(mode), processor", a, "sqlite3: .mode \(format)", b)
  }

  /// A big file opens as fast as a small one.
  func opening() throws(QueryFailure) {
    guard access(smallFile, R_OK) == 0 else { return print("no \(smallFile): see --small") }
    let big = try Sample(count: 1000 / divisor) { () throws(QueryFailure) in _ = try open(file) }
    let small = try Sample(count: 1000 / divisor) { () throws(QueryFailure) in
      _ = try open(smallFile)
    }
    Table.line("opening", big, "1,000 objects", small)
  }

  private func open(_ path: String) throws(QueryFailure) -> Realm {
    do throws(StorageError) { return try Realm(path: path) } catch { throw .storage(error) }
  }

  /// What an export of all rows needs beside the pages of the file.
  func memory() {
    for mode in ["csv", "jsonl"] {
      let usage = Child(shell, [file, "-m", mode, "where Item"]).run(watchesMemory: true)
      let amount = Table.text(Double(usage.peakBytes) / 0x10_0000, decimals: 1)
      print("memory of the export as \(mode), without the mapped file: \(amount) MiB")
    }
  }
}
