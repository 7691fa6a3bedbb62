/// What has changed in a collection, by positions.
///
/// Deletions are positions in the old collection, insertions in the new one. To lead the old one to
/// the new: take the deleted positions out, from the highest to the lowest, then put the new
/// elements in at the inserted positions in ascending order.
///
/// Source: object-model.md 6.3.
public struct CollectionChanges: Equatable, Sendable {
  /// Positions in the old collection.
  public var deletions = PositionSet()
  /// Positions in the new collection.
  public var insertions = PositionSet()
  /// Old positions of the elements that stayed and have changed.
  public var oldModifications = PositionSet()
  /// New positions of the same elements in the same order.
  public var newModifications = PositionSet()
  /// Whether the owner of the collection is gone.
  public var isRootDeleted = false
  /// Whether the collection was emptied as a whole.
  public var isCleared = false

  /// No changes.
  public init() {}

  /// Whether there is nothing to tell.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && newModifications.isEmpty && !isRootDeleted
  }

  /// The changes that replace all of one collection by all of another.
  public init(replacing oldCount: Int, by newCount: Int) {
    deletions = PositionSet(0..<oldCount)
    insertions = PositionSet(0..<newCount)
  }

  /// Whether the positions can lead from a collection to another one.
  ///
  /// Change sets that another program wrote wrongly do not.
  public func fits(from oldCount: Int, to newCount: Int) -> Bool {
    oldCount - deletions.count == newCount - insertions.count
      && deletions.last ?? -1 < oldCount && insertions.last ?? -1 < newCount
      && oldModifications.last ?? -1 < oldCount && newModifications.last ?? -1 < newCount
      && oldModifications.count == newModifications.count
  }
}
