import ByteKernels
import RealmObjects
import RealmStorage
import RealmValues

/// Prints classes as the SDK of a language declares them.
///
/// Source: shell.md 7.
struct ModelClasses {
  /// A stored property with its name in the language.
  struct Field {
    let property: Property
    let name: ModelNames.Name
  }

  /// A computed property with its name in the language.
  struct Inverse {
    let name: ModelNames.Name
    let originClass: String
    /// The name of the links in the file.
    let originProperty: String
    /// The same in the language.
    let originField: String
  }

  let classes: [ObjectClass]
  let names: ModelNames
  let out: ByteWriter

  init(_ classes: [ObjectClass], _ rules: NameRules, to out: ByteWriter) {
    self.classes = classes
    self.out = out
    names = ModelNames(classes, rules)
  }

  /// Calls a function with each class, an empty line between two.
  func forEachClass(_ body: (ObjectClass) -> Void) {
    for (i, objectClass) in classes.enumerated() {
      if i > 0 { out.byte(0x0A) }
      body(objectClass)
    }
  }

  /// The properties of a class; `hidden` are names that it cannot use, beside those of the rules.
  func members(
    of objectClass: ObjectClass, besides hidden: (ObjectClass) -> Set<String> = { _ in [] }
  ) -> (fields: [Field], inverses: [Inverse]) {
    let declared = objectClass.computed
    let stored = objectClass.properties.map(\.name)
    let made = names.propertyNames(
      stored + declared.compactMap(\.name), besides: hidden(objectClass))
    let fields = zip(objectClass.properties, made).map { Field(property: $0, name: $1) }
    let inverses = zip(declared, made.dropFirst(stored.count)).map { inverse, name in
      var originField = inverse.originProperty
      if let origin = classes.first(where: { $0.name == inverse.originClass }) {
        let all = origin.properties.map(\.name) + origin.computed.compactMap(\.name)
        let names = names.propertyNames(all, besides: hidden(origin))
        if let i = all.firstIndex(of: inverse.originProperty) { originField = names[i].text }
      }
      return Inverse(
        name: name, originClass: names.className(inverse.originClass).text,
        originProperty: inverse.originProperty, originField: originField)
    }
    return (fields, inverses)
  }

  /// The name of the class of links.
  func target(of property: Property) -> String {
    names.className(property.targetName ?? "").text
  }

  /// Whether the values of a single property, or the members of a collection, can be null.
  func isNullable(_ property: Property) -> Bool {
    property.kind == .link
      ? property.collection == .none || property.collection == .dictionary : property.isNullable
  }
}
