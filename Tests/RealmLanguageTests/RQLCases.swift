import Glibc

/// One line of `cases/rql.jsonl` as far as the parser is concerned.
struct RQLCase {
  var id: String
  var predicate: String
  /// The category of the error, nil if the predicate has a result.
  var error: String?

  /// All cases, nil if the folder with them is not there.
  static func load() -> [RQLCase]? {
    guard let text = sharedFolders.lazy.compactMap({ read($0 + "/cases/rql.jsonl") }).first else {
      return nil
    }
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let id = string(in: line, after: "\"id\": "),
        let predicate = string(in: line, after: "\"predicate\": ")
      else { return nil }
      return RQLCase(
        id: id, predicate: predicate, error: string(in: line, after: "\"expect\": {\"error\": "))
    }
  }

  private static var sharedFolders: [String] {
    var folders: [String] = []
    if let variable = getenv("REALMSH_SHARED") { folders.append(String(cString: variable)) }
    // <root>/Tests/RealmLanguageTests/RQLCases.swift
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    let path = root.joined(separator: "/")
    return folders + [path + "/../shared", path + "/../../shared"]
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return result }
      result += buffer[..<count]
    }
  }

  /// The JSON string that follows the first occurrence of `key`.
  private static func string(in line: ArraySlice<UInt8>, after key: String) -> String? {
    let key = Array((key + "\"").utf8)
    var index = line.startIndex
    while index + key.count <= line.endIndex, !line[index...].starts(with: key) { index += 1 }
    index += key.count
    var units: [UInt16] = []
    while index < line.endIndex, line[index] != UInt8(ascii: "\"") {
      var end = index
      while end < line.endIndex, line[end] != UInt8(ascii: "\""), line[end] != UInt8(ascii: "\\") {
        end += 1
      }
      units += String(decoding: line[index..<end], as: UTF8.self).utf16
      index = end
      guard index + 1 < line.endIndex, line[index] == UInt8(ascii: "\\") else { continue }
      switch line[index + 1] {
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "t"): units.append(9)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "u"):
        let digits = String(decoding: line[index + 2..<index + 6], as: UTF8.self)
        units.append(UInt16(digits, radix: 16) ?? 0)
        index += 4
      case let other: units.append(UInt16(other))
      }
      index += 2
    }
    return index < line.endIndex ? String(decoding: units, as: UTF16.self) : nil
  }
}
