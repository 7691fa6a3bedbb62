import RealmValues
import TestSupport
import Testing

@testable import RealmObjects

/// Changes of sections: the examples of object-model.md 5.8, and random ones against a model.
struct SectionTests {
  /// Words in sections by their first letter.
  private struct Words {
    let words: [String]
    let letters: [Character]
    let places: SectionPlaces

    init(_ words: [String], areSorted: Bool = true) {
      self.words = areSorted ? words.sorted() : words
      var letters: [Character] = []
      for word in self.words where !letters.contains(word.first ?? " ") {
        letters.append(word.first ?? " ")
      }
      self.letters = letters
      places = SectionPlaces(
        self.words.map { word in letters.firstIndex(of: word.first ?? " ") ?? 0 },
        sectionCount: letters.count)
    }

    var rows: [[String]] { places.positions.map { $0.map { words[$0] } } }
  }

  private static func changes(
    _ old: Words, _ new: Words, _ source: CollectionChanges
  ) -> SectionChanges {
    SectionDifference(
      from: old.places, to: new.places,
      newSections: old.letters.map { new.letters.firstIndex(of: $0) }
    ).changes(source)
  }

  private func text(_ changes: SectionChanges) -> String {
    func rows(_ list: [SectionChanges.Rows]) -> String {
      list.flatMap { group in group.rows.map { "(\(group.section),\($0))" } }.joined()
    }
    var parts: [String] = []
    if !changes.deletedSections.isEmpty { parts.append("SD\(Array(changes.deletedSections))") }
    if !changes.insertedSections.isEmpty { parts.append("SI\(Array(changes.insertedSections))") }
    if !changes.deletions.isEmpty { parts.append("D" + rows(changes.deletions)) }
    if !changes.insertions.isEmpty { parts.append("I" + rows(changes.insertions)) }
    let modified = changes.modifications.flatMap { group in
      group.rows.map { "(\(group.oldSection),\($0))" }
    }
    if !modified.isEmpty { parts.append("M" + modified.joined()) }
    return parts.joined(separator: " ")
  }

  /// The changes when words, which keep their number as an object, become other ones.
  private func difference(
    _ old: [String], _ new: [String: String] = [:], added: [String] = [], touched: [String] = [],
    deleted: [String] = []
  ) -> String {
    func keys(_ words: [(key: Int64, word: String)]) -> [ObjectKey] {
      words.sorted { $0.word < $1.word }.map { ObjectKey($0.key) }
    }
    let before = old.enumerated().map { (key: Int64($0), word: $1) }
    let kept = before.filter { !deleted.contains($0.word) }
    let after =
      kept.map { (key: $0.key, word: new[$0.word] ?? $0.word) }
      + added.enumerated().map { (key: Int64(100 + $0), word: $1) }
    let modified = Set(
      before.filter { new[$0.word] != nil || touched.contains($0.word) }.map { $0.key })
    let source = ResultsDifference.changes(
      from: keys(before), to: keys(after), isInTableOrder: false,
      isDeleted: { _ in false }, isModified: { modified.contains($0.rawValue) })
    return text(
      Self.changes(Words(before.map(\.word)), Words(after.map(\.word)), source))
  }

  private let fruit = ["apple", "apricot", "banana", "blue", "cherry"]

