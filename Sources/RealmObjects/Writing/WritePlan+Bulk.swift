import RealmStorage
public import RealmValues

/// Values of one property of many objects.
struct ColumnChange {
  var property: Int
  var keys: [ObjectKey] = []
  var values: [ScalarValue] = []
}

/// Changes of many objects of a class.
extension WritePlan {
  /// Adds the changes of one object to the plan of a bulk change.
  ///
  /// - Returns: false if the object is skipped because of a null in a path.
  /// - Throws: `ObjectError` as `ObjectWriter.planSet`; the plan cannot be used then.
  @discardableResult
  public func set(
    _ object: ObjectKey, _ changes: [PropertyChange]
  ) throws(ObjectError) -> Bool {
    guard let layout = bulkLayout else { preconditionFailure("not the plan of a bulk change") }
    if bulkReader == nil { prepareColumns(layout, changes) }
    guard let reader = bulkReader,
      try read({ () throws(StorageError) in try reader.move(to: object) })
    else { throw layout.error(.invalidatedObject) }
    if hasColumns(for: changes) {
      try setColumns(object, changes, layout, reader)
      return true
    }
    let index = draft(layout, object)
    for (i, change) in changes.enumerated() where change.path.count > 1 {
      do throws(ObjectError) {
        _ = try walk(change.path, from: index)
      } catch {
        guard error.kind == .nullInPath else { throw error.below(.change(i)) }
        skip(change, error)
        return false
      }
    }
    try setSubject(layout, object, changes)
    subjects.removeLast()
    bulkDrafts.append(index)
    return true
  }

  private func skip(_ change: PropertyChange, _ error: ObjectError) {
    skippedCount += 1
    guard skipReason == nil, case .pathStep(let last)? = error.place.first else { return }
    skipReason = WritePlan.text(change.path.prefix(last + 1))
  }

  // MARK: Columns

  /// Finds out whether all changes are of different plain properties.
  private func prepareColumns(_ layout: ClassLayout, _ changes: [PropertyChange]) {
    var properties: [Int] = []
    for change in changes {
      guard change.path.count == 1, case .property(let name)? = change.path.first,
        let property = layout.index(of: name), property != layout.primaryKey,
        layout.properties[property].collection == .none,
        layout.properties[property].kind != .link, layout.properties[property].kind != .mixed,
        !properties.contains(property)
      else {
        properties = []
        break
      }
      properties.append(property)
    }
    columns = properties.map { ColumnChange(property: $0) }
    bulkReader = ObjectReader(
      layout.objectClass.table, columns: properties.map { layout.properties[$0].position })
  }

  /// Whether changes are of the properties that the first object's were of.
  private func hasColumns(for changes: [PropertyChange]) -> Bool {
    guard let layout = bulkLayout, !columns.isEmpty, changes.count == columns.count else {
      return false
    }
    for i in columns.indices {
      guard changes[i].path.count == 1, case .property(let name) = changes[i].path[0],
        layout.properties[columns[i].property].name == name
      else { return false }
      if case .call = changes[i].action { return false }
    }
    return true
  }

  private func setColumns(
    _ object: ObjectKey, _ changes: [PropertyChange], _ layout: ClassLayout,
    _ reader: ObjectReader
  ) throws(ObjectError) {
    for i in columns.indices {
      do throws(ObjectError) {
        let value = try newValue(changes[i].action, i, layout, reader)
        columns[i].keys.append(object)
        columns[i].values.append(value)
      } catch {
        throw error.below(.argument(0)).below(.change(i))
      }
    }
  }

  private func newValue(
    _ action: PropertyChange.Action, _ i: Int, _ layout: ClassLayout, _ reader: ObjectReader
  ) throws(ObjectError) -> ScalarValue {
    let property = columns[i].property
    if case .replace(let value) = action {
      return try ValueFitting.fit(value, layout.properties[property], layout)
    }
    let old = try read { () throws(StorageError) in try reader.value(i).scalar ?? .null }
    if case .add(.scalar(.int(let b))) = action, case .int(let a) = old {
      let (sum, overflow) = a.addingReportingOverflow(b)
      if !overflow { return .int(sum) }
    }
    let new = try Arithmetic.apply(action, to: .scalar(old), layout, property)
    return try ValueFitting.fit(.scalar(new), layout.properties[property], layout)
  }
}
