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