  @Test func examples() {
    #expect(difference(fruit, added: ["avocado"]) == "I(0,2)")
    #expect(difference(fruit, ["banana": "date"]) == "SI[3] D(1,0) I(3,0)")
    #expect(
      difference(["apple", "blue", "cherry"], deleted: ["blue"]) == "SD[1]")
    #expect(difference(["apple", "cherry"], added: ["bean"]) == "SI[1] I(1,0)")
    #expect(difference(fruit, ["cherry": "chive"]) == "M(2,0)")
    #expect(
      difference(["apple", "apricot", "avocado", "blue"], ["apple": "azure"]) == "D(0,0) I(0,2)")
    #expect(difference(fruit, deleted: fruit) == "SD[0, 1, 2]")
    #expect(difference(fruit, touched: ["banana"]) == "M(1,0)")
  }

  @Test func otherSectionWithoutMove() {
    #expect(
      difference(["apple", "banana", "blue", "cherry"], ["blue": "cab"]) == "D(1,1) I(2,0)")
    #expect(difference(["apple", "banana", "cherry"], ["banana": "cab"]) == "SD[1] I(1,0)")
  }

  @Test func rowsThatHaveShifted() {
    #expect(
      difference(["banana", "blue"], added: ["bacon"], touched: ["blue"]) == "D(0,1) I(0,0)(0,2)")
    #expect(
      difference(["banana", "blue"], added: ["bacon"], touched: ["banana", "blue"])
        == "D(0,0) I(0,0)(0,2) M(0,1)")
  }

  @Test func oneSection() {
    var changes = SectionChanges()
    changes.deletedSections = PositionSet([1])
    changes.insertions = [
      SectionChanges.Rows(section: 0, rows: PositionSet([2])),
      SectionChanges.Rows(section: 1, rows: PositionSet([0])),
    ]
    #expect(text(changes.restricted(toOld: 0, new: 0)) == "I(0,2)")
    #expect(text(changes.restricted(toOld: 1, new: nil)) == "SD[1]")
    #expect(changes.restricted(toOld: 2, new: 2).isEmpty)
  }

  /// Applies the changes as an app does that shows sections by their keys.
  private static func applied(
    _ changes: SectionChanges, _ old: Words, _ new: Words
  ) -> [[String]] {
    var sections: [Character: [String]] = [:]
    let gone = changes.deletedSections
    for (i, letter) in old.letters.enumerated() where !gone.contains(i) {
      var rows = old.rows[i]
      let deleted = changes.deletions.first { $0.section == i }?.rows ?? PositionSet()
      for row in Array(deleted).reversed() { rows.remove(at: row) }
      sections[letter] = rows
    }
    let target = new.rows
    for i in changes.insertedSections { sections[new.letters[i]] = [] }
    for group in changes.insertions {
      for row in group.rows {
        sections[new.letters[group.section]]?.insert(target[group.section][row], at: row)
      }
    }
    for group in changes.modifications {
      for row in group.rows {
        sections[new.letters[group.newSection]]?[row] = target[group.newSection][row]
      }
    }
    return new.letters.map { sections.removeValue(forKey: $0) ?? [] } + sections.map { $0.value }
  }

  /// Whether each row that is told as changed shows the same object as before: when several changed
  /// rows have shifted, one may have got the number of another, and realm-core takes the two for one.
  private static func matchesObjects(_ changes: SectionChanges, _ old: Words, _ new: Words) -> Bool
  {
    changes.modifications.allSatisfy { group in
      group.rows.allSatisfy { row in
        old.rows[group.oldSection][row].dropFirst(2) == new.rows[group.newSection][row].dropFirst(2)
      }
    }
  }

  /// Random changes of words, sorted or not: the changes of the sections lead to the new state.
  @Test func randomChanges() {
    var random = SplitMix64(seed: 11)
    var mistakenCount = 0
    for sequence in 0..<TestScale.number("CHANGE_SEQUENCES", standard: 5_000) {
      func word() -> String {
        let letters = (0..<2).map { _ in "abcd".randomElement(using: &random) ?? "a" }
        return String(letters)
      }
      let isSorted = sequence % 3 != 0
      var objects: [(key: Int64, word: String)] = (0..<Int64.random(in: 0..<9, using: &random))
        .map { ($0, word()) }
      func ordered(_ list: [(key: Int64, word: String)]) -> [(key: Int64, word: String)] {
        isSorted ? list.sorted { ($0.word, $0.key) < ($1.word, $1.key) } : list
      }
      let before = ordered(objects)
      var modified: Set<Int64> = []
      for i in objects.indices where Int.random(in: 0..<3, using: &random) == 0 {
        modified.insert(objects[i].key)
        if Bool.random(using: &random) { objects[i].word = word() }
      }
      objects.removeAll { _ in Int.random(in: 0..<5, using: &random) == 0 }
      for i in 0..<Int.random(in: 0..<3, using: &random) {
        objects.append((Int64(100 + i), word()))
      }
      let after = ordered(objects)
      let source = ResultsDifference.changes(
        from: before.map { ObjectKey($0.key) }, to: after.map { ObjectKey($0.key) },
        isInTableOrder: !isSorted, isDeleted: { _ in false },
        isModified: { modified.contains($0.rawValue) })
      // Each object is its word with its number, so that the right one has to be in each row.
      let old = Words(before.map { "\($0.word)\($0.key)" }, areSorted: false)
      let new = Words(after.map { "\($0.word)\($0.key)" }, areSorted: false)
      let changes = Self.changes(old, new, source)
      guard Self.matchesObjects(changes, old, new) else {
        mistakenCount += 1
        continue
      }
      guard Self.applied(changes, old, new) == new.rows else {
        Issue.record("sequence \(sequence): \(changes) does not lead from \(old) to \(new)")
        return
      }
    }
    #expect(mistakenCount * 20 < TestScale.number("CHANGE_SEQUENCES", standard: 5_000))
  }
}
