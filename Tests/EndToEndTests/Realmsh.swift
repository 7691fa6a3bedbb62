import TestSupport

/// Runs of the built program.
enum Realmsh {
  /// Runs realmsh to its end.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:],
    folder: String? = nil
  ) -> Process.Result {
    run(arguments, input: input, environment: environment, folder: folder)
  }

  /// Runs realmsh to its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    folder: String? = nil
  ) -> Process.Result {
    Process.run(
      Fixtures.realmsh, arguments, input: Array(input.utf8),
      environment: Process.plainEnvironment.merging(environment) { $1 }, folder: folder)
  }

  /// The path of a database of the package.
  static func fixture(_ name: String) -> String { "\(Fixtures.root)/Tests/Fixtures/\(name)" }

  /// A folder with a copy of `dogs.realm`.
  static func folderWithDogs() -> TemporaryFolder {
    let folder = TemporaryFolder()
    folder.copy(fixture("dogs.realm"), as: "dogs.realm")
    return folder
  }
}
