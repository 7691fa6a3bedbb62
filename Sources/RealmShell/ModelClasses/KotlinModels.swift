import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Classes for the Kotlin SDK.
enum KotlinModels {
  private static let rules = NameRules(
    keywords: [
      "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in",
      "interface", "is", "null", "object", "package", "return", "super", "this", "throw", "true",
      "try", "typealias", "typeof", "val", "var", "when", "while",
    ],
    quotes: ("`", "`"),
    members: ["io_realm_kotlin_objectReference"],
    types: [
      "RealmObject", "EmbeddedRealmObject", "AsymmetricRealmObject", "RealmList", "RealmSet",
      "RealmDictionary", "RealmAny", "RealmInstant", "RealmUUID", "RealmResults", "Decimal128",
      "ObjectId", "Boolean", "Long", "Float", "Double", "String", "ByteArray", "PrimaryKey",
      "Index", "FullText", "PersistedName", "Any", "Unit",
    ])

  static func write(_ classes: [ObjectClass], to out: ByteWriter) {
    let body = ByteWriter()
    let models = ModelClasses(classes, rules, to: body)
    var imports: Set<String> = []
    models.forEachClass { write($0, models, &imports) }
    for name in imports.sorted() { out.write("import \(name)\n") }
    if !imports.isEmpty { out.byte(0x0A) }
    out.write(body.takeBytes())
  }

  private static let types = "io.realm.kotlin.types."
  private static let extensions = "io.realm.kotlin.ext."
  private static let annotations = "io.realm.kotlin.types.annotations."

  private static func write(
    _ objectClass: ObjectClass, _ models: ModelClasses, _ imports: inout Set<String>
  ) {
    let out = models.out
    let name = models.names.className(objectClass.name)
    let base =
      switch objectClass.table.kind {
      case .topLevel: "RealmObject"
      case .embedded: "EmbeddedRealmObject"
      case .asymmetric: "AsymmetricRealmObject"
      }
    imports.insert(types + base)
    func annotate(_ name: String, _ argument: String = "", margin: String) {
      imports.insert(annotations + name)
      out.write("\(margin)@\(name)\(argument)\n")
    }
    func persisted(_ stored: String) -> String { "(\(stored.quotedForModel(dollar: "\\$")))" }
    let (fields, inverses) = models.members(of: objectClass)
    if name.isMapped { annotate("PersistedName", persisted(objectClass.name), margin: "") }
    out.write("class \(name.text) : \(base) {\n")
    for field in fields {
      let property = field.property
      if property.isPrimaryKey { annotate("PrimaryKey", margin: "    ") }
      if property.isIndexed { annotate("Index", margin: "    ") }
      if property.hasFullTextIndex { annotate("FullText", margin: "    ") }
      if field.name.isMapped {
        annotate("PersistedName", persisted(property.name), margin: "    ")
      }
      let (type, value) = typeAndDefault(property, models, &imports)
      out.write("    var \(field.name.text): \(type) = \(value)\n")
    }
    for inverse in inverses {
      imports.insert(extensions + "backlinks")
      if !objectClass.isEmbedded { imports.insert("io.realm.kotlin.query.RealmResults") }
      let type =
        objectClass.isEmbedded ? inverse.originClass : "RealmResults<\(inverse.originClass)>"
      out.write(
        "    val \(inverse.name.text): \(type) by backlinks("
          + "\(inverse.originClass)::\(inverse.originField))\n")
    }
    out.write("}\n")
  }

  private static func typeAndDefault(
    _ property: Property, _ models: ModelClasses, _ imports: inout Set<String>
  ) -> (String, String) {
    let (base, zero) = scalar(property, models, &imports)
    let member = base + (models.isNullable(property) ? "?" : "")
    func collection(_ name: String, _ make: String) -> (String, String) {
      imports.insert(types + name)
      imports.insert(extensions + make)
      return ("\(name)<\(member)>", make + "()")
    }
    switch property.collection {
    case .none: return (member, models.isNullable(property) ? "null" : zero)
    case .list: return collection("RealmList", "realmListOf")
    case .set: return collection("RealmSet", "realmSetOf")
    case .dictionary: return collection("RealmDictionary", "realmDictionaryOf")
    }
  }

  /// The type of single values, and the value of new objects.
  private static func scalar(
    _ property: Property, _ models: ModelClasses, _ imports: inout Set<String>
  ) -> (String, String) {
    switch property.kind {
    case .int: return ("Long", "0")
    case .bool: return ("Boolean", "false")
    case .string: return ("String", "\"\"")
    case .data: return ("ByteArray", "byteArrayOf()")
    case .float: return ("Float", "0.0f")
    case .double: return ("Double", "0.0")
    case .link: return (models.target(of: property), "null")
    case .date:
      imports.insert(types + "RealmInstant")
      return ("RealmInstant", "RealmInstant.from(0, 0)")
    case .uuid:
      imports.insert(types + "RealmUUID")
      return ("RealmUUID", "RealmUUID.random()")
    case .mixed, .typedLink:
      imports.insert(types + "RealmAny")
      return ("RealmAny", "null")
    case .decimal:
      imports.insert("org.mongodb.kbson.Decimal128")
      return ("Decimal128", "Decimal128(\"0\")")
    case .objectID:
      imports.insert("org.mongodb.kbson.ObjectId")
      return ("ObjectId", "ObjectId()")
    }
  }
}
