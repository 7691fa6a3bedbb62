import Glibc
import RealmLanguage
import Testing

/// Texts that are almost right never trap and never hang, whatever becomes of them, and every error
/// has a place in the text. `REALMSH_FUZZ_COUNT` is the number of texts of each test,
/// `REALMSH_FUZZ_SEED` a number that gives others.
@Suite struct FuzzTests {
  /// A repeatable source of random numbers.
  struct Random {
    var state: UInt64
    mutating func next(below bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
  }

  static let fragments = [
    "(", ")", "[", "]", "{", "}", "\"", "'", "`", "\\", "#", "$", "@", ".", ",", ";", "|", "!", "?",
    "\n", " ", "-", "+", "*", "/", "=", "<", ">", "&", "0", "9", "0x", "1e", "T1:", "B64\"", "oid(",
    "uuid(", "and ", "or ", "not ", " in ", "any ", "show ", "where ", "args (", "SUBQUERY(",
    "SORT(", "LIMIT(", "OFFSET(", "[cu]", "[cd]", "@count", "@links.", "$0", "$K0", "[c]",
    "2024-05-01",
    "99999999999999999999",
    "é", "\u{301}", "🐶", "\0", "geoCircle([", "(count ", "Dog(", "Dog#", "old.", "decimal(",
    "write {", "class A {", "+= ", "= ", ".append(", "{a: ", ": int?[]", "<>", "{}", "all ",
    "as $x ", "policy all ", "2s ",
    "into x ", "everything ", "links ", "let $x = ", "}\n", "help ", "on x: ", "expect error: ",
  ]

  private static func number(_ variable: String) -> Int? {
    getenv(variable).flatMap { Int(String(cString: $0)) }
  }

  private static let count = number("REALMSH_FUZZ_COUNT") ?? 15000

  /// Random numbers of one of the tests.
  private static func random(_ test: UInt64) -> Random {
    let seed = UInt64(truncatingIfNeeded: number("REALMSH_FUZZ_SEED") ?? 0)
    return Random(state: test &+ (seed &* 0x9E37_79B9_7F4A_7C15 | 1) &* 0x2545_F491_4F6C_DD1D)
  }

  /// No text of a few hundred bytes takes longer, whatever else the machine does.
  private static let patience = Duration.seconds(5)

  private func isInside(_ range: SourceRange, _ bytes: [UInt8]) -> Bool {
    0 <= range.start && range.start <= range.end && range.end <= bytes.count
  }

  /// Changes a few places of a text.
  private func mutated(_ text: [UInt8], with other: [UInt8], _ random: inout Random) -> [UInt8] {
    var result = text
    for _ in 0...random.next(below: 4) {
      let place = random.next(below: result.count + 1)
      switch random.next(below: 6) {
      case 0:
        result.insert(
          contentsOf: Self.fragments[random.next(below: Self.fragments.count)].utf8, at: place)
      case 1 where place < result.count: result.remove(at: place)
      case 2 where place < result.count: result[place] = UInt8(random.next(below: 256))
      case 3: result.removeLast(min(result.count, random.next(below: 10)))
      case 4: result.removeSubrange(place..<min(result.count, place + random.next(below: 12)))
      default:
        let start = random.next(below: other.count + 1)
        let end = min(other.count, start + random.next(below: 20))
        result.insert(contentsOf: other[start..<end], at: place)
      }
    }
    return result
  }

  private static let seeds: [[UInt8]] = {
    let own =
      StatementTests.rows.map(\.text) + ChangingStatementTests.rows.map(\.text)
      + LiveStatementTests.rows.map(\.text) + PlainAddTests.plain + PlainAddTests.others
      + (CanonicalTextTests.predicates.map(\.0) + (RQLCase.load() ?? []).map(\.predicate)).map {
        "where C " + $0
      }
    return own.map { Array($0.utf8) }
      + (ErrorTests.rows + ErrorTests.changingRows).map { Array($0.text.utf8) }.filter {
        $0.count < 200
      }
  }()

  @Test func statements() {
    var random = Self.random(1)
    for _ in 0..<Self.count {
      let seed = Self.seeds[random.next(below: Self.seeds.count)]
      let other = Self.seeds[random.next(below: Self.seeds.count)]
      let bytes = mutated(seed, with: other, &random)
      let time = ContinuousClock().measure { check(bytes) }
      #expect(time < Self.patience, "\(bytes)")
    }
  }

  private func check(_ bytes: [UInt8]) {
    let source = SourceText(fileName: "fuzz", bytes: bytes)
    var parser = StatementParser(source)
    var steps = 0
    while steps <= bytes.count + 2 {
      steps += 1
      do {
        var plain = PlainAdd()
        let isPlain = parser.next(&plain)
        if isPlain { parser.goBack(to: plain) }
        guard let statement = try parser.next() else { break }
        #expect(isInside(statement.range, bytes), "\(bytes)")
        if isPlain, !plain.isUpsert {
          #expect(PlainAddTests.outline(plain, bytes) == outline(statement))
        }
        if case .where(let parsed) = statement.body {
          _ = CanonicalText.string(parsed.condition.query)
        }
      } catch {
        #expect(isInside(error.range, bytes), "\(bytes)")
        if let failure = parser.failure { #expect(isInside(failure.range, bytes), "\(bytes)") }
        _ = source.place(of: error.range.start)
      }
    }
    #expect(steps <= bytes.count + 2, "no end: \(bytes)")
    _ = StatementParser.continuation(of: bytes)
    _ = StatementBounds.completeness(of: bytes.span)
  }

  @Test func predicates() {
    let seeds =
      (CanonicalTextTests.predicates.map(\.0) + PredicateTests.rows.map(\.text)
      + (RQLCase.load() ?? []).map(\.predicate)).map { Array($0.utf8) }
    var random = Self.random(2)
    for _ in 0..<Self.count {
      let seed = seeds[random.next(below: seeds.count)]
      let bytes = mutated(seed, with: seeds[random.next(below: seeds.count)], &random)
      let time = ContinuousClock().measure { check(predicate: bytes) }
      #expect(time < Self.patience, "\(bytes)")
    }
  }

  private func check(predicate bytes: [UInt8]) {
    do {
      let query = try PredicateParser.parse(bytes)
      let text = CanonicalText.string(query)
      // What is printed can be typed, if it is text.
      guard String(validating: bytes, as: UTF8.self) != nil else { return }
      guard case .where(let again)? = try? StatementParser.parse("where C " + text).first?.body
      else {
        Issue.record("does not parse: \(text) of \(bytes)")
        return
      }
      #expect(CanonicalText.string(again.condition.query) == text, "\(bytes)")
    } catch {
      #expect(isInside(error.range, bytes), "\(bytes)")
    }
  }
}
