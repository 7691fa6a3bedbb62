import TestSupport

/// Random statements on a class, and what it holds after them.
struct StatementModel {
  private struct Object {
    var n: Int?
    var s = ""
    var list: [Int] = []

    /// The line that the mode jsonl prints.
    func line(_ id: Int) -> String {
      let number = n.map { "\($0)" } ?? "null"
      let list = list.map { "\($0)" }.joined(separator: ",")
      return "{\"id\":\(id),\"n\":\(number),\"s\":\"\(s)\",\"list\":[\(list)]}\n"
    }
  }

  private var objects: [Int: Object] = [:]
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// All objects by id.
  var lines: String {
    objects.sorted { $0.key < $1.key }.map { $0.value.line($0.key) }.joined()
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func text() -> String {
    String(
      repeating: ["a", "bc", "é", " "].randomElement(using: &random) ?? "", count: number(0...9))
  }

  /// Statements alone, in transactions, and in some that are cancelled.
  mutating func script() -> String {
    var script = ""
    for _ in 0..<30 {
      let count = number(1...8)
      switch number(0...3) {
      case 0:
        let saved = objects
        script += "begin\n" + statements(count) + "cancel\n"
        objects = saved
      case 1: script += "begin\n" + statements(count) + "commit\n"
      case 2: script += "write {\n" + statements(count) + "}\n"
      default: script += statements(count)
      }
    }
    return script
  }

  private mutating func statements(_ count: Int) -> String {
    (0..<count).map { _ in statement() + "\n" }.joined()
  }

  private mutating func statement() -> String {
    let ids = objects.keys.sorted()
    guard let id = ids.randomElement(using: &random), number(0...3) > 0 else { return creation() }
    var object = objects[id] ?? Object()
    defer { if objects[id] != nil { objects[id] = object } }
    let value = number(-100...100)
    switch number(0...10) {
    case 0:
      objects[id] = nil
      return "delete T \(id)"
    case 1:
      for id in ids where (objects[id]?.n ?? .max) < value - 80 { objects[id] = nil }
      return "delete T where n < \(value - 80)"
    case 2:
      for id in ids { if let n = objects[id]?.n { objects[id]?.n = n + 1 } }
      object.n = object.n.map { $0 + 1 }
      return "set T n += 1 all"
    case 3:
      object.n = value == 0 ? nil : value
      return "set T \(id) n = \(value == 0 ? "null" : "\(value)")"
    case 4:
      object.s = text()
      return "set T \(id) s = \"\(object.s)\""
    case 5, 6:
      object.list.append(value)
      return "set T \(id) list += \(value)"
    case 7 where !object.list.isEmpty:
      let index = number(0...(object.list.count - 1))
      object.list[index] = value
      return "set T \(id) list[\(index)] = \(value)"
    case 8 where !object.list.isEmpty:
      let index = number(0...(object.list.count - 1))
      object.list.remove(at: index)
      return "set T \(id) list.removeAt(\(index))"
    case 9:
      object.list = (0..<number(0...4)).map { _ in number(0...9) }
      return "set T \(id) list = [\(object.list.map { "\($0)" }.joined(separator: ", "))]"
    default: return "expect error: set T \(id) id = \(value)"
    }
  }

  private mutating func creation() -> String {
    let id = number(0...150)
    let new = Object(n: number(0...3) == 0 ? nil : number(-100...100), s: text())
    let value = "{id: \(id), n: \(new.n.map { "\($0)" } ?? "null"), s: \"\(new.s)\"}"
    guard let known = objects[id] else {
      objects[id] = new
      return "\(Bool.random(using: &random) ? "add" : "upsert") T \(value)"
    }
    guard Bool.random(using: &random) else {
      return "expect error ObjectAlreadyExists: add T \(value)"
    }
    objects[id] = Object(n: new.n, s: new.s, list: known.list)
    return "upsert T \(value)"
  }
}
