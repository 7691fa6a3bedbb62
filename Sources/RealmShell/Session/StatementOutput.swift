import ByteKernels

/// The output of one statement, held back until it is known to come from one version of the file.
///
/// Another process may commit while a statement reads. Up to a limit the output is kept, and the
/// statement is repeated if the snapshot did not last. Beyond the limit it is written piece by
/// piece, each after a look at the snapshot.
final class StatementOutput {
  /// Bytes kept before the first write.
  private static let heldByteCount = 4 << 20

  /// What the statement writes to.
  private(set) var writer: ByteWriter
  /// Whether bytes have left, so that the statement cannot be repeated.
  private(set) var hasLeft = false
  /// Whether bytes left that later turned out to come from a lost snapshot.
  private(set) var isTorn = false

  init(to target: ByteWriter, isIntact: @escaping () -> Bool) {
    writer = ByteWriter(descriptor: -1)
    writer = ByteWriter(bufferByteCount: StatementOutput.heldByteCount) { [weak self] bytes in
      if isIntact() {
        self?.hasLeft = true
        target.write(bytes)
        target.flush()
      } else {
        self?.isTorn = true
      }
      return target.failure
    }
  }
}
