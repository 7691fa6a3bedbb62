import ByteKernels
import RealmValues
import TestSupport
import Testing

@testable import RealmStorage

/// A copy of a fixture whose nodes can be changed.
struct PatchedFile {
  var bytes: [UInt8]

  init(_ name: String) throws {
    bytes = Files.read(try #require(Fixtures.shared("fixtures/\(name)")))
  }

  func snapshot(key: EncryptionKey? = nil) throws -> Snapshot {
    try Snapshot(of: try RealmFile(bytes: bytes, key: key))
  }

  func findings(_ depth: FileChecker.Depth = .deep) throws -> [Finding] {
    FileChecker.check(try snapshot(), depth: depth).findings
  }

  /// Sets an element of a node, which keeps its width.
  mutating func set(_ node: NodeView, _ index: Int, to value: Int64) throws {
    try #require(node.width >= 8, "element \(index) of a node of width \(node.width)")
    let width = node.width / 8
    let offset = node.offset + 8 + index * width
    for i in 0..<width {
      bytes[offset + i] = UInt8(truncatingIfNeeded: value >> Int64(8 * i))
    }
  }

  mutating func set(byte offset: Int, to value: UInt8) { bytes[offset] = value }

  /// The node of a column in the first leaf of a table.
  func leaf(_ tableName: String, _ columnName: String) throws -> NodeView {
    let snapshot = try snapshot()
    let table = try #require(snapshot.table(named: tableName))
    let column = table.columns[try #require(table.column(named: columnName))]
    guard case .clusters(let tree) = table.layout else { throw StorageError.notAFile }
    var cursor = ClusterCursor(tree)
    let cluster = try #require(try cursor.nextLeaf())
    // The copy of the bytes ends with the file: only offsets are used from here on.
    return try table.view.node(at: try table.view.ref(cluster.node, column.slot + 1))
  }

  func node(_ ref: Int64) throws -> NodeView {
    let snapshot = try snapshot()
    return try #require(snapshot.view).node(at: ref)
  }

  func element(_ node: NodeView, _ index: Int) throws -> Int64 {
    let snapshot = try snapshot()
    return try #require(snapshot.view).node(at: Int64(node.offset))[index]
  }
}

/// Each kind of damage is found and named.
@Suite(.enabled(if: Fixtures.shared != nil, "the folder shared is not at hand"))
struct DamageTests {
  private func top(_ file: PatchedFile) throws -> NodeView {
    try file.node(Int64(bitPattern: try file.snapshot().topRef))
  }

  @Test func freeRangesThatAreInUse() throws {
    var file = try PatchedFile("dogs.realm")
    let top = try top(file)
    let leaf = try file.leaf("class_Dog", "name")
    let positions = try file.node(try file.element(top, 3))
    let sizes = try file.node(try file.element(top, 4))
    let start = try file.element(positions, 0)
    let end = start + (try file.element(sizes, 0))
    try #require(end <= leaf.offset || start > leaf.offset)
    try file.set(positions, 0, to: Int64(leaf.offset))
    try file.set(sizes, 0, to: 16)
    let findings = try file.findings(.normal)
    let expected = Finding.Kind.freeRangeInUse(
      start: Int64(leaf.offset), end: Int64(leaf.offset) + 16)
    #expect(findings.contains { $0.kind == expected && $0.table == "class_Dog" })
  }

  @Test func lostSpace() throws {
    var file = try PatchedFile("dogs.realm")
    let sizes = try file.node(try file.element(try top(file), 4))
    let old = try file.element(sizes, 0)
    try #require(old > 8)
    try file.set(sizes, 0, to: old - 8)
    #expect(try file.findings(.quick).isEmpty)
    #expect(try file.findings(.normal).map(\.kind) == [.lostSpace(byteCount: 8)])
  }

  @Test func textsThatRunPastTheirNode() throws {
    var file = try PatchedFile("dogs.realm")
    let leaf = try file.leaf("class_DogToy", "name")
    try #require(!leaf.hasRefs && leaf.scheme == .bytes)
    file.set(byte: leaf.offset + 8 + leaf.width - 1, to: 200)
    let snapshot = try file.snapshot()
    let report = FileChecker.check(snapshot, depth: .deep)
    let finding = try #require(report.findings.first)
    #expect((finding.table, finding.column) == ("class_DogToy", "name"))
    #expect(finding.object != nil)
    #expect(finding.offset == UInt64(leaf.offset))
    #expect(report.objectCount == report.objectTotal - 1)
  }

  @Test func textsThatAreNotUTF8() throws {
    var file = try PatchedFile("dogs.realm")
    let leaf = try file.leaf("class_DogToy", "name")
    file.set(byte: leaf.offset + 8, to: 0xFF)
    let kinds = try file.findings().map(\.kind)
    #expect(kinds.contains(.invalidText(byteIndex: 0)))
  }

  @Test func linksAndBacklinksThatDiffer() throws {
    var file = try PatchedFile("links.realm")
    let leaf = try file.leaf("class_Person", "favourite")
    let old = try file.element(leaf, 0)
    try #require(old > 0)
    let dogs = try #require(try file.snapshot().table(named: "class_Dog"))
    let person = ObjectKey(0)
    try file.set(leaf, 0, to: 5)
    let findings = try file.findings()
    #expect(findings.count == 2)
    #expect(
      findings.contains {
        $0.kind == .missingBacklink(dogs.key, ObjectKey(4)) && $0.object == person
          && $0.column == "favourite"
      })
    #expect(
      findings.contains {
        $0.object == ObjectKey(old - 1) && $0.table == "class_Dog" && $0.column == nil
      })
    try file.set(leaf, 0, to: 0x7000)
    #expect(try file.findings().map(\.kind).contains(.missingObject(dogs.key, ObjectKey(0x6FFF))))
  }

