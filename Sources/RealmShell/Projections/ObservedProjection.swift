import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Which changes of a class concern a projection.
///
/// Source: object-model.md 7.3.
extension Projection {
  /// The key paths that observers follow: those of some properties, with the steps behind them.
  ///
  /// - Parameter fields: The names of properties with further steps; nil for all properties.
  func keyPaths(
    _ fields: [(name: Name, rest: [KeyPathFilter.Name])]?, of objectClass: ObjectClass,
    _ schema: Schema
  ) throws(ShellError) -> [[KeyPathFilter.Name]] {
    guard let fields else {
      return self.fields.flatMap { keyPaths(of: $0, objectClass.base, schema) }
    }
    var paths: [[KeyPathFilter.Name]] = []
    for (name, rest) in fields {
      guard let field = field(named: name.text) else {
        throw ShellError(
          .invalidArgument,
          "\(quotedName(self.name)) has no property \(quotedName(name.text))", at: name.range,
          suggestion: Spelling.nearest(to: name.text, among: self.fields.map(\.name)))
      }
      paths += keyPaths(of: field, objectClass.base, schema).map { $0 + rest }
    }
    return paths
  }

  private func keyPaths(
    of field: Field, _ objectClass: ObjectClass, _ schema: Schema
  ) -> [[KeyPathFilter.Name]] {
    field.expression.paths.compactMap { path in
      var names: [KeyPathFilter.Name] = []
      var owner: ObjectClass? = objectClass
      for step in path.steps {
        switch step.kind {
        case .property(let name):
          if let inverse = owner?.inverse(named: name) {
            names.append(
              .backlinks(className: inverse.originClass, property: inverse.originProperty))
            owner = schema.objectClass(named: inverse.originClass)
          } else {
            // Behind a value without a class of its own, such as a dictionary, nothing is followed.
            guard let property = owner?.property(named: name) else { continue }
            names.append(.property(name))
            owner = property.target.flatMap(schema.objectClass)
          }
        case .backlinks(let className, let property):
          names.append(.backlinks(className: className, property: property))
          owner = schema.objectClass(named: className)
        case .index, .all, .first, .last, .aggregate, .keys, .values, .type: continue
        }
      }
      return names.isEmpty ? nil : names
    }
  }

  /// The properties whose paths start with one of some properties of the class.
  func fields(startingWith names: Set<String>, among wanted: Set<String>?) -> [Field] {
    fields.filter { field in
      wanted?.contains(field.name) != false
        && field.expression.paths.contains { path in
          if case .property(let name)? = path.steps.first?.kind {
            names.contains(name)
          } else {
            false
          }
        }
    }
  }
}
