public import RealmStorage
public import RealmValues

/// Why a change of classes was refused. Nothing has been changed, except perhaps for `storage`.
public enum SchemaError: Error {
  /// A property of a class.
  public struct Place: Hashable, Sendable {
    /// The class.
    public var className: String
    /// The property.
    public var property: String

    /// Names a property of a class.
    public init(_ className: String, _ property: String) {
      self.className = className
      self.property = property
    }
  }

  /// Asked classes are wrong, or would be after the change.
  case invalid([SchemaViolation])
  /// The file has other classes; these changes would be needed.
  case mismatch([SchemaChange])
  /// The file has other classes and a lower schema version; these changes would lose values.
  case migrationNeeded([SchemaChange], from: UInt64?, to: UInt64)
  /// The file, which is not to be changed, lacks what is asked for.
  case notReadable([SchemaChange])
  /// The file has a greater schema version, or another one although it is not to be changed.
  case invalidVersion(asked: UInt64, file: UInt64)
  /// There is no class of the name.
  case noClass(String)
  /// The class has no such property.
  case noProperty(Place)
  /// Another class or property has the name.
  case nameTaken(String)
  /// Nulls are in the way of a required property.
  case hasNulls(Place, count: Int, of: Int)
  /// Values cannot be kept; new ones have to be given.
  case needsValues(from: PropertyDefinition, to: PropertyDefinition, className: String)
  /// Two objects would have the same primary key.
  case duplicatePrimaryKey(Place, ScalarValue, first: ObjectKey, second: ObjectKey)
  /// Properties of other classes link to the class.
  case inUse(String, by: [Place])
  /// Objects of the class cannot be embedded: the class has a primary key, or objects have no owner,
  /// several ones, or a link from a mixed value.
  case notEmbeddable(String, Obstacles)
  /// The property has no index that could be dropped.
  case noIndex(Place, isPrimaryKey: Bool)
  /// A value does not fit the property.
  case value(ObjectError)
  /// The file cannot be read or written. The transaction must be cancelled.
  case storage(StorageError)

  /// What is in the way of making a class embedded.
  public struct Obstacles: Equatable, Sendable {
    /// The primary key; nil if there is none.
    public var primaryKey: String?
    /// Number of objects without an incoming link.
    public var orphans = 0
    /// Number of objects with more than one incoming link.
    public var shared = 0
    /// Number of objects that a mixed value links to.
    public var inMixed = 0
    /// The first object that is in the way.
    public var first: ObjectKey?

    var isEmpty: Bool { primaryKey == nil && orphans == 0 && shared == 0 && inMixed == 0 }
  }

  /// The name that scripts test.
  ///
  /// Source: object-model.md 0.2, shell.md 25; empty for `storage`.
  public var name: String {
    switch self {
    case .invalid(let violations):
      violations.allSatisfy { $0.isName } ? "InvalidName" : "SchemaValidationFailed"
    case .mismatch: "SchemaMismatch"
    case .migrationNeeded: "MigrationNeeded"
    case .notReadable: "InvalidSchemaChange"
    case .invalidVersion: "InvalidSchemaVersion"
    case .noClass: "NoSuchTable"
    case .noProperty: "InvalidProperty"
    case .nameTaken: "InvalidName"
    case .hasNulls: "HasNulls"
    case .needsValues: "InvalidSchemaChange"
    case .duplicatePrimaryKey: "ObjectAlreadyExists"
    case .inUse: "InUse"
    case .notEmbeddable, .noIndex: "IllegalOperation"
    case .value(let error): error.name
    case .storage: ""
    }
  }
}
