import RealmStorage
import Testing

/// Writes nodes one behind the other, to make files no writer would make.
struct NodeWriter {
  private(set) var bytes: [UInt8] = [UInt8](repeating: 0, count: 24)

  /// Appends a node with elements of 64 bits and returns its ref.
  mutating func add(_ elements: [Int64], flags: UInt8) -> Int64 {
    let ref = addHeader(flags: flags, count: elements.count)
    for element in elements { append(UInt64(bitPattern: element), 8) }
    return ref
  }

  mutating func addRefs(_ elements: [Int64]) -> Int64 { add(elements, flags: 0x47) }
  mutating func addIntegers(_ elements: [Int64]) -> Int64 { add(elements, flags: 0x07) }

  /// Appends a node whose elements have no width.
  mutating func addNothing(count: Int, flags: UInt8 = 0) -> Int64 {
    addHeader(flags: flags, count: count)
  }

  /// Appends a node of short texts.
  mutating func addNames(_ names: [String]) -> Int64 {
    let ref = addHeader(flags: 0x08 | 5, count: names.count)
    for name in names {
      let text = Array(name.utf8)
      precondition(text.count < 16)
      bytes += text + [UInt8](repeating: 0, count: 15 - text.count) + [UInt8(15 - text.count)]
    }
    return ref
  }

  private mutating func addHeader(flags: UInt8, count: Int) -> Int64 {
    let ref = Int64(bytes.count)
    bytes += [0x41, 0x41, 0x41, 0x41, flags]
    bytes += [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    return ref
  }

  private mutating func append(_ value: UInt64, _ width: Int) {
    for i in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
  }

  /// Changes an element of a node with elements of 64 bits.
  mutating func set(_ ref: Int64, _ index: Int, to value: Int64) {
    for i in 0..<8 {
      bytes[Int(ref) + 8 + 8 * index + i] = UInt8(truncatingIfNeeded: value >> Int64(8 * i))
    }
  }

  /// A number in a node of refs.
  static func tagged(_ value: Int64) -> Int64 { value << 1 | 1 }

  /// Appends a table with columns of given keys.
  mutating func addTable(_ keys: Int64, names: Int64, attributes: Int64, types: Int64, root: Int64)
    -> Int64
  {
    let spec = addRefs([types, names, attributes, 0, 0, keys])
    return addRefs([spec, 0, root, NodeWriter.tagged(0), 0, 1, 1, 0, 0, 1, 0, 0])
  }

  /// Appends the top array with one table and returns the file, of format 24 or another one.
  mutating func finish(table: Int64, version: UInt8 = 24) -> [UInt8] {
    let names = addNames(["class_Hostile"])
    let tables = addRefs([table])
    let top = addRefs([names, tables, 0])
    set(top, 2, to: NodeWriter.tagged(Int64(bytes.count)))
    var file = bytes
    for i in 0..<8 { file[i] = UInt8(truncatingIfNeeded: top >> Int64(8 * i)) }
    file[16..<20] = [0x54, 0x2D, 0x44, 0x42]
    file[20] = version
    return file
  }
}

/// Small files that promise much: the work stays within the limit.
struct HostileFileTests {
  private static let mixedKey: Int64 = 6 << 16 | 16 << 22

  private func examine(_ bytes: [UInt8]) throws -> (Reading, CheckReport) {
    let reading = Reading(bytes, key: nil)
    #expect(reading.steps < CorruptionTests.maximumSteps)
    let snapshot = try Snapshot(of: try RealmFile(bytes: bytes, key: nil))
    return (reading, FileChecker.check(snapshot, depth: .deep))
  }

  @Test func listsThatContainTheSameListAgainAndAgain() throws {
    var writer = NodeWriter()
    let list: Int64 = 20 | 4 << 5
    var leaf = writer.addRefs([writer.addIntegers([0]), 0, 0, 0, 0, 0])
    for _ in 0..<90 {
      let composite = writer.addIntegers((0..<50).map { list | $0 << 8 })
      let refs = writer.addRefs(Array(repeating: leaf, count: 50))
      leaf = writer.addRefs([composite, 0, 0, 0, refs, 0])
    }
    let file = writer.file(mixed: leaf, key: HostileFileTests.mixedKey)
    let (reading, report) = try examine(file)
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }

