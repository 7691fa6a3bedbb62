/// What has changed in results that are divided into sections.
///
/// Source: object-model.md 5.8.
public struct SectionChanges: Equatable, Sendable {
  /// Rows of one section that have stayed and changed.
  public struct Modifications: Equatable, Sendable {
    /// The position of the section before.
    public var oldSection: Int
    /// Its position now.
    public var newSection: Int
    /// The rows, which have the same numbers before and now.
    public var rows: PositionSet
  }

  /// Rows of one section.
  public struct Rows: Equatable, Sendable {
    /// The position of the section: the old one for deletions, the new one for insertions.
    public var section: Int
    /// The rows.
    public var rows: PositionSet
  }

  /// Old positions of the sections that are gone.
  public var deletedSections = PositionSet()
  /// New positions of the sections that have come.
  public var insertedSections = PositionSet()
  /// Rows that are gone, by ascending old section; those of deleted sections are not listed.
  public var deletions: [Rows] = []
  /// Rows that have come, by ascending new section.
  public var insertions: [Rows] = []
  /// By ascending old section.
  public var modifications: [Modifications] = []

  /// No changes.
  public init() {}

  /// Whether there is nothing to tell.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
      && modifications.isEmpty
  }

  /// Numbers of rows that are gone, have come and have changed.
  public var rowCounts: (deleted: Int, inserted: Int, modified: Int) {
    (
      deletions.reduce(0) { $0 + $1.rows.count }, insertions.reduce(0) { $0 + $1.rows.count },
      modifications.reduce(0) { $0 + $1.rows.count }
    )
  }

  /// What concerns one section: its position before and now; nil if it did not, or does not, exist.
  public func restricted(toOld old: Int?, new: Int?) -> SectionChanges {
    var result = SectionChanges()
    if let old, deletedSections.contains(old) { result.deletedSections.insert(old) }
    if let new, insertedSections.contains(new) { result.insertedSections.insert(new) }
    result.deletions = deletions.filter { $0.section == old }
    result.insertions = insertions.filter { $0.section == new }
    result.modifications = modifications.filter { $0.oldSection == old }
    return result
  }
}

/// In which row of which section each object of a result is.
public struct SectionPlaces: Sendable {
  /// The section and the row of each position of the result.
  public private(set) var places: [(section: Int, row: Int)] = []
  /// The positions in the result of the rows of each section.
  public private(set) var positions: [[Int]]

  /// Puts the positions of a result into sections.
  ///
  /// - Parameters:
  ///   - sections: For each position of the result its section.
  ///   - sectionCount: The number of sections, none of which is empty.
  public init(_ sections: some Sequence<Int>, sectionCount: Int) {
    positions = Array(repeating: [], count: sectionCount)
    for (position, section) in sections.enumerated() {
      places.append((section, positions[section].count))
      positions[section].append(position)
    }
  }
}

/// Leads from the changes of a result to those of its sections.
///
/// Rows are compared by their number: one that has changed and stands in another row of its section
/// than before counts as deleted and inserted, as realm-core tells it. When several changed rows of a
/// section have shifted, one may have the number that another had; these two count as one row then.
///
/// Source: object-model.md 5.8.
public struct SectionDifference {
  private let old: SectionPlaces
  private let new: SectionPlaces
  /// For each old section where it is now; nil if it is gone.
  private let newSections: [Int?]

  /// A difference between two states.
  ///
  /// - Parameter newSections: For each old section the position that the section with its key has
  ///   now; nil if there is none.
  public init(from old: SectionPlaces, to new: SectionPlaces, newSections: [Int?]) {
    precondition(newSections.count == old.positions.count)
    (self.old, self.new, self.newSections) = (old, new, newSections)
  }

  /// The changes of the sections.
  ///
  /// - Parameter source: The changes of the result that is divided.
  public func changes(_ source: CollectionChanges) -> SectionChanges {
    var result = SectionChanges()
    var present = Set<Int>()
    for (section, newSection) in newSections.enumerated() {
      if let newSection {
        present.insert(newSection)
      } else {
        result.deletedSections.append(section..<section + 1)
      }
    }
    for section in new.positions.indices where !present.contains(section) {
      result.insertedSections.append(section..<section + 1)
    }
    var insertions = grouped(source.insertions, new)
    var deletions = grouped(source.deletions, old)
    let oldRows = grouped(source.oldModifications, old)
    var newRows = grouped(source.newModifications, new)
    for (section, rows) in oldRows.sorted(by: { $0.key < $1.key }) {
      guard let target = newSections[section] else { continue }
      let others = newRows[target] ?? PositionSet()
      let moved = rows.subtracting(others)
      let stayed = rows.subtracting(moved)
      deletions[section] = (deletions[section] ?? PositionSet()).union(moved)
      newRows[target] = others.subtracting(stayed)
      if !stayed.isEmpty {
        result.modifications.append(
          SectionChanges.Modifications(oldSection: section, newSection: target, rows: stayed))
      }
    }
    for (section, rows) in newRows {
      insertions[section] = (insertions[section] ?? PositionSet()).union(rows)
    }
    result.insertions = SectionDifference.list(insertions)
    result.deletions = SectionDifference.list(deletions.filter { newSections[$0.key] != nil })
    return result
  }

  /// The rows of each section that positions of the result are.
  private func grouped(_ positions: PositionSet, _ places: SectionPlaces) -> [Int: PositionSet] {
    var rows: [Int: [Int]] = [:]
    for position in positions {
      let place = places.places[position]
      rows[place.section, default: []].append(place.row)
    }
    return rows.mapValues { PositionSet($0) }
  }

  private static func list(_ rows: [Int: PositionSet]) -> [SectionChanges.Rows] {
    rows.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
      .map { SectionChanges.Rows(section: $0.key, rows: $0.value) }
  }
}
