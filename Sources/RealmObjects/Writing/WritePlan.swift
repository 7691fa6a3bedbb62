public import RealmValues

/// The checked changes of a statement, to be applied by the writer that made it.
public final class WritePlan {
  /// Number of objects that `set` has skipped because a link or value on a path is null.
  public private(set) var skippedCount = 0
  /// Path without indexes up to the first null that made an object be skipped.
  public private(set) var skipReason: String?

  init() {}

  /// Adds the changes of one object to the plan of a bulk change.
  ///
  /// - Returns: false if the object is skipped because of a null in a path.
  /// - Throws: `ObjectError` as `ObjectWriter.planSet`; the plan cannot be used then.
  @discardableResult
  public func set(
    _ object: ObjectKey, _ changes: [PropertyChange]
  ) throws(ObjectError) -> Bool {
    fatalError()
  }
}
