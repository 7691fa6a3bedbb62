import ByteKernels
import Testing

// Goal: the kernels over packed integers agree with their one-line definition for every width, for
// all lengths 0...130 and random first elements, and read nothing behind the last element.

let allWidths: [UInt8] = [0, 1, 2, 4, 8, 16, 32, 64]

/// Random elements with many repetitions and the extremes of the width.
func randomElements(_ width: UInt8, _ count: Int, _ random: inout RandomSource) -> [Int64] {
  let low = width < 8 ? 0 : Int64.min >> Int64(64 - width)
  let high = width == 0 ? 0 : width < 8 ? (1 << Int64(width)) - 1 : Int64.max >> Int64(64 - width)
  return (0..<count).map { _ in
    switch Int.random(in: 0..<8, using: &random) {
    case 0: low
    case 1: high
    case 2...4: Int64.random(in: max(low, -3)...min(high, 3), using: &random)
    default: Int64.random(in: low...high, using: &random)
    }
  }
}

/// Packs elements as in a node; no byte more than needed.
func pack(_ elements: [Int64], _ width: UInt8) -> GuardedBytes {
  var bytes = [UInt8](repeating: 0, count: (elements.count * Int(width) + 7) / 8)
  for (i, element) in elements.enumerated() {
    for bit in 0..<Int(width) where (element >> Int64(bit)) & 1 == 1 {
      let position = i * Int(width) + bit
      bytes[position / 8] |= 1 << UInt8(position % 8)
    }
  }
  return GuardedBytes(bytes)
}

/// The rows of a mask as truth values; checks that the unused bits are zero.
func storedMask(_ count: Int, _ fill: (UnsafeMutablePointer<UInt64>) -> Void) -> [Bool] {
  let wordCount = maskWordCount(count)
  var words = [UInt64](repeating: 0xDEAD_BEEF_DEAD_BEEF, count: wordCount + 1)
  words.withUnsafeMutableBufferPointer { buffer in
    if let out = buffer.baseAddress { fill(out) }
  }
  #expect(words[wordCount] == 0xDEAD_BEEF_DEAD_BEEF, "a word too many")
  if count % 64 != 0 { #expect(words[wordCount - 1] >> UInt64(count % 64) == 0, "unused bits") }
  return (0..<count).map { words[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
}

func compare<T: Comparable>(_ a: T, _ comparison: Comparison, _ b: T) -> Bool {
  switch comparison {
  case .equal: a == b
  case .notEqual: a != b
  case .less: a < b
  case .lessOrEqual: a <= b
  case .greater: a > b
  case .greaterOrEqual: a >= b
  }
}

let allComparisons: [Comparison] = [
  .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
]

/// Keys around the elements, around the bounds of the width, and far outside.
private func keys(for elements: [Int64], _ width: UInt8, _ random: inout RandomSource) -> [Int64] {
  let high = width == 0 ? 0 : width < 8 ? (1 << Int64(width)) - 1 : Int64.max >> Int64(64 - width)
  return [
    Int64.min, Int64.max, 0, 1, -1, high, high &+ 1, ~high, ~high &- 1,
    elements.randomElement(using: &random) ?? 2, elements.randomElement(using: &random) ?? 3,
  ]
}

@Test(arguments: allWidths)
func elementsReadBack(width: UInt8) {
  var random = RandomSource(seed: 1)
  let elements = randomElements(width, 130, &random)
  let bytes = pack(elements, width)
  let packed = PackedIntegers(base: bytes.base, count: elements.count, width: width)
  #expect((0..<130).map { packed[$0] } == elements)
  let cut = width == 64 ? UInt64.max : (1 << UInt64(width)) - 1
  #expect((0..<130).map { packed.unsigned($0) } == elements.map { UInt64(bitPattern: $0) & cut })
}

@Test(arguments: allWidths)
func masksAgreeWithTheirDefinition(width: UInt8) {
  var random = RandomSource(seed: UInt64(width) + 10)
  for count in 0...130 {
    let start = Int.random(in: 0...70, using: &random) % (count % 3 == 0 ? 3 : 71)
    let elements = randomElements(
      width, start + count + Int.random(in: 0...2, using: &random), &random)
    let bytes = pack(elements, width)
    let packed = PackedIntegers(base: bytes.base, count: elements.count, width: width)
    let scanned = elements[start..<start + count]
    for key in keys(for: elements, width, &random) {
      for comparison in allComparisons {
        let mask = storedMask(count) {
          packed.fillMask($0, from: start, count: count, comparison, key)
        }
        #expect(mask == scanned.map { compare($0, comparison, key) })
      }
      let high = keys(for: elements, width, &random).randomElement(using: &random) ?? 0
      let mask = storedMask(count) {
        packed.fillMaskBetween($0, from: start, count: count, key, high)
      }
      #expect(mask == scanned.map { key <= $0 && $0 <= high })
    }
  }
}

@Test(arguments: allWidths)
func masksOfSeveralKeysAgreeWithTheirDefinition(width: UInt8) {
  var random = RandomSource(seed: UInt64(width) + 20)
  for count in 0...130 {
    let start = Int.random(in: 0...9, using: &random)
    let elements = randomElements(width, start + count, &random)
    let bytes = pack(elements, width)
    let packed = PackedIntegers(base: bytes.base, count: elements.count, width: width)
    for keyCount in [0, 1, 2, 7, 8, 9, 30] {
      var keys = (0..<keyCount).map { i in
        i % 2 == 0
          ? elements.randomElement(using: &random) ?? 0
          : Int64.random(in: -300...300, using: &random)
      }
      if keyCount == 7 { keys = Array(-3...3) }
      keys.sort()
      let mask = storedMask(count) { out in
        keys.withUnsafeBufferPointer {
          packed.fillMaskAny(out, from: start, count: count, sortedKeys: $0)
        }
      }
      #expect(mask == elements[start...].map { keys.contains($0) })
    }
  }
}
