public import RealmValues

/// The objects of results, brought up to date by what commits have touched.
///
/// Needs 12 bytes for each object in the order of the keys, 20 in another order, and room for as many
/// again at most.
public struct LiveKeys: Sendable {
  /// What commits have touched in the class of the results.
  public struct Touched {
    /// The objects that were created, deleted or modified, in ascending order.
    public var keys: [ObjectKey]
    /// Those of them that belong to the results now.
    public var matching: Set<ObjectKey>
    /// Those of them that were deleted.
    public var deleted: Set<ObjectKey>
    /// The objects that count as modified, those of other results as well.
    public var modified: Set<ObjectKey>

    /// Says what was touched.
    public init(
      keys: [ObjectKey], matching: Set<ObjectKey>, deleted: Set<ObjectKey>,
      modified: Set<ObjectKey>
    ) {
      (self.keys, self.matching) = (keys, matching)
      (self.deleted, self.modified) = (deleted, modified)
    }
  }

  /// What has changed.
  public struct Update: Sendable {
    /// The changes by position.
    public var changes: CollectionChanges
    /// The keys at the positions of the deletions, in their order.
    public var deletedKeys: [ObjectKey]

    /// Says what has changed.
    public init(changes: CollectionChanges, deletedKeys: [ObjectKey]) {
      (self.changes, self.deletedKeys) = (changes, deletedKeys)
    }
  }

  private enum Content {
    case ascending(KeyTable)
    case ordered(KeyOrder)
  }

  private var content: Content
  /// The part that a limit and an offset leave.
  private let window: Range<Int>?

  /// - Parameters:
  ///   - keys: All objects that match, without repetitions.
  ///   - isInTableOrder: Whether they are in ascending order and stay so.
  ///   - window: The positions that the results consist of; nil for all.
  public init(_ keys: [ObjectKey], isInTableOrder: Bool, window: Range<Int>? = nil) {
    content = isInTableOrder ? .ascending(KeyTable(keys)) : .ordered(KeyOrder(keys))
    self.window = window
  }

  /// Number of objects that match.
  private var matchCount: Int {
    switch content {
    case .ascending(let table): table.count
    case .ordered(let order): order.count
    }
  }

  private var visible: Range<Int> { (window ?? 0..<Int.max).clamped(to: 0..<matchCount) }

  /// Number of objects.
  public var count: Int { visible.count }

  /// The object at a position.
  ///
  /// - Complexity: O(log n).
  public subscript(position: Int) -> ObjectKey { match(at: position + visible.lowerBound) }

  private func match(at position: Int) -> ObjectKey {
    switch content {
    case .ascending(let table): table[position]
    case .ordered(let order): order[position]
    }
  }

  private func position(of key: ObjectKey) -> Int? {
    switch content {
    case .ascending(let table): table.position(of: key)
    case .ordered(let order): order.position(of: key)
    }
  }

  private var isInTableOrder: Bool { if case .ascending = content { true } else { false } }

  /// All objects.
  public var keys: [ObjectKey] {
    let visible = visible
    switch content {
    case .ascending(let table) where visible.count == table.count: return table.all
    case .ordered(let order) where visible.count == order.count: return order.all
    default: return visible.map { match(at: $0) }
    }
  }

  // MARK: Updates

  /// Whether finding the results anew is quicker than to bring so many objects into their order.
  public func isRenewalQuicker(for count: Int) -> Bool { !isInTableOrder && count > matchCount / 8 }

