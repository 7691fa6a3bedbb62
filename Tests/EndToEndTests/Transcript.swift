import TestSupport

/// A script whose expected output stands in comments under each statement.
///
/// A line `#> text` is a line of output, standard output and standard error together in the order
/// of writing. A first line `#$ options` holds arguments for realmsh before the script, a last line
/// `#? N` the status it ends with, else 0.
struct Transcript {
  private static let outputMark = "#>"
  private static let optionsMark = "#$ "
  private static let statusMark = "#? "

  let name: String
  private(set) var lines: [String]

  init(name: String, text: String) {
    self.name = name
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
  }

  /// The file.
  var text: String { lines.map { $0 + "\n" }.joined() }

  /// What the program is expected to write.
  var expectedOutput: String {
    lines.filter { $0.hasPrefix(Self.outputMark) }.map {
      $0.dropFirst(Self.outputMark.count + 1) + "\n"
    }.joined()
  }

  /// The status the program is expected to end with.
  var expectedStatus: Int32 {
    lines.last { $0.hasPrefix(Self.statusMark) }
      .flatMap { Int32($0.dropFirst(Self.statusMark.count)) } ?? 0
  }

  private var options: [String] {
    guard let first = lines.first, first.hasPrefix(Self.optionsMark) else { return [] }
    return first.dropFirst(Self.optionsMark.count).split(separator: " ").map(String.init)
  }

  /// Runs the first lines, or all, in a folder with copies of the fixtures.
  ///
  /// - Parameter environment: Variables besides the usual ones.
  func run(lineCount: Int? = nil, environment: [String: String] = [:]) -> Process.Result {
    let folder = makeFolder(lineCount: lineCount)
    return Process.run(
      "/bin/sh", ["-c", #"exec "$0" "$@" 2>&1"#, Fixtures.realmsh] + arguments,
      environment: Process.plainEnvironment.merging(environment) { $1 }, folder: folder.path)
  }

  /// What realmsh is started with, in the folder.
  var arguments: [String] { options + ["-f", name] }

  /// A folder with copies of the fixtures and the first lines of the script, or all.
  func makeFolder(lineCount: Int? = nil) -> TemporaryFolder {
    let folder = TemporaryFolder()
    let fixtures = "\(Fixtures.root)/Tests/Fixtures"
    for file in Files.names(in: fixtures) where !file.hasSuffix(".md") {
      folder.copy("\(fixtures)/\(file)", as: file)
    }
    for file in Files.names(in: "\(Self.folder)/scripts") {
      folder.copy("\(Self.folder)/scripts/\(file)", as: file)
    }
    let script = lines.prefix(lineCount ?? lines.count).map { $0 + "\n" }.joined()
    folder.write(Array(script.utf8), to: name)
    return folder
  }

  /// The transcript with the output that the program writes now.
  func updated() -> Transcript {
    var transcript = self
    // Line numbers in messages depend on the number of lines of output before them.
    for _ in 0..<2 { transcript.updateOnce() }
    return transcript
  }

  private mutating func updateOnce() {
    let whole = run()
    var recorded: [String] = []
    var lengthBefore = 0
    for (i, line) in lines.enumerated()
    where !line.hasPrefix(Self.outputMark) && !line.hasPrefix(Self.statusMark) {
      recorded.append(line)
      guard !line.isEmpty else { continue }
      // A line that does not end a statement, or leaves a transaction open, gives an error behind
      // its output that the whole does not have.
      let length = Self.commonLength(run(lineCount: i + 1).output, whole.output)
      guard length > lengthBefore else { continue }
      recorded += Self.marked(whole.output[lengthBefore..<length])
      lengthBefore = length
    }
    recorded += Self.marked(whole.output[lengthBefore...])
    if whole.status != 0 { recorded.append("\(Self.statusMark)\(whole.status)") }
    lines = recorded
  }

  /// Length of the whole lines that two outputs begin with.
  private static func commonLength(_ first: [UInt8], _ second: [UInt8]) -> Int {
    let count = zip(first, second).prefix { $0 == $1 }.count
    return (first[..<count].lastIndex(of: 0x0A) ?? -1) + 1
  }

  private static func marked(_ output: ArraySlice<UInt8>) -> [String] {
    String(decoding: output, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast().map { $0.isEmpty ? outputMark : "\(outputMark) \($0)" }
  }
}

extension Transcript {
  /// The folder of the transcripts; scripts that they use are below it.
  static let folder = "\(Fixtures.root)/Tests/EndToEndTests/Transcripts"

  /// The names of all transcripts.
  static let names = Files.names(in: folder).filter { $0.hasSuffix(".realmsh") }

  /// Reads a transcript.
  init(named name: String) {
    self.init(name: name, text: Files.readText("\(Self.folder)/\(name)"))
  }
}
