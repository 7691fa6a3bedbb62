import RealmValues

/// Reads a table of versions 2 to 9.
///
/// The table top has two slots, spec and columns. The spec: 0 types, 1 names, 2 attributes,
/// 3 subspecs, 4 enumerated strings. Subspecs and enumerated strings have entries only for the
/// columns that need them, in column order: a subtable one (its spec), a link or a list of links
/// one (the target table), a backlink column two (origin table and column).
///
/// Source: file-format.md 9.6, 9.8, 9.13.
struct OldTableReader {
  private let name: String
  private let position: Int
  private let view: FileView
  private let format: FileFormat
  private let file: RealmFile

  private let types: NodeView
  private let names: [String]
  private let attributes: NodeView
  private let subspecs: NodeView?
  private let enumerated: NodeView?
  private let roots: NodeView

  /// Old type numbers that are not in use any more.
  private enum OldType {
    static let enumeratedString = 3
    static let subtable = 5
    static let mixed = 6
    static let date = 7
    static let linkList = 13
    static let backlink = 14
  }

  init(
    name: String, position: Int, ref: Int64, in view: FileView, format: FileFormat, file: RealmFile
  ) throws(StorageError) {
    self.name = name
    self.position = position
    self.view = view
    self.format = format
    self.file = file
    let top = try view.refs(at: ref, minimumCount: 2)
    guard top.count == 2 else {
      throw .damage(.tooManyElements, at: top.offset, found: top.count, limit: 2)
    }
    let spec = try view.refs(at: try view.ref(top, 0), minimumCount: 3)
    types = try view.integers(at: try view.ref(spec, 0))
    names = try TableReader.names(at: try view.ref(spec, 1), in: view)
    attributes = try view.integers(at: try view.ref(spec, 2))
    subspecs = try OldTableReader.optional(spec, 3, view)
    enumerated = try OldTableReader.optional(spec, 4, view)
    roots = try view.refs(at: try view.ref(top, 1))
    guard types.count == attributes.count, names.count <= types.count,
      types.count <= TableReader.maximumCount
    else {
      throw .damage(.countMismatch, at: spec.offset, found: attributes.count, limit: types.count)
    }
    try view.charge(types.count, at: spec.offset)
  }

  private static func optional(
    _ node: NodeView, _ slot: Int, _ view: FileView
  ) throws(StorageError) -> NodeView? {
    guard let ref = try view.optionalRef(node, slot) else { return nil }
    return try view.refs(at: ref)
  }

  /// Reads the whole description.
  ///
  /// - Parameter isDamaged: Whether the first column need not tell the number of rows.
  func table(isDamaged: Bool = false) throws(StorageError) -> StoredTable {
    var columns: [StoredColumn] = []
    var backlinks: [StoredBacklink] = []
    var broken: [(name: String, error: StorageError)] = []
    var seen: Set<String> = []
    var (slot, subspec, unique) = (0, 0, 0)
    for i in 0..<types.count {
      let type = Int(types[i])
      let isIndexed = attributes[i] & 1 != 0
      let place = Place(column: i, slot: slot, subspec: subspec, unique: unique)
      slot += isIndexed ? 2 : 1
      switch type {
      case OldType.subtable, OldType.linkList, Int(ValueKind.link.rawValue): subspec += 1
      case OldType.backlink: subspec += 2
      case OldType.enumeratedString: unique += 1
      default: break
      }
      if type == OldType.backlink {
        backlinks.append(try backlink(place))
        continue
      }
      guard i < names.count else {
        throw .damage(.countMismatch, at: types.offset, found: names.count, limit: i + 1)
      }
      let name = uniqueName(i, &seen)
      if name.hasPrefix("!") { continue }
      do throws(StorageError) {
        columns.append(try column(place, name: name, type: type, isIndexed: isIndexed))
      } catch {
        broken.append((name, error))
      }
    }
    var count: Int
    do throws(StorageError) {
      count = try rowCount()
    } catch {
      guard isDamaged else { throw error }
      count = columns.lazy.compactMap { otherRowCount($0) }.max() ?? 0
    }
    if isDamaged { count = min(count, view.byteCount * 8) }
    let trees = StoredColumnTrees(roots: roots, rowCount: count)
    return StoredTable(
      name: name, key: TableKey(UInt32(position)), kind: .topLevel, columns: columns,
      backlinks: backlinks, primaryKey: nil, brokenColumns: broken, layout: .trees(trees),
      format: format, view: view, file: file)
  }

  /// Where the parts of a column stand.
  private struct Place {
    var column: Int
    var slot: Int
    var subspec: Int
    var unique: Int
  }

  private func uniqueName(_ i: Int, _ seen: inout Set<String>) -> String {
    let name = names[i].isEmpty ? "col_\(i)" : names[i]
    return seen.insert(name).inserted ? name : "\(name)_\(i)"
  }

  private func column(
    _ place: Place, name: String, type: Int, isIndexed: Bool
  ) throws(StorageError) -> StoredColumn {
    var valueType: LeafType
    let kind: ValueKind
    var collection = StoredColumn.Collection.none
    var unique: UniqueStrings?
    let isNullable = attributes[place.column] & 16 != 0
    switch type {
    case OldType.enumeratedString:
      kind = .string
      unique = try uniqueStrings(place, isNullable: isNullable)
      valueType = LeafType(layout: .string, isNullable: isNullable, isOld: true)
      valueType.unique = unique.map { Unmanaged.passUnretained($0) }
    case OldType.linkList, Int(ValueKind.link.rawValue):
      kind = .link
      collection = type == OldType.linkList ? .list : .none
      valueType = LeafType(
        layout: collection == .list ? .key : .link, isNullable: false,
        target: try linkedTable(place), isOld: true)
    case OldType.subtable:
      (kind, valueType) = try subtableColumn(place)
      collection = .list
    default:
      (kind, valueType) = try scalar(type, isNullable: isNullable)
    }
    let nullable = kind == .link ? collection == .none : valueType.isNullable
    return StoredColumn(
      name: name, key: key(place.column, kind, collection, isNullable: nullable), kind: kind,
      collection: collection, isNullable: nullable, hasIndex: isIndexed,
      isMarkedIndexed: isIndexed, hasFullTextIndex: false, target: valueType.target,
      valueType: valueType, slot: place.slot, unique: unique)
  }

