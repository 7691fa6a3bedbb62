import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues
import Synchronization

/// `class`, `alter`, `rename`, `drop`, `schema version N`.
///
/// Source: shell.md 7, 25.
extension Session {
  /// Runs a statement that changes classes, which the transaction remembers.
  private func changeClasses(
    at range: SourceRange, to writer: ByteWriter,
    _ body: (Database) throws(ShellError) -> String
  ) throws(ShellError) {
    try change(at: range, to: writer) { (database) throws(ShellError) in
      let text = try body(database)
      database.transaction?.counts.hasChangedClasses = true
      return text
    }
  }

  // MARK: class

  func declare(
    _ statement: ClassStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try changeClasses(at: range, to: writer) { (database) throws(ShellError) in
      let definition = try definition(of: statement, database)
      let text = SchemaErrorText(
        database, classes: [statement], text: source, standsAlone: database.transaction == nil)
      let outcome = try text.during { () throws(SchemaError) in
        // In an open transaction other classes may follow.
        try database.schemaEditor.declare(
          [definition], mayLinkForward: database.transaction != nil)
      }
      database.setDefaults(of: statement, for: self)
      noteComputed(statement)
      return outcome.first.map { acknowledgement($0, database) } ?? ""
    }
  }

  /// Tells a person, once, that computed properties are not kept.
  private func noteComputed(_ statement: ClassStatement) {
    let name = statement.properties.first { property in
      if case .backlinks = property.type.base { true } else { false }
    }?.name
    guard let name, screenNotes.insert(.computedProperties).inserted, outputIsTerminal else {
      return
    }
    note(
      "files have no place for computed properties: \(quotedName(name.text)) is known until the "
        + "program ends; --schema SCRIPT states it each time")
  }

  /// A class as a statement describes it.
  func definition(
    of statement: ClassStatement, _ database: Database
  ) throws(ShellError) -> ClassDefinition {
    var definition = ClassDefinition(statement.name.text, kind: statement.kind.storedKind, [])
    let maker = InputMaker(self, database)
    for property in statement.properties {
      if case .backlinks(let origin, let name) = property.type.base {
        definition.inverses.append(
          InverseDefinition(
            property.name.text, originClass: origin.text, originProperty: name.text))
        continue
      }
      definition.properties.append(
        PropertyDefinition(property.name.text, property.type, property.flags))
      guard let value = property.defaultValue else { continue }
      do throws(WritingError) {
        definition.defaults[property.name.text] = try maker.value(of: value)
      } catch {
        if case .shell(let error) = error { throw error }
      }
    }
    return definition
  }

  private func acknowledgement(_ outcome: DeclarationOutcome, _ database: Database) -> String {
    let name = quotedName(outcome.className)
    if outcome.isNew { return "created class \(name)" }
    if outcome.isUnchanged { return "class \(name) is as stated" }
    var parts: [String] = []
    if !outcome.added.isEmpty {
      parts.append("added " + outcome.added.map(\.text).joined(separator: ", "))
    }
    if !outcome.indexed.isEmpty {
      let names = outcome.indexed.map { quotedName($0.name) }
      parts.append("indexed " + names.joined(separator: ", "))
    }
    if outcome.filledCount > 0 {
      parts.append("\(counted(outcome.filledCount, "object", "objects")) filled")
    }
    var text = "changed class \(name): " + parts.joined(separator: "; ")
    if !outcome.added.isEmpty, let version = database.realm.schema.version, version < .max {
      text += "\nnote: the schema version is still \(version); SDKs that know another schema need "
      text += "a greater one: schema version \(version + 1)"
    }
    return text
  }

  // MARK: alter

