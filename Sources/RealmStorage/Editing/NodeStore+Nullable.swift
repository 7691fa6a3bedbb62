/// Nullable integer leaves: element 0 stands for null, the rows follow.
///
/// The number that stands for null is the largest one of the width; of 64 bits, any that no row
/// has.
///
/// Source: file-format-writing.md 8.1.
extension NodeStore {
  /// The number that stands for null in a width below 64.
  private static func nullNumber(_ width: Int) -> Int64 {
    switch width {
    case 0: 0
    case 1, 2, 4: (1 << Int64(width)) - 1
    default: (1 << Int64(width - 1)) - 1
    }
  }

  /// Makes a leaf.
  func makeNullable(_ values: [Int64?]) throws(StorageError) -> Int64 {
    var width = 0
    for case let value? in values { width = max(width, NodeStore.width(of: value)) }
    if width < 64 {
      let null = NodeStore.nullNumber(width)
      if values.contains(where: { $0 == null }) { width = width == 0 ? 1 : width * 2 }
    }
    let null = width < 64 ? NodeStore.nullNumber(width) : NodeStore.unusedNumber(values)
    var elements = [null]
    elements.reserveCapacity(values.count + 1)
    for value in values { elements.append(value ?? null) }
    return try makeIntegers(elements, NodeStyle(minimumWidth: width))
  }

  /// Makes a leaf; a value whose mark is set is null and must be 0.
  func makeNullable(
    _ values: UnsafeBufferPointer<Int64>, nulls: UnsafePointer<Bool>
  ) throws(StorageError) -> Int64 {
    var width = NodeStore.width(of: values)
    if width < 64 {
      let null = NodeStore.nullNumber(width)
      for i in 0..<values.count where values[i] == null && !nulls[i] {
        width = width == 0 ? 1 : width * 2
        break
      }
    }
    let null =
      width < 64
      ? NodeStore.nullNumber(width)
      : NodeStore.unusedNumber((0..<values.count).map { nulls[$0] ? nil : values[$0] })
    return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: values.count + 1) {
      (room) throws(StorageError) in
      room[0] = null
      for i in 0..<values.count { room[i + 1] = nulls[i] ? null : values[i] }
      return try makeIntegers(UnsafeBufferPointer(room), NodeStyle(minimumWidth: width))
    }
  }

  private static func unusedNumber(_ values: [Int64?]) -> Int64 {
    var candidate = Int64.max
    let used = Set(values.compactMap { $0 })
    while used.contains(candidate) { candidate -= 1 }
    return candidate
  }

  /// The rows of a leaf.
  func nullableIntegers(_ ref: Int64) throws(StorageError) -> [Int64?] {
    let leaf = try IntegerLeaf(view.integers(at: ref), isNullable: true)
    var result: [Int64?] = []
    result.reserveCapacity(leaf.count)
    for row in 0..<leaf.count { result.append(leaf.value(at: row)) }
    return result
  }

  /// What a value is stored as if the leaf can take it as it is; nil if it must be made anew.
  private func stored(_ value: Int64?, in ref: Int64) throws(StorageError) -> Int64? {
    let node = try view.integers(at: ref)
    guard node.count > 0 else {
      throw .damage(.tooFewElements, at: node.offset, found: 0, limit: 1)
    }
    guard let value else { return node[0] }
    guard value != node[0], NodeStore.width(of: value) <= node.width else { return nil }
    return value
  }

  /// Changes a row.
  func setNullable(_ ref: inout Int64, _ row: Int, _ value: Int64?) throws(StorageError) {
    if let number = try stored(value, in: ref) { return try set(&ref, row + 1, number) }
    var values = try nullableIntegers(ref)
    try NodeStore.check(row, below: values.count, ref)
    values[row] = value
    try replaceNullable(&ref, values)
  }

  /// Inserts a row.
  func insertNullable(_ ref: inout Int64, _ row: Int, _ value: Int64?) throws(StorageError) {
    if let number = try stored(value, in: ref) { return try insert(&ref, row + 1, number) }
    var values = try nullableIntegers(ref)
    try NodeStore.check(row, below: values.count + 1, ref)
    values.insert(value, at: row)
    try replaceNullable(&ref, values)
  }

  private func replaceNullable(_ ref: inout Int64, _ values: [Int64?]) throws(StorageError) {
    let fresh = try makeNullable(values)
    try free(ref)
    ref = fresh
  }
}
