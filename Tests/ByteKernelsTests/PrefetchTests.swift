import ByteKernels
import Testing

@Test func prefetchTakesAnyAddress() {
  var value = 1
  withUnsafeBytes(of: &value) { bytes in
    if let base = bytes.baseAddress { prefetchForReading(base) }
  }
  if let wild = UnsafeRawPointer(bitPattern: 8) { prefetchForReading(wild) }
}
