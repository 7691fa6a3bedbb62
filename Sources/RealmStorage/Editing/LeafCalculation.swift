import RealmValues

/// Arithmetic with the numbers of a leaf.
struct LeafCalculation {
  let store: NodeStore
  let isNullable: Bool
  let operation: WriteTransaction.Arithmetic
  let operand: ScalarValue

  /// Finds out whether all results fit.
  ///
  /// - Returns: number of rows that are not null.
  /// - Throws: `rejected(.overflow)`.
  func check(
    _ ref: Int64, _ leaf: ClusterTree.Leaf, _ rows: [Int]
  ) throws(StorageError) -> Int {
    guard case .int(let operand) = operand else { return try countNumbers(ref, rows) }
    let node = try store.view.integers(at: ref)
    if !isNullable, node.count == leaf.count, fits(operand, width: node.width) { return rows.count }
    var values = try store.integers(ref)
    return try calculate(&values, operand, leaf, rows)
  }

  /// Calculates.
  func run(
    _ ref: inout Int64, _ leaf: ClusterTree.Leaf, _ rows: [Int]
  ) throws(StorageError) {
    switch operand {
    case .int(let operand):
      var values = try store.integers(ref)
      guard isNullable, let null = values.first else {
        if rows.count == values.count {
          calculateAll(&values, operand)
        } else {
          _ = try calculate(&values, operand, leaf, rows)
        }
        return try store.replace(&ref, values)
      }
      let nulls = values.dropFirst().map { $0 == null }
      _ = try calculate(&values, operand, leaf, rows)
      for row in nulls.indices where nulls[row] { values[row + 1] = 0 }
      let fresh = try values.withUnsafeBufferPointer { (values) throws(StorageError) in
        try nulls.withUnsafeBufferPointer { (nulls) throws(StorageError) in
          // A leaf has at least the element that stands for null; an empty array has no rows.
          guard let marks = nulls.baseAddress else { return try store.makeNullable([]) }
          return try store.makeNullable(
            UnsafeBufferPointer(rebasing: values[1...]), nulls: marks)
        }
      }
      try store.free(ref)
      ref = fresh
    case .double(let operand): try calculate(&ref, operand, FloatingLeaf<Double>.nullPattern, rows)
    case .float(let operand): try calculate(&ref, operand, FloatingLeaf<Float>.nullPattern, rows)
    default: throw .wrongType
    }
  }

  // MARK: Integers

  /// Whether no result with numbers of a width can be too large.
  private func fits(_ operand: Int64, width: Int) -> Bool {
    guard width <= 32 else { return false }
    switch operation {
    case .add, .subtract: return abs(operand / 2) < 1 << 60
    case .multiply: return abs(operand / 2) < 1 << 30
    case .divide: return operand != 0
    }
  }

  /// Calculates with all values, of which is known that the results fit.
  private func calculateAll(_ values: inout [Int64], _ operand: Int64) {
    switch operation {
    case .add: for i in values.indices { values[i] &+= operand }
    case .subtract: for i in values.indices { values[i] &-= operand }
    case .multiply: for i in values.indices { values[i] &*= operand }
    case .divide: for i in values.indices { values[i] /= operand }
    }
  }

  /// - Parameter values: The elements of the node: in nullable leaves the one for null comes first.
  private func calculate(
    _ values: inout [Int64], _ operand: Int64, _ leaf: ClusterTree.Leaf, _ rows: [Int]
  ) throws(StorageError) -> Int {
    let first = isNullable ? 1 : 0
    guard values.count == leaf.count + first else {
      throw .damage(
        .countMismatch, at: leaf.node.offset, found: values.count - first, limit: leaf.count)
    }
    var count = 0
    for row in rows {
      let old = values[first + row]
      if isNullable, old == values[0] { continue }
      let (new, isTooLarge) =
        switch operation {
        case .add: old.addingReportingOverflow(operand)
        case .subtract: old.subtractingReportingOverflow(operand)
        case .multiply: old.multipliedReportingOverflow(by: operand)
        case .divide: old.dividedReportingOverflow(by: operand)
        }
      if isTooLarge {
        throw .rejected(.overflow(ObjectKey(Int64(bitPattern: leaf.key(at: row)))))
      }
      values[first + row] = new
      count += 1
    }
    return count
  }

  // MARK: Floating-point numbers

  private func countNumbers(_ ref: Int64, _ rows: [Int]) throws(StorageError) -> Int {
    let node = try store.node(ref)
    if case .double = operand {
      let leaf = try FloatingLeaf<Double>(node, isNullable: isNullable)
      try NodeStore.check(rows.last ?? -1, below: leaf.count, ref)
      return rows.count { leaf.value(at: $0) != nil }
    }
    let leaf = try FloatingLeaf<Float>(node, isNullable: isNullable)
    try NodeStore.check(rows.last ?? -1, below: leaf.count, ref)
    return rows.count { leaf.value(at: $0) != nil }
  }

  private func calculate<Value: BinaryFloatingPoint & BitwiseCopyable, Bits: BitwiseCopyable>(
    _ ref: inout Int64, _ operand: Value, _ null: Bits, _ rows: [Int]
  ) throws(StorageError) where Bits: Equatable {
    try store.makeWritable(&ref)
    let payload = store.bytes(ref) + 8
    let size = MemoryLayout<Value>.size
    for row in rows {
      let place = payload + row * size
      if isNullable, place.load(as: Bits.self) == null { continue }
      let old = place.load(as: Value.self)
      let new =
        switch operation {
        case .add: old + operand
        case .subtract: old - operand
        case .multiply: old * operand
        case .divide: old / operand
        }
      place.storeBytes(of: new, as: Value.self)
      // The pattern of null may not come from a calculation.
      if place.load(as: Bits.self) == null { place.storeBytes(of: Value.nan, as: Value.self) }
    }
  }
}
