import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A view of a class with properties of its own; it exists in the program only.
///
/// Source: object-model.md 7; shell.md 11.
final class Projection: ClassView {
  /// One property.
  struct Field: Sendable {
    let name: String
    /// Its value, from the properties of the class.
    let expression: Expression
    /// The property as it was declared.
    let text: String
    /// The names along which the value is found, if it is not computed.
    let propertyNames: [String]?
  }

  let name: String
  /// The class that is seen.
  let className: String
  let fields: [Field]
  /// The text that the expressions stand in.
  let source: SourceText

  init(_ statement: ProjectionStatement, in source: SourceText) {
    name = statement.name.text
    className = statement.className.text
    self.source = source
    fields = statement.fields.map { field in
      let step = PathStep(.property(field.name.text), range: field.name.range)
      let expression =
        field.value
        ?? .path(PathExpression(base: .row, steps: [step], range: field.name.range))
      var names: [String]?
      if case .path(let path) = expression { names = path.propertyNames }
      return Field(
        name: field.name.text, expression: expression, text: source.text(of: field.range),
        propertyNames: names)
    }
  }

  /// The property with a name; nil if there is none.
  func field(named name: String) -> Field? { fields.first { $0.name == name } }

  /// The names along which the class finds what a path from the projection leads to; nil if that is
  /// computed.
  func storedNames(_ names: [String]) -> [String]? {
    guard let first = names.first, let own = field(named: first)?.propertyNames else { return nil }
    return own + names.dropFirst()
  }

  /// The statement that declares it, without its first word.
  var text: String {
    let list = fields.map(\.text).joined(separator: ", ")
    return "\(quotedName(name)) of \(quotedName(className)) { \(list) }"
  }
}

extension ObjectClass {
  /// The projection through which objects are seen; nil if they are seen as what they are.
  var projection: Projection? { view == nil ? nil : view as? Projection }

  /// The names of the properties that a user of the objects can name.
  var propertyNames: [String] { projection?.fields.map(\.name) ?? properties.map(\.name) }

  /// The names along which a path finds stored properties; nil if it does something else.
  func storedNames(along path: PathExpression) -> [String]? {
    guard let names = path.propertyNames else { return nil }
    guard view != nil else { return names }
    return projection?.storedNames(names)
  }
}

extension PathExpression {
  /// The names of the steps if all are properties of the row and what it links to; else nil.
  var propertyNames: [String]? {
    guard base == .row else { return nil }
    var names: [String] = []
    for step in steps {
      guard case .property(let name) = step.kind else { return nil }
      names.append(name)
    }
    return names
  }
}

extension Expression {
  /// The paths in it, those in the indexes of others left out.
  var paths: [PathExpression] {
    switch self {
    case .literal, .query: []
    case .path(let path): [path]
    case .unary(_, let operand, _): operand.paths
    case .binary(_, _, let left, let right, _): left.paths + right.paths
    case .call(_, let arguments, _): arguments.flatMap(\.paths)
    case .array(let members, _): members.flatMap(\.paths)
    case .object(let fields, _): fields.flatMap(\.value.paths)
    }
  }

  /// Where it needs something else than the properties of the row: a variable, an object by name, a
  /// query.
  var foreignRange: SourceRange? {
    if case .query(_, let range) = self { return range }
    switch self {
    case .literal: return nil
    case .query(_, let range): return range
    case .path(let path):
      if path.base != .row { return path.range }
      return path.steps.lazy.compactMap { step in
        if case .index(let index) = step.kind { index.foreignRange } else { nil }
      }.first
    case .unary(_, let operand, _): return operand.foreignRange
    case .binary(_, _, let left, let right, _): return left.foreignRange ?? right.foreignRange
    case .call(let function, let arguments, let range):
      if SharingFunction(rawValue: function.text.lowercased()) != nil { return range }
      return arguments.lazy.compactMap(\.foreignRange).first
    case .array(let members, _): return members.lazy.compactMap(\.foreignRange).first
    case .object(let fields, _): return fields.lazy.compactMap(\.value.foreignRange).first
    }
  }
}

