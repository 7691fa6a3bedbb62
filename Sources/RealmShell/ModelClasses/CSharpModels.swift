import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Classes for the .NET SDK.
enum CSharpModels {
  private static let rules = NameRules(
    keywords: [
      "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked",
      "class", "const", "continue", "decimal", "default", "delegate", "do", "double", "else",
      "enum", "event", "explicit", "extern", "false", "finally", "fixed", "float", "for", "foreach",
      "goto", "if", "implicit", "in", "int", "interface", "internal", "is", "lock", "long",
      "namespace", "new", "null", "object", "operator", "out", "override", "params", "private",
      "protected", "public", "readonly", "ref", "return", "sbyte", "sealed", "short", "sizeof",
      "stackalloc", "static", "string", "struct", "switch", "this", "throw", "true", "try",
      "typeof", "uint", "ulong", "unchecked", "unsafe", "ushort", "using", "virtual", "void",
      "volatile", "while",
    ],
    quotes: ("@", ""),
    members: [
      "Realm", "Accessor", "IsManaged", "IsValid", "IsFrozen", "ObjectSchema", "BacklinksCount",
      "DynamicApi", "PropertyChanged", "RaisePropertyChanged", "OnPropertyChanged", "OnManaged",
      "Equals", "GetHashCode", "ToString", "GetType", "MemberwiseClone", "Finalize",
      "ReferenceEquals", "GetTypeInfo", "RealmSchema",
    ],
    types: [
      "IRealmObject", "IEmbeddedObject", "IAsymmetricObject", "RealmObject", "EmbeddedObject",
      "AsymmetricObject", "PrimaryKey", "Indexed", "IndexType", "MapTo", "Backlink", "RealmValue",
      "IList", "ISet", "IDictionary", "IQueryable", "Decimal128", "ObjectId", "Guid",
      "DateTimeOffset", "Realm", "Object", "String", "System", "MongoDB",
    ])

  static func write(_ classes: [ObjectClass], to out: ByteWriter) {
    let models = ModelClasses(classes, rules, to: out)
    out.write(
      "#nullable enable\n\nusing System;\nusing System.Collections.Generic;\nusing System.Linq;\n"
        + "using MongoDB.Bson;\nusing Realms;\n")
    if !classes.isEmpty { out.byte(0x0A) }
    models.forEachClass { write($0, models) }
  }

  private static func write(_ objectClass: ObjectClass, _ models: ModelClasses) {
    let out = models.out
    let name = models.names.className(objectClass.name)
    let base =
      switch objectClass.table.kind {
      case .topLevel: "IRealmObject"
      case .embedded: "IEmbeddedObject"
      case .asymmetric: "IAsymmetricObject"
      }
    // No member may have the name of its class.
    let (fields, inverses) = models.members(of: objectClass) {
      [models.names.className($0.name).text]
    }
    if name.isMapped { out.write("[MapTo(\(objectClass.name.quotedForModel()))]\n") }
    out.write("public partial class \(name.text) : \(base)\n{\n")
    var isFirst = true
    func begin() {
      if !isFirst { out.byte(0x0A) }
      isFirst = false
    }
    for field in fields {
      let property = field.property
      begin()
      if property.isPrimaryKey { out.write("    [PrimaryKey]\n") }
      if property.isIndexed { out.write("    [Indexed]\n") }
      if property.hasFullTextIndex { out.write("    [Indexed(IndexType.FullText)]\n") }
      if field.name.isMapped { out.write("    [MapTo(\(property.name.quotedForModel()))]\n") }
      out.write("    public \(declaration(property, field.name.text, models))\n")
    }
    for inverse in inverses {
      begin()
      out.write("    [Backlink(nameof(\(inverse.originClass).\(inverse.originField)))]\n")
      out.write(
        "    public IQueryable<\(inverse.originClass)> \(inverse.name.text) { get; } = null!;\n")
    }
    out.write("}\n")
  }

  private static func declaration(
    _ property: Property, _ name: String, _ models: ModelClasses
  ) -> String {
    let isMarked = models.isNullable(property) && property.kind != .mixed
    let member = type(property, models) + (isMarked ? "?" : "")
    let collection =
      switch property.collection {
      case .none: ""
      case .list: "IList<\(member)>"
      case .set: "ISet<\(member)>"
      case .dictionary: "IDictionary<string, \(member)>"
      }
    if !collection.isEmpty { return "\(collection) \(name) { get; } = null!;" }
    let needsValue = !isMarked && (property.kind == .string || property.kind == .data)
    let value = property.kind == .data ? "Array.Empty<byte>()" : "string.Empty"
    return "\(member) \(name) { get; set; }" + (needsValue ? " = \(value);" : "")
  }

  private static func type(_ property: Property, _ models: ModelClasses) -> String {
    switch property.kind {
    case .int: "long"
    case .bool: "bool"
    case .string: "string"
    case .data: "byte[]"
    case .mixed, .typedLink: "RealmValue"
    case .date: "DateTimeOffset"
    case .float: "float"
    case .double: "double"
    case .decimal: "Decimal128"
    case .link: models.target(of: property)
    case .objectID: "ObjectId"
    case .uuid: "Guid"
    }
  }
}
