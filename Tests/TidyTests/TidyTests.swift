import TestSupport
import Testing

/// The rules of the house that the formatter cannot see.
struct TidyTests {
  private static let sources = SwiftSource.all(below: "Sources")
  private static let tests = SwiftSource.all(below: "Tests")

  /// Files that may be longer than `longestFile` lines, each with the reason.
  private static let longFiles: [String: String] = [:]
  private static let longestFile = 800
  private static let longestFunction = 70

  /// What each target may import.
  private static let imports: [String: Set<String>] = [
    "ByteKernels": ["Glibc", "CLinux", "_Builtin_intrinsics", "Builtin"],
    "RealmValues": ["Glibc", "Synchronization", "ByteKernels"],
    "RealmStorage": [
      "Glibc", "Synchronization", "CLibCrypto", "CLinux", "RealmValues", "ByteKernels",
    ],
    "RealmObjects": ["Glibc", "Synchronization", "RealmStorage", "RealmValues", "ByteKernels"],
    "RealmLanguage": ["RealmValues", "ByteKernels"],
    // The standard library by name, where the normal forms of its strings are needed.
    "RealmQuery": [
      "Glibc", "Swift", "RealmLanguage", "RealmObjects", "RealmStorage", "RealmValues",
      "ByteKernels",
    ],
    "LineEditor": ["Glibc", "Synchronization", "CLibEdit", "ByteKernels"],
    "RealmShell": [
      "Glibc", "Synchronization", "LineEditor", "RealmQuery", "RealmLanguage", "RealmObjects",
      "RealmStorage", "RealmValues", "ByteKernels", "CSQLite",
    ],
    "realmsh": ["Glibc", "RealmShell"],
  ]
  private static let testImports = imports.keys.reduce(
    into: ["Glibc", "Synchronization", "Testing", "TestSupport", "CLibCrypto"] as Set<String>
  ) { $0.insert($1) }

  private static func expectNone(
    _ findings: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      findings.isEmpty, "\(findings.joined(separator: "\n"))", sourceLocation: sourceLocation)
  }

  @Test func importsGoDownOnly() {
    #expect(!Self.sources.isEmpty)
    Self.expectNone(
      (Self.sources + Self.tests).flatMap { source in
        let allowed =
          source.path.hasPrefix("Sources/")
          ? source.target.flatMap { Self.imports[$0] } ?? [] : Self.testImports
        return source.imports.filter { !allowed.contains($0.module) }.map {
          "\(source.place($0.line)): import of \($0.module)"
        }
      })
  }

  @Test func functionsFitAScreen() {
    Self.expectNone(
      (Self.sources + Self.tests).flatMap { source in
        source.functions.filter { $0.lineCount > Self.longestFunction }.map {
          "\(source.place($0.line)): function of \($0.lineCount) lines"
        }
      })
  }

  @Test func filesAreShort() {
    Self.expectNone(
      (Self.sources + Self.tests).compactMap { source in
        source.lines.count > Self.longestFile && Self.longFiles[source.path] == nil
          ? "\(source.path): \(source.lines.count) lines" : nil
      })
  }

  @Test func nothingIsLeftOver() {
    // Put together, so that this file does not find itself.
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    Self.expectNone(
      (Self.sources + Self.tests).flatMap { source in
        source.lines.enumerated().compactMap { line, text in
          let words = text.utf8.split { !SwiftScanner.isWordByte($0) }
          let found = marks.first { mark in words.contains { $0.elementsEqual(mark.utf8) } }
          return found.map { "\(source.place(line)): \($0)" }
        }
      })
  }

  @Test func nothingIsPrintedForDebugging() {
    // A target may have a function `print` of its own.
    let printers = Set(Self.sources.filter { $0.declaresPrint }.map(\.target))
    Self.expectNone(
      Self.sources.filter { !printers.contains($0.target) }.flatMap { source in
        source.printingLines.map { "\(source.place($0)): debugging output" }
      })
  }

  @Test func blanksAreWhereTheyBelong() {
    let files = ["Package.swift"].filter { Files.exists("\(Fixtures.root)/\($0)") }
    let folders = ["Sources", "Tests"].flatMap { folder in
      Files.allFiles(below: "\(Fixtures.root)/\(folder)").map { "\(folder)/\($0)" }
    }
    let checked = (files + folders).filter { name in
      [".swift", ".h", ".modulemap"].contains { name.hasSuffix($0) }
    }
    Self.expectNone(
      checked.flatMap { name in
        let text = Files.read("\(Fixtures.root)/\(name)")
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let atEnd = text.last == UInt8(ascii: "\n") ? [] : ["\(name): no newline at the end"]
        return lines.enumerated().compactMap { line, bytes in
          if bytes.contains(UInt8(ascii: "\t")) { return "\(name):\(line + 1): tab" }
          return bytes.last == UInt8(ascii: " ") ? "\(name):\(line + 1): trailing blank" : nil
        } + atEnd
      })
  }

  @Test func daringConstructsGiveAReason() {
    Self.expectNone(
      (Self.sources + Self.tests.filter { $0.target == "TestSupport" }).flatMap { source in
        let daring = source.tokens.indices.compactMap { index in
          source.daringConstruct(at: index).map { (source.tokens[index].line, $0) }
        }
        let lines = Set(daring.map { $0.0 })
        return daring.compactMap { line, construct in
          source.givesReason(line, among: lines)
            ? nil : "\(source.place(line)): \(construct) without a reason"
        }
      })
  }

  @Test func publicDeclarationsAreDocumented() {
    Self.expectNone(
      (Self.sources + Self.tests.filter { $0.target == "TestSupport" }).flatMap { source in
        source.undocumentedLines.map { "\(source.place($0)): no documentation" }
      })
  }

  @Test func accessBetweenTargetsIsPublic() {
    let declarations = ["func", "var", "let", "struct", "class", "enum", "init", "static", "final"]
    Self.expectNone(
      Self.sources.flatMap { source in
        source.tokens.indices.compactMap { index in
          source.text(at: index) == "package" && declarations.contains(source.text(at: index + 1))
            ? "\(source.place(source.tokens[index].line)): package access" : nil
        }
      })
  }

  /// Closures and variables at the top level are bound to the main actor, which costs much.
  @Test func theProgramIsOneCall() {
    let program = Self.sources.filter { $0.target == "realmsh" }
    #expect(program.map(\.path) == ["Sources/realmsh/main.swift"])
    Self.expectNone(
      program.flatMap { source in
        source.tokens.filter { ["{", "var", "let", "func"].contains($0.text) }.map {
          "\(source.place($0.line)): \($0.text) in the target realmsh"
        }
      })
  }

  @Test func theREADMEMentionsEveryExample() {
    let examples = Files.names(in: "\(Fixtures.root)/examples").filter { $0.hasSuffix(".realmsh") }
    let readme = Files.contents("\(Fixtures.root)/README.md") ?? []
    let text = String(decoding: readme, as: UTF8.self)
    Self.expectNone(examples.filter { !text.contains($0) }.map { "README.md: no \($0)" })
  }
}
