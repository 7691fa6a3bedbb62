import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Evaluates the expressions of `show`, `print`, `assert` and `args`.
///
/// A path through a null link reads as null, and an operator or function with a null operand gives
/// null, except `==`, `!=`, `coalesce`, `if` and `type`.
///
/// Source: shell.md 11.
final class Evaluator {
  /// The text the expressions stand in.
  let source: SourceText
  let database: Session.Database?
  /// The value of a variable; nil if there is none.
  let variable: (Name) throws(ShellError) -> ShellValue?
  /// The names of all variables, for suggestions.
  let variableNames: () -> [String]
  /// The schema of a version that is kept.
  private let frozenSchema: (FrozenVersion) throws(ShellError) -> Schema
  /// Calls a function that leads from one thread to another.
  private let sharing:
    (SharingFunction, Expression, ShellValue?, SourceRange) throws(ShellError) -> ShellValue
  /// The variables of the statement; nil where there can be none.
  var scope: Scope?
  /// The projections, by name.
  let projections: () -> [String: Projection]
  /// The schema of the version that is read, if it is not that of the database.
  var fixedSchema: Schema?
  /// Evaluates what stands behind `old.`, in the state before a migration; nil if none runs, and `old`
  /// is the object as it is.
  var old: Evaluator?
  /// Evaluators for the expressions of projections.
  private var projectionEvaluators: [ObjectIdentifier: Evaluator] = [:]
  private let query: (StatementBody) throws(ShellError) -> ShellValue

  init(
    _ database: Session.Database?, source: SourceText,
    variable: @escaping (Name) throws(ShellError) -> ShellValue?,
    variableNames: @escaping () -> [String] = { [] },
    projections: @escaping () -> [String: Projection] = { [:] },
    frozenSchema: @escaping (FrozenVersion) throws(ShellError) -> Schema = { _ in .empty },
    sharing:
      @escaping (SharingFunction, Expression, ShellValue?, SourceRange) throws(ShellError)
      -> ShellValue = { _, _, _, _ in .null },
    query: @escaping (StatementBody) throws(ShellError) -> ShellValue
  ) {
    self.database = database
    self.source = source
    self.variable = variable
    self.variableNames = variableNames
    self.projections = projections
    self.frozenSchema = frozenSchema
    self.sharing = sharing
    self.query = query
  }

  /// The file, for errors.
  var path: String { database?.realm.path ?? "the file" }

  /// The schema of the current database.
  var schema: Schema { fixedSchema ?? database?.realm.schema ?? Evaluator.noSchema }

  // An empty schema can always be made: it reads nothing.
  private static var noSchema: Schema { Schema.empty }

  /// The schema of the version that objects of a class are of.
  func schema(for objectClass: ObjectClass) throws(ShellError) -> Schema {
    guard let version = objectClass.frozen else { return schema }
    return try frozenSchema(version)
  }

  /// Evaluates the expressions of a projection, which stand in a text of their own and name nothing
  /// but properties.
  func evaluator(for projection: Projection) -> Evaluator {
    if let known = projectionEvaluators[ObjectIdentifier(projection)] { return known }
    let made = Evaluator(
      database, source: projection.source, variable: { _ in nil }, frozenSchema: frozenSchema,
      query: { _ in .null })
    made.fixedSchema = fixedSchema
    projectionEvaluators[ObjectIdentifier(projection)] = made
    return made
  }

  /// The value of an expression for an object, if there is one.
  func value(of expression: Expression, row: ShellValue?) throws(ShellError) -> ShellValue {
    switch expression {
    case .literal(let literal): return .scalar(literal.scalar)
    case .path(let path): return try value(of: path, row: row)
    case .query(let statement, _): return try query(statement)
    case .array(let members, _):
      var values: [ShellValue] = []
      for member in members { values.append(try value(of: member, row: row)) }
      return .list(values)
    case .object(let fields, _):
      var entries: [(key: [UInt8], value: ShellValue)] = []
      for field in fields {
        entries.append((Array(field.key.text.utf8), try value(of: field.value, row: row)))
      }
      return .dictionary(entries)
    case .unary(.minus, let operand, let range):
      return try negative(try value(of: operand, row: row), at: range)
    case .unary(.not, let operand, let range):
      guard let flag = try truth(of: try value(of: operand, row: row), at: range) else {
        return .null
      }
      return .scalar(.bool(!flag))
    case .binary(let sign, let folding, let left, let right, let range):
      return try binary(sign, folding, left, right, row, range)
    case .call(let function, let arguments, let range):
      return try call(function, arguments, row, range)
    }
  }