  /// A key as later versions would have made it.
  private func key(
    _ index: Int, _ kind: ValueKind, _ collection: StoredColumn.Collection, isNullable: Bool
  ) -> ColumnKey {
    var attributes: UInt64 = isNullable ? 16 : 0
    if collection == .list { attributes |= 32 }
    return ColumnKey(UInt64(index) | UInt64(kind.rawValue) << 16 | attributes << 22)
  }

  private func scalar(
    _ type: Int, isNullable: Bool
  ) throws(StorageError) -> (ValueKind, LeafType) {
    func of(_ kind: ValueKind, _ layout: LeafLayout) -> (ValueKind, LeafType) {
      (kind, LeafType(layout: layout, isNullable: isNullable, isOld: true))
    }
    switch type {
    case 0: return of(.int, .int)
    case 1: return of(.bool, .bool)
    case 2: return of(.string, .string)
    case 4: return of(.data, .data)
    case OldType.date: return of(.date, .oldDate)
    case 8: return of(.date, .date)
    case 9: return of(.float, .float)
    case 10: return of(.double, .double)
    default: throw .damage(.unknownType, at: types.offset, found: type)
    }
  }

  /// The only column of a subtable: the elements of a list of values.
  private func subtableColumn(_ place: Place) throws(StorageError) -> (ValueKind, LeafType) {
    guard let subspecs else { throw .damage(.missingRef, at: types.offset, found: place.subspec) }
    let spec = try view.refs(at: try view.ref(subspecs, place.subspec), minimumCount: 3)
    let types = try view.integers(at: try view.ref(spec, 0))
    let attributes = try view.integers(at: try view.ref(spec, 2))
    guard types.count == 1, attributes.count == 1 else {
      throw .damage(.countMismatch, at: spec.offset, found: types.count, limit: 1)
    }
    return try scalar(Int(types[0]), isNullable: attributes[0] & 16 != 0)
  }

  private func linkedTable(_ place: Place) throws(StorageError) -> TableKey {
    guard let subspecs, let table = try view.tagged(subspecs, place.subspec), table >= 0,
      table < Int64(TableReader.maximumCount)
    else { throw .damage(.notTagged, at: types.offset, found: place.subspec) }
    return TableKey(UInt32(table))
  }

  private func backlink(_ place: Place) throws(StorageError) -> StoredBacklink {
    guard let subspecs, let table = try view.tagged(subspecs, place.subspec),
      let column = try view.tagged(subspecs, place.subspec + 1), table >= 0, column >= 0,
      table < Int64(TableReader.maximumCount), column < Int64(TableReader.maximumCount)
    else { throw .damage(.notTagged, at: types.offset, found: place.subspec) }
    // Only the index is known here; `Snapshot` looks up the rest of the key.
    return StoredBacklink(
      originTable: TableKey(UInt32(table)), originColumn: ColumnKey(UInt64(column)),
      slot: place.slot)
  }

  private func uniqueStrings(
    _ place: Place, isNullable: Bool
  ) throws(StorageError) -> UniqueStrings {
    guard let enumerated else { throw .damage(.missingRef, at: types.offset, found: place.unique) }
    return try UniqueStrings(
      root: try view.ref(enumerated, place.unique), in: view, isNullable: isNullable, isOld: true)
  }

  /// The number of rows: the size of the first column, public or not.
  func rowCount() throws(StorageError) -> Int {
    guard types.count > 0 else { return 0 }
    let root = try view.ref(roots, 0)
    let type = Int(types[0])
    let isNullable = attributes[0] & 16 != 0
    var leafType: LeafType
    switch type {
    case OldType.enumeratedString: leafType = LeafType(layout: .int, isNullable: false)
    case OldType.subtable, OldType.linkList, OldType.backlink:
      leafType = LeafType(layout: .collection, isNullable: false)
    case Int(ValueKind.link.rawValue): leafType = LeafType(layout: .int, isNullable: false)
    case OldType.mixed:
      let pair = try view.refs(at: root, minimumCount: 2)
      return try elementCount(
        root: try view.ref(pair, 0), LeafType(layout: .int, isNullable: false, isOld: true))
    case 8:
      let pair = try view.refs(at: root, minimumCount: 2)
      return try elementCount(
        root: try view.ref(pair, 0), LeafType(layout: .int, isNullable: true, isOld: true))
    default: leafType = try scalar(type, isNullable: isNullable).1
    }
    leafType.isOld = true
    return try elementCount(root: root, leafType)
  }

  /// The number of rows by another column; nil if that cannot be read either.
  private func otherRowCount(_ column: StoredColumn) -> Int? {
    var type = column.leafType
    type.isOld = true
    guard type.layout != .date, let root = try? view.ref(roots, column.slot) else { return nil }
    return try? elementCount(root: root, type)
  }

  private func elementCount(root: Int64, _ type: LeafType) throws(StorageError) -> Int {
    let node = try view.node(at: root)
    if let total = try BPlusTreeCursor.elementCount(ofInner: node) { return total }
    return try ColumnLeaf(node, type, in: view).count
  }
}
