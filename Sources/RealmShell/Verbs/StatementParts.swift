import RealmLanguage
import RealmObjects

/// The parts of a changing statement that an error can be about.
struct StatementParts {
  /// The values of `add` and `upsert`.
  var values: [Expression] = []
  /// The changes of `set`.
  var changes: [Change] = []
  let text: SourceText
  /// The object or objects of `set` and `delete`.
  var subject: SourceRange?

  init(
    values: [Expression] = [], changes: [Change] = [], text: SourceText,
    subject: SourceRange? = nil
  ) {
    self.values = values
    self.changes = changes
    self.text = text
    self.subject = subject
  }

  /// A part of a statement.
  struct Part {
    /// The value itself.
    var value: SourceRange
    /// The name of the property or key that it is for.
    var key: SourceRange?
    /// Its expression, if the way leads to one.
    var expression: Expression?

    /// Key and value.
    var field: SourceRange { key.map { $0.joined(with: value) } ?? value }
  }

  /// The part at the end of a way; the last part that is in the text if the way goes on.
  func part(at place: [InputStep]) -> Part? {
    var steps = place[...]
    guard let first = steps.popFirst() else { return nil }
    switch first {
    case .value(let index) where values.indices.contains(index):
      return part(steps, in: Part(values[index]))
    case .change(let index) where changes.indices.contains(index):
      return part(steps, of: changes[index])
    default: return subject.map { Part(value: $0) }
    }
  }

  private func part(_ steps: ArraySlice<InputStep>, of change: Change) -> Part {
    var steps = steps
    switch steps.popFirst() {
    case .pathStep(let index) where change.path.steps.indices.contains(index):
      let range = change.path.steps[index].range
      return Part(value: range, key: range)
    case .argument(let index):
      switch change.action {
      case .assign(_, let value): return part(steps, in: Part(value))
      case .call(_, let arguments, let name):
        guard arguments.indices.contains(index) else { return Part(value: name) }
        return part(steps, in: Part(arguments[index]))
      }
    default: return Part(value: change.path.range, key: change.path.range)
    }
  }

  private func part(_ steps: ArraySlice<InputStep>, in start: Part) -> Part {
    var part = start
    for step in steps {
      switch (step, part.expression) {
      case (.property(let name), .object(let fields, _)), (.key(let name), .object(let fields, _)):
        // Of a name that stands twice the second one is wrong.
        guard let field = fields.last(where: { $0.key.text == name }) else { return part }
        part = Part(value: field.value.range, key: field.key.range, expression: field.value)
      case (.element(let index), .array(let members, _)) where members.indices.contains(index):
        part = Part(members[index])
      case (.argument, _), (.property, .array): continue
      default: return part
      }
    }
    return part
  }
}

extension StatementParts.Part {
  init(_ expression: Expression) {
    self.init(value: expression.range, key: nil, expression: expression)
  }
}
