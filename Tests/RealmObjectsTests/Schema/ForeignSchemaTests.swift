import RealmObjects
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// Classes of files that a genuine engine wrote are changed.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct ForeignSchemaTests {
  static let files: [String] = {
    guard let shared = Fixtures.shared else { return [] }
    return Files.allFiles(below: "\(shared)/fixtures").filter {
      $0.hasSuffix(".realm") && !$0.hasPrefix("bad/") && !$0.contains("encrypted")
    }
  }()

  @Test(arguments: files)
  func valuesSurviveChangesOfClasses(_ name: String) throws {
    let source = try #require(Fixtures.shared("fixtures/\(name)"))
    let file = try SchemaFile(copying: source)
    guard file.realm.snapshot.format?.number == 24 else { return }
    let before = try file.contents()
    let definitions = file.realm.schema.classes.map { ClassDefinition($0) }
    do {
      try file.realm.beginWrite()
      try file.realm.cancelWrite()
    } catch StorageError.rejected {
      // Synchronised, or with structures that are not written.
      return
    }
    for isThere in [true, false] {
      for definition in definitions {
        try file.write { try toggle(definition, toNullable: isThere, file) }
      }
      #expect(try file.contents() == before)
    }
    #expect(
      file.realm.schema.classes.map { $0.properties.map { $0.name } }
        == definitions.map { $0.properties.map { $0.name } })
  }

  /// Makes what can be null or indexed so, or takes it back as far as there are no nulls.
  private func toggle(
    _ definition: ClassDefinition, toNullable isNullable: Bool, _ file: SchemaFile
  ) throws {
    for property in definition.properties {
      var new = property
      if property.type.kind != .link, property.type.kind != .mixed {
        new.type.isNullable = isNullable
      }
      if property.type.collection == .none, property.type.kind == .string,
        !property.isPrimaryKey
      {
        (new.isIndexed, new.isFullText) = (isNullable, !isNullable)
      }
      do {
        try file.editor.planAlteration(of: definition.name, to: new).apply()
      } catch {
        guard case .hasNulls = error else { throw error }
      }
    }
  }
}
