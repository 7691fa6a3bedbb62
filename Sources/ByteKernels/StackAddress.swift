import CLinux
import Glibc

/// The lowest address that the stack of the running thread can grow down to; 0 if the system does
/// not tell.
///
/// Takes some microseconds on the first thread, whose stack the system has to look up.
public func lowestStackAddress() -> UInt {
  var attributes = pthread_attr_t()
  guard pthread_getattr_np(pthread_self(), &attributes) == 0 else { return 0 }
  defer { pthread_attr_destroy(&attributes) }
  var lowest: UnsafeMutableRawPointer?
  var byteCount = 0
  guard pthread_attr_getstack(&attributes, &lowest, &byteCount) == 0 else { return 0 }
  return UInt(bitPattern: lowest)
}

/// An address near the end of the stack that is in use.
@inline(never)
public func currentStackAddress() -> UInt {
  var local: UInt8 = 0
  return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
}
