import RealmValues

/// Reads the top array of a table, from version 10 on.
///
///     slot  content                          slot  content
///        0  spec                                7  opposite tables
///        2  cluster tree                        8  opposite columns
///        3  tagged: table key                  11  tagged: column key of the primary key
///        4  search indexes                     12  tagged: flags; bits 0 and 1: kind of table
///
/// The spec: 0 types, 1 names, 2 attributes, 4 enumerated strings, 5 column keys.
///
/// Source: file-format.md 6.3, 6.4, 6.5.
struct TableReader {
  /// Most columns and tables.
  static let maximumCount = 65_536

  private let name: String
  private let top: NodeView
  private let view: FileView
  private let format: FileFormat
  private let file: RealmFile

  private let types: NodeView
  private let names: [String]
  /// Nil if they are lost.
  private let attributes: NodeView?
  private let keys: NodeView
  private let oppositeTables: NodeView?
  private let oppositeColumns: NodeView?
  private let indexes: NodeView?
  private let enumerated: NodeView?
  private let isDamaged: Bool

  /// - Parameter isDamaged: Whether what a table can do without may be missing.
  init(
    name: String, ref: Int64, in view: FileView, format: FileFormat, file: RealmFile,
    isDamaged: Bool = false
  ) throws(StorageError) {
    self.name = name
    self.view = view
    self.format = format
    self.file = file
    self.isDamaged = isDamaged
    top = try view.refs(at: ref, minimumCount: 12)
    let spec = try view.refs(at: try view.ref(top, 0), minimumCount: 6)
    keys = try view.integers(at: try view.ref(spec, 5))
    // Names are made up where they are lost; the column keys tell types, too.
    let (keys, top) = (keys, top)
    types = try TableReader.part(orElse: isDamaged ? keys : nil) { () throws(StorageError) in
      try view.integers(at: try view.ref(spec, 0))
    }
    attributes = try TableReader.part(orElse: isDamaged ? .some(nil) : nil) {
      () throws(StorageError) in try view.integers(at: try view.ref(spec, 2))
    }
    names = try TableReader.part(orElse: isDamaged ? TableReader.madeUpNames(keys) : nil) {
      () throws(StorageError) in
      try TableReader.names(at: try view.ref(spec, 1), in: view)
    }
    enumerated = try TableReader.part(orElse: isDamaged ? .some(nil) : nil) {
      () throws(StorageError) in
      guard let ref = try view.optionalRef(spec, 4) else { return nil }
      return try view.refs(at: ref)
    }
    oppositeTables = try TableReader.part(orElse: isDamaged ? .some(nil) : nil) {
      () throws(StorageError) in try TableReader.optional(top, 7, view)
    }
    oppositeColumns = try TableReader.part(orElse: isDamaged ? .some(nil) : nil) {
      () throws(StorageError) in try TableReader.optional(top, 8, view)
    }
    indexes = try TableReader.part(orElse: isDamaged ? .some(nil) : nil) {
      () throws(StorageError) in
      guard let ref = try view.optionalRef(top, 4) else { return nil }
      return try view.refs(at: ref)
    }
    guard types.count == attributes?.count ?? types.count, types.count == keys.count,
      names.count <= types.count
    else {
      throw .damage(.countMismatch, at: spec.offset, found: keys.count, limit: types.count)
    }
    guard types.count <= TableReader.maximumCount else {
      throw .damage(
        .tooManyElements, at: spec.offset, found: types.count, limit: TableReader.maximumCount)
    }
    try view.charge(types.count, at: spec.offset)
  }

  /// Reads a part; if that fails, what stands for it in a damaged file.
  private static func part<Part>(
    orElse other: Part?, _ body: () throws(StorageError) -> Part
  ) throws(StorageError) -> Part {
    do throws(StorageError) {
      return try body()
    } catch {
      guard let other else { throw error }
      return other
    }
  }

  /// A name for each column that is not hidden.
  private static func madeUpNames(_ keys: NodeView) -> [String] {
    var names: [String] = []
    for i in 0..<min(keys.count, maximumCount) {
      let key = ColumnKey(UInt64(bitPattern: keys[i]))
      if key.typeNumber == TableEditor.backlinkType { break }
      names.append("column\(i + 1)")
    }
    return names
  }

  private static func optional(
    _ node: NodeView, _ slot: Int, _ view: FileView
  ) throws(StorageError) -> NodeView? {
    guard let ref = try view.optionalRef(node, slot) else { return nil }
    return try view.integers(at: ref)
  }

  /// The names in a node of short strings, which has no nulls.
  static func names(at ref: Int64, in view: FileView) throws(StorageError) -> [String] {
    let leaf = try StringLeaf(
      try view.node(at: ref), in: view, isNullable: false, isOld: false)
    guard leaf.count <= maximumCount else {
      throw .damage(.tooManyElements, at: Int(ref), found: leaf.count, limit: maximumCount)
    }
    var result: [String] = []
    result.reserveCapacity(leaf.count)
    for row in 0..<leaf.count {
      let bytes = try leaf.value(at: row) ?? UnsafeRawBufferPointer(start: nil, count: 0)
      result.append(String(decoding: bytes, as: UTF8.self))
    }
    return result
  }

