import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Classes for the JavaScript SDK, with their types.
enum TypeScriptModels {
  private static let rules = NameRules(
    keywords: [
      "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do",
      "else", "enum", "export", "extends", "false", "finally", "for", "function", "if", "import",
      "in", "instanceof", "new", "null", "return", "super", "switch", "this", "throw", "true",
      "try", "typeof", "var", "void", "while", "with", "yield", "let", "static", "implements",
      "interface", "package", "private", "protected", "public", "await", "arguments", "eval",
    ],
    // Members may have the names of keywords.
    quotes: ("", ""),
    members: [
      "constructor", "keys", "entries", "toJSON", "isValid", "objectSchema", "linkingObjects",
      "linkingObjectsCount", "addListener", "removeListener", "removeAllListeners",
      "getPropertyType", "prototype",
    ],
    types: [
      "Realm", "Object", "String", "Number", "Boolean", "Date", "ArrayBuffer", "Array", "Set",
      "Map",
      "Symbol", "Function", "any", "unknown", "never", "string", "number", "boolean", "object",
      "undefined", "bigint", "symbol",
    ])

  static func write(_ classes: [ObjectClass], to out: ByteWriter) {
    let models = ModelClasses(classes, rules, to: out)
    out.write("import Realm from \"realm\";\n")
    if !classes.isEmpty { out.byte(0x0A) }
    models.forEachClass { write($0, models) }
  }

  private static func write(_ objectClass: ObjectClass, _ models: ModelClasses) {
    let out = models.out
    let name = models.names.className(objectClass.name)
    let (fields, inverses) = models.members(of: objectClass)
    out.write("export class \(name.text) extends Realm.Object<\(name.text)> {\n")
    for field in fields { out.write("  \(declaration(field, models));\n") }
    for inverse in inverses {
      out.write("  \(inverse.name.text)!: Realm.Results<\(inverse.originClass)>;\n")
    }
    if !fields.isEmpty || !inverses.isEmpty { out.byte(0x0A) }
    out.write("  static schema: Realm.ObjectSchema = {\n")
    out.write("    name: \(objectClass.name.quotedForModel()),\n")
    switch objectClass.table.kind {
    case .topLevel: break
    case .embedded: out.write("    embedded: true,\n")
    case .asymmetric: out.write("    asymmetric: true,\n")
    }
    if let key = fields.first(where: \.property.isPrimaryKey) {
      out.write("    primaryKey: \"\(key.name.text)\",\n")
    }
    out.write("    properties: {\n")
    for field in fields {
      out.write("      \(field.name.text): \(schema(of: field)),\n")
    }
    for inverse in inverses {
      out.write(
        "      \(inverse.name.text): { type: \"linkingObjects\", objectType: "
          + "\(storedName(inverse.originClass, models).quotedForModel()), property: "
          + "\(inverse.originProperty.quotedForModel()) },\n")
    }
    out.write("    },\n  };\n}\n")
  }

  private static func storedName(_ name: String, _ models: ModelClasses) -> String {
    models.classes.first { models.names.className($0.name).text == name }?.name ?? name
  }

  private static func declaration(_ field: ModelClasses.Field, _ models: ModelClasses) -> String {
    let property = field.property
    let isMarked = models.isNullable(property) && property.kind != .mixed
    let member = type(property, models) + (isMarked ? " | null" : "")
    switch property.collection {
    case .none:
      return "\(field.name.text)\(isMarked ? "?" : "!"): \(member)"
    case .list: return "\(field.name.text)!: Realm.List<\(member)>"
    case .set: return "\(field.name.text)!: Realm.Set<\(member)>"
    case .dictionary: return "\(field.name.text)!: Realm.Dictionary<\(member)>"
    }
  }

  private static func type(_ property: Property, _ models: ModelClasses) -> String {
    switch property.kind {
    case .int, .float, .double: "number"
    case .bool: "boolean"
    case .string: "string"
    case .data: "ArrayBuffer"
    case .mixed, .typedLink: "Realm.Mixed"
    case .date: "Date"
    case .decimal: "Realm.BSON.Decimal128"
    case .link: models.target(of: property)
    case .objectID: "Realm.BSON.ObjectId"
    case .uuid: "Realm.BSON.UUID"
    }
  }

  /// The property in the schema: the short form unless more has to be said.
  private static func schema(of field: ModelClasses.Field) -> String {
    let property = field.property
    var parts: [String] = []
    if let target = property.targetName, quotedName(target) != target {
      switch property.collection {
      case .none: parts.append("type: \"object\"")
      case .list: parts.append("type: \"list\"")
      case .set: parts.append("type: \"set\"")
      case .dictionary: parts.append("type: \"dictionary\"")
      }
      parts.append("objectType: \(target.quotedForModel())")
      if property.collection == .dictionary { parts.append("optional: true") }
    } else {
      parts.append("type: \(property.typeText.quotedForModel())")
    }
    if property.isIndexed { parts.append("indexed: true") }
    if property.hasFullTextIndex { parts.append("indexed: \"full-text\"") }
    if field.name.isMapped { parts.append("mapTo: \(property.name.quotedForModel())") }
    if parts.count == 1 { return String(parts[0].dropFirst("type: ".count)) }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}
