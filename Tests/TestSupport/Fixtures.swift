import Glibc

/// Where tests find what they need.
public enum Fixtures {
  /// The folder of the package, that of Package.swift.
  public static let root: String = {
    // <root>/Tests/TestSupport/Fixtures.swift
    var folder = #filePath[...]
    for _ in 0..<3 {
      folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    }
    return String(folder)
  }()

  /// The folder `shared` with files of genuine Realm programs, or nil where it is not at hand.
  ///
  /// REALMSH_SHARED names it, else it is looked for beside the package and one level higher.
  public static let shared: String? = {
    let named = getenv("REALMSH_SHARED").map { [String(cString: $0)] } ?? []
    let candidates = named + ["\(root)/../shared", "\(root)/../../shared"]
    return candidates.first { Files.isFolder("\($0)/fixtures") }
  }()

  /// The path of a file in `shared`, or nil where it is not at hand.
  public static func shared(_ path: String) -> String? {
    shared.map { "\($0)/\(path)" }.flatMap { Files.exists($0) ? $0 : nil }
  }

  /// The path of an executable of this package, which the build puts beside the test bundle.
  public static func executable(_ name: String) -> String {
    guard let path = realpath("/proc/self/exe", nil) else {
      preconditionFailure("/proc/self/exe cannot be read: errno \(errno)")
    }
    defer { free(path) }
    let own = String(cString: path)
    let folder = own[..<(own.lastIndex(of: "/") ?? own.startIndex)]
    return "\(folder)/\(name)"
  }

  /// The built `realmsh`.
  public static var realmsh: String { executable("realmsh") }
}
