import ByteKernels
import Testing

// Goal: sums, extremes and floating-point masks agree with their one-line definition for all
// lengths 0...130, with and without a mask.

private func randomMask(_ count: Int, _ random: inout RandomSource) -> [UInt64] {
  var words = (0..<maskWordCount(count) + 1).map { _ -> UInt64 in
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .max
    case 1: 0
    case 2: random.next() & random.next() & random.next()
    default: random.next() | random.next()
    }
  }
  words.withUnsafeMutableBufferPointer { buffer in
    guard let mask = buffer.baseAddress else { return }
    invertMask(mask, count: count)  // clears the unused bits
  }
  return words
}

private func has(_ mask: [UInt64], _ i: Int) -> Bool { mask[i / 64] >> UInt64(i % 64) & 1 == 1 }

@Test(arguments: allWidths)
func integerScansAgreeWithTheirDefinition(width: UInt8) {
  var random = RandomSource(seed: UInt64(width) + 30)
  for count in 0...200 {
    let start = Int.random(in: 0...20, using: &random)
    let elements = randomElements(width, start + count, &random)
    let bytes = pack(elements, width)
    let packed = PackedIntegers(base: bytes.base, count: elements.count, width: width)
    let scanned = Array(elements[start...])
    #expect(packed.sum(from: start, count: count) == scanned.reduce(0, &+))
    #expect(packed.minimum(from: start, count: count) == scanned.min())
    #expect(packed.maximum(from: start, count: count) == scanned.max())
    let mask = randomMask(count, &random)
    let chosen = scanned.indices.filter { has(mask, $0) }.map { scanned[$0] }
    #expect(packed.sum(from: start, count: count, mask: mask) == chosen.reduce(0, &+))
    #expect(packed.minimum(from: start, count: count, mask: mask) == chosen.min())
    #expect(packed.maximum(from: start, count: count, mask: mask) == chosen.max())
  }
}

@Test func rowsOfAMaskAreItsBits() {
  var random = RandomSource(seed: 40)
  for count in 0...260 {
    let mask = randomMask(count, &random)
    let rows = (0..<count).filter { has(mask, $0) }
    var seen: [Int] = []
    forEachRow(in: mask, count: count) { seen.append($0) }
    #expect(seen == rows)
    #expect(maskPopulation(mask, count: count) == rows.count)
    #expect(maskIsEmpty(mask, count: count) == rows.isEmpty)
    let stored = [Int](unsafeUninitializedCapacity: count + 1) { buffer, initializedCount in
      guard let out = buffer.baseAddress else { return }
      initializedCount = storeRows(of: mask, count: count, base: 1000, to: out)
    }
    #expect(stored == rows.map { $0 + 1000 })
  }
}

@Test func masksAreCombinedRowByRow() {
  var random = RandomSource(seed: 41)
  for count in 0...130 {
    let a = randomMask(count, &random)
    let b = randomMask(count, &random)
    func combined(_ body: (UnsafeMutablePointer<UInt64>, UnsafePointer<UInt64>) -> Void) -> [Bool] {
      storedMask(count) { out in
        out.update(from: a, count: maskWordCount(count))
        b.withUnsafeBufferPointer { if let other = $0.baseAddress { body(out, other) } }
      }
    }
    let rows = 0..<count
    #expect(
      combined { intersectMask($0, $1, count: count) } == rows.map { has(a, $0) && has(b, $0) })
    #expect(combined { uniteMask($0, $1, count: count) } == rows.map { has(a, $0) || has(b, $0) })
    #expect(
      combined { subtractMask($0, $1, count: count) } == rows.map { has(a, $0) && !has(b, $0) })
    #expect(combined { mask, _ in invertMask(mask, count: count) } == rows.map { !has(a, $0) })
    #expect(storedMask(count) { fillMask($0, count: count, with: true) } == rows.map { _ in true })
    #expect(
      storedMask(count) { fillMask($0, count: count, with: false) } == rows.map { _ in false })
  }
}

private let nullDouble = Double(bitPattern: 0x7FF8_0000_0000_00AA)

private func compareIEEE<T: BinaryFloatingPoint>(_ a: T, _ comparison: Comparison, _ b: T) -> Bool {
  switch comparison {
  case .equal: a == b
  case .notEqual: a != b
  case .less: a < b
  case .lessOrEqual: a <= b
  case .greater: a > b
  case .greaterOrEqual: a >= b
  }
}

@Test func doublesAgreeWithTheirDefinition() {
  var random = RandomSource(seed: 42)
  let special: [Double] = [
    0.0, -0.0, .nan, nullDouble, .infinity, -.infinity, 1.5, -1.5, .leastNonzeroMagnitude,
  ]
  for count in 0...130 {
    let values = (0..<count).map { _ in special.randomElement(using: &random) ?? 0 }
    let bytes = GuardedBytes(values.withUnsafeBytes { Array($0) })
    for key in special {
      for comparison in allComparisons {
        let mask = storedMask(count) {
          fillDoubleMask($0, base: bytes.base, count: count, comparison, key)
        }
        #expect(mask == values.map { compareIEEE($0, comparison, key) })
      }
    }
    let nulls = storedMask(count) {
      fillDoubleEqualBitsMask($0, base: bytes.base, count: count, nullDouble.bitPattern)
    }
    #expect(nulls == values.map { $0.bitPattern == nullDouble.bitPattern })
    let mask = randomMask(count, &random)
    let numbers = values.filter { !$0.isNaN }
    let chosen = values.indices.filter { has(mask, $0) && !values[$0].isNaN }.map { values[$0] }
    #expect(minimumOfDoubles(bytes.base, count: count) == numbers.min())
    #expect(maximumOfDoubles(bytes.base, count: count, mask: mask) == chosen.max())
    let sum = sumOfDoubles(bytes.base, count: count, mask: mask)
    #expect(sum.description == chosen.reduce(0, +).description)
  }
}

@Test func floatsAgreeWithTheirDefinition() {
  var random = RandomSource(seed: 43)
  let null = Float(bitPattern: 0x7FC0_00AA)
  let special: [Float] = [
    0.0, -0.0, .nan, null, .infinity, -.infinity, 1.5, -1.5, .leastNonzeroMagnitude,
  ]
  for count in 0...130 {
    let values = (0..<count).map { _ in special.randomElement(using: &random) ?? 0 }
    let bytes = GuardedBytes(values.withUnsafeBytes { Array($0) })
    for key in special {
      for comparison in allComparisons {
        let mask = storedMask(count) {
          fillFloatMask($0, base: bytes.base, count: count, comparison, key)
        }
        #expect(mask == values.map { compareIEEE($0, comparison, key) })
      }
    }
    let nulls = storedMask(count) {
      fillFloatEqualBitsMask($0, base: bytes.base, count: count, null.bitPattern)
    }
    #expect(nulls == values.map { $0.bitPattern == null.bitPattern })
    let mask = randomMask(count, &random)
    let numbers = values.filter { !$0.isNaN }
    let chosen = values.indices.filter { has(mask, $0) && !values[$0].isNaN }.map { values[$0] }
    #expect(maximumOfFloats(bytes.base, count: count) == numbers.max())
    #expect(minimumOfFloats(bytes.base, count: count, mask: mask) == chosen.min())
    let sum = sumOfFloats(bytes.base, count: count)
    #expect(sum.description == numbers.reduce(0) { $0 + Double($1) }.description)
  }
}
