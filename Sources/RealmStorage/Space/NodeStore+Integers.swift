import ByteKernels
import Glibc

/// Arrays of integers of one width, which grows with their values.
///
/// Source: file-format-writing.md 1.4.
extension NodeStore {
  /// The smallest width that holds a value.
  @inline(__always)
  static func width(of value: Int64, _ style: NodeStyle = .plain) -> Int {
    let least: Int
    if style.isUnsigned {
      let bits = UInt64(bitPattern: value)
      least = bits < 1 << 8 ? 8 : bits < 1 << 16 ? 16 : bits < 1 << 32 ? 32 : 64
    } else if value >= 0, value < 16 {
      least = value > 3 ? 4 : value > 1 ? 2 : Int(value)
    } else if value >= -0x80, value < 0x80 {
      least = 8
    } else if value >= -0x8000, value < 0x8000 {
      least = 16
    } else {
      least = value >= -0x8000_0000 && value < 0x8000_0000 ? 32 : 64
    }
    return max(least, style.minimumWidth)
  }

  /// The payload of `count` elements of `width` bits.
  @inline(__always)
  static func payload(_ count: Int, _ width: Int) -> Int { (count &* width &+ 7) &>> 3 }

  /// Element `i` of a payload.
  @inline(__always)
  private static func load(
    _ payload: UnsafeRawPointer, _ width: Int, _ i: Int, _ isUnsigned: Bool
  ) -> Int64 {
    let packed = PackedIntegers(base: payload, count: i + 1, width: UInt8(width))
    return isUnsigned ? Int64(bitPattern: packed.unsigned(i)) : packed[i]
  }

