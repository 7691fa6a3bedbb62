/// Which bytes of an undamaged file each object needs, found by a walk over the nodes of its own.
///
/// An object needs the top node of its table, the description of the table, the inner nodes above
/// it and the nodes that its values are in. What can be found or rebuilt is not needed: header, top
/// node, list of tables, names of tables, free space, history, indexes, backlinks. In versions 2 to
/// 9 nothing but the list tells which table is which: there it is needed.
///
/// Source: file-format.md 2, 5, 6, 9.6.
struct RecoveryOracle {
  /// Objects that need the same bytes.
  struct Group {
    let table: String
    let keys: [Int64]
    let ranges: [Range<Int>]
  }

  private(set) var groups: [Group] = []
  /// What is needed to know how many objects a table has, by table.
  private(set) var roots: [String: [Range<Int>]] = [:]
  /// What is needed to know the names of tables.
  private(set) var names: [Range<Int>] = []
  private let bytes: [UInt8]

  /// - Parameter rowCounts: Numbers of rows of the tables, in versions 2 to 9; nil in others.
  init(bytes: [UInt8], top: Int, rowCounts: [String: Int]?) {
    self.bytes = bytes
    guard let node = node(top), let tables = node.ref(1).flatMap({ self.node($0) }),
      let namesRef = node.ref(0)
    else { return }
    let names = names(at: namesRef)
    self.names = [node.range] + subtree(namesRef)
    for position in 0..<min(tables.count, names.count) {
      guard let ref = tables.ref(position), let table = self.node(ref) else { continue }
      if let rowCounts {
        guard names[position] != "pk" else { continue }
        walkOld(table, names[position], [tables.range], rowCounts[names[position]] ?? 0)
      } else {
        walk(table, names[position])
      }
    }
  }

  /// One node of the file.
  private struct Node {
    let range: Range<Int>
    let flags: UInt8
    let count: Int
    let width: Int
    let bytes: ArraySlice<UInt8>

    var hasRefs: Bool { flags & 0x40 != 0 }
    var isInner: Bool { flags & 0x80 != 0 }

    func element(_ index: Int, isUnsigned: Bool = false) -> Int64 {
      let start = bytes.startIndex
      if width == 0 { return 0 }
      if width < 8 {
        let bit = index * width
        return Int64(bytes[start + bit / 8] >> UInt8(bit % 8)) & ((1 << Int64(width)) - 1)
      }
      var value: UInt64 = 0
      for i in 0..<(width / 8) {
        value |= UInt64(bytes[start + index * width / 8 + i]) << UInt64(8 * i)
      }
      if isUnsigned || width == 64 { return Int64(bitPattern: value) }
      let shift = UInt64(64 - width)
      return Int64(bitPattern: value << shift) >> Int64(shift)
    }

    func ref(_ index: Int) -> Int? {
      guard hasRefs, index < count else { return nil }
      let value = element(index)
      return value != 0 && value & 1 == 0 ? Int(value) : nil
    }
  }

  private func node(_ ref: Int) -> Node? {
    guard ref & 7 == 0, ref >= 24, ref + 8 <= bytes.count else { return nil }
    let flags = bytes[ref + 4]
    let count = Int(bytes[ref + 5]) << 16 | Int(bytes[ref + 6]) << 8 | Int(bytes[ref + 7])
    let width = (1 << Int(flags & 7)) >> 1
    let size =
      switch flags & 0x18 {
      case 0: (count * width + 7) / 8
      case 8: count * width
      default: count
      }
    guard ref + 8 + size <= bytes.count else { return nil }
    return Node(
      range: ref..<(ref + 8 + size), flags: flags, count: count,
      width: flags & 0x18 == 0 ? width : width * 8, bytes: bytes[(ref + 8)..<(ref + 8 + size)])
  }

  /// The bytes of a node and of all below it.
  private func subtree(_ ref: Int) -> [Range<Int>] {
    guard let node = node(ref) else { return [] }
    var result = [node.range]
    guard node.hasRefs, node.flags & 0x18 == 0 else { return result }
    for i in 0..<node.count {
      if let child = node.ref(i) { result += subtree(child) }
    }
    return result
  }

  private func subtree(_ node: Node, _ slots: [Int]) -> [Range<Int>] {
    slots.flatMap { slot in node.ref(slot).map { subtree($0) } ?? [] }
  }

  /// Texts of fixed width, whose last byte counts what is not used.
  private func names(at ref: Int) -> [String] {
    guard let node = node(ref) else { return [] }
    let width = node.width / 8
    guard width > 0 else { return Array(repeating: "", count: node.count) }
    return (0..<node.count).map { i in
      let start = node.bytes.startIndex + i * width
      let rest = Int(node.bytes[start + width - 1])
      return String(decoding: node.bytes[start..<(start + max(0, width - 1 - rest))], as: UTF8.self)
    }
  }

