import RealmStorage

/// Measures the import of 1,000,000 rows of CSV into a new file, beside sqlite3 and DuckDB with tables
/// that have the same primary key and index.
struct ImportBenchmarks {
  private let folder: String
  private let runs: Int
  private static let count: Int64 = 1_000_000

  init(folder: String, isQuick: Bool) {
    self.folder = folder
    runs = isQuick ? 1 : 5
  }

  /// One line for each peer; files are made in the folder.
  func run() throws(StorageError) {
    guard let shell = Child.beside("realmsh"), let sh = Child.find("sh") else {
      return print("import is left out: there is no realmsh beside this program")
    }
    let source = "\(folder)/rows.realm"
    _ = try WritingBenchmarks.insertAll(Self.count, into: source)
    let made = Child(
      sh, ["-c", "\"$0\" \"$1\" \"export Item to '$2/rows.csv'\"", shell, source, folder])
    guard made.output() != nil else { return print("the rows cannot be exported") }
    let ours = Child(sh, ["-c", Self.ours, shell, folder])
    for (name, peer) in peers(sh) {
      var (a, b) = (Sample(), Sample())
      for _ in 0..<runs {
        a.add(ours.run().wall)
        if let peer { b.add(peer.run().wall) }
      }
      Table.line("import of 1,000,000 rows", a, name, b)
    }
  }

  private static let ours = """
    rm -rf "$1"/imported.realm*
    exec "$0" --new "$1/imported.realm" 'class Item { id: int primary, name: string, age: int, \
    weight: double, city: string, born: date, score: int?, email: string indexed }' \
    "import Item from '$1/rows.csv'"
    """

  private func peers(_ sh: String) -> [(String, Child?)] {
    let sqlite = Child.find("sqlite3").map {
      Child(sh, ["-c", Self.sqlite, $0, folder])
    }
    let duckdb = Child.find("python3").map {
      Child(sh, ["-c", "rm -f \"$1\"/imported.duckdb; exec \"$0\" -c \"$2\"", $0, folder, duck])
    }
    return [("sqlite3: .import", sqlite), ("duckdb: copy", duckdb)]
  }

  private static let columns = """
    id bigint primary key, name varchar not null, age bigint not null, weight double not null,
    city varchar not null, born timestamp not null, score bigint, email varchar not null
    """

  private static let sqlite = """
    rm -f "$1"/imported.sqlite
    exec "$0" "$1/imported.sqlite" 'create table item(id integer primary key, name text not null, \
    age int not null, weight real not null, city text not null, born text not null, score int, \
    email text not null); create index email on item(email)' \
    ".import --csv --skip 1 $1/rows.csv item"
    """

  private var duck: String {
    """
    import duckdb
    db = duckdb.connect('\(folder)/imported.duckdb')
    db.execute('''create table item(\(Self.columns))''')
    db.execute('create index email on item(email)')
    db.execute("copy item from '\(folder)/rows.csv' (header)")
    db.close()
    """
  }
}
