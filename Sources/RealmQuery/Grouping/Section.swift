public import RealmValues

/// Objects that have a key in common.
public struct Section {
  /// The value of the key.
  public let key: ScalarValue
  /// The objects in the order in which they came.
  public let objects: [ObjectKey]

  /// Puts objects into sections.
  ///
  /// - Parameters:
  ///   - isSorted: Whether sections come in the order of their keys; else in that in which the keys
  ///     come first. Source: object-model.md 5.8.
  ///   - isCancelled: Asked now and then whether to stop.
  /// - Throws: `QueryFailure`; without a place if a key is a collection.
  public static func sections(
    of objects: [ObjectKey], by source: GroupingSource, isSorted: Bool,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(QueryFailure) -> [Section] {
    let run = QueryRun()
    run.isCancelled = isCancelled
    let reader = GroupingReader(source, run)
    let index = KeyIndex(source, ConstantPool())
    var members: [[ObjectKey]] = []
    for object in objects {
      try run.visit()
      let value = try reader.value(of: object)
      let id = Int(index.id(of: value, isTransient: reader.isTransient))
      if id == members.count { members.append([]) }
      members[id].append(object)
    }
    var order = Array(members.indices)
    var sections: [Section] = []
    // Values of keys may lie where the index keeps them.
    try withExtendedLifetime(index) { () throws(QueryFailure) in
      let keys = order.map { index.value(of: Int32(truncatingIfNeeded: $0)) }
      if isSorted { order.sort { QueryValue.order(keys[$0], keys[$1]) < 0 } }
      for i in order { sections.append(Section(key: try keys[i].key(), objects: members[i])) }
    }
    return sections
  }
}
