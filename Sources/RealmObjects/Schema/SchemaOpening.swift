/// What opening a file with declared classes has to do.
///
/// Source: object-model.md 1.5, automatic mode; shell.md 6.
public struct SchemaOpening {
  /// The changes, in order.
  public let changes: [SchemaChange]
  /// The schema version to store; nil if the file has it.
  public let version: UInt64?

  /// Whether the file is as declared; then it is not written to.
  public var isNothing: Bool { changes.isEmpty && version == nil }

  /// Checks that a file can be read with declared classes, without changing it.
  ///
  /// Classes that are missing are passed over, as are indexes and what the file has besides.
  ///
  /// - Throws: `invalid`; `invalidVersion` if the version is another one; `notReadable` with the
  ///   differences.
  ///
  /// Source: object-model.md 1.5, immutable mode.
  public static func checkReading(
    _ schema: Schema, _ classes: [ClassDefinition], version asked: UInt64?
  ) throws(SchemaError) {
    let violations = SchemaValidator.violations(of: classes)
    guard violations.isEmpty else { throw .invalid(violations) }
    if let asked, asked != schema.version {
      throw .invalidVersion(asked: asked, file: schema.version ?? 0)
    }
    let differences = SchemaChange.list(
      from: schema.classes.map { ClassDefinition($0) }, to: classes
    ).filter { !$0.isReadable }
    guard differences.isEmpty else { throw .notReadable(differences) }
  }

  /// Compares the classes of a file with declared ones.
  ///
  /// With the version of the file only classes and indexes can change. With a greater one, and in a
  /// file without version, all changes are made that keep every value. Classes that are not
  /// declared stay.
  ///
  /// - Parameter version: The schema version of the declared classes; nil for that of the file.
  /// - Throws: `invalid`, `invalidVersion`; `mismatch` or `migrationNeeded` with the differences.
  public static func plan(
    _ schema: Schema, _ classes: [ClassDefinition], version asked: UInt64?
  ) throws(SchemaError) -> SchemaOpening {
    let violations = SchemaValidator.violations(of: classes)
    guard violations.isEmpty else { throw .invalid(violations) }
    let version = asked ?? schema.version ?? 0
    if let file = schema.version, version < file {
      throw .invalidVersion(asked: version, file: file)
    }
    let changes = SchemaChange.list(
      from: schema.classes.map { ClassDefinition($0) }, to: classes)
    let differences = changes.filter { !$0.isFree }
    if version == schema.version {
      guard differences.isEmpty else { throw .mismatch(differences) }
      return SchemaOpening(changes: changes, version: nil)
    }
    guard changes.allSatisfy({ $0.keepsValues }) else {
      throw .migrationNeeded(differences, from: schema.version, to: version)
    }
    return SchemaOpening(changes: changes, version: version)
  }
}
