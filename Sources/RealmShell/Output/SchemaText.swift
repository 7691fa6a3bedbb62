import ByteKernels
import RealmObjects
import RealmStorage

/// Prints classes in the forms of `schema`.
///
/// Source: shell.md 7.
struct SchemaText {
  let classes: [ObjectClass]
  let out: ByteWriter
  /// Whether the text is to be run again as it is, in another file, not to be looked at.
  var isScript = false

  /// A script that makes the classes: if one names a later one, which is possible in a transaction
  /// only, they stand in one.
  func writeScript() {
    guard namesLaterClass else { return writeStatements() }
    out.write("write {\n")
    writeStatements(margin: "  ")
    out.write("}\n")
  }

  private var namesLaterClass: Bool {
    var later = Set(classes.map(\.name))
    return classes.contains { objectClass in
      later.remove(objectClass.name)
      return objectClass.properties.contains { later.contains($0.targetName ?? "") }
        || objectClass.computed.contains { later.contains($0.originClass) }
    }
  }

  /// Class statements that can be run again.
  ///
  /// - Parameters:
  ///   - margin: What stands before each line.
  ///   - defaults: What is known about the defaults of properties, which files do not store.
  func writeStatements(margin: String = "", defaults: Defaults? = nil) {
    for objectClass in classes {
      var head = margin + "class \(quotedName(objectClass.name, inScript: isScript))"
      switch objectClass.table.kind {
      case .topLevel: break
      case .embedded: head += " embedded"
      case .asymmetric where !isScript: head += " asymmetric"
      case .asymmetric:
        out.write("\(margin)# The next class is asymmetric, which needs a synchronised file.\n")
      }
      let computed = objectClass.computed
      let isEmpty = objectClass.properties.isEmpty && computed.isEmpty
      out.write(isEmpty ? head + " {}\n" : head + " {\n")
      for property in objectClass.properties {
        let value = defaults?.text(of: property.name, in: objectClass.name)
        let name = quotedName(property.name, inScript: isScript)
        let line = "  \(name): \(property.typeAndFlags(inScript: isScript))"
        out.write("\(margin)\(line)\(value.map { " = " + $0 } ?? "")\n")
      }
      for inverse in computed {
        // Without the other class the statement could not be run.
        let isComment = isScript && !classes.contains { $0.name == inverse.originClass }
        let name = quotedName(inverse.title, inScript: isScript)
        out.write(
          "\(margin)  \(isComment ? "# " : "")\(name): \(inverse.way(inScript: isScript))\n")
      }
      if !isEmpty { out.write(margin + "}\n") }
    }
  }

  /// The schema as `Realm.schema` of the JavaScript SDK shows it.
  func writeJSON() {
    guard !classes.isEmpty else {
      out.write("[]\n")
      return
    }
    out.write("[\n")
    for (i, objectClass) in classes.enumerated() {
      out.write("  {\n    \"name\": ")
      JSONText.writeString(objectClass.name, to: out)
      if objectClass.isEmbedded { out.write(",\n    \"embedded\": true") }
      if objectClass.table.kind == .asymmetric { out.write(",\n    \"asymmetric\": true") }
      if let key = objectClass.primaryKey {
        out.write(",\n    \"primaryKey\": ")
        JSONText.writeString(key.name, to: out)
      }
      out.write(",\n    \"properties\": {")
      for (n, property) in objectClass.properties.enumerated() {
        out.write(n == 0 ? "\n      " : ",\n      ")
        JSONText.writeString(property.name, to: out)
        out.write(": ")
        writeJSONType(property)
      }
      out.write(objectClass.properties.isEmpty ? "}\n  }" : "\n    }\n  }")
      out.write(i == classes.count - 1 ? "\n" : ",\n")
    }
    out.write("]\n")
  }

  private func writeJSONType(_ property: Property) {
    guard property.isIndexed || property.hasFullTextIndex else {
      JSONText.writeString(property.typeText, to: out)
      return
    }
    out.write("{\"type\": ")
    JSONText.writeString(property.typeText, to: out)
    out.write(property.hasFullTextIndex ? ", \"indexed\": \"full-text\"}" : ", \"indexed\": true}")
  }

  // MARK: Diagrams

  private struct Link {
    let origin: String
    let target: String
    let name: String
    let isEmbedded: Bool
    let isSingle: Bool
  }

  /// Links between classes.
  private var links: [Link] {
    classes.flatMap { objectClass in
      objectClass.properties.compactMap { property in
        guard let target = property.targetName else { return nil }
        let isEmbedded = classes.first { $0.name == target }?.isEmbedded ?? false
        return Link(
          origin: objectClass.name, target: target, name: property.name, isEmbedded: isEmbedded,
          isSingle: property.collection == .none)
      }
    }
  }

  /// A class diagram for mermaid.
  func writeMermaid() {
    out.write("classDiagram\n")
    for objectClass in classes {
      out.write("  class \(identifier(objectClass.name)) {\n")
      for property in objectClass.properties where property.targetName == nil {
        let mark = property.isPrimaryKey ? " PK" : ""
        out.write("    \(property.typeText) \(identifier(property.name))\(mark)\n")
      }
      out.write("  }\n")
    }
    for link in links {
      let arrow = link.isEmbedded ? "*--" : "-->"
      let count = link.isSingle ? "0..1" : "*"
      out.write(
        "  \(identifier(link.origin)) \(arrow) \"\(count)\" \(identifier(link.target))"
          + " : \(identifier(link.name))\n")
    }
  }

  private func identifier(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  /// A graph for Graphviz.
  func writeDot() {
    out.write("digraph schema {\n  rankdir=LR;\n  node [shape=record];\n")
    for objectClass in classes {
      let fields = objectClass.properties.map {
        "\(escaped($0.name)): \(escaped($0.typeText))\\l"
      }
      out.write(
        "  \"\(escaped(objectClass.name))\" "
          + "[label=\"{\(escaped(objectClass.name))|\(fields.joined())}\"];\n")
    }
    for link in links {
      let style = link.isEmbedded ? ", arrowtail=diamond, dir=both" : ""
      out.write(
        "  \"\(escaped(link.origin))\" -> \"\(escaped(link.target))\" "
          + "[label=\"\(escaped(link.name))\"\(style)];\n")
    }
    out.write("}\n")
  }

  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\"\\{}<>|".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