  /// Writes element `i` of a payload; the value fits the width.
  @inline(__always)
  private static func store(
    _ value: Int64, _ payload: UnsafeMutableRawPointer, _ width: Int, _ i: Int
  ) {
    switch width {
    case 0: break
    case 1, 2, 4:
      let perByte = 8 / width
      let shift = UInt8(i % perByte * width)
      let mask = UInt8((1 << width) - 1) << shift
      let old = payload.load(fromByteOffset: i / perByte, as: UInt8.self)
      payload.storeBytes(
        of: old & ~mask | UInt8(truncatingIfNeeded: value) << shift, toByteOffset: i / perByte,
        as: UInt8.self)
    case 8:
      payload.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: i, as: UInt8.self)
    case 16:
      payload.storeBytes(
        of: UInt16(truncatingIfNeeded: value), toByteOffset: 2 * i, as: UInt16.self)
    case 32:
      payload.storeBytes(
        of: UInt32(truncatingIfNeeded: value), toByteOffset: 4 * i, as: UInt32.self)
    default: payload.storeBytes(of: value, toByteOffset: 8 * i, as: Int64.self)
    }
  }

  /// Checks an index; in a damaged file, parts that belong together can have different lengths.
  static func check(_ index: Int, below limit: Int, _ ref: Int64) throws(StorageError) {
    guard index >= 0, index < limit else {
      throw .damage(.badIndex, at: Int(ref), found: index, limit: limit)
    }
  }

  /// Makes a node of integers of the smallest width.
  func makeIntegers(
    _ values: [Int64], _ style: NodeStyle = .plain
  ) throws(StorageError) -> Int64 {
    try values.withUnsafeBufferPointer { (values) throws(StorageError) in
      try makeIntegers(values, style)
    }
  }

  /// Makes a node of integers of the smallest width.
  func makeIntegers(
    _ values: UnsafeBufferPointer<Int64>, _ style: NodeStyle = .plain
  ) throws(StorageError) -> Int64 {
    let width = NodeStore.width(of: values, style)
    let ref = try make(
      flags: style.flags, width: width, count: values.count,
      payloadByteCount: NodeStore.payload(values.count, width))
    NodeStore.pack(values, width, to: bytes(ref) + 8)
    return ref
  }

  /// The smallest width that holds all values.
  static func width(of values: UnsafeBufferPointer<Int64>, _ style: NodeStyle = .plain) -> Int {
    if style.isUnsigned {
      var bits: Int64 = 0
      for value in values { bits |= value }
      return width(of: bits, style)
    }
    // The width grows with the distance from 0 on either side.
    var (least, most): (Int64, Int64) = (0, 0)
    for value in values {
      if value < least { least = value }
      if value > most { most = value }
    }
    return max(width(of: least, style), width(of: most, style))
  }

  /// Writes values as a payload, up to the end of its last word; the width holds all of them.
  static func pack(
    _ values: UnsafeBufferPointer<Int64>, _ width: Int, to payload: UnsafeMutableRawPointer
  ) {
    let count = values.count
    switch width {
    case 0: return
    case 64: if let source = values.baseAddress { memcpy(payload, source, count &* 8) }
    case 32: pack(values, as: UInt32.self, to: payload)
    case 16: pack(values, as: UInt16.self, to: payload)
    case 8: pack(values, as: UInt8.self, to: payload)
    default:
      let perWord = 64 / width
      var (i, place) = (0, payload)
      while i < count {
        var word: UInt64 = 0
        let end = min(count, i &+ perWord)
        var shift: UInt64 = 0
        while i < end {
          word |= UInt64(bitPattern: values[i]) &<< shift
          shift &+= UInt64(width)
          i &+= 1
        }
        place.storeBytes(of: word, as: UInt64.self)
        place += 8
      }
    }
  }

  @inline(__always)
  private static func pack<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: UnsafeBufferPointer<Int64>, as: Element.Type, to payload: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Element>.size
    for i in 0..<values.count {
      payload.storeBytes(
        of: Element(truncatingIfNeeded: values[i]), toByteOffset: i &* size, as: Element.self)
    }
  }

  /// Makes a node of `count` zeros.
  func makeZeros(_ count: Int, _ style: NodeStyle = .plain) throws(StorageError) -> Int64 {
    let byteCount = NodeStore.payload(count, style.minimumWidth)
    let ref = try make(
      flags: style.flags, width: style.minimumWidth, count: count, payloadByteCount: byteCount)
    memset(bytes(ref) + 8, 0, byteCount)
    return ref
  }

  /// The elements of a node of integers.
  func integers(_ ref: Int64, _ style: NodeStyle = .plain) throws(StorageError) -> [Int64] {
    let node = try view.integers(at: ref)
    return [Int64](unsafeUninitializedCapacity: node.count) { target, count in
      NodeStore.unpack(node, isUnsigned: style.isUnsigned, to: target)
      count = node.count
    }
  }

  /// Reads all elements of a node of integers; `target` has room for them.
  static func unpack(
    _ node: NodeView, isUnsigned: Bool = false, to target: UnsafeMutableBufferPointer<Int64>
  ) {
    precondition(node.count <= target.count)
    switch (node.width, isUnsigned) {
    case (8, false): unpack(node, as: Int8.self, to: target)
    case (8, true): unpack(node, as: UInt8.self, to: target)
    case (16, false): unpack(node, as: Int16.self, to: target)
    case (16, true): unpack(node, as: UInt16.self, to: target)
    case (32, false): unpack(node, as: Int32.self, to: target)
    case (32, true): unpack(node, as: UInt32.self, to: target)
    case (64, _): unpack(node, as: Int64.self, to: target)
    default: for i in 0..<node.count { target.initializeElement(at: i, to: node[i]) }
    }
  }

  @inline(__always)
  private static func unpack<Element: FixedWidthInteger & BitwiseCopyable>(
    _ node: NodeView, as: Element.Type, to target: UnsafeMutableBufferPointer<Int64>
  ) {
    guard let start = target.baseAddress else { return }
    let size = MemoryLayout<Element>.size
    for i in 0..<node.count {
      start[i] = Int64(
        truncatingIfNeeded: node.payload.loadUnaligned(fromByteOffset: i &* size, as: Element.self))
    }
  }

  /// Number of elements of a node of integers.
  func count(_ ref: Int64) throws(StorageError) -> Int { try view.integers(at: ref).count }

  /// Element `i` of a node of integers.
  func element(
    _ ref: Int64, _ i: Int, _ style: NodeStyle = .plain
  ) throws(StorageError) -> Int64 {
    let node = try view.integers(at: ref)
    guard i >= 0, i < node.count else {
      throw .damage(.badIndex, at: node.offset, found: i, limit: node.count)
    }
    return NodeStore.load(node.payload, node.width, i, style.isUnsigned)
  }

  /// Makes sure that a node is new and has room for `count` elements as wide as `value` needs.
  ///
  /// The count in the header stays as it is.
  ///
  /// - Returns: the width and the payload.
  private func prepare(
    _ ref: inout Int64, count: Int, for value: Int64, _ style: NodeStyle
  ) throws(StorageError) -> (width: Int, payload: UnsafeMutableRawPointer) {
    let old = try view.integers(at: ref)
    guard count <= NodeStore.maximumCount else {
      throw .damage(
        .tooManyElements, at: old.offset, found: count, limit: NodeStore.maximumCount)
    }
    let width = max(old.width, NodeStore.width(of: value, style))
    if width == old.width {
      try makeRoom(&ref, payloadByteCount: NodeStore.payload(count, width))
      return (width, bytes(ref) + 8)
    }
    let byteCount = NodeStore.payload(count, width)
    let wide = try make(
      flags: old.flags & 0xF8, width: width, count: old.count,
      payloadByteCount: byteCount + byteCount / 4)
    let payload = bytes(wide) + 8
    if width < 8 { memset(payload, 0, byteCount) }
    for i in 0..<old.count {
      NodeStore.store(
        NodeStore.load(old.payload, old.width, i, style.isUnsigned), payload, width, i)
    }
    try free(ref)
    ref = wide
    return (width, payload)
  }

  /// Changes one element.
  ///
  /// - Throws: `damaged` if there is no such element.
  func set(
    _ ref: inout Int64, _ i: Int, _ value: Int64, _ style: NodeStyle = .plain
  ) throws(StorageError) {
    let count = try view.integers(at: ref).count
    try NodeStore.check(i, below: count, ref)
    let (width, payload) = try prepare(&ref, count: count, for: value, style)
    NodeStore.store(value, payload, width, i)
  }

  /// Inserts an element.
  ///
  /// - Throws: `damaged` if the index is above the count.
  func insert(
    _ ref: inout Int64, _ i: Int, _ value: Int64, _ style: NodeStyle = .plain
  ) throws(StorageError) {
    let old = try view.integers(at: ref)
    let (count, flags) = (old.count, old.flags & 0xF8)
    try NodeStore.check(i, below: count + 1, ref)
    let (width, payload) = try prepare(&ref, count: count + 1, for: value, style)
    if width >= 8 {
      let size = width / 8
      memmove(payload + (i + 1) * size, payload + i * size, (count - i) * size)
    } else if width > 0 {
      for position in stride(from: count, to: i, by: -1) {
        NodeStore.store(
          NodeStore.load(payload, width, position - 1, false), payload, width, position)
      }
    }
    NodeStore.store(value, payload, width, i)
    setHeader(ref, flags: flags, width: width, count: count + 1)
  }

  /// Adds an element at the end.
  func append(
    _ ref: inout Int64, _ value: Int64, _ style: NodeStyle = .plain
  ) throws(StorageError) {
    try insert(&ref, try count(ref), value, style)
  }

  /// Removes an element.
  ///
  /// - Throws: `damaged` if there is no such element.
  func remove(_ ref: inout Int64, _ i: Int) throws(StorageError) {
    try makeWritable(&ref)
    let node = try view.integers(at: ref)
    try NodeStore.check(i, below: node.count, ref)
    let payload = bytes(ref) + 8
    if node.width >= 8 {
      let size = node.width / 8
      memmove(payload + i * size, payload + (i + 1) * size, (node.count - i - 1) * size)
    } else if node.width > 0 {
      for position in i..<node.count - 1 {
        NodeStore.store(
          NodeStore.load(payload, node.width, position + 1, false), payload, node.width, position)
      }
    }
    setHeader(ref, flags: node.flags & 0xF8, width: node.width, count: node.count - 1)
  }

  /// Removes the elements from `count` on.
  func truncate(_ ref: inout Int64, _ count: Int) throws(StorageError) {
    try makeWritable(&ref)
    let node = try view.integers(at: ref)
    try NodeStore.check(count, below: node.count + 1, ref)
    setHeader(ref, flags: node.flags & 0xF8, width: node.width, count: count)
  }

  /// Replaces all elements; the flags of the node stay.
  func replace(
    _ ref: inout Int64, _ values: [Int64], _ style: NodeStyle = .plain
  ) throws(StorageError) {
    var fresh = style
    fresh.flags = try node(ref).flags & 0xE0
    let replacement = try makeIntegers(values, fresh)
    try free(ref)
    ref = replacement
  }
}
