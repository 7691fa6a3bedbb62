import ByteKernels
import Glibc
import RealmValues

/// Measures a script that adds all rows, each with a statement of its own, in one transaction.
struct ScriptBenchmark {
  static let name = "script_adds"

  private let folder: String
  private let count: Int64
  private let runs: Int

  init(folder: String, count: Int64, runs: Int) {
    (self.folder, self.count, self.runs) = (folder, count, runs)
  }

  /// One line, with sqlite3 beside it if it is there.
  func run() {
    guard let shell = Child.beside("realmsh") else {
      return print("\(ScriptBenchmark.name) is left out: there is no realmsh beside this program")
    }
    let (script, database) = ("\(folder)/adds.realmsh", "\(folder)/adds.realm")
    let (peerScript, peerDatabase) = ("\(folder)/adds.sql", "\(folder)/adds.sqlite")
    write(script, "open '\(database)' new\n\(Self.schema)begin\n", "commit\n") { number, item in
      let score = item.score.map { "\($0)" } ?? "null"
      return """
        add Item {id: \(number), name: "\(Self.text(item.name))", age: \(item.age), \
        weight: \(item.weight), city: "\(Self.text(item.city))", born: \(item.born), \
        score: \(score), email: "\(Self.text(item.email))"}

        """
    }
    write(peerScript, Self.peerSchema + "begin;\n", "commit;\n") { number, item in
      let score = item.score.map { "\($0)" } ?? "null"
      let born = item.born.seconds * 1000 + Int64(item.born.nanoseconds / 1_000_000)
      return """
        insert into item values(\(number),'\(Self.text(item.name))',\(item.age),\(item.weight),\
        '\(Self.text(item.city))',\(born),\(score),'\(Self.text(item.email))');

        """
    }
    let sqlite = Child.find("sqlite3").map { Child($0, [peerDatabase, ".read '\(peerScript)'"]) }
    var (ours, theirs) = (Sample(), Sample())
    for _ in 0..<runs {
      for suffix in ["", ".lock", ".note"] { unlink(database + suffix) }
      ours.add(time(of: Child(shell, ["-q", "-f", script])))
      unlink(peerDatabase)
      if let sqlite { theirs.add(time(of: sqlite)) }
    }
    Table.line(ScriptBenchmark.name, ours, "sqlite3", theirs)
  }

  private func time(of child: Child) -> Double {
    let usage = child.run()
    return usage.hasSucceeded ? usage.wall : .nan
  }

  private static let schema = """
    class Item {
      id: int primary, name: string, age: int, weight: double, city: string, born: date,
      score: int?, email: string indexed
    }

    """

  private static let peerSchema = """
    create table item(id integer primary key, name text not null, age int not null,
      weight real not null, city text not null, born int not null, score int,
      email text not null unique);

    """

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Writes a file with a statement for each row.
  private func write(
    _ path: String, _ start: String, _ end: String, _ statement: (Int64, Item) -> String
  ) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { return print("\(path) cannot be written") }
    defer { close(file) }
    let writer = ByteWriter(descriptor: file)
    writer.write(start)
    var item = Item()
    for number in 0..<count {
      item.become(number)
      writer.write(statement(number, item))
    }
    writer.write(end)
    writer.flush()
  }
}
