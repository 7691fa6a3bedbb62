public import RealmValues

/// What a statement has done, for its acknowledgement.
public struct WriteOutcome {
  /// What happened to an object that the statement names.
  public enum Effect: Equatable, Sendable {
    case added
    /// Properties that were written: of `set` the paths without indexes and keys.
    case changed([String])
    case unchanged
  }

  /// An object of the statement: one for each value of `add` and `upsert`, or the object of `set`.
  public struct Subject {
    /// Its class.
    public var objectClass: ObjectClass
    /// Its key.
    public var key: ObjectKey
    /// What happened to it.
    public var effect: Effect

    /// Makes a subject.
    public init(objectClass: ObjectClass, key: ObjectKey, effect: Effect) {
      self.objectClass = objectClass
      self.key = key
      self.effect = effect
    }
  }

  /// Number of objects of a class.
  public struct Count {
    /// The class.
    public var objectClass: ObjectClass
    /// At least 1.
    public var count: Int
  }

  /// The objects that the statement names, in its order; none for `delete` and for bulk changes.
  public var subjects: [Subject] = []
  /// Objects that were made on the way because values were nested, by class in order of creation.
  public var addedNested: [Count] = []
  /// Other objects that were updated on the way, by class.
  public var changedNested: [Count] = []
  /// Objects that the statement deleted, by class.
  public var deleted: [Count] = []
  /// Embedded objects that were deleted because they lost their parent, by class.
  public var deletedEmbedded: [Count] = []
  /// Number of objects that a bulk change has changed.
  public var changedInBulk = 0
  /// The objects that a bulk change has changed.
  public var bulkObjects: [ObjectKey] = []
  /// The table of those.
  public var bulkTable: TableKey?

  /// Makes the outcome of a statement that has done nothing else than to its own objects.
  public init(subjects: [Subject] = []) { self.subjects = subjects }

  /// Number of objects that were added, nested ones included.
  public var addedCount: Int {
    subjects.count { $0.effect == .added } + addedNested.reduce(0) { $0 + $1.count }
  }

  /// Number of objects that were changed, nested and embedded ones included.
  public var changedCount: Int {
    let own = subjects.count { if case .changed = $0.effect { true } else { false } }
    return own + changedInBulk + changedNested.reduce(0) { $0 + $1.count }
  }

  /// Number of objects that were deleted, embedded ones included.
  public var deletedCount: Int { (deleted + deletedEmbedded).reduce(0) { $0 + $1.count } }
}
