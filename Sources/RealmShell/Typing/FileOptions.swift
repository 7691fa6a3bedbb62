import Glibc
import RealmLanguage

/// The files of a kind that begin as what was typed.
struct FileOptions {
  /// Most entries of a folder that are looked at.
  private static let maximumCount = 20_000
  /// Milliseconds that a slow file system may take.
  private static let maximumTime = 10.0

  let session: Session
  let kind: Expectation.FileKind

  /// Files and folders, those of the kind first.
  ///
  /// - Parameter word: The path as it was typed, with its opening quote if it has one.
  func options(for word: String) -> [Completer.Option] {
    let quote = word.first.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
    var path = quote == nil ? word : String(word.dropFirst())
    var scheme = ""
    if kind == .key, path.hasPrefix("file:") {
      scheme = "file:"
      path = String(path.dropFirst(scheme.count))
    }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = String(path[..<slash])
    let name = path[slash...]
    let schemes = kind == .key && scheme.isEmpty && folder.isEmpty ? Self.schemes : []
    return schemes
      + entries(of: folder, isQuoted: quote != nil)
      .filter { !$0.name.hasPrefix(".") || name.hasPrefix(".") }
      .sorted { (rank(of: $0), $0.name) < (rank(of: $1), $1.name) }
      .map { entry in
        let text = scheme + folder + entry.name + (entry.isFolder ? "/" : "")
        return option(text, isFolder: entry.isFolder, quote: scheme.isEmpty ? quote : quote ?? "\"")
      }
  }

  private static let schemes =
    [
      ("\"file:", "64 bytes, or 128 hex digits, or Base64"), ("\"env:", "environment variable"),
      ("\"cmd:", "the first line a command prints"), ("\"fd:", "an open descriptor"),
    ].map { Completer.Option($0.0, comment: $0.1, suffix: "", rank: .word) }
    + [Completer.Option("prompt", comment: "asked for on the terminal")]

  private struct Entry {
    let name: String
    let isFolder: Bool
  }

  private func rank(of entry: Entry) -> Int {
    if extensions.contains(where: { entry.name.hasSuffix($0) }) { return 0 }
    return entry.isFolder ? 1 : 2
  }

  private var extensions: [String] {
    switch kind {
    case .database: [".realm"]
    case .script: [".realmsh"]
    case .data: [".csv", ".tsv", ".json", ".jsonl"]
    case .key: [".key"]
    case .output, .folder: []
    }
  }

  /// A path as it is typed: in quotes if it needs them or has them already.
  private func option(_ path: String, isFolder: Bool, quote: Character?) -> Completer.Option {
    let suffix = isFolder ? "" : " "
    let isBare = path.utf8.allSatisfy { Completer.isNameByte($0) || ".-/~+".utf8.contains($0) }
    guard quote != nil || !isBare else {
      return Completer.Option(path, suffix: suffix, rank: .file)
    }
    let mark = quote.map(String.init) ?? "\""
    var text = mark
    for character in path {
      if character == "\\" || String(character) == mark { text.append("\\") }
      text.append(character)
    }
    return Completer.Option(
      isFolder ? text : text + mark, suffix: suffix, rank: .file, key: quote == nil ? path : text)
  }

  private func entries(of folder: String, isQuoted: Bool) -> [Entry] {
    let path = FilePath(
      folder.isEmpty ? "." : folder, isQuoted: isQuoted, range: SourceRange(start: 0, end: 0))
    let system = session.resolve(path)
    guard let stream = opendir(system) else { return [] }
    defer { closedir(stream) }
    let end = monotonicMilliseconds() + Self.maximumTime
    var entries: [Entry] = []
    var count = 0
    while let entry = readdir(stream), count < Self.maximumCount {
      count += 1
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let isFolder = Self.isFolder(name, entry.pointee.d_type, in: system)
      if isFolder || kind != .folder { entries.append(Entry(name: name, isFolder: isFolder)) }
      if count & 255 == 0, monotonicMilliseconds() > end { break }
    }
    return entries
  }

  private static func isFolder(_ name: String, _ type: UInt8, in folder: String) -> Bool {
    if Int(type) == DT_DIR { return true }
    guard Int(type) == DT_LNK || Int(type) == DT_UNKNOWN else { return false }
    var status = stat()
    return stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
