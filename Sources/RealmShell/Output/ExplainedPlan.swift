import ByteKernels
import RealmQuery

/// What a statement does, step by step, for people and programs.
///
/// Source: shell.md 10.
struct ExplainedPlan {
  /// One step.
  struct Step {
    var word: String
    var text: String
    /// Objects left after the step; nil if the statement did not run.
    var objectCount: Int?
    /// Nil if the statement did not run.
    var milliseconds: Double?

    init(_ word: String, _ text: String) {
      self.word = word
      self.text = text
    }
  }

  /// The class, collection or object.
  var source: String
  /// The predicate and clauses as they are understood; empty if there are none.
  var text: String
  var steps: [Step] = []
  /// Traps that the predicate walks into.
  var warnings: [ShellError] = []
  /// Objects in the end; nil if the statement did not run.
  var objectCount: Int?
  /// Nil if the statement did not run.
  var milliseconds: Double?

  /// Takes over what a run has shown.
  ///
  /// - Parameter milliseconds: The time of the whole statement.
  mutating func complete(_ explanation: QueryExplanation?, milliseconds total: Double) {
    var found = 0
    var spent = 0.0
    if let explanation {
      let effect = steps.count > explanation.steps.count ? steps.last : nil
      let first = steps.first?.text
      steps = explanation.steps.map { step in
        var result = Step(step.kind.rawValue, step.text)
        result.objectCount = step.objectCount
        result.milliseconds = step.nanoseconds.map { Double($0) / 1e6 }
        return result
      }
      if explanation.steps.first?.kind == .list, let first { steps[0].text = first }
      found = explanation.objectCount ?? 0
      spent = explanation.nanoseconds.map { Double($0) / 1e6 } ?? 0
      objectCount = found
      self.milliseconds = spent
      if let effect { steps.append(effect) }
    }
    guard let last = steps.indices.last, steps[last].milliseconds == nil else { return }
    // The step is all of the statement but the search.
    if explanation != nil { steps[last].objectCount = found }
    steps[last].milliseconds = max(0, total - spent)
    self.milliseconds = total
  }

  /// The source with the predicate.
  private var title: String { text.isEmpty ? source : "\(source) where \(text)" }

  // MARK: Printing

  /// Prints the plan.
  func print(_ mode: Settings.Mode, to out: ByteWriter) {
    switch mode {
    case .none: break
    case .json: printJSON(isCompact: false, to: out)
    case .jsonl: printJSON(isCompact: true, to: out)
    case .csv: printRecords(separator: UInt8(ascii: ","), RecordText.writeCSV, to: out)
    case .tsv: printRecords(separator: 0x09, RecordText.writeTSV, to: out)
    case .table, .box, .markdown, .lines, .literal: printText(to: out)
    }
  }

  /// Narrowest column of texts when numbers stand behind it.
  private static let textWidth = 42

  private func printText(to out: ByteWriter) {
    func width(_ text: String) -> Int {
      Array(text.utf8).withUnsafeBytes { displayWidth(of: $0) }
    }
    func filled(_ text: String, _ columns: Int) -> String {
      text + String(repeating: " ", count: max(0, columns - width(text)))
    }
    func aligned(_ text: String, _ columns: Int) -> String {
      String(repeating: " ", count: max(0, columns - width(text))) + text
    }
    out.write("\(visible(title))\n")
    let numberWidth = String(steps.count).utf8.count
    let wordWidth = steps.map(\.word.utf8.count).max().map { max(5, $0) } ?? 5
    let texts = steps.map { visible($0.text) }
    let textWidth = max(ExplainedPlan.textWidth, texts.map(width).max() ?? 0)
    let counts = steps.map { $0.objectCount.map { counted($0, "object", "objects") } ?? "" }
    let times = steps.map { $0.milliseconds.map { timeText($0, digits: 2) } ?? "" }
    let countWidth = counts.map(\.utf8.count).max() ?? 0
    let timeWidth = times.map(\.utf8.count).max() ?? 0
    for (i, step) in steps.enumerated() {
      var line = aligned(String(i + 1), numberWidth) + "  " + filled(step.word, wordWidth)
      line += "  " + texts[i]
      if step.milliseconds != nil {
        line = filled(line, numberWidth + 2 + wordWidth + 2 + textWidth + 2)
        line += aligned(counts[i], countWidth) + "  " + aligned(times[i], timeWidth)
      }
      out.write("\(line)\n")
    }
    guard let milliseconds else { return }
    let time = timeText(milliseconds, digits: 2)
    out.write(objectCount.map { "\(counted($0, "object", "objects")), \(time)\n" } ?? "\(time)\n")
  }

  private func printJSON(isCompact: Bool, to out: ByteWriter) {
    let gap = isCompact ? "" : " "
    let separator = isCompact ? "," : ", "
    func member(_ name: String, _ text: String) {
      JSONText.writeString(name, to: out)
      out.write(":\(gap)")
      JSONText.writeString(text, to: out)
    }
    func number(_ name: String, _ text: String?) {
      guard let text else { return }
      out.write("\(separator)\"\(name)\":\(gap)\(text)")
    }
    out.write(isCompact ? "{" : "{\n  ")
    member("source", source)
    out.write(isCompact ? "," : ",\n  ")
    member("predicate", text)
    out.write(isCompact ? ",\"steps\":[" : ",\n  \"steps\": [\n")
    for (i, step) in steps.enumerated() {
      if i > 0 { out.write(isCompact ? "," : ",\n") }
      out.write(isCompact ? "{" : "    {")
      member("step", step.word)
      out.write(separator)
      member("text", step.text)
      number("objects", step.objectCount.map { String($0) })
      number("milliseconds", step.milliseconds.map { ExplainedPlan.decimal($0) })
      out.write("}")
    }
    out.write(isCompact ? "]" : "\n  ]")
    let end = isCompact ? "," : ",\n  "
    if let objectCount { out.write("\(end)\"objects\":\(gap)\(objectCount)") }
    if let milliseconds {
      out.write("\(end)\"milliseconds\":\(gap)\(ExplainedPlan.decimal(milliseconds))")
    }
    out.write(isCompact ? "}\n" : "\n}\n")
  }

  private func printRecords(
    separator: UInt8, _ write: (UnsafeRawBufferPointer, ByteWriter) -> Void, to out: ByteWriter
  ) {
    let hasRun = milliseconds != nil
    func record(_ fields: [String?]) {
      for (i, field) in fields.enumerated() {
        if i > 0 { out.byte(separator) }
        if var field { field.withUTF8 { write(UnsafeRawBufferPointer($0), out) } }
      }
      out.byte(0x0A)
    }
    record(["step", "kind", "text"] + (hasRun ? ["objects", "milliseconds"] : []))
    for (i, step) in steps.enumerated() {
      var fields: [String?] = [String(i + 1), step.word, step.text]
      if hasRun {
        fields.append(step.objectCount.map { String($0) })
        fields.append(step.milliseconds.map { ExplainedPlan.decimal($0) })
      }
      record(fields)
    }
  }

  /// A number of milliseconds with three digits after the point.
  private static func decimal(_ milliseconds: Double) -> String {
    let thousandths = Int((milliseconds * 1000).rounded())
    let fraction = String(thousandths % 1000)
    let zeros = String(repeating: "0", count: 3 - fraction.utf8.count)
    return "\(thousandths / 1000).\(zeros)\(fraction)"
  }

  /// A text in which control characters, which may come from the file, do nothing.
  private func visible(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}
