import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Classes for the Dart and Flutter SDK.
enum DartModels {
  private static let rules = NameRules(
    allowsUnicode: false,
    keywords: [
      "assert", "break", "case", "catch", "class", "const", "continue", "default", "do", "else",
      "enum", "extends", "false", "final", "finally", "for", "if", "in", "is", "new", "null",
      "rethrow", "return", "super", "switch", "this", "throw", "true", "try", "var", "void",
      "while",
      "with", "late", "required", "static", "external", "factory", "get", "set", "operator",
      "part", "import", "export", "library", "typedef", "abstract", "covariant", "deferred",
      "dynamic", "extension", "implements", "interface", "mixin",
    ],
    members: [
      "hashCode", "runtimeType", "toString", "noSuchMethod", "realm", "isValid", "isManaged",
      "isFrozen", "freeze", "changes", "changesFor", "schema", "objectSchema", "instanceType",
      "instanceSchema", "toEJson", "getBacklinks", "raiseError",
      // A member hides the type of its name.
      "List", "Set", "Map", "Iterable", "String", "DateTime", "Uint8List", "ObjectId", "Uuid",
      "Decimal128", "RealmValue", "int", "bool", "double",
    ],
    types: [
      "RealmModel", "ObjectType", "PrimaryKey", "Indexed", "MapTo", "Backlink", "RealmValue",
      "RealmObject", "EmbeddedObject", "AsymmetricObject", "RealmObjectBase", "RealmEntity",
      "ObjectId", "Uuid", "Decimal128", "Uint8List", "DateTime", "String", "List", "Set", "Map",
      "Iterable", "Object", "Symbol", "Type", "Null", "Function", "Realm", "Future", "Stream",
    ],
    hidesUnderscores: true)

  static func write(_ classes: [ObjectClass], to out: ByteWriter) {
    let models = ModelClasses(classes, rules, to: out)
    if classes.contains(where: { $0.properties.contains { $0.kind == .data } }) {
      out.write("import 'dart:typed_data';\n\n")
    }
    out.write("import 'package:realm/realm.dart';\n\n// The name of this file: models.dart\n")
    out.write("part 'models.realm.dart';\n")
    if !classes.isEmpty { out.byte(0x0A) }
    models.forEachClass { write($0, models) }
  }

  private static func mapTo(_ stored: String) -> String {
    "@MapTo(\(stored.quotedForModel("'", dollar: "\\$")))\n"
  }

  private static func write(_ objectClass: ObjectClass, _ models: ModelClasses) {
    let out = models.out
    let name = models.names.className(objectClass.name)
    switch objectClass.table.kind {
    case .topLevel: out.write("@RealmModel()\n")
    case .embedded: out.write("@RealmModel(ObjectType.embeddedObject)\n")
    case .asymmetric: out.write("@RealmModel(ObjectType.asymmetricObject)\n")
    }
    if name.isMapped { out.write(mapTo(objectClass.name)) }
    let (fields, inverses) = models.members(of: objectClass)
    out.write("class _\(name.text) {\n")
    for field in fields {
      let property = field.property
      if property.kind == .float { out.write("  // a float in the file, which Dart has not\n") }
      if property.isPrimaryKey { out.write("  @PrimaryKey()\n") }
      if property.isIndexed { out.write("  @Indexed()\n") }
      if property.hasFullTextIndex { out.write("  @Indexed(RealmIndexType.fullText)\n") }
      if field.name.isMapped { out.write("  " + mapTo(property.name)) }
      let isOptional =
        property.collection == .none && models.isNullable(property) && property.kind != .mixed
      out.write(
        "  \(isOptional ? "" : "late ")\(type(property, models)) \(field.name.text);\n")
    }
    for inverse in inverses {
      out.write("  @Backlink(#\(inverse.originField))\n")
      out.write("  late Iterable<_\(inverse.originClass)> \(inverse.name.text);\n")
    }
    out.write("}\n")
  }

  private static func type(_ property: Property, _ models: ModelClasses) -> String {
    let base =
      switch property.kind {
      case .int: "int"
      case .bool: "bool"
      case .string: "String"
      case .data: "Uint8List"
      case .mixed, .typedLink: "RealmValue"
      case .date: "DateTime"
      case .float, .double: "double"
      case .decimal: "Decimal128"
      case .link: "_" + models.target(of: property)
      case .objectID: "ObjectId"
      case .uuid: "Uuid"
      }
    let isMarked = models.isNullable(property) && property.kind != .mixed
    let member = base + (isMarked ? "?" : "")
    switch property.collection {
    case .none: return member
    case .list: return "List<\(member)>"
    case .set: return "Set<\(member)>"
    case .dictionary: return "Map<String, \(member)>"
    }
  }
}
