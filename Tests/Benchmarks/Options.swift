import Glibc

/// The command line.
struct Options {
  static let usage = """
    Benchmarks FILE.realm [--small FILE.realm] [--sqlite FILE.sqlite] [--quick]
    Benchmarks --read FOLDER [--count N] [--only WORK] [--peer NAME=PROGRAM]... [--quick]
    Benchmarks --write FOLDER [--count N] [--only WORK] [--peer NAME=PROGRAM]... [--quick]
    Benchmarks --shell FOLDER [--only WORK] [--quick]
    Benchmarks --live FOLDER [--count N] [--only QUERY] [--peer NAME=PROGRAM]... [--quick]

      FILE.realm      a class Item with many objects: id (int, primary key), name, city, email
                      (string; email indexed), age (int), weight (double), born (date), score (int?)
      --small FILE    the same class with 1,000 objects; else Tests/Fixtures/big-1000.realm
      --sqlite FILE   the same rows for sqlite3
      --quick         fewer runs
      --read FOLDER   measure queries, with files that are made in the folder unless they are there
      --write FOLDER  measure writing, with files in the folder
      --shell FOLDER  measure start, printing, the import of a million rows and the reading of a
                      script beside sqlite3 and DuckDB, with files in the folder
      --live FOLDER   measure how soon an observer of results knows what a commit has changed
      --count N       number of objects; else 1,000,000
      --only WORK     insert_bulk, update_all, delete_where, small_commits_1000 or script_adds; with
                      --read scan, lookup, sort, aggregate or links, or one line of them; with
                      --shell start, print, import or script
      --peer NAME=P   a program that does the same: it is given, after the words of P, the name of
                      the work, a path for its files, the number of objects and the number of
                      runs, and prints {"op":"insert_bulk", ... "median_ms":1.5, ...}, with --read
                      such a line with "result":"..." for each line of the work

    Any SDK of Realm writes such a file. From it, the file for sqlite3 is made so:
      realmsh FILE.realm -m csv 'where Item' > item.csv
      sqlite3 FILE.sqlite 'create table item(id integer primary key, name text not null,
        age int not null, weight real not null, city text not null, born text not null,
        score int, email text not null unique)' '.import --csv --skip 1 item.csv item'
        "update item set score = null where score = ''"

    """

  private(set) var file: String?
  private(set) var smallFile = "Tests/Fixtures/big-1000.realm"
  private(set) var sqliteFile: String?
  private(set) var isQuick = false
  private(set) var writingFolder: String?
  private(set) var readingFolder: String?
  private(set) var shellFolder: String?
  private(set) var followingFolder: String?
  private(set) var count: Int64 = 1_000_000
  private(set) var only: String?
  private(set) var peers: [Peer] = []

  /// Nil if the command line is not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--sqlite":
        guard let value = rest.popFirst() else { return nil }
        sqliteFile = value
      case "--write":
        guard let folder = rest.popFirst().flatMap(Options.wholePath) else { return nil }
        writingFolder = folder
      case "--read":
        guard let folder = rest.popFirst().flatMap(Options.wholePath) else { return nil }
        readingFolder = folder
      case "--shell":
        guard let folder = rest.popFirst().flatMap(Options.wholePath) else { return nil }
        shellFolder = folder
      case "--live":
        guard let folder = rest.popFirst().flatMap(Options.wholePath) else { return nil }
        followingFolder = folder
      case "--count":
        guard let value = rest.popFirst().flatMap({ Int64($0) }) else { return nil }
        count = value
      case "--only":
        guard let value = rest.popFirst() else { return nil }
        only = value
      case "--peer":
        guard let value = rest.popFirst(), let sign = value.firstIndex(of: "=") else { return nil }
        let words = value[value.index(after: sign)...].split(separator: " ").map { String($0) }
        guard !words.isEmpty else { return nil }
        peers.append(Peer(name: String(value[..<sign]), words: words))
      case "--small":
        guard let value = rest.popFirst() else { return nil }
        smallFile = value
      default:
        guard file == nil, !argument.hasPrefix("-") else { return nil }
        file = argument
      }
    }
  }

  /// Paths in scripts are relative to the folder of the script.
  private static func wholePath(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }
}