  /// Whether a value is true; nil for null.
  func truth(of value: ShellValue, at range: SourceRange) throws(ShellError) -> Bool? {
    switch value {
    case .scalar(.bool(let flag)): return flag
    case .scalar(.null): return nil
    default:
      throw ShellError(.typeMismatch, "a bool is needed, this is \(value.kindText)", at: range)
    }
  }

  private func binary(
    _ sign: BinaryOperator, _ folding: CaseFolding?, _ left: Expression, _ right: Expression,
    _ row: ShellValue?, _ range: SourceRange
  ) throws(ShellError) -> ShellValue {
    let a = try value(of: left, row: row)
    if sign == .and || sign == .or {
      let first = try truth(of: a, at: left.range)
      if first == (sign == .or) { return .scalar(.bool(sign == .or)) }
      let second = try truth(of: try value(of: right, row: row), at: right.range)
      guard let first, let second else {
        return second == (sign == .or) ? .scalar(.bool(sign == .or)) : .null
      }
      return .scalar(.bool(sign == .and ? first && second : first || second))
    }
    let b = try value(of: right, row: row)
    switch sign {
    case .add, .subtract, .multiply, .divide, .remainder:
      return try Arithmetic.apply(sign, a, b, at: range)
    default:
      let result = try Comparisons.apply(sign, folding, a, b, at: range)
      return result.map { .scalar(.bool($0)) } ?? .null
    }
  }

  private func negative(_ value: ShellValue, at range: SourceRange) throws(ShellError) -> ShellValue
  {
    switch value {
    case .scalar(.null): return .null
    case .scalar(.float(let number)): return .scalar(.float(-number))
    case .scalar(.double(let number)): return .scalar(.double(-number))
    case .scalar(.decimal(let number)): return .scalar(.decimal(-number))
    default: return try Arithmetic.apply(.subtract, .scalar(.int(0)), value, at: range)
    }
  }

  private func call(
    _ function: Name, _ arguments: [Expression], _ row: ShellValue?, _ range: SourceRange
  ) throws(ShellError) -> ShellValue {
    let name = function.text.lowercased()
    if let known = Grammar.function(named: name), !known.argumentCount.contains(arguments.count) {
      throw ShellError(
        .invalidArgument,
        "\(known.form) cannot have \(counted(arguments.count, "argument", "arguments"))",
        at: range)
    }
    if let sharing = SharingFunction(rawValue: name) {
      return try self.sharing(sharing, arguments[0], row, range)
    }
    if name == "if" {
      let condition = try truth(of: try value(of: arguments[0], row: row), at: arguments[0].range)
      return try value(of: arguments[condition == true ? 1 : 2], row: row)
    }
    var values: [ShellValue] = []
    for argument in arguments {
      let value = try self.argument(argument, of: name, row)
      if name == "coalesce", !value.isNull { return value }
      values.append(value)
    }
    if name == "coalesce" { return .null }
    return try Functions.call(name, values, at: range)
  }

  private func argument(
    _ argument: Expression, of function: String, _ row: ShellValue?
  ) throws(ShellError) -> ShellValue {
    do throws(ShellError) {
      return try value(of: argument, row: row)
    } catch {
      // An object that is gone is looked for in vain. Source: object-model.md 5.1.
      guard function == "index", error.name == .invalidatedObject else { throw error }
      var error = error
      error.name = .staleAccessor
      throw error
    }
  }

  // MARK: Texts and checks

  /// The text of an expression as it was written.
  func text(of range: SourceRange) -> String { source.text(of: range) }

  /// The error for a name that is no property.
  static func unknownProperty(
    _ name: String, of objectClass: ObjectClass, at range: SourceRange?
  ) -> ShellError {
    ShellError(
      .invalidProperty, "\(objectClass.name) has no property \(name)", at: range,
      suggestion: Spelling.nearest(to: name, among: objectClass.propertyNames))
  }
}
