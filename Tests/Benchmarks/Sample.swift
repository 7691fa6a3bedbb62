import Glibc

/// Times of one piece of work, in milliseconds.
struct Sample {
  private var times: [Double] = []

  init() {}

  init(_ times: [Double]) { self.times = times.sorted() }

  /// Measures the wall clock of runs of `body`, after one run that is not counted.
  init<Failure: Error>(
    count: Int, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    try body()
    for _ in 0..<count {
      let start = Sample.now()
      try body()
      times.append(Sample.now() - start)
    }
    times.sort()
  }

  /// Adds a time.
  mutating func add(_ time: Double) {
    times.append(time)
    times.sort()
  }

  /// The shortest time.
  var best: Double { times.first ?? .nan }

  /// The time in the middle.
  var median: Double { times.isEmpty ? .nan : times[times.count / 2] }

  /// The wall clock.
  static func now() -> Double { now(CLOCK_MONOTONIC) }

  /// The processor time of the process.
  static func processor() -> Double { now(CLOCK_PROCESS_CPUTIME_ID) }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// How fast one thread reads memory that no cache holds, in GB/s.
func readBandwidth() -> Double {
  let count = 32 << 20
  let words = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
  defer { words.deallocate() }
  words.initialize(repeating: 1, count: count)
  var sum: UInt64 = 0
  let sample = Sample(count: 5) {
    for i in 0..<count { sum &+= words[i] }
  }
  precondition(sum == 6 * UInt64(count))
  return Double(count * 8) / sample.best / 1e6
}
