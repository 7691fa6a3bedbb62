/// Text with the looks that its colour sequences ask for, such as a prompt.
struct StyledText {
  /// The text without sequences.
  private(set) var bytes: [UInt8] = []
  /// The looks of parts of the text, in ascending order.
  private(set) var looks: [(range: Range<Int>, style: CellStyle)] = []

  /// Takes out the sequences `ESC [ ... letter`; those that set a look are obeyed, others dropped.
  init(_ text: String) {
    var style = CellStyle.plain
    var rest = Array(text.utf8)[...]
    while let first = rest.popFirst() {
      guard first == 0x1B, rest.first == UInt8(ascii: "[") else {
        append(first, style)
        continue
      }
      let parameters = rest.dropFirst().prefix { !(0x40...0x7E).contains($0) }
      rest = rest[parameters.endIndex...]
      if rest.popFirst() == UInt8(ascii: "m") {
        style.apply(parameters)
      }
    }
  }

  private mutating func append(_ byte: UInt8, _ style: CellStyle) {
    bytes.append(byte)
    guard style != .plain else { return }
    if let last = looks.last, last.range.upperBound == bytes.count - 1, last.style == style {
      looks[looks.count - 1].range = last.range.lowerBound..<bytes.count
    } else {
      looks.append((bytes.count - 1..<bytes.count, style))
    }
  }
}

extension CellStyle {
  /// Applies the parameters of a sequence that sets the look; unknown ones are ignored.
  fileprivate mutating func apply(_ parameters: ArraySlice<UInt8>) {
    for parameter in parameters.split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    {
      let number =
        parameter.isEmpty ? 0 : UInt8(String(decoding: parameter, as: UTF8.self)) ?? UInt8.max
      switch number {
      case 0: self = .plain
      case 1: isBold = true
      case 2: isDim = true
      case 4: isUnderlined = true
      case 22: (isBold, isDim) = (false, false)
      case 24: isUnderlined = false
      case 30...37, 90...97: color = number
      case 39: color = 0
      default: break
      }
    }
  }
}
