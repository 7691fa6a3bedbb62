import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Turns the expressions of a changing statement into values to be written.
///
/// Literals, which most values of long scripts are, need no look at the database.
final class InputMaker {
  private let session: Session
  private let database: Session.Database
  private var evaluator: Evaluator?

  init(_ session: Session, _ database: Session.Database, evaluator: Evaluator? = nil) {
    self.session = session
    self.database = database
    self.evaluator = evaluator
  }

  /// The value of an expression; `row` is the object whose properties it can name.
  func value(
    of expression: Expression, row: ShellValue? = nil
  ) throws(WritingError) -> InputValue {
    if let value = expression.literalInput { return value }
    switch expression {
    case .array(let members, _):
      var values: [InputValue] = []
      values.reserveCapacity(members.count)
      for member in members { values.append(try value(of: member, row: row)) }
      return .array(values)
    case .object(let fields, _):
      var entries: [InputField] = []
      entries.reserveCapacity(fields.count)
      for field in fields {
        entries.append(
          InputField(
            field.key.text, try value(of: field.value, row: row), isVerbatim: field.isVerbatim))
      }
      return .map(entries)
    case .literal, .path, .call, .unary, .binary, .query: return try evaluate(expression, row)
    }
  }

  private func evaluate(
    _ expression: Expression, _ row: ShellValue?
  ) throws(WritingError) -> InputValue {
    do throws(ShellError) {
      if case .path(let path) = expression, path.steps.isEmpty,
        case .variable(let name) = path.base,
        let foreign = try ForeignObject(name, session, current: database)
      {
        return try foreign.input()
      }
      if expression.isObjectName {
        if let object = try present(expression) { return object }
        // For the reason; the statement may not have looked at the database yet.
        try session.refresh(database)
      }
      let evaluator = self.evaluator ?? session.evaluator(database)
      self.evaluator = evaluator
      let value = try evaluator.value(of: expression, row: row)
      guard !value.isShared else {
        throw ShellError(
          .illegalOperation, "\(value.sharedKindText) cannot be stored", at: expression.range,
          remedy: "thaw(x), or resolve(r)")
      }
      return InputMaker.input(value)
    } catch {
      throw .shell(error)
    }
  }

  /// The object with a name, found in the open transaction without a snapshot of it; nil if that does
  /// not find it.
  private func present(_ expression: Expression) throws(ShellError) -> InputValue? {
    guard case .path(let path) = expression, case .object(let name) = path.base,
      let transaction = database.realm.transaction,
      let objectClass = database.realm.schema.objectClass(named: name.className.text)
    else { return nil }
    let table = objectClass.table.key
    do throws(StorageError) {
      switch name.key {
      case .primaryKey(let literal):
        let found = try transaction.object(table, primaryKey: literal.scalar)
        return found.map { .object(objectClass, $0) }
      case .objectKey(let number):
        let key = ObjectKey(number)
        return try transaction.hasObject(table, key) ? .object(objectClass, key) : nil
      case .variable: return nil
      }
    } catch {
      throw StorageMessages.error(error, path: database.realm.path)
    }
  }

  /// The values of several expressions that name no object.
  func values(of expressions: [Expression]) throws(WritingError) -> [InputValue] {
    var values: [InputValue] = []
    values.reserveCapacity(expressions.count)
    for expression in expressions { values.append(try value(of: expression)) }
    return values
  }

  /// The form of a computed value for writing.
  ///
  /// - Parameter isVerbatim: Whether the value comes from a file, so that its keys are as they are.
  static func input(_ value: ShellValue, isVerbatim: Bool = false) -> InputValue {
    switch value {
    case .scalar(let scalar): .scalar(scalar)
    case .object(let objectClass, let key): .object(objectClass.base, key)
    case .list(let members): .array(members.map { input($0, isVerbatim: isVerbatim) })
    case .dictionary(let entries):
      .map(
        entries.map {
          InputField(
            String(decoding: $0.key, as: UTF8.self), input($0.value, isVerbatim: isVerbatim),
            isVerbatim: isVerbatim)
        })
    case .results(let results):
      .array(results.keys.map { .object(results.objectClass.base, $0) })
    case .record(let fields): .map(fields.map { InputField($0.title, input($0.value)) })
    // Refused before.
    case .reference: .null
    }
  }
}

extension ShellValue {
  /// Whether a frozen object or a reference is, or is in, the value.
  fileprivate var isShared: Bool {
    switch self {
    case .reference: true
    case .scalar, .record: false
    case .object(let objectClass, _): objectClass.frozen != nil
    case .results(let results): results.objectClass.frozen != nil
    case .list(let members): members.contains(where: \.isShared)
    case .dictionary(let entries): entries.contains { $0.value.isShared }
    }
  }

  fileprivate var sharedKindText: String {
    if case .reference = self { return "a reference" }
    return "what is frozen"
  }
}

extension Expression {
  /// The value for writing, if it is a literal.
  @inline(__always)
  var literalInput: InputValue? {
    switch self {
    case .literal(let literal):
      switch literal.kind {
      case .float(let number, let text): .number(.float(number), text: text)
      case .double(let number, let text): .number(.double(number), text: text)
      default: .scalar(literal.scalar)
      }
    case .unary(.minus, .literal(let literal), _):
      switch literal.kind {
      case .float(let number, let text): .number(.float(-number), text: "-" + text)
      case .double(let number, let text): .number(.double(-number), text: "-" + text)
      default: nil
      }
    default: nil
    }
  }

  /// Whether the value is the same for every object.
  var isConstant: Bool {
    switch self {
    case .literal: true
    case .path(let path):
      switch path.base {
      case .row, .old: false
      case .variable, .object:
        path.steps.allSatisfy { step in
          if case .index(let index) = step.kind { index.isConstant } else { true }
        }
      }
    // What functions give can change from call to call, as `uuid()` does.
    case .call, .query: false
    case .unary(_, let operand, _): operand.isConstant
    case .binary(_, _, let left, let right, _): left.isConstant && right.isConstant
    case .array(let members, _): members.allSatisfy(\.isConstant)
    case .object(let fields, _): fields.allSatisfy { $0.value.isConstant }
    }
  }

  /// Whether its value may depend on what the database holds.
  var readsDatabase: Bool {
    switch self {
    case .literal: false
    // Looked for in the transaction.
    case .path where isObjectName: false
    case .path, .query: true
    case .call(_, let arguments, _): arguments.contains { $0.readsDatabase || $0.isObjectName }
    case .unary(_, let operand, _): operand.readsDatabase || operand.isObjectName
    case .binary(_, _, let left, let right, _):
      [left, right].contains { $0.readsDatabase || $0.isObjectName }
    case .array(let members, _): members.contains(where: \.readsDatabase)
    case .object(let fields, _): fields.contains { $0.value.readsDatabase }
    }
  }

  /// Whether it is the name of an object that says its key: `Dog(1)`, `Dog#12`.
  var isObjectName: Bool {
    guard case .path(let path) = self, path.steps.isEmpty, case .object(let name) = path.base else {
      return false
    }
    if case .variable = name.key { return false }
    return true
  }

  /// Whether it is a single value whose type is known from its text.
  var isScalarLiteral: Bool {
    switch self {
    case .literal: true
    case .unary(.minus, .literal, _): true
    default: false
    }
  }
}
