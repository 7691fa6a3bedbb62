import ByteKernels
import Glibc
import LineEditor
import RealmLanguage

/// The version of the program.
public let programVersion = "0.1.0"

/// Runs the program with its command line and returns the exit status.
public func runShell() -> Int32 {
  reserveStandardDescriptors()
  // Handled and not ignored, which the commands that the shell runs would inherit; writing then
  // fails with an error number.
  signal(SIGPIPE) { _ in }
  signal(SIGXFSZ) { _ in }
  let invocation: Invocation
  do throws(UsageError) {
    invocation = try Invocation(arguments: Array(CommandLine.arguments.dropFirst()))
  } catch {
    let writer = ByteWriter(descriptor: STDERR_FILENO)
    writer.write("realmsh: error: \(error.message) [Usage]\n  hint: realmsh --help\n")
    writer.flush()
    return ErrorName.usage.exitStatus
  }
  return Program(invocation).run()
}

/// One run of the program.
struct Program {
  private let invocation: Invocation

  init(_ invocation: Invocation) { self.invocation = invocation }

  func run() -> Int32 {
    let descriptor: Int32
    do throws(ShellError) {
      descriptor = try outputDescriptor()
    } catch {
      ErrorPrinter(form: .human, writer: ByteWriter(descriptor: STDERR_FILENO)).print(
        error, origin: nil)
      return error.name.exitStatus
    }
    let isTerminal = invocation.outputPath == nil && isatty(STDOUT_FILENO) == 1
    let session = Session(
      invocation, output: ProgressLine.writer(descriptor), descriptor: descriptor,
      outputIsTerminal: isTerminal)
    do throws(ShellError) {
      try configure(session)
      if printsOnly(session) { return finish(session) }
      installSignalHandlers()
      try readConfiguration(session)
      try openTarget(session)
    } catch {
      session.report(error, origin: nil)
      _ = session.endThreads(waiting: false)
      return error.name.exitStatus
    }
    runWork(session)
    if let limit = invocation.follow { session.follow(forMilliseconds: limit) }
    session.endScripts()
    return finish(session)
  }

  private func finish(_ session: Session) -> Int32 {
    session.output.flush()
    if let failure = session.output.failure {
      if failure == EPIPE { return 141 }
      session.errorOutput.write(
        "realmsh: error: cannot write the output: \(StorageMessages.systemText(failure)) "
          + "[FileOperationFailed]\n")
      session.errorOutput.flush()
      return 1
    }
    return session.exitStatus
  }

  private func outputDescriptor() throws(ShellError) -> Int32 {
    guard let path = invocation.outputPath else { return STDOUT_FILENO }
    guard !invocation.isSafe else {
      throw ShellError(.notSafe, "writing files is refused by --safe")
    }
    var databases: [String] = []
    if case .file(let database) = invocation.target { databases = [database] }
    if let reason = OutputFile.refusal(path, databases: databases) {
      throw ShellError(.usage, "cannot write \(path): it \(reason)")
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw ShellError(
        .usage, "cannot write \(path): \(StorageMessages.systemText(errno))")
    }
    return descriptor
  }

  private func configure(_ session: Session) throws(ShellError) {
    let values = [
      ("mode", invocation.mode), ("errors", invocation.errorForm), ("color", invocation.color),
      ("width", invocation.width),
    ]
    for case (let name, let value?) in values {
      guard let setting = SettingDescription.named(name), setting.set(&session.settings, value)
      else {
        let values = SettingDescription.named(name)?.values ?? ""
        throw ShellError(.usage, "--\(name) \(value): it is one of: \(values)")
      }
    }
    session.settings.echoes = invocation.echoes
    session.settings.showsTiming = invocation.showsTiming
    if invocation.isQuiet { session.settings.showsFooter = false }
    for definition in invocation.definitions {
      session.set(
        definition.name, .value(KeptValue(ShellValue(definition: definition.value)), nil))
    }
  }

  private func printsOnly(_ session: Session) -> Bool {
    if invocation.showsVersion {
      session.output.write("realmsh \(programVersion)\n")
      return true
    }
    guard let topic = invocation.help else { return false }
    if topic == nil {
      session.output.write("realmsh [options] [FILE [STATEMENT ...]]\n\n")
      session.help("options", to: session.output)
      session.output.write("\n")
    }
    session.help(topic, to: session.output)
    return true
  }

  private var standardStreamsAreTerminals: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  private var isInteractive: Bool {
    invocation.isInteractive || (invocation.work.isEmpty && standardStreamsAreTerminals)
  }

  private func readConfiguration(_ session: Session) throws(ShellError) {
    guard invocation.readsConfig, isInteractive else { return }
    let named = invocation.configPath ?? nonEmptyEnvironment("REALMSH_CONFIG")
    let folder =
      nonEmptyEnvironment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" } ?? ""
    let path = named ?? folder + "/realmsh/config.realmsh"
    guard access(path, R_OK) == 0 else {
      guard named != nil else { return }
      throw ShellError(
        ErrorName(systemError: errno),
        "cannot read the configuration \(path): \(StorageMessages.systemText(errno))",
        remedy: "--no-config")
    }
    // A mistake in it has been told; the prompt comes all the same.
    do throws(ShellError) {
      try session.runScript(path)
    } catch {
      if error.name == .interrupted { throw error }
    }
    if !session.isEnding { session.exitStatus = 0 }
    session.hasStopped = false
  }

