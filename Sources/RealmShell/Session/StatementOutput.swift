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
  let writer: ByteWriter
  private let state: State

  private final class State {
    var hasLeft = false
    var isTorn = false
  }

  /// Whether bytes have left, so that the statement cannot be repeated.
  var hasLeft: Bool { state.hasLeft }
  /// Whether bytes were dropped because they came from a lost snapshot.
  var isTorn: Bool { state.isTorn }

  init(to target: ByteWriter, isIntact: @escaping () -> Bool) {
    let state = State()
    self.state = state
    writer = ByteWriter(bufferByteCount: StatementOutput.heldByteCount) { bytes in
      guard isIntact() else {
        state.isTorn = true
        return nil
      }
      state.hasLeft = true
      target.write(bytes)
      target.flush()
      return target.failure
    }
  }
}
