import Glibc

/// The command line.
struct Options {
  static let usage = """
    Benchmarks FILE.realm [--small FILE.realm] [--sqlite FILE.sqlite] [--quick]

      FILE.realm      a class Item with many objects: id (int, primary key), name, city, email
                      (string; email indexed), age (int), weight (double), born (date), score (int?)
      --small FILE    the same class with 1,000 objects; else Tests/Fixtures/big-1000.realm
      --sqlite FILE   the same rows for sqlite3
      --quick         fewer runs

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

  /// Nil if the command line is not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--sqlite":
        guard let value = rest.popFirst() else { return nil }
        sqliteFile = value
      case "--small":
        guard let value = rest.popFirst() else { return nil }
        smallFile = value
      default:
        guard file == nil, !argument.hasPrefix("-") else { return nil }
        file = argument
      }
    }
  }
}
