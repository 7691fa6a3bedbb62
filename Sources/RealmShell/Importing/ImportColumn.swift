import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// A column or field of a file that is imported, and the property it is for.
final class ImportColumn {
  /// How values get into new objects.
  enum Role {
    /// One value of a type of its own.
    case plain(ValueKind)
    /// A link to an object that stands for itself.
    case link(ImportTarget)
    /// One value of any type.
    case mixed
    /// A collection, or a part of an embedded object.
    case other
  }

  /// The way from the class: indexes of properties, each in the class before.
  let path: [Int]
  let property: Property
  /// The class that has the property.
  let owner: ObjectClass
  let role: Role
  /// Where new objects take the value; -1 if they do not.
  let position: Int
  /// Whether it is a link to objects whose primary keys are texts.
  let hasTextKey: Bool

  init(path: [Int], owner: ObjectClass, schema: Schema, position: Int) {
    (self.path, self.owner, self.position) = (path, owner, position)
    property = owner.properties[path[path.count - 1]]
    let target = property.target.flatMap { schema.objectClass($0) }
    hasTextKey = property.collection == .none && target?.primaryKey?.kind == .string
    if path.count > 1 || property.collection != .none || position < 0 {
      role = .other
    } else if property.kind == .mixed {
      role = .mixed
    } else if property.kind == .link {
      if let target, !target.isEmbedded {
        role = .link(ImportTarget(target))
      } else {
        role = .other
      }
    } else {
      role = .plain(property.kind)
    }
  }

  /// The property of the class that is imported.
  var root: Int { path[0] }

  /// `Dog.age`.
  var label: String { ImportColumn.label(property, of: owner) }

  /// `Dog.age`.
  static func label(_ property: Property, of owner: ObjectClass) -> String {
    "\(quotedName(owner.name)).\(quotedName(property.name))"
  }
}

/// The class that links lead to.
struct ImportTarget {
  let objectClass: ObjectClass
  /// The type of the primary key; nil if there is none.
  let keyKind: ValueKind?

  init(_ objectClass: ObjectClass) {
    self.objectClass = objectClass
    keyKind = objectClass.primaryKey?.kind
  }
}

/// The columns of a file and how their values become objects.
struct ImportLayout {
  /// A value of an object: that of a column, or an embedded object of several.
  indirect enum Part {
    case column(Int)
    case embedded([(name: String, part: Part)])
  }

  let objectClass: ObjectClass
  let schema: Schema
  /// The columns that are imported.
  private(set) var columns: [ImportColumn] = []
  /// For each root property that gets something, its value.
  private(set) var parts: [(root: Int, part: Part)] = []
  let positions: [Int]

  /// - Parameter positions: For each property where new objects take its value, or -1.
  init(_ objectClass: ObjectClass, _ schema: Schema, positions: [Int]) {
    (self.objectClass, self.schema, self.positions) = (objectClass, schema, positions)
  }

  /// Why a column cannot be for a property.
  enum Conflict: Error {
    /// No property has the name at this place of the path.
    case unknown(at: Int, in: TableKey)
    /// The property at this place holds no embedded object.
    case notEmbedded(at: Int, in: TableKey)
    /// Another column is for the same property, or for a part of it.
    case taken
  }

  /// Adds a column for the property at the end of a path; returns its number.
  mutating func add(_ names: [String]) throws(Conflict) -> Int {
    var path: [Int] = []
    var owner = objectClass
    for (i, name) in names.enumerated() {
      guard let index = owner.properties.firstIndex(where: { $0.name == name }) else {
        throw .unknown(at: i, in: owner.table.key)
      }
      path.append(index)
      if i == names.count - 1 { break }
      let property = owner.properties[index]
      guard property.kind == .link, property.collection == .none,
        let target = property.target.flatMap({ schema.objectClass($0) }), target.isEmbedded
      else { throw .notEmbedded(at: i, in: owner.table.key) }
      owner = target
    }
    let isTaken = columns.contains { $0.path.starts(with: path) || path.starts(with: $0.path) }
    guard !isTaken else { throw .taken }
    columns.append(
      ImportColumn(path: path, owner: owner, schema: schema, position: positions[path[0]]))
    return columns.count - 1
  }

  /// Finds out what values objects are made of; to be called when all columns are there.
  mutating func finish() {
    let roots = Set(columns.map(\.root)).sorted()
    parts = roots.map { root in
      (root, part(of: columns.indices.filter { columns[$0].root == root }, 1, objectClass))
    }
  }

  /// - Parameter depth: Number of steps that the columns have in common.
  private func part(of numbers: [Int], _ depth: Int, _ owner: ObjectClass) -> Part {
    if numbers.count == 1, columns[numbers[0]].path.count == depth { return .column(numbers[0]) }
    let property = owner.properties[columns[numbers[0]].path[depth - 1]]
    guard let target = property.target.flatMap({ schema.objectClass($0) }) else {
      return .embedded([])
    }
    let steps = Set(numbers.map { columns[$0].path[depth] }).sorted()
    return .embedded(
      steps.map { step in
        let inner = numbers.filter { columns[$0].path[depth] == step }
        return (target.properties[step].name, part(of: inner, depth + 1, target))
      })
  }

  /// Properties that no column is for.
  var missing: [Int] {
    let roots = Set(columns.map(\.root))
    return objectClass.properties.indices.filter { !roots.contains($0) }
  }
}