  func alter(
    _ statement: AlterStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try changeClasses(at: range, to: writer) { (database) throws(ShellError) in
      switch statement {
      case .property(let place, let type, let flags, let conversion):
        if case .backlinks = type.base {
          throw ShellError(
            .illegalOperation, "a stored property cannot become a computed one", at: type.range)
        }
        let new = PropertyDefinition(place.property.text, type, flags)
        return try alter(place, to: new, conversion, database)
      case .kind(let name, let kind, _):
        let text = SchemaErrorText(database, className: name, text: source)
        let hasChanged = try text.during { () throws(SchemaError) in
          try database.schemaEditor.setKind(of: name.text, to: kind.storedKind)
        }
        let words = kind == .embedded ? "standalone -> embedded" : "embedded -> standalone"
        return hasChanged
          ? "altered \(quotedName(name.text)): \(words)"
          : "class \(quotedName(name.text)) is as stated"
      case .primaryKey(let name, let property, _):
        let text = SchemaErrorText(database, className: name, property: property, text: source)
        let old = try text.during { () throws(SchemaError) in
          try database.schemaEditor.setPrimaryKey(of: name.text, to: property?.text)
        }
        guard old != property?.text else { return "class \(quotedName(name.text)) is as stated" }
        let names = [old, property?.text].map { $0.map(quotedName) ?? "none" }
        return "altered \(quotedName(name.text)): primary \(names.joined(separator: " -> "))"
      }
    }
  }

  private func alter(
    _ place: PropertyReference, to new: PropertyDefinition, _ conversion: Expression?,
    _ database: Database
  ) throws(ShellError) -> String {
    let text = SchemaErrorText(
      database, className: place.className, property: place.property, text: source, new: new)
    let alteration = try text.during { () throws(SchemaError) in
      try database.schemaEditor.planAlteration(
        of: place.className.text, to: new, takesValues: conversion != nil)
    }
    if let conversion { try supply(conversion, to: alteration, text, database) }
    let outcome = try text.during { () throws(SchemaError) in try alteration.apply() }
    database.migration?.noteRewritten(alteration.objects, of: alteration.objectClass.table.key)
    let name = "\(quotedName(place.className.text)).\(quotedName(place.property.text))"
    guard outcome.old != outcome.new || outcome.rewrittenCount != nil else {
      return "\(name) is as stated"
    }
    let count = outcome.rewrittenCount.map { "; \(counted($0, "object", "objects")) rewritten" }
    return "altered \(name): \(outcome.old.typeText) -> \(outcome.new.typeText)\(count ?? "")"
  }

  /// Computes the new values of a property, all before the first one is written.
  private func supply(
    _ conversion: Expression, to alteration: Alteration, _ text: SchemaErrorText,
    _ database: Database
  ) throws(ShellError) {
    let objectClass = try existingClass(
      Name(alteration.objectClass.name, range: conversion.range), database)
    let set = try text.during { () throws(SchemaError) in try alteration.computedSet() }
    if let set {
      do throws(ShellError) {
        return try compute([conversion], for: set, of: objectClass, database) { error, key in
          failure(error, of: conversion, text, key, objectClass, database)
        }
      } catch {
        try? set.discard()
        throw error
      }
    }
    let evaluator = evaluator(database)
    let maker = InputMaker(self, database, evaluator: evaluator)
    for (i, key) in alteration.objects.enumerated() {
      if i & 0xFFF == 0, Interruption.isRequested {
        throw ShellError(.interrupted, "interrupted; nothing was changed")
      }
      do throws(WritingError) {
        let value = try maker.value(of: conversion, row: .object(objectClass, key))
        try text.during(valueAt: conversion.range) { () throws(SchemaError) in
          try alteration.supply(value)
        }
      } catch {
        throw failure(error, of: conversion, text, key, objectClass, database)
      }
    }
  }

  /// The error for an object whose new value could not be computed.
  private func failure(
    _ error: WritingError, of conversion: Expression, _ text: SchemaErrorText, _ key: ObjectKey,
    _ objectClass: ObjectClass, _ database: Database
  ) -> ShellError {
    var failure: ShellError
    switch error {
    case .shell(let error): failure = error
    case .object(let error):
      failure = text.valueError(error, at: conversion.range)
    }
    if let name = try? AcknowledgementText(database).name(of: key, in: objectClass) {
      failure.message += " in \(name)"
    }
    return failure
  }

  // MARK: rename, drop

