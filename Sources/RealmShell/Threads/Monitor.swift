import Glibc

/// State that several threads use, one at a time, and whose changes they can wait for.
///
/// Built on a mutex and a condition variable of the system: the mutex of Swift's library has nothing
/// to wait with.
// Reason for `@unchecked Sendable`: `state` is reached under `mutex` only.
final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    changed = .allocate(capacity: 1)
    changed.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Uses the state; a change is seen by those who look at it next.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Changes the state, and wakes those who wait.
  func change<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until a look at the state gives a result.
  ///
  /// - Parameter milliseconds: How long at most; nil for ever.
  /// - Returns: nil when the time is over.
  func wait<Result>(
    atMost milliseconds: Int? = nil, for look: (inout State) -> Result?
  ) -> Result? {
    var end = timespec()
    if let milliseconds {
      clock_gettime(CLOCK_MONOTONIC, &end)
      let nanoseconds = end.tv_nsec + milliseconds % 1000 * 1_000_000
      end.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
      end.tv_nsec = nanoseconds % 1_000_000_000
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = look(&state) { return result }
      let status =
        milliseconds == nil
        ? pthread_cond_wait(changed, mutex) : pthread_cond_timedwait(changed, mutex, &end)
      if status == ETIMEDOUT { return look(&state) }
    }
  }
}
