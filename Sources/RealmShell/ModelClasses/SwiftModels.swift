import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Classes for the Swift SDK.
enum SwiftModels {
  private static let rules = NameRules(
    keywords: [
      "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
      "init", "inout", "internal", "let", "open", "operator", "private", "precedencegroup",
      "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
      "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
      "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as",
      "await", "false", "is", "nil", "super", "throws", "true", "try",
    ],
    quotes: ("`", "`"),
    members: [
      "self", "Self", "Type", "Protocol", "description", "debugDescription", "hash", "superclass",
      "realm", "objectSchema", "isInvalidated", "isFrozen", "dynamicTypes", "isManaged",
      "invalidated", "observationInfo", "className", "copy", "mutableCopy", "dynamicList",
      "freeze", "thaw", "objectWillChange", "dealloc", "isProxy", "retain", "release", "zone",
    ],
    types: [
      "Object", "EmbeddedObject", "AsymmetricObject", "List", "MutableSet", "Map", "LinkingObjects",
      "AnyRealmValue", "Persisted", "Int", "Bool", "Float", "Double", "String", "Data", "Date",
      "Decimal128", "ObjectId", "UUID", "Realm", "Results", "Set", "Array", "Dictionary",
      "Optional", "Any", "Type", "Protocol", "Self", "Projection",
    ])

  static func write(_ classes: [ObjectClass], to out: ByteWriter) {
    let models = ModelClasses(classes, rules, to: out)
    out.write("import Foundation\nimport RealmSwift\n")
    if !classes.isEmpty { out.byte(0x0A) }
    models.forEachClass { write($0, models) }
  }

  private static func write(_ objectClass: ObjectClass, _ models: ModelClasses) {
    let out = models.out
    let name = models.names.className(objectClass.name)
    let base =
      switch objectClass.table.kind {
      case .topLevel: "Object"
      case .embedded: "EmbeddedObject"
      case .asymmetric: "AsymmetricObject"
      }
    let (fields, inverses) = models.members(of: objectClass)
    out.write("class \(name.text): \(base) {\n")
    for field in fields {
      let property = field.property
      // The SDK cannot declare such an index; the file keeps it.
      if property.hasFullTextIndex { out.write("    // has a full-text index\n") }
      let options =
        property.isPrimaryKey ? "(primaryKey: true)" : property.isIndexed ? "(indexed: true)" : ""
      out.write("    @Persisted\(options) var \(field.name.text): \(type(property, models))\n")
    }
    for inverse in inverses {
      out.write(
        "    @Persisted(originProperty: \(inverse.originProperty.quotedForModel())) var "
          + "\(inverse.name.text): LinkingObjects<\(inverse.originClass)>\n")
    }
    writeMapping(objectClass, name, fields, to: out)
    out.write("}\n")
  }

  private static func writeMapping(
    _ objectClass: ObjectClass, _ name: ModelNames.Name, _ fields: [ModelClasses.Field],
    to out: ByteWriter
  ) {
    if name.isMapped {
      out.write("\n    override class func _realmObjectName() -> String? {\n")
      out.write("        \(objectClass.name.quotedForModel())\n    }\n")
    }
    let mapped = fields.filter(\.name.isMapped)
    if mapped.isEmpty { return }
    out.write("\n    override class func propertiesMapping() -> [String: String] {\n        [\n")
    for field in mapped {
      let stored = field.property.name.quotedForModel()
      out.write("            \"\(field.name.text)\": \(stored),\n")
    }
    out.write("        ]\n    }\n")
  }

  private static func type(_ property: Property, _ models: ModelClasses) -> String {
    let base =
      switch property.kind {
      case .int: "Int"
      case .bool: "Bool"
      case .string: "String"
      case .data: "Data"
      case .mixed, .typedLink: "AnyRealmValue"
      case .date: "Date"
      case .float: "Float"
      case .double: "Double"
      case .decimal: "Decimal128"
      case .link: models.target(of: property)
      case .objectID: "ObjectId"
      case .uuid: "UUID"
      }
    let isMarked = models.isNullable(property) && property.kind != .mixed
    let member = base + (isMarked ? "?" : "")
    switch property.collection {
    case .none: return member
    case .list: return "List<\(member)>"
    case .set: return "MutableSet<\(member)>"
    case .dictionary: return "Map<String, \(member)>"
    }
  }
}
