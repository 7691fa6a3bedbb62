import RealmObjects
import RealmStorage
import RealmValues

/// A value of a variable. It holds no part of a version of the database, which would then have to be
/// kept.
indirect enum KeptValue: Sendable {
  case scalar(ScalarValue)
  case object(KeptObject)
  case list([KeptValue])
  case dictionary([(key: [UInt8], value: KeptValue)])
  case reference(Reference)

  /// Keeps a value; results become lists.
  init(_ value: ShellValue) {
    switch value {
    case .scalar(let scalar): self = .scalar(scalar)
    case .object(let objectClass, let key):
      self = .object(KeptObject(objectClass, key))
    case .list, .results: self = .list((value.members ?? []).map { KeptValue($0) })
    case .dictionary(let entries):
      self = .dictionary(entries.map { ($0.key, KeptValue($0.value)) })
    case .record(let fields):
      self = .dictionary(fields.map { (Array($0.title.utf8), KeptValue($0.value)) })
    case .reference(let reference): self = .reference(reference)
    }
  }

  /// The value as it is in a version of the database; deleted objects in collections read as null.
  /// Source: object-model.md 5.1.
  ///
  /// - Parameter frozenSchema: The schema of a version that is kept, for the calling thread.
  /// - Throws: `InvalidatedObject`, without a place, if the value is an object that was deleted.
  func value(
    in schema: Schema, path: String,
    frozenSchema: (FrozenVersion) throws(ShellError) -> Schema
  ) throws(ShellError) -> ShellValue {
    switch self {
    case .scalar(let scalar): return .scalar(scalar)
    case .reference(let reference): return .reference(reference)
    case .object(let object):
      let schema = if let version = object.version { try frozenSchema(version) } else { schema }
      guard let objectClass = schema.objectClass(object.table), objectClass.name == object.className
      else {
        throw ShellError(
          .invalidatedObject, "the class \(quotedName(object.className)) is gone")
      }
      let exists: Bool
      do throws(StorageError) {
        exists = try objectClass.table.row(of: object.key) != nil
      } catch {
        throw StorageMessages.error(error, path: path)
      }
      guard exists else { throw ShellError(.invalidatedObject, "the object was deleted") }
      return .object(objectClass.seen(through: object.view), object.key)
    case .list(let members):
      var values: [ShellValue] = []
      values.reserveCapacity(members.count)
      for member in members {
        values.append(try member.valueOrNull(in: schema, path: path, frozenSchema: frozenSchema))
      }
      return .list(values)
    case .dictionary(let entries):
      var values: [(key: [UInt8], value: ShellValue)] = []
      for (key, value) in entries {
        let value = try value.valueOrNull(in: schema, path: path, frozenSchema: frozenSchema)
        values.append((key, value))
      }
      return .dictionary(values)
    }
  }

  /// The value as a member of a collection.
  private func valueOrNull(
    in schema: Schema, path: String,
    frozenSchema: (FrozenVersion) throws(ShellError) -> Schema
  ) throws(ShellError) -> ShellValue {
    do throws(ShellError) {
      return try value(in: schema, path: path, frozenSchema: frozenSchema)
    } catch {
      guard error.name == .invalidatedObject else { throw error }
      return .null
    }
  }

  /// Whether all live objects in it exist.
  func isWhole(in schema: Schema, path: String) -> Bool {
    switch self {
    case .scalar, .reference: true
    case .object(let object) where object.version != nil: true
    case .object: (try? value(in: schema, path: path) { _ in schema }) != nil
    case .list(let members): members.allSatisfy { $0.isWhole(in: schema, path: path) }
    case .dictionary(let entries):
      entries.allSatisfy { $0.value.isWhole(in: schema, path: path) }
    }
  }

  /// Whether a live object is, or is in, the value.
  var holdsObjects: Bool {
    switch self {
    case .scalar, .reference: false
    case .object(let object): object.version == nil
    case .list(let members): members.contains(where: \.holdsObjects)
    case .dictionary(let entries): entries.contains { $0.value.holdsObjects }
    }
  }

  /// The word for the kind of value.
  var kindText: String {
    switch self {
    case .scalar(let scalar): scalar.kind?.name ?? "null"
    case .object: "object"
    case .list: "list"
    case .dictionary: "dictionary"
    case .reference: "reference"
    }
  }

  /// Whether collections in the value are nested at most `depth` levels deep.
  func isNested(atMost depth: Int) -> Bool {
    switch self {
    case .scalar, .object, .reference: true
    case .list(let members): depth > 0 && members.allSatisfy { $0.isNested(atMost: depth - 1) }
    case .dictionary(let entries):
      depth > 0 && entries.allSatisfy { $0.value.isNested(atMost: depth - 1) }
    }
  }

  /// The versions that the value keeps.
  var frozenVersions: [FrozenVersion] {
    switch self {
    case .scalar, .reference: []
    case .object(let object): object.version.map { [$0] } ?? []
    case .list(let members): members.flatMap(\.frozenVersions)
    case .dictionary(let entries): entries.flatMap(\.value.frozenVersions)
    }
  }
}

/// An object, live or of a version that is kept.
struct KeptObject: Sendable {
  let table: TableKey
  /// The name of its class.
  let className: String
  let key: ObjectKey
  /// What keeps its version; nil if it is live.
  var version: FrozenVersion?
  /// How it is seen.
  let view: (any ClassView)?

  init(_ objectClass: ObjectClass, _ key: ObjectKey) {
    table = objectClass.table.key
    className = objectClass.base.name
    self.key = key
    version = objectClass.frozen
    view = objectClass.view
  }

  /// The same object in another version.
  func of(_ version: FrozenVersion?) -> KeptObject {
    var object = self
    object.version = version
    return object
  }
}
