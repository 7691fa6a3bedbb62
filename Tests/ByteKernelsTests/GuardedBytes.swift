import Glibc

/// Memory whose last byte lies at the end of a page that is followed by a forbidden one, so that a
/// kernel that reads too far ends the test.
final class GuardedBytes {
  let base: UnsafeMutableRawPointer
  let count: Int
  private let mapping: UnsafeMutableRawPointer
  private let mappedByteCount: Int

  init(_ bytes: [UInt8]) {
    let page = 4096
    let dataByteCount = (bytes.count + page - 1) / page * page
    mappedByteCount = dataByteCount + page
    guard
      let mapped = mmap(
        nil, mappedByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      mapped != MAP_FAILED
    else { fatalError("no memory") }
    mapping = mapped
    base = mapped + (dataByteCount - bytes.count)
    count = bytes.count
    bytes.withUnsafeBytes { source in
      if let start = source.baseAddress { memcpy(base, start, source.count) }
    }
    mprotect(mapped + dataByteCount, page, PROT_NONE)
  }

  deinit { munmap(mapping, mappedByteCount) }
}