  private func openTarget(_ session: Session) throws(ShellError) {
    var opening = Session.Opening()
    opening.creation = invocation.creation
    opening.isReadOnly = invocation.isReadOnly
    opening.schema = invocation.schemaPath
    if let text = invocation.schemaVersion {
      guard let version = UInt64(text) else {
        throw ShellError(.usage, "--schema-version needs a number, not \(text)")
      }
      opening.version = version
    }
    switch invocation.target {
    case .none: return
    case .memory(let name):
      guard invocation.keySource == nil else {
        throw ShellError(.usage, "a memory database has no key")
      }
      (opening.name, opening.memoryName) = (name, name)
    case .file(let path): opening.path = path
    }
    if let source = invocation.keySource,
      ["hex:", "base64:", "bytes:"].contains(where: source.lowercased().hasPrefix)
    {
      session.warn(
        ShellError(
          .invalidEncryptionKey, "other users of the machine can read a key on the command line",
          remedy: "--key file:PATH"), origin: nil)
    }
    if let source = invocation.keySource { try session.readKey(source, for: &opening) }
    do throws(ShellError) {
      try session.openDatabase(opening)
    } catch {
      var error = error
      if error.name == .notARealmFile { error.subject = opening.path }
      if error.name == .fileNotFound, opening.creation == .no, let path = opening.path,
        StorageMessages.danglingLink(path) == nil
      {
        let hint = statementHint(path)
        if hint == nil { error.suggestion = session.similarFile(path) }
        error.remedy = hint ?? "add --create to make a new database"
      }
      throw error
    }
  }

  /// What to write if a statement stands where the file belongs: `realmsh recover a.realm to b.realm`;
  /// nil if it is none.
  private func statementHint(_ path: String) -> String? {
    var words = [path]
    for case .text(let text) in invocation.work { words.append(text) }
    guard let verb = path.split(separator: " ").first.flatMap({ Grammar.verb(named: String($0)) })
    else { return nil }
    let lead = "\(verb.name) is a statement, which stands behind "
    if let file = words.dropFirst().last, access(file, F_OK) == 0 {
      return lead + "a file: realmsh \(file) \(shellQuoted(words.dropLast()))"
    }
    guard ["recover", "open", "check", "info", "source", "help"].contains(verb.name) else {
      return lead + "a file: realmsh FILE \(shellQuoted(words[...]))"
    }
    return lead + "-c: realmsh -c \(shellQuoted(words[...]))"
  }

  /// A statement of several words as an argument of the system's shell.
  private func shellQuoted(_ words: ArraySlice<String>) -> String {
    let text = words.joined(separator: " ")
    let isBare = text.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
    return isBare ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private func runWork(_ session: Session) {
    var commandNumber = 0
    for work in invocation.work where !session.isEnding {
      switch work {
      case .text(let text):
        commandNumber += 1
        let source = SourceText(
          fileName: "<command \(commandNumber)>", bytes: Array(text.utf8))
        guard session.run(source) || session.keepsGoing else {
          return tellAboutQuotes(behind: commandNumber, session)
        }
      case .script(let path):
        if !run(script: path, session), !session.keepsGoing { return }
      }
    }
    guard !session.isEnding else { return }
    if isInteractive, standardStreamsAreTerminals {
      Prompt(
        session, usesHistory: invocation.usesHistory && !invocation.isSafe,
        isFresh: invocation.work.isEmpty
      ).run()
    } else if invocation.work.isEmpty || invocation.isInteractive {
      _ = run(script: "-", session)
    }
  }

  /// Tells that a statement of several words stands in quotes, if the argument behind the one that has
  /// failed is none: `realmsh dogs.realm count Dog`.
  private func tellAboutQuotes(behind number: Int, _ session: Session) {
    var texts: [String] = []
    for case .text(let text) in invocation.work { texts.append(text) }
    guard number < texts.count, let word = texts[number].split(separator: " ").first,
      !texts[number - 1].contains(" "), Grammar.verb(named: String(word)) == nil
    else { return }
    let words = texts[(number - 1)...]
    session.note(
      "each argument is a statement; several words stand in quotes: \(shellQuoted(words))")
  }

  private func run(script path: String, _ session: Session) -> Bool {
    do throws(ShellError) {
      if path == "-" { return try session.runInput() }
      let bytes = try TextFile.read(path, shownAs: path)
      session.scriptFolders = [TextFile.folder(of: path)]
      defer { session.scriptFolders = [] }
      return session.run(SourceText(fileName: path, bytes: bytes))
    } catch {
      session.report(error, origin: nil)
      session.exitStatus = error.name.exitStatus
      return false
    }
  }
}
