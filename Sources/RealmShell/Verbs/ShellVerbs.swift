import ByteKernels
import Glibc
import RealmLanguage

/// `config`, `mode`, `source`, `cd`, `exit`.
///
/// Source: shell.md 17.
extension Session {
  func config(_ statement: ConfigStatement, to writer: ByteWriter) throws(ShellError) {
    guard let name = statement.name else {
      let nameWidth = SettingDescription.all.map(\.name.count).max() ?? 0
      let values = SettingDescription.all.map { EscapedText.bare($0.text(settings)) }
      let valueWidth = values.map(\.count).max() ?? 0
      let text = ByteWriter()
      for (setting, value) in zip(SettingDescription.all, values) {
        text.write(
          "\(padded(setting.name, nameWidth))  \(padded(value, valueWidth))  \(setting.meaning)\n")
      }
      writer.write(fitted(text))
      return
    }
    guard let setting = SettingDescription.named(name.text) else {
      throw ShellError(
        .unknownSetting, "no setting \(name.text)", at: name.range,
        suggestion: Spelling.nearest(
          to: name.text, among: SettingDescription.all.map(\.name)))
    }
    guard let value = statement.value else {
      writer.write(EscapedText.bare(setting.text(settings)) + "\n")
      return
    }
    guard setting.set(&settings, value.text) else {
      throw ShellError(
        .unknownSetting, "\(name.text) cannot be \(value.text); it is one of: \(setting.values)",
        at: value.range,
        suggestion: Spelling.nearest(
          to: value.text, among: setting.values.split(separator: " ").map(String.init)))
    }
  }

  func mode(_ name: Name?, to writer: ByteWriter) throws(ShellError) {
    guard let name else {
      writer.write(settings.mode.rawValue + "\n")
      return
    }
    settings.mode = try mode(named: name)
  }

  /// The output mode with a name.
  func mode(named name: Name) throws(ShellError) -> Settings.Mode {
    guard let mode = Settings.Mode(rawValue: name.text.lowercased()) else {
      throw ShellError(
        .invalidArgument, "no output mode \(name.text)", at: name.range,
        suggestion: Spelling.nearest(
          to: name.text, among: Settings.Mode.allCases.map(\.rawValue)))
    }
    return mode
  }

  func source(_ path: FilePath) throws(ShellError) {
    try runScript(resolve(path), at: path.range)
  }

  func changeFolder(_ path: FilePath?, to writer: ByteWriter) throws(ShellError) {
    guard let path else {
      guard let folder = getcwd(nil, 0) else {
        throw ShellError(.fileOperationFailed, "the folder is gone")
      }
      writer.write(String(cString: folder) + "\n")
      free(folder)
      return
    }
    guard chdir(resolve(path)) == 0 else {
      throw ShellError(
        ErrorName(systemError: errno),
        "cannot change to \(path.text): \(StorageMessages.systemText(errno))", at: path.range)
    }
  }

  /// Ends the program. An open transaction is dropped the second time in a row, or if a status is
  /// given.
  func exit(_ code: IntegerOperand?, at range: SourceRange) throws(ShellError) {
    if let code {
      guard (0...125).contains(code.value) else {
        throw ShellError(.invalidArgument, "a status is 0 to 125", at: code.range)
      }
      dropTransactions()
      exitStatus = Int32(code.value)
    } else {
      try refuseOpenTransaction(of: databases, at: range)
    }
    isEnding = true
  }
}
