import ByteKernels
import Glibc
import RealmLanguage
import RealmObjects

/// `schema`.
extension Session {
  func schema(
    _ statement: SchemaStatement, range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    let realm = try current(at: range).realm
    switch statement {
    case .version:
      writer.write((realm.schema.version.map(String.init) ?? "none") + "\n")
    case .diff(let path):
      try schemaDiff(path, to: writer)
    case .show(let names, let format, let path):
      if format == .text, let text = projectionText(names, realm) {
        guard let path else {
          writer.write(text)
          return
        }
        try OutputFile.write(Array(text.utf8), to: resolve(path), for: self, at: path.range)
        return
      }
      let classes = try chosenClasses(names, realm)
      guard let path else {
        writeSchema(classes, format, to: writer)
        return
      }
      let memory = ByteWriter()
      if format == .text {
        SchemaText(classes: classes, out: memory, isScript: true).writeScript()
      } else {
        writeSchema(classes, format, to: memory)
      }
      try OutputFile.write(memory.takeBytes(), to: resolve(path), for: self, at: path.range)
    }
  }

  /// The declarations of projections; nil if not all names are those of projections.
  private func projectionText(_ names: [Name], _ realm: Realm) -> String? {
    let projections = threads.projections
    var text = ""
    for name in names {
      guard realm.schema.objectClass(named: name.text) == nil,
        let projection = projections[name.text]
      else { return nil }
      text += "projection \(projection.text)\n"
    }
    return names.isEmpty ? nil : text
  }

  private func chosenClasses(
    _ names: [Name], _ realm: Realm
  ) throws(ShellError) -> [ObjectClass] {
    guard !names.isEmpty else { return realm.schema.classes }
    var classes: [ObjectClass] = []
    for name in names {
      guard let objectClass = realm.schema.objectClass(named: name.text) else {
        throw Evaluator.unknownClass(name, realm)
      }
      classes.append(objectClass)
    }
    return classes
  }

  private func writeSchema(
    _ classes: [ObjectClass], _ format: SchemaFormat, to writer: ByteWriter
  ) {
    let text = SchemaText(classes: classes, out: writer)
    switch format {
    case .text: text.writeStatements()
    case .json: text.writeJSON()
    case .mermaid: text.writeMermaid()
    case .dot: text.writeDot()
    case .swift: SwiftModels.write(classes, to: writer)
    case .kotlin: KotlinModels.write(classes, to: writer)
    case .dart: DartModels.write(classes, to: writer)
    case .csharp: CSharpModels.write(classes, to: writer)
    case .typescript: TypeScriptModels.write(classes, to: writer)
    }
  }
}

/// Files that results are written to: a new file beside the target takes its place when it is whole.
enum OutputFile {
  /// Writes a whole file.
  static func write(
    _ bytes: [UInt8], to path: String, for session: Session, at range: SourceRange
  ) throws(ShellError) {
    try write(to: path, for: session, at: range) { (writer) throws(ShellError) in
      writer.write(bytes)
    }
  }

  /// Writes a file with what `body` prints; nothing is left behind if it fails.
  static func write(
    to path: String, for session: Session, at range: SourceRange,
    _ body: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    try session.permitWriting(to: path, at: range)
    // Links are written through: /dev/stdout is one, and a file in its place would replace it.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      try fill(path, O_TRUNC, shownAs: path, range, body)
      return
    }
    let unfinished = "\(path).\(getpid()).tmp"
    try UnfinishedFile.during(unfinished) { () throws(ShellError) in
      do throws(ShellError) {
        try fill(unfinished, O_EXCL, shownAs: path, range, body)
        guard rename(unfinished, path) == 0 else { throw failed(path, errno, range) }
      } catch {
        unlink(unfinished)
        throw error
      }
    }
  }

  private static func fill(
    _ target: String, _ flag: Int32, shownAs path: String, _ range: SourceRange,
    _ body: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | flag
    let descriptor = try repeatingCall { open(target, flags, 0o666) }
    guard descriptor >= 0 else { throw failed(path, errno, range) }
    let writer = ByteWriter(descriptor: descriptor)
    do throws(ShellError) {
      try body(writer)
      writer.flush()
      if let failure = writer.failure { throw failed(path, failure, range) }
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw failed(path, errno, range) }
  }

  /// Whether there is a file that is not empty.
  static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// Adds to the end of a file.
  static func append(
    to path: String, for session: Session, at range: SourceRange,
    _ body: (ByteWriter) throws(ShellError) -> Void
  ) throws(ShellError) {
    try session.permitWriting(to: path, at: range)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failed(path, errno, range) }
    defer { close(descriptor) }
    let writer = ByteWriter(descriptor: descriptor)
    try body(writer)
    writer.flush()
    if let failure = writer.failure { throw failed(path, failure, range) }
  }

  private static func failed(_ path: String, _ number: Int32, _ range: SourceRange) -> ShellError {
    ShellError(
      ErrorName(systemError: number),
      "cannot write \(path): \(StorageMessages.systemText(number))", at: range)
  }
}
