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
    if usesHistory {
      editor.useHistory(path: historyPath, limit: session.settings.historyLimit)
    }
    watchEvents(editor)
    editor.assistance = session.assistance(prompt: promptText)
    var nextText = ""
    session.typing = TypingServices(
      history: { editor.history.entries }, place: { nextText = $0 })
    defer { session.typing = nil }
    var keys: Settings.Keys?
    var hasToldHowToLeave = false
    while !session.isEnding {
      session.printFinishedWork(to: session.output)
      session.output.flush()
      apply(session.settings, to: editor, &keys)
      let initialText = nextText
      nextText = ""
      switch editor.readStatement(prompt: colored(promptText()), initialText: initialText) {
      case .endOfFile: session.isEnding = true
      case .interrupted(let wasEmpty):
        if wasEmpty { tellHowToLeave(&hasToldHowToLeave) }
      case .statement(let text):
        if let rest = run(EnteredText(text), editor) { nextText = rest }
      }
    }
    // What was not committed is lost, which is said but is no error at the prompt.
    session.dropTransactions()
    _ = session.endThreads(waiting: false)
  }

  /// Tells those who press Ctrl-C at an empty prompt how to leave, once.
  private func tellHowToLeave(_ hasTold: inout Bool) {
    guard !hasTold, !session.isQuiet else { return }
    hasTold = true
    session.output.write("to leave: exit, or Ctrl-D on an empty line\n")
  }

  /// Lets observers and threads print above the line being typed.
  private func watchEvents(_ editor: LineEditor) {
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
  }

  /// - Parameter keys: The keys that the editor has.
  private func apply(_ settings: Settings, to editor: LineEditor, _ keys: inout Settings.Keys?) {
    if keys != settings.keys {
      editor.use(settings.keys == .vi ? .vi : .emacs)
      keys = settings.keys
    }
    editor.options.usesColor = session.usesColor
    editor.options.showsHints = settings.showsHints
    editor.options.highlights = settings.highlights
  }

  /// Runs statements in order, up to the first error.
  ///
  /// - Returns: what is left for correction if there was more than one statement.
  private func run(_ text: EnteredText, _ editor: LineEditor) -> String? {
    for part in text.parts {
      if part.mayBeKept { editor.remember(part.text) }
      let isAlone = text.parts.count == 1 && !part.text.contains("\n")
      let before = isAlone ? promptText() + text.rowStart(of: part) : nil
      let isDone = runStatement(part.text, behind: before)
      if part.mayBeKept { editor.note(part.text, hasFailed: !isDone) }
      guard isDone else {
        return text.parts.count > 1 ? text.text(from: part) : nil
      }
      if session.isEnding { return nil }
    }
    return nil
  }

  /// Without an editor: one statement after the other, with a plain prompt.
  private func runPlainly() {
    var text = ""
    var prompt = ""
    var lines = TypedLines()
    var hasToldHowToLeave = false
    while !session.isEnding {
      Interruption.clear()
      if text.isEmpty {
        prompt = promptText()
        session.output.write(prompt)
      }
      session.output.flush()
      do throws(ShellError) {
        guard let line = try lines.next() else { break }
        text += line
      } catch  where error.name == .interrupted {
        session.output.write("\n")
        if text.isEmpty { tellHowToLeave(&hasToldHowToLeave) }
        text = ""
        continue
      } catch {
        session.report(error, origin: nil)
        break
      }
      guard Session.completeness(of: text) == .complete else { continue }
      // Only a terminal shows what was typed behind the prompt.
      let isOnScreen = isatty(STDIN_FILENO) == 1 && !text.dropLast().contains("\n")
      _ = runStatement(text, behind: isOnScreen ? prompt : nil)
      text = ""
    }
  }

  /// Runs a statement.
  ///
  /// - Parameter text: What stands before it on the screen, if it was typed in one row.
  /// - Returns: whether all went well.
  private func runStatement(_ statement: String, behind text: String?) -> Bool {
    Interruption.clear()
    let width = text.map { text in
      Array(text.utf8).withUnsafeBytes { displayWidth(of: $0) }
    }
    session.output.flush()
    session.sentByteCountWhenTyped = session.output.sentByteCount
    return session.run(SourceText(statement, fileName: "<prompt>"), promptWidth: width)
  }

  private var historyPath: String? {
    if let path = environment("REALMSH_HISTORY") {
      return path.isEmpty || OutputFile.refusal(path, databases: []) != nil ? nil : path
    }
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
      text = text.replacing(field, with: EscapedText.bare(value))
    }
    return text
  }

  /// The prompt in the colour of its state: yellow with a write transaction, red if that has failed.
  /// The last character is left out, so that text follows the end of the colour.
  private func colored(_ prompt: String) -> String {
    let state = session.threads.promptStatus.1.stateText
    guard session.usesColor, state == "*" || state == "!", prompt.count > 1 else { return prompt }
    let color = state == "*" ? "33" : "31"
    return "\u{1B}[\(color)m\(prompt.dropLast())\u{1B}[39m\(prompt.suffix(1))"
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
