import ByteKernels
import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Writes what has changed in one object: `age 3 -> 4, address.city null -> "Oslo"`.
///
/// Collections are compared element by element, and embedded objects property by property: what has
/// changed stands behind the path to it, what has come behind `+`, what is gone behind `-`.
final class ChangeWriter {
  private let pair: SnapshotPair
  private let old: ValueWriter
  private let new: ValueWriter
  private let out: ByteWriter
  private let elementLimit: Int
  private var isFirst = true

  /// Embedded objects inside each other.
  private static let maximumDepth = 100

  /// - Parameter elementLimit: Elements of one collection that are listed.
  init(
    _ pair: SnapshotPair, old: ValueWriter, new: ValueWriter, to out: ByteWriter,
    elementLimit: Int
  ) {
    (self.pair, self.old, self.new, self.out) = (pair, old, new, out)
    self.elementLimit = elementLimit
  }

  /// Writes the path to something that differs.
  private func begin(_ path: String, _ sign: StaticString?) {
    if !isFirst { out.write(", ") }
    isFirst = false
    out.write(path)
    out.write(" ")
    if let sign { out.write(sign) }
  }

  /// Writes how a value differs.
  ///
  /// - Parameter isMixed: Whether the schemas leave the type open, of the old and the new value.
  func write(
    _ path: String, _ before: StoredValue, _ after: StoredValue, _ isMixed: (Bool, Bool),
    depth: Int = 0
  ) throws(StorageError) {
    switch (before, after) {
    case (.link(let table, let key), .link(let otherTable, let otherKey)):
      guard let a = old.schema.objectClass(table), let b = new.schema.objectClass(otherTable),
        a.isEmbedded, b.isEmbedded, a.name == b.name, depth < ChangeWriter.maximumDepth
      else { break }
      try write(path, (a, key), (b, otherKey), depth: depth + 1)
      return
    case (.list(let a), .list(let b)):
      if a.isSet, b.isSet {
        try writeSets(path, try a.values(), try b.values(), isMixed)
      } else if !a.isSet, !b.isSet {
        try writeLists(path, a, b, isMixed, depth)
      } else {
        break
      }
      return
    case (.dictionary(let a), .dictionary(let b)):
      try writeDictionaries(path, try a.entries(), try b.entries(), isMixed, depth)
      return
    default: break
    }
    begin(path, nil)
    try old.write(before, isMixed: isMixed.0, .literal)
    out.write(" -> ")
    try new.write(after, isMixed: isMixed.1, .literal)
  }

  /// Writes how two embedded objects differ.
  private func write(
    _ path: String, _ before: (ObjectClass, ObjectKey), _ after: (ObjectClass, ObjectKey),
    depth: Int
  ) throws(StorageError) {
    guard let a = try before.0.table.row(of: before.1), let b = try after.0.table.row(of: after.1)
    else { return }
    for property in after.0.properties {
      guard let earlier = before.0.property(named: property.name) else { continue }
      let x = try before.0.table.value(of: earlier.position, in: a)
      let y = try after.0.table.value(of: property.position, in: b)
      if try pair.areEqual(x, y) { continue }
      try write(
        "\(path).\(quotedName(property.name))", x, y,
        (earlier.kind == .mixed, property.kind == .mixed), depth: depth)
    }
  }

  private func writeAdded(
    _ path: String, _ value: StoredValue, _ isMixed: (Bool, Bool)
  ) throws(StorageError) {
    begin(path, "+ ")
    try new.write(value, isMixed: isMixed.1, .literal)
  }

  private func writeRemoved(
    _ path: String, _ value: StoredValue, _ isMixed: (Bool, Bool)
  ) throws(StorageError) {
    begin(path, "- ")
    try old.write(value, isMixed: isMixed.0, .literal)
  }

  /// Writes how many elements are not listed.
  private func writeRest(_ path: String, _ count: Int) {
    guard count > elementLimit else { return }
    begin(path, nil)
    out.write("... \(grouped(count - elementLimit)) more (config diffrows)")
  }

  // MARK: Lists

  private func writeLists(
    _ path: String, _ before: StoredList, _ after: StoredList, _ isMixed: (Bool, Bool),
    _ depth: Int
  ) throws(StorageError) {
    var (left, right) = (try before.makeCursor(), try after.makeCursor())
    var start = 0
    var (a, b): ([StoredValue], [StoredValue]) = ([], [])
    // What both begin with is not kept.
    while true {
      let (x, y) = (try left.next(), try right.next())
      if let x, let y, try pair.areEqual(x, y) {
        start += 1
        continue
      }
      if let x { a.append(x) }
      if let y { b.append(y) }
      break
    }
    while let value = try left.next() { a.append(value) }
    while let value = try right.next() { b.append(value) }
    while let x = a.last, let y = b.last, try pair.areEqual(x, y) {
      a.removeLast()
      b.removeLast()
    }
    let steps = try ListDifference.steps(a.count, b.count) { (i, j) throws(StorageError) in
      try pair.areEqual(a[i], b[j])
    }
    for step in steps.prefix(elementLimit) {
      switch step {
      case .changed(let i, let j):
        try write("\(path)[\(start + j)]", a[i], b[j], isMixed, depth: depth)
      case .removed(let i): try writeRemoved("\(path)[\(start + i)]", a[i], isMixed)
      case .added(let j): try writeAdded("\(path)[\(start + j)]", b[j], isMixed)
      }
    }
    writeRest(path, steps.count)
  }

