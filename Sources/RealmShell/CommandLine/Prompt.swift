import ByteKernels
import Glibc
import LineEditor
import RealmLanguage
import RealmObjects
import RealmStorage
import Synchronization

/// The loop of the prompt.
///
/// Source: shell.md 20, 21.
struct Prompt {
  private let session: Session
  private let usesHistory: Bool
  private let isFresh: Bool

  init(_ session: Session, usesHistory: Bool, isFresh: Bool) {
    self.session = session
    self.usesHistory = usesHistory
    self.isFresh = isFresh
  }

  func run() {
    session.isInteractive = true
    if isFresh, !session.isQuiet {
      session.output.write("realmsh \(programVersion): type help, or a verb and Tab\n")
      if let database = try? session.current() {
        session.output.write(session.openedText(database) + "\n")
      }
      session.output.flush()
    }
    guard let editor = LineEditor(programName: "realmsh") else {
      runPlainly()
      session.dropTransactions()
      return
    }
    editor.use(session.settings.keys == .vi ? .vi : .emacs)
    if usesHistory {
      editor.useHistory(path: historyPath, limit: session.settings.historyLimit)
    }
    let finished = WakePipe()
    if let finished { session.threads.listener.withLock { $0 = { finished.wake() } } }
    editor.events = LineEditor.Events(
      descriptors: { [session] in
        session.observers.watches.compactMap { $0.listener?.descriptor }
          + (finished.map { [$0.readEnd] } ?? [])
      },
      handle: { [session] printAbove in
        session.clearNews()
        finished?.clear()
        guard session.hasNews || session.threads.hasFinishedWork else { return }
        session.collectingOutput(into: printAbove) {
          session.printFinishedWork(to: session.output)
          session.takeNews()
        }
      })
    editor.assistance.isComplete = Prompt.isComplete
    editor.options.usesColor = session.usesColor
    while !session.isEnding {
      session.printFinishedWork(to: session.output)
      session.output.flush()
      let prompt = promptText()
      switch editor.readStatement(prompt: prompt) {
      case .endOfFile: session.isEnding = true
      case .interrupted: continue
      case .statement(let text):
        if !Prompt.holdsKey(text) { editor.remember(text) }
        runText(text, promptWidth: prompt)
      }
    }
    // What was not committed is lost, which is said but is no error at the prompt.
    session.dropTransactions()
    _ = session.endThreads(waiting: false)
  }

  /// Without an editor: one statement after the other, with a plain prompt.
  private func runPlainly() {
    var text = ""
    var prompt = ""
    while !session.isEnding {
      if text.isEmpty {
        prompt = promptText()
        session.output.write(prompt)
      }
      session.output.flush()
      guard let line = readLine(strippingNewline: false) else { break }
      text += line
      guard Prompt.isComplete(text) else { continue }
      // Only a terminal shows what was typed behind the prompt.
      runText(text, promptWidth: isatty(STDIN_FILENO) == 1 ? prompt : nil)
      text = ""
    }
  }

  private func runText(_ text: String, promptWidth prompt: String?) {
    Interruption.clear()
    let isOneRow = !text.dropLast().contains("\n")
    let width = prompt.flatMap { prompt in
      isOneRow ? Array(prompt.utf8).withUnsafeBytes { displayWidth(of: $0) } : nil
    }
    session.run(SourceText(text, fileName: "<prompt>"), promptWidth: width)
  }

  private static func isComplete(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return StatementBounds.completeness(of: bytes.span) == .complete
  }

  /// Statements with a key in them are not remembered.
  private static func holdsKey(_ text: String) -> Bool {
    ["hex:", "base64:", "bytes:"].contains { text.contains($0) }
  }

  private var historyPath: String? {
    if let path = environment("REALMSH_HISTORY") { return path.isEmpty ? nil : path }
    let folder = environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" }
    return folder.map { $0 + "/realmsh/history" }
  }

  /// The prompt with its fields filled in.
  private func promptText() -> String {
    session.publishStatus()
    let (name, status) = session.threads.promptStatus
    let isMain = name == ThreadIdentity.mainName
    let version = status.version.map(String.init) ?? ""
    let count = session.observers.all.count
    let observers = count > 0 ? "+\(count)" : ""
    let fields: [(String, String)] = [
      ("{db}", status.name ?? "realmsh"), ("{path}", status.path),
      ("{state}", (isMain ? "" : "@\(name)") + status.stateText), ("{thread}", name),
      ("{version}", version), ("{schema}", status.schemaVersion.map(String.init) ?? ""),
      ("{observers}", observers), ("{time}", clockText()),
    ]
    var text = session.settings.prompt
    for (field, value) in fields where text.contains(field) {
      text = text.replacing(field, with: value)
    }
    return text
  }

  private func clockText() -> String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { number in
      number < 10 ? "0\(number)" : "\(number)"
    }.joined(separator: ":")
  }
}

extension Session {
  /// Gives what `body` prints on the terminal to a function, in one piece.
  fileprivate func collectingOutput(into print: (String) -> Void, _ body: () -> Void) {
    let writer = ByteWriter()
    let (formerOutput, formerErrors) = (output, errorOutput)
    if outputDescriptor == STDOUT_FILENO { output = writer }
    if isatty(STDERR_FILENO) == 1 { errorOutput = writer }
    body()
    (output, errorOutput) = (formerOutput, formerErrors)
    output.flush()
    errorOutput.flush()
    let bytes = writer.takeBytes()
    if !bytes.isEmpty { print(String(decoding: bytes, as: UTF8.self)) }
  }
}