  func rename(
    _ statement: RenameStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try changeClasses(at: range, to: writer) { (database) throws(ShellError) in
      let editor = database.schemaEditor
      switch statement {
      case .class(let name, let new):
        let text = SchemaErrorText(database, className: name, newName: new, text: source)
        try text.during { () throws(SchemaError) in
          try editor.renameClass(name.text, to: new.text)
        }
        database.defaults.change { $0[new.text] = $0.removeValue(forKey: name.text) }
        return "renamed class \(quotedName(name.text)) to \(quotedName(new.text))"
      case .property(let place, let new):
        let (name, className) = (place.property.text, place.className.text)
        let text = SchemaErrorText(
          database, className: place.className, property: place.property, newName: new,
          text: source)
        try text.during { () throws(SchemaError) in
          try editor.renameProperty(name, of: className, to: new.text)
        }
        database.defaults.change { defaults in
          let value = defaults[className]?.removeValue(forKey: name)
          defaults[className]?[new.text] = value
        }
        return "renamed \(quotedName(className)).\(quotedName(name)) to \(quotedName(new.text))"
      }
    }
  }

  func drop(
    _ statement: DropStatement, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    try changeClasses(at: range, to: writer) { (database) throws(ShellError) in
      let editor = database.schemaEditor
      switch statement {
      case .class(let name, let links):
        let text = SchemaErrorText(database, className: name, text: source)
        let outcome = try text.during { () throws(SchemaError) in
          try editor.dropClass(name.text, droppingLinks: links)
        }
        database.defaults.change { $0[name.text] = nil }
        let places = outcome.links.map(\.text).joined(separator: ", ")
        return "dropped class \(quotedName(name.text)): "
          + counted(outcome.objectCount, "object", "objects")
          + (places.isEmpty ? "" : "; dropped \(places)")
      case .property(let place), .index(let place):
        let text = SchemaErrorText(
          database, className: place.className, property: place.property, text: source)
        var word = ""
        try text.during { () throws(SchemaError) in
          if case .index = statement {
            word = "index "
            try editor.dropIndex(of: place.property.text, in: place.className.text)
          } else {
            try editor.dropProperty(place.property.text, of: place.className.text)
          }
        }
        return
          "dropped \(word)\(quotedName(place.className.text)).\(quotedName(place.property.text))"
      }
    }
  }

  // MARK: schema version

  func setSchemaVersion(
    _ number: IntegerOperand, at range: SourceRange, to writer: ByteWriter
  ) throws(ShellError) {
    guard let version = UInt64(exactly: number.value) else {
      throw ShellError(
        .invalidArgument, "a schema version is not negative", at: number.range)
    }
    try changeClasses(at: range, to: writer) { (database) throws(ShellError) in
      let text = SchemaErrorText(database, text: source)
      let old = try text.during { () throws(SchemaError) in
        try database.schemaEditor.setVersion(version)
      }
      guard old != version else { return "schema version is \(version)" }
      let line = "schema version \(old.map(String.init) ?? "none") -> \(version)"
      guard let old, version < old else { return line }
      return line + "\nnote: SDKs that know version \(old) refuse a file with a smaller one"
    }
  }
}

extension ClassStatement.Kind {
  /// The kind of table.
  var storedKind: StoredTable.Kind {
    switch self {
    case .standalone: .topLevel
    case .embedded: .embedded
    case .asymmetric: .asymmetric
    }
  }
}

extension PropertyDefinition {
  /// A property as a statement describes it; a computed one has no definition.
  init(_ name: String, _ type: TypeSyntax, _ flags: [PropertyFlag]) {
    let collection: StoredColumn.Collection =
      switch type.collection {
      case nil: .none
      case .list: .list
      case .set: .set
      case .dictionary: .dictionary
      }
    var kind = ValueKind.link
    var target: String?
    switch type.base {
    case .scalar(let scalar): kind = scalar.kind
    case .object(let className): target = className.text
    case .backlinks: break
    }
    func has(_ flag: PropertyFlag.Kind) -> Bool { flags.contains { $0.kind == flag } }
    self.init(
      name, .written(kind, collection, isMarked: type.isOptional, target: target),
      isPrimaryKey: has(.primary), isIndexed: has(.indexed), isFullText: has(.fulltext))
  }