  /// Takes what touched objects are now, and tells what has changed.
  ///
  /// - Parameter precedes: Whether an object comes before another one now; not called in the order
  ///   of the keys.
  /// - Complexity: O(k log n) for k objects; with a window also the length of the window.
  public mutating func update<Failure>(
    _ touched: Touched, _ precedes: (ObjectKey, ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) -> Update {
    let before = window == nil ? [] : keys
    let update = try updateMatches(touched, precedes)
    guard window != nil else { return update }
    return difference(
      from: before, to: keys, touched, isInTableOrder: isInTableOrder)
  }

  /// Takes objects that were found anew, and tells what has changed.
  ///
  /// - Parameter matches: All objects that match now.
  public mutating func replace(_ matches: [ObjectKey], _ touched: Touched) -> Update {
    let (before, wasInTableOrder) = (keys, isInTableOrder)
    content =
      wasInTableOrder ? .ascending(KeyTable(matches)) : .ordered(KeyOrder(matches))
    return difference(from: before, to: keys, touched, isInTableOrder: wasInTableOrder)
  }

  private func difference(
    from old: [ObjectKey], to new: [ObjectKey], _ touched: Touched, isInTableOrder: Bool
  ) -> Update {
    let changes = ResultsDifference.changes(
      from: old, to: new, isInTableOrder: isInTableOrder,
      isDeleted: { !touched.deleted.isEmpty && touched.deleted.contains($0) },
      isModified: { !touched.modified.isEmpty && touched.modified.contains($0) })
    return Update(changes: changes, deletedKeys: changes.deletions.map { old[$0] })
  }

  /// An object that was or is among the matches.
  private struct Member {
    var key: ObjectKey
    /// Its position; nil where it is none.
    var old: Int?
    var new: Int?
  }

  private mutating func updateMatches<Failure>(
    _ touched: Touched, _ precedes: (ObjectKey, ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) -> Update {
    var members: [Member] = []
    for key in touched.keys {
      let old = position(of: key)
      if old != nil || touched.matching.contains(key) { members.append(Member(key: key, old: old)) }
    }
    try move(members, touched, precedes)
    var changes = CollectionChanges()
    var pairs: [(old: Int, new: Int)] = []
    var removed: [(old: Int, key: ObjectKey)] = []
    var added: [Int] = []
    for i in members.indices {
      let member = members[i]
      let new = touched.matching.contains(member.key) ? position(of: member.key) : nil
      if let old = member.old, let new, !touched.deleted.contains(member.key) {
        pairs.append((old, new))
        continue
      }
      if let old = member.old { removed.append((old, member.key)) }
      if let new { added.append(new) }
    }
    changes.deletions = PositionSet(removed.map(\.old))
    changes.insertions = PositionSet(added)
    let modified = PositionSet(touched.modified.compactMap { position(of: $0) })
      .subtracting(changes.insertions)
    if !isInTableOrder { findMoves(pairs, modified, &changes, &removed) }
    changes.newModifications = modified.subtracting(changes.insertions)
    changes.oldModifications = changes.newModifications.erasing(changes.insertions)
      .makingRoom(for: changes.deletions)
    removed.sort { $0.old < $1.old }
    return Update(changes: changes, deletedKeys: removed.map(\.key))
  }

  /// Takes members out that match no more, and those that do to their place.
  private mutating func move<Failure>(
    _ members: [Member], _ touched: Touched,
    _ precedes: (ObjectKey, ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) {
    switch content {
    case .ascending(var table):
      // Not two owners, or each change would copy.
      content = .ascending(KeyTable([]))
      for member in members {
        let matches = touched.matching.contains(member.key)
        if member.old != nil, !matches { table.remove(at: table.place(of: member.key)) }
        if member.old == nil, matches { table.insert(member.key) }
      }
      table.settle()
      content = .ascending(table)
    case .ordered(var order):
      content = .ascending(KeyTable([]))
      order.remove(members.filter { $0.old != nil }.map(\.key))
      if order.isScattered { order = KeyOrder(order.all) }
      try order.insert(
        members.map(\.key).filter { touched.matching.contains($0) }, precedes)
      content = .ordered(order)
    }
  }

  /// Adds what has moved to the deletions and insertions.
  ///
  /// - Parameter pairs: The old and new positions of the members that stayed.
  private func findMoves(
    _ pairs: [(old: Int, new: Int)], _ modified: PositionSet, _ changes: inout CollectionChanges,
    _ removed: inout [(old: Int, key: ObjectKey)]
  ) {
    let count = matchCount - changes.insertions.count
    let olds = changes.deletions.unshifted(pairs.map(\.old))
    let news = changes.insertions.unshifted(pairs.map(\.new))
    let finder = MoveFinder(zip(olds, news).map { (old: $0, new: $1) }, count: count)
    let moved = finder.moved(modified)
    guard !moved.isEmpty else { return }
    let froms = PositionSet(ranges: moved.map { $0.old..<$0.old + $0.count })
    let tos = PositionSet(ranges: moved.map { $0.new..<$0.new + $0.count })
    // Pieces are in the order of the old sequence, as their positions are when room is made.
    let oldPositions = froms.makingRoom(for: changes.deletions)
    var newPositions: [Int] = []
    for piece in moved { newPositions += piece.new..<piece.new + piece.count }
    newPositions = changes.insertions.shifted(newPositions)
    for (old, new) in zip(oldPositions, newPositions) { removed.append((old, match(at: new))) }
    changes.deletions = changes.deletions.union(oldPositions)
    changes.insertions = changes.insertions.union(tos.makingRoom(for: changes.insertions))
  }
}
