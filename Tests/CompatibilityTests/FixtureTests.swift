import RealmObjects
import RealmStorage
import RealmValues
import TestSupport
import Testing

/// A file with a recorded dump beside it.
struct RecordedFile: CustomTestStringConvertible, Sendable {
  let path: String
  let dumpPath: String
  let schemaPath: String
  let usesTableNames: Bool
  let isVendor: Bool
  let key: [UInt8]?

  var testDescription: String { path.split(separator: "/").last.map(String.init) ?? path }

  private static let keyA = (0..<64).map { UInt8($0) }
  private static let keyB = (0..<64).map { UInt8((37 * $0 + 11) % 256) }
  /// Files with key A; the other encrypted ones have key B.
  private static let filesWithKeyA: Set<String> = ["dogs-encrypted", "alltypes-encrypted"]

  /// All files of the fixtures that have a dump in the canonical form.
  static let all: [RecordedFile] = {
    guard let shared = Fixtures.shared else { return [] }
    return [("fixtures", false), ("fixtures/vendor", true)].flatMap { folder, isVendor in
      names(in: "\(shared)/\(folder)").compactMap { name -> RecordedFile? in
        guard name.hasSuffix(".realm"), !name.hasPrefix("rql-") else { return nil }
        let stem = "\(shared)/\(folder)/\(name.dropLast(6))"
        let isRaw = Files.exists("\(stem).raw.json")
        let base = String(name.dropLast(6))
        return RecordedFile(
          path: "\(stem).realm", dumpPath: isRaw ? "\(stem).raw.json" : "\(stem).json",
          schemaPath: "\(stem).schema.json", usesTableNames: isRaw,
          isVendor: isVendor,
          key: base.hasSuffix("-encrypted")
            ? (filesWithKeyA.contains(base) ? keyA : keyB) : nil)
      }
    }
  }()

  private static func names(in folder: String) -> [String] { Files.names(in: folder).sorted() }

  var encryptionKey: EncryptionKey? { key?.withUnsafeBytes { EncryptionKey($0) } }

  func open() throws -> Realm { try Realm(path: path, key: encryptionKey) }
}

/// Files written by Realm itself, in all formats, read as they were recorded.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not beside the checkout"))
struct FixtureTests {
  @Test func allFixturesArePresent() {
    #expect(RecordedFile.all.count == 20 + 30)
  }

  @Test(arguments: RecordedFile.all)
  func objectsEqualTheRecordedDump(_ file: RecordedFile) throws {
    let realm = try file.open()
    #expect(realm.snapshot.brokenTables.isEmpty)
    let lines = try CanonicalDump.lines(realm, usesTableNames: file.usesTableNames)
    let recorded = Files.read(file.dumpPath).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == recorded.count)
    var differences = 0
    for (line, expected) in zip(lines, recorded) where !line.elementsEqual(expected) {
      differences += 1
      guard differences <= 3 else { continue }
      let common = zip(line, expected).prefix { $0 == $1 }.count
      let from = max(0, common - 60)
      Issue.record(
        """
        \(String(decoding: line.dropFirst(from).prefix(200), as: UTF8.self))
        recorded: \(String(decoding: expected.dropFirst(from).prefix(200), as: UTF8.self))
        """)
    }
    #expect(differences == 0)
  }

  @Test(arguments: RecordedFile.all.filter { !$0.isVendor })
  func schemaEqualsTheRecordedOne(_ file: RecordedFile) throws {
    let realm = try file.open()
    let recorded = try #require(JSONValue(Files.read(file.schemaPath)))
    #expect(realm.schema.version.map { Int64($0) } ?? -1 == recorded["schema_version"]?.int)
    for recordedClass in recorded["classes"]?.elements ?? [] {
      let name = try #require(recordedClass["name"]?.text)
      let objectClass = try #require(realm.schema.objectClass(named: name))
      #expect(Int64(objectClass.table.key.rawValue) == recordedClass["table_key"]?.int)
      #expect(objectClass.isEmbedded == recordedClass["embedded"]?.isTrue)
      #expect(objectClass.primaryKey?.name == recordedClass["primary_key"]?.text)
      let properties = recordedClass["properties"]?.elements ?? []
      #expect(objectClass.properties.map(\.name) == properties.map { $0["name"]?.text })
      for (property, expected) in zip(objectClass.properties, properties) {
        expectEqual(property, objectClass, expected)
      }
    }
  }

  private func expectEqual(_ property: Property, _ owner: ObjectClass, _ expected: JSONValue) {
    let column = owner.table.columns[property.position]
    let place: Comment = "\(owner.name).\(property.name)"
    #expect(canonicalName(property.kind) == expected["type"]?.text, place)
    #expect(property.isNullable == expected["nullable"]?.isTrue, place)
    #expect(property.isPrimaryKey == expected["primary"]?.isTrue, place)
    #expect(property.targetName == expected["target"]?.text, place)
    #expect(Int64(bitPattern: column.key.rawValue) == expected["col_key"]?.int, place)
    let collection: String? = property.collection == .none ? nil : "\(property.collection)"
    #expect(collection == expected["collection"]?.text, place)
    let index: String? =
      column.hasFullTextIndex ? "fulltext" : column.hasIndex ? "general" : nil
    #expect(index == expected["index"]?.text, place)
  }

  private func canonicalName(_ kind: ValueKind) -> String {
    switch kind {
    case .objectID: "objectId"
    case .decimal: "decimal128"
    case .link: "object"
    default: "\(kind)"
    }
  }

  @Test(arguments: RecordedFile.all.filter(\.isVendor))
  func vendorSchemaEqualsTheRecordedOne(_ file: RecordedFile) throws {
    let realm = try file.open()
    let recorded = try #require(JSONValue(Files.read(file.schemaPath)))
    #expect(realm.snapshot.format.map { Int64($0.number) } == recorded["fileFormatVersion"]?.int)
    for recordedClass in recorded["classes"]?.elements ?? [] {
      let name = try #require((recordedClass["class"] ?? recordedClass["table"])?.text)
      let objectClass = try #require(realm.schema.objectClass(named: name))
      #expect(objectClass.primaryKey?.name == recordedClass["primaryKey"]?.text)
      let properties = (recordedClass["properties"]?.elements ?? []).filter {
        $0["name"]?.text?.hasPrefix("!") != true
      }
      #expect(objectClass.properties.map(\.name) == properties.map { $0["name"]?.text })
      for (property, expected) in zip(objectClass.properties, properties) {
        #expect(property.targetName == expected["target"]?.text)
        #expect(property.isNullable == expected["optional"]?.isTrue, "\(name).\(property.name)")
      }
    }
  }
}