  // MARK: From version 10 on

  private mutating func walk(_ table: Node, _ name: String) {
    guard let spec = table.ref(0).flatMap({ node($0) }), let root = table.ref(2) else { return }
    let path =
      [table.range, spec.range] + subtree(spec, [0, 1, 2, 4, 5]) + subtree(table, [7, 8])
    roots[name] = path
    if let node = node(root) {
      roots[name] = path + [node.range] + (node.isInner ? [] : subtree(node, [0]))
    }
    var columns: [Int] = []
    if let keys = spec.ref(5).flatMap({ node($0) }) {
      for i in 0..<keys.count where keys.element(i) >> 16 & 0x3F != 14 {
        columns.append(Int(keys.element(i) & 0xFFFF))
      }
    }
    walkCluster(root, 0, name, path, columns)
  }

  private mutating func walkCluster(
    _ ref: Int, _ base: Int64, _ name: String, _ path: [Range<Int>], _ columns: [Int]
  ) {
    guard let node = node(ref) else { return }
    let keys = node.ref(0).flatMap { self.node($0) }
    let path = path + [node.range] + (keys.map { [$0.range] } ?? [])
    if node.isInner {
      let depth = node.element(1) >> 1
      for child in 0..<(node.count - 3) {
        guard let next = node.ref(child + 3) else { continue }
        let offset =
          keys?.element(child, isUnsigned: true) ?? Int64(child) << (8 * depth)
        walkCluster(next, base &+ offset, name, path, columns)
      }
      return
    }
    let count = keys?.count ?? Int(node.element(0) >> 1)
    let objects = (0..<count).map { base &+ (keys?.element($0, isUnsigned: true) ?? Int64($0)) }
    let values = columns.flatMap { column in node.ref(column + 1).map { subtree($0) } ?? [] }
    groups.append(Group(table: name, keys: objects, ranges: path + values))
  }

  // MARK: Versions 2 to 9

  private mutating func walkOld(
    _ table: Node, _ name: String, _ common: [Range<Int>], _ rowCount: Int
  ) {
    guard let specRef = table.ref(0), let spec = node(specRef),
      let columns = table.ref(1).flatMap({ node($0) }),
      let types = spec.ref(0).flatMap({ node($0) }),
      let attributes = spec.ref(2).flatMap({ node($0) })
    else { return }
    let path = common + [table.range, columns.range] + subtree(specRef)
    var parts: [Part] = []
    var slot = 0
    for i in 0..<types.count {
      if let ref = columns.ref(slot), types.element(i) != 14 {
        parts += columnParts(ref, isPair: types.element(i) == 8, rowCount)
        if i == 0 { roots[name] = path + (node(ref).map { [$0.range] } ?? []) }
      }
      slot += attributes.element(i) & 1 != 0 ? 2 : 1
    }
    let starts = Set(parts.map(\.rows.lowerBound)).sorted()
    for (i, start) in starts.enumerated() {
      let rows = start..<(i + 1 < starts.count ? starts[i + 1] : rowCount)
      let ranges = parts.filter { $0.rows.overlaps(rows) }.flatMap(\.ranges)
      groups.append(Group(table: name, keys: rows.map { Int64($0) }, ranges: path + ranges))
    }
  }

  /// Rows of a column that need the same bytes.
  private struct Part {
    let rows: Range<Int>
    let ranges: [Range<Int>]
  }

  /// - Parameter isPair: Whether the column is of timestamps: two trees below a node.
  private func columnParts(_ ref: Int, isPair: Bool, _ rowCount: Int) -> [Part] {
    guard isPair, let pair = node(ref) else { return treeParts(ref, 0..<rowCount, []) }
    return [0, 1].flatMap { slot in
      pair.ref(slot).map { treeParts($0, 0..<rowCount, [pair.range]) } ?? []
    }
  }

  private func treeParts(_ ref: Int, _ rows: Range<Int>, _ path: [Range<Int>]) -> [Part] {
    guard let node = node(ref), !rows.isEmpty else { return [] }
    guard node.isInner else { return [Part(rows: rows, ranges: path + subtree(ref))] }
    let offsets = node.ref(0).flatMap { self.node($0) }
    let path = path + [node.range] + (offsets.map { [$0.range] } ?? [])
    let childCount = node.count - 2
    return (0..<childCount).flatMap { child -> [Part] in
      let start = { (child: Int) -> Int in
        if child == 0 { return 0 }
        if child == childCount { return rows.count }
        return offsets.map { Int($0.element(child - 1, isUnsigned: true)) }
          ?? child * Int(node.element(0) >> 1)
      }
      guard let next = node.ref(child + 1) else { return [] }
      return treeParts(
        next, (rows.lowerBound + start(child))..<(rows.lowerBound + start(child + 1)), path)
    }
  }
}