  // MARK: Sets

  private func writeSets(
    _ path: String, _ before: [StoredValue], _ after: [StoredValue], _ isMixed: (Bool, Bool)
  ) throws(StorageError) {
    let (a, b) = (try literals(before, old, isMixed.0), try literals(after, new, isMixed.1))
    let (known, wanted) = (Set(a), Set(b))
    let removed = a.filter { !wanted.contains($0) }
    let added = b.filter { !known.contains($0) }
    for (i, text) in (removed + added).prefix(elementLimit).enumerated() {
      begin(path, i < removed.count ? "- " : "+ ")
      out.write(text)
    }
    writeRest(path, removed.count + added.count)
  }

  /// The members as they are printed, by which they are told apart.
  private func literals(
    _ values: [StoredValue], _ writer: ValueWriter, _ isMixed: Bool
  ) throws(StorageError) -> [[UInt8]] {
    let memory = ByteWriter()
    let texts = ValueWriter(writer.schema, to: memory, usesLocalTime: writer.usesLocalTime)
    var result: [[UInt8]] = []
    for value in values {
      try texts.write(value, isMixed: isMixed, .literal)
      result.append(memory.takeBytes())
    }
    return result
  }

  // MARK: Dictionaries

  private func writeDictionaries(
    _ path: String, _ before: [StoredDictionary.Entry], _ after: [StoredDictionary.Entry],
    _ isMixed: (Bool, Bool), _ depth: Int
  ) throws(StorageError) {
    var (i, j, count) = (0, 0, 0)
    while i < before.count || j < after.count {
      let order =
        i == before.count
        ? 1 : j == after.count ? -1 : ScalarValue.compare(before[i].key, after[j].key)
      defer {
        if order <= 0 { i += 1 }
        if order >= 0 { j += 1 }
      }
      if order == 0, try pair.areEqual(before[i].value, after[j].value) { continue }
      count += 1
      guard count <= elementLimit else { continue }
      let memory = ByteWriter()
      LiteralText.writeQuoted(order < 0 ? before[i].key : after[j].key, to: memory)
      let place = "\(path)[\(String(decoding: memory.takeBytes(), as: UTF8.self))]"
      if order < 0 {
        try writeRemoved(place, before[i].value, isMixed)
      } else if order > 0 {
        try writeAdded(place, after[j].value, isMixed)
      } else {
        try write(place, before[i].value, after[j].value, isMixed, depth: depth)
      }
    }
    writeRest(path, count)
  }
}

/// Finds few steps that make one list of another.
enum ListDifference {
  /// A step; positions in the old and in the new list.
  enum Step {
    case changed(Int, Int)
    case removed(Int)
    case added(Int)
  }

  /// Pairs of elements that are looked at; longer lists are compared position by position.
  private static let maximumPairCount = 250_000

  /// The steps for lists of two lengths.
  static func steps(
    _ oldCount: Int, _ newCount: Int, _ areEqual: (Int, Int) throws(StorageError) -> Bool
  ) throws(StorageError) -> [Step] {
    guard oldCount > 0, newCount > 0, oldCount <= maximumPairCount / newCount else {
      return try pairwise(oldCount, newCount, areEqual)
    }
    // lengths[i * width + j]: of the longest part that the rests from i and j on have in common.
    let width = newCount + 1
    var lengths = [Int32](repeating: 0, count: (oldCount + 1) * width)
    var isEqual = [Bool](repeating: false, count: lengths.count)
    for i in stride(from: oldCount - 1, through: 0, by: -1) {
      for j in stride(from: newCount - 1, through: 0, by: -1) {
        let here = i * width + j
        isEqual[here] = try areEqual(i, j)
        lengths[here] =
          isEqual[here]
          ? lengths[here + width + 1] + 1 : max(lengths[here + width], lengths[here + 1])
      }
    }
    var steps: [Step] = []
    var (removed, added): ([Int], [Int]) = ([], [])
    var (i, j) = (0, 0)
    while i < oldCount || j < newCount {
      let here = i * width + j
      if i < oldCount, j < newCount, isEqual[here] {
        append(removed, added, to: &steps)
        (removed, added) = ([], [])
        (i, j) = (i + 1, j + 1)
      } else if j == newCount || i < oldCount && lengths[here + width] >= lengths[here + 1] {
        removed.append(i)
        i += 1
      } else {
        added.append(j)
        j += 1
      }
    }
    append(removed, added, to: &steps)
    return steps
  }

  /// What is removed and added in one place is a change, as far as it goes.
  private static func append(_ removed: [Int], _ added: [Int], to steps: inout [Step]) {
    let common = min(removed.count, added.count)
    for k in 0..<common { steps.append(.changed(removed[k], added[k])) }
    steps += removed[common...].map { .removed($0) } + added[common...].map { .added($0) }
  }

  private static func pairwise(
    _ oldCount: Int, _ newCount: Int, _ areEqual: (Int, Int) throws(StorageError) -> Bool
  ) throws(StorageError) -> [Step] {
    var steps: [Step] = []
    for i in 0..<min(oldCount, newCount) where try !areEqual(i, i) { steps.append(.changed(i, i)) }
    if oldCount > newCount { steps += (newCount..<oldCount).map { .removed($0) } }
    if newCount > oldCount { steps += (oldCount..<newCount).map { .added($0) } }
    return steps
  }
}