  @Test func primaryKeysThatOccurTwice() throws {
    var file = try PatchedFile("big-1000.realm")
    let table = try #require(try file.snapshot().table(named: "class_Item"))
    let name = table.columns[try #require(table.primaryKey)].name
    let leaf = try file.leaf("class_Item", name)
    try file.set(leaf, 3, to: try file.element(leaf, 2))
    let kinds = try file.findings().map(\.kind)
    #expect(kinds.contains { if case .duplicatePrimaryKey = $0 { true } else { false } })
    #expect(kinds.contains(.wrongIndexEntry))
  }

  @Test func nodesThatAreSharedOrOverlap() throws {
    var file = try PatchedFile("dogs.realm")
    let snapshot = try file.snapshot()
    let table = try #require(snapshot.table(named: "class_Dog"))
    guard case .clusters(let tree) = table.layout else { return }
    var cursor = ClusterCursor(tree)
    let cluster = try #require(try cursor.nextLeaf()).node
    let other = try file.element(cluster, 2)
    try file.set(cluster, 1, to: other)
    #expect(try file.findings(.normal).contains { $0.kind == .sharedNode })
    try file.set(cluster, 1, to: other + 8)
    #expect(!(try file.findings(.normal).isEmpty))
  }

  @Test func pagesThatDoNotVerify() throws {
    var file = try PatchedFile("dogs-encrypted.realm")
    let key = try #require((0..<64).map { UInt8($0) }.withUnsafeBytes { EncryptionKey($0) })
    let good = FileChecker.check(try file.snapshot(key: key), depth: .deep)
    #expect(good.isGood)
    file.set(byte: 2 * 4096 + 99, to: file.bytes[2 * 4096 + 99] ^ 1)
    let snapshot = try? file.snapshot(key: key)
    if let snapshot {
      #expect(!FileChecker.check(snapshot, depth: .deep).isGood)
    }
  }

  @Test func cancelling() throws {
    let file = try PatchedFile("big-1000.realm")
    let report = FileChecker.check(try file.snapshot(), depth: .deep) { _, _ in false }
    #expect(!report.isComplete)
  }
}