  /// Reads the whole description.
  func table(key position: Int) throws(StorageError) -> StoredTable {
    guard let tableKey = try view.tagged(top, 3), Int(tableKey & 0xFFFF) == position else {
      throw .damage(.badIndex, at: top.offset, found: Int(top[3] >> 1), limit: position)
    }
    var columns: [StoredColumn] = []
    var broken: [(name: String, error: StorageError)] = []
    var seen: Set<String> = []
    for i in names.indices where !names[i].hasPrefix("!") {
      do throws(StorageError) {
        let column = try column(i)
        guard seen.insert(column.name).inserted else {
          throw .damage(.countMismatch, at: top.offset, found: 2, limit: 1)
        }
        columns.append(column)
      } catch {
        broken.append((names[i], error))
      }
    }
    var primaryKey: Int?
    if let raw = try view.tagged(top, 11) {
      let columnKey = ColumnKey(UInt64(bitPattern: raw))
      primaryKey = columns.firstIndex { $0.key == columnKey }
    }
    let flags = try view.tagged(top, 12) ?? 0
    let root = isDamaged ? (try? view.ref(top, 2)) ?? 0 : try view.ref(top, 2)
    let tree =
      isDamaged ? ClusterTree(damaged: root, in: view) : try ClusterTree(root: root, in: view)
    return StoredTable(
      name: name, key: TableKey(UInt32(truncatingIfNeeded: tableKey)),
      kind: StoredTable.Kind(rawValue: Int(flags & 3)) ?? .topLevel, columns: columns,
      backlinks: backlinks(), primaryKey: primaryKey, brokenColumns: broken,
      layout: .clusters(tree), format: format, view: view, file: file)
  }

  private func column(_ i: Int) throws(StorageError) -> StoredColumn {
    let key = ColumnKey(UInt64(bitPattern: keys[i]))
    let attributes = ColumnAttributes(
      rawValue: UInt32(truncatingIfNeeded: self.attributes?[i] ?? 0))
    let number = key.typeNumber
    let isOldLinkList = number == 13
    let collection: StoredColumn.Collection =
      if isOldLinkList || key.attributes.contains(.list) {
        .list
      } else if key.attributes.contains(.set) {
        .set
      } else if key.attributes.contains(.dictionary) {
        .dictionary
      } else {
        .none
      }
    let kind = isOldLinkList ? .link : ValueKind(rawValue: UInt8(truncatingIfNeeded: number))
    guard let kind else { throw .damage(.unknownType, at: keys.offset, found: number) }
    let target = kind == .link ? opposite(key.index) : nil
    if kind == .link, target == nil {
      throw .damage(.badIndex, at: top.offset, found: key.index, limit: 0)
    }
    let unique = try uniqueStrings(i, isNullable: key.attributes.contains(.nullable))
    let indexRoot = try TableReader.part(orElse: isDamaged ? .some(nil) : nil) {
      () throws(StorageError) -> Int64? in
      guard let indexes else { return nil }
      return try view.optionalRef(indexes, key.index)
    }
    return StoredColumn(
      name: names[i], key: key, kind: kind, collection: collection,
      isNullable: key.attributes.contains(.nullable),
      hasIndex: indexRoot != nil && !attributes.contains(.fullText),
      isMarkedIndexed: attributes.contains(.indexed),
      hasFullTextIndex: attributes.contains(.fullText), target: target,
      valueType: LeafType(
        layout: TableReader.layout(kind, collection),
        isNullable: key.attributes.contains(.nullable), target: target,
        unique: unique.map { Unmanaged.passUnretained($0) }),
      slot: key.index, unique: unique, indexRoot: indexRoot ?? 0)
  }

  static func layout(
    _ kind: ValueKind, _ collection: StoredColumn.Collection
  ) -> LeafLayout {
    switch kind {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .data: .data
    case .mixed: .mixed
    case .date: .date
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: collection == .none ? .link : .key
    case .objectID: .objectID
    case .typedLink: .typedLink
    case .uuid: .uuid
    }
  }

  private func opposite(_ index: Int) -> TableKey? {
    guard let oppositeTables, index < oppositeTables.count else { return nil }
    let raw = oppositeTables[index]
    return raw >= 0 && raw < 0x7FFF_FFFF ? TableKey(UInt32(raw)) : nil
  }

  private func uniqueStrings(
    _ i: Int, isNullable: Bool
  ) throws(StorageError) -> UniqueStrings? {
    guard let enumerated, let ref = try view.optionalRef(enumerated, i) else { return nil }
    return try UniqueStrings(root: ref, in: view, isNullable: isNullable, isOld: false)
  }

  private func backlinks() -> [StoredBacklink] {
    guard let oppositeColumns else { return [] }
    var result: [StoredBacklink] = []
    for i in names.count..<types.count {
      let key = ColumnKey(UInt64(bitPattern: keys[i]))
      guard let table = opposite(key.index), key.index < oppositeColumns.count else { continue }
      result.append(
        StoredBacklink(
          originTable: table,
          originColumn: ColumnKey(UInt64(bitPattern: oppositeColumns[key.index])),
          slot: key.index))
    }
    return result
  }
}