// MARK: Reading

extension Evaluator {
  /// The class with a name, or the class that a projection with the name is a view of.
  func objectClass(named name: Name) throws(ShellError) -> ObjectClass {
    if let found = schema.objectClass(named: name.text) { return found }
    let projections = projections()
    guard let projection = projections[name.text] else {
      throw Evaluator.unknownClass(name, database?.realm, projections: projections.keys.sorted())
    }
    guard let base = schema.objectClass(named: projection.className) else {
      throw ShellError(
        .noSuchTable,
        "\(quotedName(name.text)) is a projection of \(quotedName(projection.className)), "
          + "and there is no such class", at: name.range)
    }
    return base.seen(through: projection)
  }

  /// The value of a property of a projection.
  func value(
    of name: String, through projection: Projection, _ objectClass: ObjectClass, _ key: ObjectKey,
    at range: SourceRange?
  ) throws(ShellError) -> ShellValue {
    guard let field = projection.field(named: name) else {
      throw Evaluator.unknownProperty(name, of: objectClass, at: range)
    }
    do throws(ShellError) {
      return try evaluator(for: projection).value(
        of: field.expression, row: .object(objectClass.base, key))
    } catch {
      throw error.moved(to: range, from: projection, field)
    }
  }

  /// The type of a property of a projection.
  func type(
    of name: String, through projection: Projection, _ objectClass: ObjectClass,
    at range: SourceRange?
  ) throws(ShellError) -> StaticType {
    guard let field = projection.field(named: name) else {
      throw Evaluator.unknownProperty(name, of: objectClass, at: range)
    }
    do throws(ShellError) {
      return try evaluator(for: projection).type(of: field.expression, for: objectClass.base)
    } catch {
      throw error.moved(to: range, from: projection, field)
    }
  }
}

extension ShellError {
  /// The error at the place that has led to an expression of another text; without a place if it is
  /// the projection itself.
  fileprivate func moved(
    to range: SourceRange?, from projection: Projection, _ field: Projection.Field
  ) -> ShellError {
    var error = self
    error.range = range.flatMap { $0.end > 0 ? $0 : nil }
    if name == .invalidProperty || name == .noSuchTable {
      // The class is not any more what it was when the projection was made.
      error.message = "\(projection.name).\(field.name): \(message)"
      error.suggestion = nil
      error.remedy =
        "projection \(quotedName(projection.name)) of \(quotedName(projection.className)) "
        + "{ ... } makes it anew"
    }
    return error
  }
}

// MARK: Changing

extension Projection {
  /// The way to the property of the class that a property of the projection is.
  ///
  /// - Throws: `ReadOnlyProperty` if it is computed, or belongs to the members of a collection.
  func writableNames(
    _ name: String, of objectClass: ObjectClass, _ schema: Schema, at range: SourceRange
  ) throws(ShellError) -> [String] {
    guard let field = field(named: name) else {
      throw Evaluator.unknownProperty(name, of: objectClass, at: range)
    }
    guard let names = field.propertyNames else {
      throw ShellError(
        .readOnlyProperty, "\(quotedName(name)) is computed and cannot be set", at: range)
    }
    var owner: ObjectClass? = objectClass.base
    for (i, step) in names.enumerated() {
      guard let property = owner?.property(named: step) else {
        throw ShellError(
          .readOnlyProperty, "\(quotedName(name)) is no stored property and cannot be set",
          at: range)
      }
      guard i == names.count - 1 || property.collection == .none else {
        throw ShellError(
          .readOnlyProperty,
          "\(quotedName(name)) belongs to the members of \(quotedName(step)) and cannot be set",
          at: range)
      }
      owner = property.target.flatMap(schema.objectClass)
    }
    return names
  }
}
