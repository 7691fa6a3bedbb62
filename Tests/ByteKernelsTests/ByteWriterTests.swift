import ByteKernels
import Glibc
import Testing

// Goal: all bytes arrive in order whatever the pieces, and a failing descriptor stops quietly.

@Test func memorySinkKeepsEverything() {
  var random = RandomSource(seed: 70)
  let writer = ByteWriter()
  var expected: [UInt8] = []
  for _ in 0..<400 {
    let piece = randomBytes(Int.random(in: 0...3000, using: &random), of: [1, 2, 3], &random)
    writer.write(piece)
    writer.byte(0x41)
    writer.pad(Int.random(in: -1...0, using: &random))
    writer.pad(3)
    writer.write("é")
    writer.write("\(piece.count)")
    expected += piece + [0x41, 0x20, 0x20, 0x20, 0xC3, 0xA9] + Array("\(piece.count)".utf8)
  }
  #expect(writer.bufferedByteCount == expected.count)
  #expect(writer.takeBytes() == expected)
  #expect(writer.takeBytes() == [])
  writer.pad(200_000)
  #expect(writer.takeBytes() == [UInt8](repeating: 0x20, count: 200_000))
}

@Test func descriptorGetsPiecesOfAllSizes() throws {
  let path = "/tmp/ByteWriterTests.\(getpid())"
  let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  try #require(descriptor >= 0)
  defer {
    close(descriptor)
    unlink(path)
  }
  let writer = ByteWriter(descriptor: descriptor)
  var expected: [UInt8] = []
  for (i, count) in [1, 65_535, 1, 65_536, 7, 200_000, 0, 65_537, 3].enumerated() {
    let piece = [UInt8](repeating: UInt8(i), count: count)
    writer.write(piece)
    expected += piece
  }
  writer.flush()
  #expect(writer.failure == nil)
  let read = [UInt8](unsafeUninitializedCapacity: expected.count + 1) { buffer, count in
    count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
  }
  #expect(read == expected)
}

@Test func failedWriteIsRememberedAndTheRestDiscarded() throws {
  let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  let writer = ByteWriter(descriptor: descriptor)
  writer.write("lost")
  #expect(writer.failure == nil)
  writer.flush()
  #expect(writer.failure == ENOSPC)
  for _ in 0..<10 { writer.write([UInt8](repeating: 0, count: 100_000)) }
  #expect(writer.bufferedByteCount <= 65_536)
}
