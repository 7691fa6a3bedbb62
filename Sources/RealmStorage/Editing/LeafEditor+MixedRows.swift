import RealmValues

/// Changing one row of a leaf of mixed values in place, where no collections are involved.
///
/// A value is a composite element: its type, and the value itself or its position in one of the
/// payload arrays. A gap in such an array is filled with its last element.
///
/// Source: file-format-writing.md 8.1.
extension LeafEditor {
  /// A composite element taken apart.
  private struct Composite {
    var slot: Int
    var position: Int

    init(_ code: Int64) {
      slot = Int(code >> 5 & 7)
      position = Int(code >> 8)
    }
  }

  private var payloadTexts: LeafEditor {
    LeafEditor(store: store, type: LeafType(layout: .string, isNullable: true))
  }

  /// Whether a leaf has no collections, nor had any.
  private func isFlat(_ ref: Int64) throws(StorageError) -> Bool {
    let node = try store.view.refs(at: ref, minimumCount: 4)
    for slot in 4..<max(4, node.count) {
      if try store.view.optionalRef(node, slot) != nil { return false }
    }
    return true
  }

  /// Inserts a row if that can be done in place.
  func insertMixed(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) -> Bool {
    guard case .value(let value) = cell, try isFlat(ref) else { return false }
    var composite = try store.element(ref, 0)
    try NodeStore.check(row, below: try store.count(composite) + 1, ref)
    let code = try addPayload(&ref, value)
    try store.insert(&composite, row, code)
    try store.set(&ref, 0, composite)
    return true
  }

  /// Changes a row if that can be done in place.
  func setMixed(_ ref: inout Int64, at row: Int, _ cell: Cell) throws(StorageError) -> Bool {
    guard case .value(let value) = cell, try isFlat(ref) else { return false }
    var composite = try store.element(ref, 0)
    let old = try store.element(composite, row)
    let code = try addPayload(&ref, value)
    try store.set(&composite, row, code)
    try removePayload(&ref, old, &composite)
    try store.set(&ref, 0, composite)
    return true
  }

  /// Removes a row if that can be done in place.
  func removeMixed(_ ref: inout Int64, at row: Int) throws(StorageError) -> Bool {
    guard try isFlat(ref) else { return false }
    var composite = try store.element(ref, 0)
    let old = try store.element(composite, row)
    try store.remove(&composite, row)
    try removePayload(&ref, old, &composite)
    try store.set(&ref, 0, composite)
    return true
  }

  /// Adds a value to the payload arrays.
  ///
  /// - Returns: its composite element.
  private func addPayload(
    _ ref: inout Int64, _ value: ScalarValue
  ) throws(StorageError) -> Int64 {
    var payload = Payload()
    try payload.add(value)
    let code = payload.composite[0]
    let place = Composite(code)
    guard place.slot != 0 else { return code }
    var array = try store.element(ref, place.slot)
    let position: Int
    if place.slot == 3 {
      if array == 0 { array = try payloadTexts.makeEmpty() }
      position = try payloadTexts.count(array)
      try payloadTexts.insert(&array, at: position, .value(.string(payload.texts[0] ?? [])))
    } else {
      if array == 0 { array = try store.makeZeros(0) }
      position = try store.count(array) / (place.slot == 2 ? 2 : 1)
      for number in place.slot == 2 ? payload.pairs : payload.ints {
        try store.append(&array, number)
      }
    }
    try store.set(&ref, place.slot, array)
    return code & 0xFF | Int64(position) << 8
  }

  /// Takes what a composite element stood for out of the payload arrays.
  ///
  /// - Parameter composite: The elements that are left.
  private func removePayload(
    _ ref: inout Int64, _ code: Int64, _ composite: inout Int64
  ) throws(StorageError) {
    let place = Composite(code)
    guard code != 0, place.slot != 0 else { return }
    var array = try store.element(ref, place.slot)
    let size = place.slot == 2 ? 2 : 1
    let last =
      (place.slot == 3 ? try payloadTexts.count(array) : try store.count(array) / size) - 1
    try NodeStore.check(place.position, below: last + 1, ref)
    if place.position < last {
      if place.slot == 3 {
        try payloadTexts.set(&array, at: place.position, try payloadTexts.cell(array, last))
      } else {
        for i in 0..<size {
          let number = try store.element(array, last * size + i)
          try store.set(&array, place.position * size + i, number)
        }
      }
      try replace(last, by: place.position, place.slot, &composite)
    }
    if place.slot == 3 {
      try payloadTexts.remove(&array, at: last)
    } else {
      try store.truncate(&array, last * size)
    }
    try store.set(&ref, place.slot, array)
  }

  /// Corrects the composite element that stands for a payload that was moved.
  private func replace(
    _ last: Int, by position: Int, _ slot: Int, _ composite: inout Int64
  ) throws(StorageError) {
    let node = try store.view.integers(at: composite)
    for row in 0..<node.count {
      let code = node[row]
      guard code != 0, code >> 5 & 7 == Int64(slot), code >> 8 == Int64(last) else { continue }
      return try store.set(&composite, row, code & 0xFF | Int64(position) << 8)
    }
  }
}
