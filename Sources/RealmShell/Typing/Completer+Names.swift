import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// The names of the database and of the session.
extension Completer {
  /// The classes and projections; where a value may stand, the beginnings of the names of their
  /// objects.
  ///
  /// - Parameter areNew: Whether only classes fit whose objects can be made.
  func classes(
    _ place: Continuation, ofNewObjects areNew: Bool = false, withProjections: Bool = true
  ) -> [Option] {
    let isValue = place.expected.contains(.value)
    var options: [Option] = []
    func append(_ name: String, _ comment: String, sign: String) {
      options.append(
        isValue
          ? Option(
            quotedName(name) + sign, comment: "object by key", suffix: "", rank: .object, key: name)
          : Option(quotedName(name), comment: comment, rank: .name, key: name))
    }
    for objectClass in names.schema?.classes ?? [] {
      if objectClass.isEmbedded, areNew || isValue { continue }
      append(
        objectClass.name, objectClass.isEmbedded ? "embedded" : "",
        sign: objectClass.primaryKey == nil ? "#" : "(")
    }
    guard withProjections else { return options }
    for view in session.threads.projections.values.sorted(by: { $0.name < $1.name })
    where names.projection(named: view.name) != nil {
      append(view.name, "projection of \(quotedName(view.className))", sign: "(")
    }
    return options
  }

  /// The properties behind a path, with their types.
  func properties(
    of owner: PropertyOwner, _ place: Continuation, _ word: String
  ) -> [Option] {
    // A field of an object value: nothing but its name, or a text, can stand there.
    let isField = place.expected.contains(.string) && !place.expected.contains(.value)
    func option(_ name: String, _ type: String, isOpen: Bool) -> Option {
      let text =
        word.hasPrefix("`") ? "`" + name.replacing("`", with: "``") + "`" : quotedName(name)
      return Option(
        text, comment: type, suffix: isField ? ": " : isOpen ? "" : " ", rank: .name, key: name)
    }
    var options = names.properties(of: owner).map { property in
      option(
        property.name, property.typeText + (property.isPrimaryKey ? " primary" : ""),
        isOpen: property.targetName != nil)
    }
    if owner.steps.isEmpty, let view = owner.className.flatMap(names.projection) {
      options += view.fields.map { option($0.name, $0.text, isOpen: false) }
    }
    guard !isField, let objectClass = names.type(of: owner)?.objectClass else { return options }
    for inverse in objectClass.computed {
      guard let name = inverse.name else { continue }
      options.append(
        option(name, "@links.\(inverse.originClass).\(inverse.originProperty)", isOpen: true))
    }
    return options
  }

  var variables: [Option] {
    names.variables.map {
      Option("$" + $0.name, comment: NameResolver.kindText(of: $0.variable), rank: .variable)
    }
  }

  var databases: [Option] {
    session.databases.map {
      Option(quotedName($0.name), comment: $0.shownPath, rank: .name, key: $0.name)
    }
  }

  var observers: [Option] {
    session.observers.all.flatMap { observer, _ in
      let number = Option(String(observer.number), comment: observer.text, rank: .name)
      guard let name = observer.name else { return [number] }
      return [Option(quotedName(name), comment: observer.text, rank: .name, key: name), number]
    }
  }

  var threads: [Option] {
    session.threads.monitor.withLock { $0.members.map(\.identity.name) }.map {
      Option(quotedName($0), rank: .name, key: $0)
    }
  }

  var settings: [Option] {
    SettingDescription.all.map {
      Option($0.name, comment: "\($0.text(session.settings)): \($0.meaning)", rank: .name)
    }
  }

  func values(ofSetting name: String) -> [Option] {
    guard let setting = SettingDescription.named(name), setting.values != "text" else { return [] }
    return setting.values.split { $0 == " " || $0 == "," }.map(String.init)
      .filter { $0.allSatisfy(\.isLetter) }
      .map { value in
        let meaning = name == "mode" ? Grammar.modes.first { $0.name == value }?.meaning : nil
        return Option(value, comment: meaning ?? "", rank: .name)
      }
  }

  /// The types that are no classes.
  var types: [Option] {
    TypeSyntax.Scalar.allCases.map { Option($0.rawValue, rank: .word) }
  }

  // MARK: Operators

  /// Whether a word or sign fits that is offered at many places.
  func fits(_ word: String, _ place: Continuation) -> Bool {
    if word == "|" { return !session.isSafe }
    guard word.hasPrefix("@") else { return true }
    let owner = place.expected.lazy.compactMap { expectation in
      if case .property(let owner) = expectation { owner } else { nil }
    }.first
    guard let type = owner.flatMap(names.type(of:)), !type.isMixed else { return true }
    switch word {
    case "@type": return true
    case "@links": return type.objectClass != nil
    case "@count" where type.kind == .string || type.kind == .data: return true
    default: return type.isCollection
    }
  }

  /// The operators that fit the type of the property before them; all if it is not known.
  func operators(behind owner: PropertyOwner?, isPredicate: Bool) -> [Option] {
    let type = owner.flatMap { names.type(of: $0) }
    var words = Self.comparators(for: type)
    if isPredicate {
      words += Self.predicateComparators(for: type)
    } else {
      words = words.map { $0.lowercased() }
    }
    return words.map { Option($0, rank: .comparator) }
  }

  private static let equality = ["==", "!="]
  private static let order = ["<", "<=", ">", ">="]
  private static let text = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"]

  private static func comparators(for type: StaticType?) -> [String] {
    guard let type, !type.isMixed else { return equality + order + ["IN"] + text }
    if type.isCollection, type.objectClass != nil { return equality + ["IN"] }
    switch type.kind {
    case .bool, .link, .typedLink: return equality + ["IN"]
    case .string, .data: return equality + order + ["IN"] + text
    default: return equality + order + ["IN"]
    }
  }

  private static func predicateComparators(for type: StaticType?) -> [String] {
    guard let type, !type.isMixed else { return ["BETWEEN", "TEXT", "GEOWITHIN"] }
    switch type.kind {
    case .string: return ["TEXT", "BETWEEN"]
    case .link: return ["GEOWITHIN"]
    case .bool, .data: return []
    default: return ["BETWEEN"]
    }
  }
}
