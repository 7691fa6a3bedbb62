import ByteKernels

extension LineEditor {
  /// Completes the word at the cursor, as far as it is clear; if it is not, and it was tried before,
  /// lets the user choose.
  func complete() {
    let text = text
    var completion = assistance.complete(text.string, text.cursor)
    completion.range = completion.range.clamped(to: 0..<text.bytes.count)
    guard let first = completion.candidates.first else { return ring() }
    if completion.candidates.count == 1 {
      take(first, at: completion.range)
    } else if editing.undecided == text {
      choose(completion)
    } else {
      insertCommonPart(of: completion)
      editing.undecided = self.text
    }
  }

  private func insertCommonPart(of completion: Completion) {
    let text = text
    let typed = Array(text.bytes[completion.range])
    let common = completion.commonPart
    guard common.count >= typed.count, common != typed,
      common[..<typed.count].elementsEqual(typed, by: { $0.isSameLetter(as: $1) })
    else { return }
    buffer.delete(completion.range, of: text)
    buffer.insert(String(decoding: common, as: UTF8.self))
  }

  /// Puts a candidate into the line; a blank behind it that is there already is passed.
  private func take(_ candidate: Completion.Candidate, at range: Range<Int>) {
    buffer.delete(range, of: text)
    buffer.insert(candidate.text)
    let text = text
    if !candidate.suffix.isEmpty,
      text.bytes[text.cursor...].starts(with: candidate.suffix.utf8)
    {
      buffer.move(from: text, to: text.cursor + candidate.suffix.utf8.count)
    } else {
      buffer.insert(candidate.suffix)
    }
  }

  /// Shows a menu until a candidate is taken or another key is pressed.
  private func choose(_ completion: Completion) {
    var menu = CompletionMenu(completion.candidates)
    defer { clearFooter() }
    while true {
      screen.footer = menu.rows(on: screen.size, usesColor: options.usesColor)
      guard let press = readKey() else { return }
      switch press.key {
      case .tab: menu.move(.next)
      case .backTab: menu.move(.previous)
      case .up: menu.move(.up)
      case .down: menu.move(.down)
      case .left: menu.move(.left)
      case .right: menu.move(.right)
      case .enter:
        take(completion.candidates[menu.chosen], at: completion.range)
        return
      case .escape: return
      default:
        input.putBack(press.scalars)
        return
      }
    }
  }
}

extension Completion {
  /// The bytes with which all candidates begin, without a part of a character.
  fileprivate var commonPart: [UInt8] {
    var common = Array(candidates.first?.text.utf8 ?? "".utf8)
    for candidate in candidates.dropFirst() {
      let count = zip(common, candidate.text.utf8).prefix { $0 == $1 }.count
      common.removeLast(common.count - count)
    }
    while !TypedText(bytes: Array(candidates[0].text.utf8)).isBoundary(common.count) {
      common.removeLast()
    }
    return common
  }
}

extension UInt8 {
  /// Whether two bytes are the same but for the case of an ASCII letter.
  fileprivate func isSameLetter(as other: UInt8) -> Bool {
    self == other || self ^ other == 0x20 && (0x61...0x7A).contains(self | 0x20)
  }
}