  /// Type and flags: `double indexed`.
  var typeText: String {
    var text = type.text
    if isPrimaryKey { text += " primary" }
    if isIndexed { text += " indexed" }
    if isFullText { text += " fulltext" }
    return text
  }

  /// Name, type and flags: `weight: double?`.
  var text: String { "\(quotedName(name)): \(typeText)" }
}

extension TypeSyntax.Scalar {
  /// The kind of the values.
  var kind: ValueKind {
    switch self {
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal128: .decimal
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectId: .objectID
    case .uuid: .uuid
    case .mixed: .mixed
    }
  }
}

extension PropertyType {
  /// The type in the notation of schemas.
  var text: String {
    RealmShell.typeText(kind, collection, isNullable: isNullable, target: target)
  }
}

extension SchemaError.Place {
  /// `Person.dogs`.
  var text: String { "\(quotedName(className)).\(quotedName(property))" }
}

/// What `class` statements have stated that files do not store, for all threads.
final class Defaults: Sendable {
  /// The default of a property with the text it was written in.
  struct Default: Sendable {
    let expression: Expression
    let scope: Scope
  }

  private let byClass = Mutex<[String: [String: Default]]>([:])
  private let computed = Mutex<[String: [InverseDefinition]]>([:])

  /// All that was stated.
  struct State: Sendable {
    fileprivate var byClass: [String: [String: Default]]
    fileprivate var computed: [String: [InverseDefinition]]
  }

  /// What was stated so far.
  var state: State {
    State(byClass: byClass.withLock { $0 }, computed: computed.withLock { $0 })
  }

  /// Goes back to what was stated before.
  func restore(_ state: State) {
    byClass.withLock { $0 = state.byClass }
    computed.withLock { $0 = state.computed }
  }

  /// The computed properties, by class.
  var computedProperties: [String: [InverseDefinition]] { computed.withLock { $0 } }

  /// Takes computed properties of a class; those with other names stay.
  func add(_ properties: [InverseDefinition], to className: String) {
    computed.withLock { computed in
      var known = computed[className] ?? []
      known.removeAll { old in properties.contains { $0.name == old.name } }
      computed[className] = known + properties
    }
  }

  /// The default of a property; nil if it has none.
  func value(of property: String, in className: String) -> Default? {
    byClass.withLock { $0[className]?[property] }
  }

  /// The text of the default of a property, if it means the same elsewhere.
  func text(of property: String, in className: String) -> String? {
    guard let found = value(of: property, in: className) else { return nil }
    let text = found.scope.source.text(of: found.expression.range)
    return text.contains("$") || text.contains("\n") ? nil : text
  }

  /// Changes the defaults, by class and property.
  func change(_ body: (inout sending [String: [String: Default]]) -> Void) {
    byClass.withLock { body(&$0) }
  }
}

extension Session.Database {
  /// Takes the defaults that a statement gives, for new objects.
  func setDefaults(of statement: ClassStatement, for session: Session) {
    var computed: [InverseDefinition] = []
    for property in statement.properties {
      if case .backlinks(let origin, let name) = property.type.base {
        computed.append(
          InverseDefinition(
            property.name.text, originClass: origin.text, originProperty: name.text))
      }
      let value = property.defaultValue.map {
        Defaults.Default(expression: $0, scope: session.scope)
      }
      defaults.change { $0[statement.name.text, default: [:]][property.name.text] = value }
    }
    if computed.isEmpty { return }
    defaults.add(computed, to: statement.name.text)
    realm.computedProperties = defaults.computedProperties
  }

  /// The default of a property of a new object.
  func defaultValue(_ objectClass: ObjectClass, _ property: Property) -> InputValue? {
    guard let found = defaults.value(of: property.name, in: objectClass.name) else { return nil }
    let evaluator = session.evaluator(self, scope: found.scope)
    return try? InputMaker(session, self, evaluator: evaluator).value(of: found.expression)
  }
}
