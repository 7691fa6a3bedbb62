import ByteKernels
import Glibc
import RealmStorage

/// Where the key of an encrypted file comes from.
///
/// Source: shell.md 15.
enum KeySource {
  /// Reads a key.
  ///
  /// - Parameter isSafe: Refuses to run commands.
  /// - Parameter resolve: Gives the path as the system needs it.
  /// - Throws: `ShellError`: the source is unreadable or has not 64 bytes.
  static func read(
    _ source: String, isSafe: Bool, resolve: (String) -> String = { $0 }
  ) throws(ShellError) -> EncryptionKey {
    let (scheme, rest) = split(source)
    var bytes: [UInt8] = []
    defer { wipe(&bytes) }
    switch scheme {
    case "env": bytes = try value(ofVariable: rest)
    case "cmd":
      guard !isSafe else { throw ShellError(.notSafe, "cmd: keys are refused by --safe") }
      bytes = try output(ofCommand: rest)
      return try key(fromFile: bytes)
    case "fd":
      guard let descriptor = Int32(rest), descriptor >= 0 else {
        throw ShellError(.invalidEncryptionKey, "fd: needs the number of an open descriptor")
      }
      bytes = try contents(of: descriptor, name: source)
      return try key(fromFile: bytes)
    case "prompt": bytes = try askOnTerminal()
    case "hex", "base64": bytes = Array(rest.utf8)
    case "bytes":
      bytes = try numbers(in: rest)
      return try make(bytes)
    case "new":
      throw ShellError(
        .invalidEncryptionKey, "new: makes the key of a new file",
        remedy: "encrypt to PATH key \"new:PATH\", rekey, or open PATH new key \"new:PATH\"")
    default:
      bytes = try contents(ofFile: resolve(rest))
      return try key(fromFile: bytes)
    }
    return try key(fromText: bytes)
  }

  /// The file that a source asks to write a new key to; nil for the other sources.
  static func newPath(of source: String) -> String? {
    let (scheme, rest) = split(source)
    return scheme == "new" ? rest : nil
  }

  /// Overwrites bytes of a key that are not needed any more.
  private static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
    }
  }

  private static func value(ofVariable name: String) throws(ShellError) -> [UInt8] {
    guard let value = getenv(name) else {
      throw ShellError(.invalidEncryptionKey, "the environment has no variable \(name)")
    }
    return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
  }

  /// The path of a source that is a file; nil for the others.
  static func path(of source: String) -> String? {
    let (scheme, rest) = split(source)
    return scheme == "file" ? rest : nil
  }

  private static let schemes: Set<String> = [
    "file", "env", "cmd", "fd", "hex", "base64", "bytes", "new",
  ]

  private static func split(_ source: String) -> (scheme: String, rest: String) {
    if source == "prompt" { return ("prompt", "") }
    if let colon = source.firstIndex(of: ":") {
      let scheme = source[..<colon].lowercased()
      if schemes.contains(scheme) { return (scheme, String(source[source.index(after: colon)...])) }
    }
    return ("file", source)
  }

  private static func make(_ bytes: [UInt8]) throws(ShellError) -> EncryptionKey {
    let key = bytes.withUnsafeBytes { EncryptionKey($0) }
    guard let key else {
      throw ShellError(
        .invalidEncryptionKey,
        "key has \(bytes.count) bytes, \(EncryptionKey.byteCount) are needed")
    }
    return key
  }

  /// 64 raw bytes, or a text form.
  private static func key(fromFile bytes: [UInt8]) throws(ShellError) -> EncryptionKey {
    bytes.count == EncryptionKey.byteCount ? try make(bytes) : try key(fromText: bytes)
  }

  /// 128 hexadecimal digits or 88 Base64 characters, blanks ignored.
  private static func key(fromText text: [UInt8]) throws(ShellError) -> EncryptionKey {
    var digits = text.filter { !" \t\r\n".utf8.contains($0) }
    var bytes: [UInt8] = []
    defer {
      wipe(&digits)
      wipe(&bytes)
    }
    // The Base64 form of a key ends with two equals signs, so it never reads as hexadecimal.
    bytes = digits.withUnsafeBytes { decodeHexadecimal($0) } ?? []
    if bytes.isEmpty { bytes = digits.withUnsafeBytes { decodeBase64($0) } ?? [] }
    return try make(bytes.isEmpty && !digits.isEmpty ? text : bytes)
  }

  private static func numbers(in text: String) throws(ShellError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(maximumByteCount)
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), (-128...255).contains(number) else {
        throw ShellError(.invalidEncryptionKey, "bytes: needs numbers from -128 to 255")
      }
      bytes.append(UInt8(truncatingIfNeeded: number))
    }
    return bytes
  }

  private static func contents(ofFile path: String) throws(ShellError) -> [UInt8] {
    let descriptor = try repeatingCall { open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      let number = errno
      // The text may be the key, mistyped or not.
      guard KeyText.masked(path) == path else {
        throw ShellError(
          .invalidEncryptionKey, "the key source is no file, and looks like a key",
          remedy: "write hex: or base64: in front of a key")
      }
      throw ShellError(
        ErrorName(systemError: number),
        "cannot read the key from \(path): \(StorageMessages.systemText(number))")
    }
    defer { close(descriptor) }
    return try contents(of: descriptor, name: path)
  }

  /// Most bytes a key source may have; more than any form of a key needs.
  private static let maximumByteCount = 4096

  private static func contents(of descriptor: Int32, name: String) throws(ShellError) -> [UInt8] {
    var result: [UInt8] = []
    // What has grown would leave copies behind.
    result.reserveCapacity(2 * maximumByteCount)
    var buffer = [UInt8](repeating: 0, count: 512)
    defer { wipe(&buffer) }
    while result.count < maximumByteCount {
      let count = try repeatingCall { Glibc.read(descriptor, &buffer, buffer.count) }
      guard count >= 0 else {
        throw ShellError(
          .fileOperationFailed,
          "cannot read the key from \(name): \(StorageMessages.systemText(errno))")
      }
      if count == 0 { break }
      result += buffer[..<count]
    }
    return result
  }

  /// The first line, or the 64 bytes, that a command prints.
  private static func output(ofCommand command: String) throws(ShellError) -> [UInt8] {
    guard let stream = popen(command, "r") else {
      throw ShellError(.commandFailed, "cannot run \(command)")
    }
    var bytes: [UInt8] = []
    do throws(ShellError) {
      bytes = try contents(of: fileno(stream), name: command)
    } catch {
      pclose(stream)
      throw error
    }
    guard pclose(stream) == 0 else {
      throw ShellError(.commandFailed, "the key command failed: \(command)")
    }
    if bytes.count == EncryptionKey.byteCount { return bytes }
    defer { wipe(&bytes) }
    return Array(bytes.prefix { $0 != 0x0A })
  }

  private static func askOnTerminal() throws(ShellError) -> [UInt8] {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw ShellError(.invalidEncryptionKey, "there is no terminal to ask for the key")
    }
    defer { close(terminal) }
    TerminalEcho.hide(on: terminal)
    defer { TerminalEcho.restore() }
    let question: StaticString = "key: "
    _ = write(terminal, question.utf8Start, question.utf8CodeUnitCount)
    var line: [UInt8] = []
    line.reserveCapacity(maximumByteCount)
    var byte: UInt8 = 0
    while line.count < maximumByteCount, Glibc.read(terminal, &byte, 1) == 1, byte != 0x0A {
      line.append(byte)
    }
    byte = 0x0A
    _ = write(terminal, &byte, 1)
    try Interruption.check()
    return line
  }
}
