import Glibc

/// A small repeatable source of random numbers.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the generator that belongs to a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator with a new seed, which is printed; TEST_SEED repeats a run.
  ///
  /// - Parameter purpose: Printed with the seed, to tell several generators apart.
  public static func fresh(for purpose: String) -> SplitMix64 {
    let given = getenv("TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    print("seed of \(purpose): TEST_SEED=\(seed)")
    return SplitMix64(seed: seed)
  }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
