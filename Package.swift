// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target.
let common: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  // Exclusive access is checked in debug builds, which the tests run.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]
/// Settings of the program's own targets.
let program: [SwiftSetting] =
  common + [
    // Nothing may link the engine for regular expressions, 1.3 MB.
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
    // What nothing calls is left out by the linker.
    .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
  ]
/// Settings of targets without loops over rows.
let small: [SwiftSetting] =
  program + [.unsafeFlags(["-Osize"], .when(configuration: .release))]
/// Layers that never touch raw memory: an unmarked unsafe expression does not compile.
let safe: [SwiftSetting] = program + [.strictMemorySafety()]
/// Loops over bytes are optimised in debug builds too; without this the tests run 50 times slower.
/// The module Builtin has the prefetch instruction of every processor.
let kernels: [SwiftSetting] =
  program + [
    .unsafeFlags(["-O"], .when(configuration: .debug)), .enableExperimentalFeature("BuiltinModule"),
  ]
/// Everything in one file: starts in under a millisecond. Only on executables, never on a target
/// that tests link.
let standalone: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-executable", "-use-ld=lld", "-Xlinker", "--icf=all", "-Xlinker",
      "--no-eh-frame-hdr", "-Xlinker", "-T",
      "-Xlinker", Context.packageDirectory + "/Sources/realmsh/NoUnwinding.ld",
    ], .when(configuration: .release)),
  .linkedLibrary("tinfo"), .linkedLibrary("bsd"), .linkedLibrary("md"),
]
/// Parts of SQLite that nothing here uses, 0.4 MB: a function that gives 0 stands for what would make
/// them known.
let smallSQLite: [LinkerSetting] = [
  .linkedLibrary("m"),
  .unsafeFlags(
    [
      "Fts3Init", "Fts5Init", "RtreeInit", "JsonTableFunctions", "RegisterJsonFunctions",
      "DbstatRegister", "StmtVtabInit",
    ].flatMap {
      ["-Xlinker", "--defsym=sqlite3\($0)=sqlite3_release_memory"]
    }, .when(configuration: .release)),
]

let package = Package(
  name: "realmsh",
  products: [.executable(name: "realmsh", targets: ["realmsh"])],
  targets: [
    // The C libraries.
    .systemLibrary(name: "CLibCrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLibEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // The program, from bytes to terminal; each target imports only those above it.
    .target(name: "ByteKernels", dependencies: ["CLinux"], swiftSettings: kernels),
    .target(name: "RealmValues", dependencies: ["ByteKernels"], swiftSettings: program),
    .target(
      name: "RealmStorage", dependencies: ["RealmValues", "ByteKernels", "CLibCrypto", "CLinux"],
      swiftSettings: program,
      // The static library, which has symbols that the shared one hides; see CLibCrypto.
      linkerSettings: [.linkedLibrary(":libcrypto.a")]),
    .target(
      name: "RealmObjects", dependencies: ["RealmStorage", "RealmValues", "ByteKernels"],
      swiftSettings: small),
    .target(
      name: "RealmLanguage", dependencies: ["RealmValues", "ByteKernels"], swiftSettings: safe),
    .target(
      name: "RealmQuery",
      dependencies: [
        "RealmLanguage", "RealmObjects", "RealmStorage", "RealmValues", "ByteKernels",
      ],
      swiftSettings: program),
    .target(name: "LineEditor", dependencies: ["CLibEdit", "ByteKernels"], swiftSettings: small),
    .target(
      name: "RealmShell",
      dependencies: [
        "RealmLanguage", "RealmQuery", "RealmObjects", "RealmStorage", "RealmValues", "LineEditor",
        "ByteKernels", "CSQLite",
      ],
      swiftSettings: small),
    .executableTarget(
      name: "realmsh", dependencies: ["RealmShell"], exclude: ["NoUnwinding.ld"],
      swiftSettings: program, linkerSettings: standalone + smallSQLite),

    // Tests, one target per target, then those of the whole.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: common),
    .testTarget(
      name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: common),
    .testTarget(
      name: "ByteKernelsTests", dependencies: ["ByteKernels"], swiftSettings: kernels),
    .testTarget(
      name: "RealmValuesTests", dependencies: ["RealmValues"], swiftSettings: common),
    .executableTarget(
      name: "LockProbe", dependencies: ["RealmStorage"], path: "Tests/LockProbe",
      swiftSettings: common, linkerSettings: standalone),
    .testTarget(
      name: "RealmStorageTests", dependencies: ["RealmStorage", "RealmValues", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "RealmObjectsTests",
      dependencies: ["RealmObjects", "RealmStorage", "RealmValues", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "RealmLanguageTests", dependencies: ["RealmLanguage", "RealmValues"],
      swiftSettings: common),
    .testTarget(
      name: "RealmQueryTests",
      dependencies: ["RealmQuery", "RealmLanguage", "RealmObjects", "RealmValues", "TestSupport"],
      swiftSettings: common),
    .executableTarget(
      name: "EditorProbe", dependencies: ["LineEditor"], path: "Tests/EditorProbe",
      swiftSettings: common, linkerSettings: standalone),
    .testTarget(
      name: "LineEditorTests", dependencies: ["LineEditor", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "RealmShellTests", dependencies: ["RealmShell", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "CompatibilityTests",
      dependencies: ["RealmObjects", "RealmStorage", "RealmValues", "CLibCrypto", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "CorruptionTests",
      dependencies: ["RealmObjects", "RealmStorage", "RealmValues", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport"],
      exclude: ["Scenarios", "Sessions", "Transcripts"],
      swiftSettings: common),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "RealmQuery", "RealmLanguage", "RealmObjects", "RealmStorage", "RealmValues", "ByteKernels",
      ],
      path: "Tests/Benchmarks", swiftSettings: common, linkerSettings: standalone),
    .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: common),
  ],
  swiftLanguageModes: [.v6]
)
