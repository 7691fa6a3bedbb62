import RealmLanguage
import RealmObjects
import RealmValues

/// Makes the columns that `show` asks for.
struct ColumnMaker {
  private let objectClass: ObjectClass
  private let evaluator: Evaluator
  private var columns: [ResultColumn] = []
  private var propertyCount = 0

  /// The columns of a `show`; without one the stored properties.
  ///
  /// - Throws: `ShellError` with the place of a name that is no property.
  static func columns(
    _ requested: [Column], of objectClass: ObjectClass, evaluator: Evaluator
  ) throws(ShellError) -> [ResultColumn] {
    var maker = ColumnMaker(objectClass, evaluator)
    if requested.isEmpty {
      try maker.addStored { _ in true }
      if objectClass.isEmbedded { maker.addOwner("@owner") }
    }
    for column in requested { try maker.add(column) }
    return maker.columns
  }

  private init(_ objectClass: ObjectClass, _ evaluator: Evaluator) {
    self.objectClass = objectClass
    self.evaluator = evaluator
  }

  private mutating func add(_ column: Column) throws(ShellError) {
    switch column {
    case .stored: try addStored { _ in true }
    case .everything:
      try addStored { _ in true }
      if objectClass.view != nil { return }
      if objectClass.isEmbedded { addOwner("@owner") }
      for inverse in objectClass.inverses {
        let named = objectClass.computed.filter {
          $0.originClass == inverse.originClass && $0.originProperty == inverse.originProperty
        }
        for way in named.isEmpty ? [inverse] : named { addInverse(way) }
      }
    case .except(let names, _):
      for name in names where !objectClass.propertyNames.contains(name.text) {
        throw Evaluator.unknownProperty(name.text, of: objectClass, at: name.range)
      }
      try addStored { name in !names.contains { $0.text == name } }
    case .shape(let path, let inner, _): try addShape(path, inner)
    case .expression(let expression, let name): try add(expression, name)
    }
  }

  private mutating func add(_ expression: Expression, _ name: Name?) throws(ShellError) {
    if case .path(let path) = expression, path.base == .row, path.steps.count == 1,
      case .property(let text) = path.steps[0].kind
    {
      if let projection = objectClass.projection {
        guard let field = projection.field(named: text) else {
          throw Evaluator.unknownProperty(text, of: objectClass, at: path.steps[0].range)
        }
        try add(field, of: projection, title: name?.text ?? text, at: path.range)
      } else if text == "@owner", objectClass.isEmbedded {
        addOwner(name?.text ?? text)
      } else {
        if let inverse = objectClass.inverse(named: text) {
          addInverse(inverse, title: name?.text)
          return
        }
        let found = try property(Name(text, range: path.steps[0].range))
        add(found, title: name?.text ?? found.name)
      }
      return
    }
    let type = try evaluator.type(of: expression, for: objectClass)
    columns.append(
      ResultColumn(
        title: name?.text ?? evaluator.text(of: expression.range), source: .expression(expression),
        isMixed: type.isMixed, isNumeric: type.isNumber))
  }

  private mutating func addShape(_ path: PathExpression, _ inner: [Column]) throws(ShellError) {
    let shape = Shape(inner)
    let type = try evaluator.type(of: .path(path), for: objectClass)
    if let target = type.objectClass {
      // Names are checked even if no object has a link.
      _ = try shape.result(of: target, evaluator)
    } else if !type.isMixed {
      throw ShellError(
        .typeMismatch, "\(evaluator.text(of: path.range)) leads to no object", at: path.range)
    }
    columns.append(
      ResultColumn(
        title: evaluator.text(of: path.range), source: .shape(path, shape), isMixed: false,
        isNumeric: false))
  }

  private func property(_ name: Name) throws(ShellError) -> Property {
    guard let property = objectClass.property(named: name.text) else {
      throw Evaluator.unknownProperty(name.text, of: objectClass, at: name.range)
    }
    return property
  }

  private mutating func add(_ property: Property, title: String) {
    let type = StaticType(property, nil)
    columns.append(
      ResultColumn(
        title: title, source: .property(property, reader: propertyCount), isMixed: type.isMixed,
        isNumeric: type.isNumber))
    propertyCount += 1
  }

  /// Adds the properties with the names that are wanted.
  private mutating func addStored(_ isWanted: (String) -> Bool) throws(ShellError) {
    if let projection = objectClass.projection {
      for field in projection.fields where isWanted(field.name) {
        try add(field, of: projection, title: field.name, at: SourceRange(start: 0, end: 0))
      }
      return
    }
    for property in objectClass.properties where isWanted(property.name) {
      add(property, title: property.name)
    }
  }

  private mutating func add(
    _ field: Projection.Field, of projection: Projection, title: String, at range: SourceRange
  ) throws(ShellError) {
    if let names = field.propertyNames, names.count == 1,
      let property = objectClass.property(named: names[0])
    {
      add(property, title: title)
      return
    }
    let type = try evaluator.type(of: field.name, through: projection, objectClass, at: range)
    let step = PathStep(.property(field.name), range: range)
    columns.append(
      ResultColumn(
        title: title,
        source: .expression(.path(PathExpression(base: .row, steps: [step], range: range))),
        isMixed: type.isMixed, isNumeric: type.isNumber))
  }

  private mutating func addOwner(_ title: String) {
    columns.append(ResultColumn(title: title, source: .owner, isMixed: false, isNumeric: false))
  }

  private mutating func addInverse(_ inverse: ObjectClass.Inverse, title: String? = nil) {
    columns.append(
      ResultColumn(
        title: title ?? inverse.title, source: .inverse(inverse), isMixed: false, isNumeric: false))
  }
}
