import RealmValues

/// Leaves of mixed values.
///
/// Source: file-format.md 3.11, file-format-writing.md 8.1, 8.9.
extension LeafEditor {
  /// The nested collection of a row; nil if it holds a scalar.
  func nested(_ node: NodeView, _ row: Int) throws(StorageError) -> Cell? {
    let code = try store.element(try store.view.ref(node, 0), row)
    let type = Int(code & 0x1F) - 1
    guard code != 0, type == 19 || type == 21 else { return nil }
    let roots = try store.view.ref(node, 4)
    let root = try store.element(roots, Int(code >> 8))
    var key: Int64 = 0
    if let keys = try store.view.optionalRef(node, 5), row < (try store.count(keys)) {
      key = try store.element(keys, row)
    }
    return .nested(isList: type == 19, root: root, key: key)
  }

  /// Payload arrays of a leaf while it is made.
  struct Payload {
    var composite: [Int64] = []
    var ints: [Int64] = []
    var pairs: [Int64] = []
    var texts: [[UInt8]?] = []
    var roots: [Int64] = []
    var keys: [Int64] = []

    mutating func add(_ type: Int, slot: Int, _ number: Int) {
      composite.append(Int64(number) << 8 | Int64(slot) << 5 | Int64(type + 1))
    }

    mutating func add(_ type: ValueKind, int: Int64) {
      add(Int(type.rawValue), slot: 1, ints.count)
      ints.append(int)
    }

    mutating func add(_ type: ValueKind, _ first: Int64, _ second: Int64) {
      add(Int(type.rawValue), slot: 2, pairs.count / 2)
      pairs += [first, second]
    }

    mutating func add(_ type: ValueKind, bytes: [UInt8]) throws(StorageError) {
      guard bytes.count <= LeafEditor.maximumTextByteCount else { throw .rejected(.valueTooLong) }
      add(Int(type.rawValue), slot: 3, texts.count)
      texts.append(bytes)
    }

    mutating func add(_ value: ScalarValue) throws(StorageError) {
      switch value {
      case .null: composite.append(0)
      case .bool(let value): composite.append((value ? 1 : 0) << 8 | 2)
      case .int(let value):
        if Int32(exactly: value) != nil {
          composite.append(value << 8 | 1)
        } else {
          add(.int, int: value)
        }
      case .float(let value): add(.float, int: Int64(value.bitPattern))
      case .double(let value): add(.double, int: Int64(bitPattern: value.bitPattern))
      case .decimal(let value):
        if value.isNull { return composite.append(0) }
        add(.decimal, Int64(bitPattern: value.low), Int64(bitPattern: value.high))
      case .date(let value): add(.date, value.seconds, Int64(value.nanoseconds))
      case .link(let table, let key): add(.typedLink, Int64(table.rawValue), key.rawValue)
      case .string(let bytes): try add(.string, bytes: bytes)
      case .data(let bytes): try add(.data, bytes: bytes)
      case .objectID(let value): try add(.objectID, bytes: value.withBytes { Array($0) })
      case .uuid(let value): try add(.uuid, bytes: value.withBytes { Array($0) })
      case .key: throw .wrongType
      }
    }
  }

  /// Makes a leaf.
  func makeMixed(_ cells: [Cell]) throws(StorageError) -> Int64 {
    var payload = Payload()
    for cell in cells {
      var key: Int64 = 0
      switch cell {
      case .value(let value): try payload.add(value)
      case .nested(let isList, let root, let own):
        payload.add(isList ? 19 : 21, slot: 4, payload.roots.count)
        payload.roots.append(root)
        key = own
      case .raw: throw .wrongType
      }
      payload.keys.append(key)
    }
    // A node of keys has as many elements as the leaf has rows, or does not exist.
    let hasKeys = payload.keys.contains { $0 != 0 }
    let slots = [
      try store.makeIntegers(payload.composite),
      payload.ints.isEmpty ? 0 : try store.makeIntegers(payload.ints),
      payload.pairs.isEmpty ? 0 : try store.makeIntegers(payload.pairs),
      payload.texts.isEmpty ? 0 : try LeafEditor.makeStrings(payload.texts, store),
      payload.roots.isEmpty ? 0 : try store.makeIntegers(payload.roots, .refs),
      hasKeys ? try store.makeIntegers(payload.keys) : 0,
    ]
    return try store.makeIntegers(slots, .refs)
  }
}