  @Test func listsThatContainThemselves() throws {
    var writer = NodeWriter()
    let composite = writer.addIntegers([20 | 4 << 5, 20 | 4 << 5])
    let refs = writer.addRefs([0, 0])
    let leaf = writer.addRefs([composite, 0, 0, 0, refs, 0])
    writer.set(refs, 0, to: leaf)
    writer.set(refs, 1, to: leaf)
    let (reading, report) = try examine(
      writer.file(mixed: leaf, key: HostileFileTests.mixedKey))
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }

  @Test func millionsOfNulls() throws {
    var writer = NodeWriter()
    let nulls = writer.addNothing(count: 0xFF_FFFF)
    let values = writer.addRefs([nulls, 0, 0, 0, 0, 0])
    let composite = writer.addIntegers((0..<100).map { 20 | 4 << 5 | $0 << 8 })
    let refs = writer.addRefs(Array(repeating: values, count: 100))
    let leaf = writer.addRefs([composite, 0, 0, 0, refs, 0])
    let (reading, report) = try examine(
      writer.file(mixed: leaf, key: HostileFileTests.mixedKey))
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }

  @Test func objectsThatTakeNoSpace() throws {
    var writer = NodeWriter()
    let root = writer.addRefs([NodeWriter.tagged(1 << 60)])
    let empty = writer.addNothing(count: 0)
    let names = writer.addNames([])
    let table = writer.addTable(empty, names: names, attributes: empty, types: empty, root: root)
    let (reading, report) = try examine(writer.finish(table: table))
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }

  @Test(arguments: [24, 9] as [UInt8])
  func columnsThatTakeNoSpace(_ version: UInt8) throws {
    var writer = NodeWriter()
    let none = writer.addNothing(count: 65_536)
    let names = writer.addNothing(count: 65_536, flags: 0x08)
    let table: Int64
    if version >= 10 {
      let root = writer.addRefs([NodeWriter.tagged(0)])
      table = writer.addTable(none, names: names, attributes: none, types: none, root: root)
    } else {
      let spec = writer.addRefs([none, names, none])
      let rows = writer.addNothing(count: 0xFF_FFFF)
      table = writer.addRefs([spec, writer.addRefs(Array(repeating: rows, count: 300))])
    }
    let (reading, report) = try examine(writer.finish(table: table, version: version))
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }

  @Test func rowsWithoutColumns() throws {
    var writer = NodeWriter()
    // Backlink columns have no names: the only column is hidden and says how many rows there are.
    let types = writer.addIntegers([14])
    let names = writer.addNames([])
    let attributes = writer.addIntegers([0])
    let subspecs = writer.addRefs([1, 1])
    let spec = writer.addRefs([types, names, attributes, subspecs])
    let leaf = writer.addNothing(count: 1, flags: 0x40)
    let root = writer.add([3, leaf, NodeWriter.tagged(1 << 61)], flags: 0xC7)
    let table = writer.addRefs([spec, writer.addRefs([root])])
    let (reading, report) = try examine(writer.finish(table: table, version: 9))
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }

  @Test func tablesThatAreTheSame() throws {
    var writer = NodeWriter()
    let types = writer.addNothing(count: 1000)
    let columnNames = writer.addNothing(count: 1000, flags: 0x08)
    let spec = writer.addRefs([types, columnNames, types])
    let rows = writer.addNothing(count: 100_000)
    let table = writer.addRefs([spec, writer.addRefs(Array(repeating: rows, count: 1000))])
    let names = writer.addNames((0..<2000).map { "class_\($0)" })
    let tables = writer.addRefs(Array(repeating: table, count: 2000))
    var file = writer.finish(table: table, version: 9)
    let top = file.count - 32
    for (slot, ref) in [(0, names), (1, tables)] {
      for i in 0..<8 {
        file[top + 8 + 8 * slot + i] = UInt8(truncatingIfNeeded: ref >> Int64(8 * i))
      }
    }
    let (reading, report) = try examine(file)
    #expect(reading.errors > 0)
    #expect(!report.isGood)
  }
}

extension NodeWriter {
  /// A file with one object, whose mixed value is a list with a given root.
  mutating func file(mixed list: Int64, key: Int64) -> [UInt8] {
    let composite = addIntegers([20 | 4 << 5])
    let leaf = addRefs([composite, 0, 0, 0, addRefs([list]), 0])
    let root = addRefs([NodeWriter.tagged(1), leaf])
    let keys = addIntegers([key])
    let types = addIntegers([6])
    let attributes = addIntegers([16])
    let table = addTable(
      keys, names: addNames(["value"]), attributes: attributes, types: types, root: root)
    return finish(table: table)
  }
}
