/// Runs a closure on the UTF-8 of a text.
func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  Array(text.utf8).withUnsafeBytes(body)
}

/// Runs a closure on bytes that end where readable memory ends.
func withBytes<Result>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  let guarded = GuardedBytes(bytes)
  return withExtendedLifetime(guarded) {
    body(UnsafeRawBufferPointer(start: guarded.base, count: guarded.count))
  }
}

/// Random bytes out of a small alphabet, so that matches are frequent.
func randomBytes(
  _ count: Int, of alphabet: [UInt8], _ random: inout RandomSource
) -> [UInt8] {
  (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
}
