import RealmStorage
public import RealmValues

/// Changes of one property of many objects.
struct ColumnChange {
  /// What the objects get.
  enum Content {
    /// A value for each.
    case values([ScalarValue])
    /// The same value.
    case constant(ScalarValue)
    /// The result of a calculation that overflows nowhere.
    case calculation(WriteTransaction.Arithmetic, ScalarValue)
  }

  var property: Int
  /// Ascending.
  var objects: [ObjectKey]
  var content: Content
}

/// The changes of a bulk change as far as they are of plain properties.
struct BulkColumns {
  /// Reads the properties as they were before the statement.
  let reader: ObjectReader
  /// The properties, each of which has one change.
  let properties: [Int]
  /// Objects whose values were computed, and the values by property.
  var objects: [ObjectKey] = []
  var values: [[ScalarValue]]

  init(_ layout: ClassLayout, _ properties: [Int]) {
    self.properties = properties
    values = properties.map { _ in [] }
    reader = ObjectReader(
      layout.objectClass.table, columns: properties.map { layout.properties[$0].position })
  }

  /// The changes with their objects in order, each once.
  var changes: [ColumnChange] {
    guard !objects.isEmpty else { return [] }
    var order = Array(objects.indices)
    if !BulkColumns.isAscending(objects) {
      order.sort { (objects[$0], $0) < (objects[$1], $1) }
      // Of an object that comes twice the last values count.
      let last = order.count - 1
      order = order.indices.filter { $0 == last || objects[order[$0]] != objects[order[$0 + 1]] }
        .map { order[$0] }
      let sorted = order.map { objects[$0] }
      return properties.indices.map { i in
        ColumnChange(
          property: properties[i], objects: sorted,
          content: .values(order.map { values[i][$0] }))
      }
    }
    return properties.indices.map {
      ColumnChange(property: properties[$0], objects: objects, content: .values(values[$0]))
    }
  }

  static func isAscending(_ objects: [ObjectKey]) -> Bool {
    for i in objects.indices.dropFirst() where objects[i - 1] >= objects[i] { return false }
    return true
  }

  /// Objects in order, each once.
  static func ordered(_ objects: [ObjectKey]) -> [ObjectKey] {
    isAscending(objects) ? objects : Set(objects).sorted()
  }
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
    let layout = prepareBulk(changes)
    if let reader = bulk?.reader {
      guard try read({ () throws(StorageError) in try reader.move(to: object) }) else {
        throw layout.error(.invalidatedObject)
      }
    }
    if hasColumns(for: changes) {
      try setColumns(object, changes, layout)
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

  /// Adds the same changes of many objects, if they are of plain properties and the result is right
  /// for all of them.
  ///
  /// - Returns: false if nothing was added: the objects have to be added one by one.
  /// - Throws: `ObjectError` as `ObjectWriter.planSet`; the plan cannot be used then.
  public func setTogether(
    _ objects: [ObjectKey], _ changes: [PropertyChange]
  ) throws(ObjectError) -> Bool {
    let layout = prepareBulk(changes)
    guard hasColumns(for: changes), let made = try columnChanges(objects, changes, layout) else {
      return false
    }
    columns += made
    return true
  }

  private func skip(_ change: PropertyChange, _ error: ObjectError) {
    skippedCount += 1
    guard skipReason == nil, case .pathStep(let last)? = error.place.first else { return }
    skipReason = WritePlan.text(change.path.prefix(last + 1))
  }

  // MARK: Columns

  /// Finds out, once, whether all changes are of different plain properties.
  private func prepareBulk(_ changes: [PropertyChange]) -> ClassLayout {
    guard let layout = bulkLayout else { preconditionFailure("not the plan of a bulk change") }
    if bulk != nil { return layout }
    var properties: [Int] = []
    for change in changes {
      guard change.path.count == 1, case .property(let name)? = change.path.first,
        let property = layout.index(of: name),
        property != layout.primaryKey || transaction.suspendsUniqueness,
        layout.properties[property].collection == .none,
        layout.properties[property].kind != .link, layout.properties[property].kind != .mixed,
        !properties.contains(property)
      else {
        properties = []
        break
      }
      properties.append(property)
    }
    bulk = BulkColumns(layout, properties)
    return layout
  }

  /// Whether changes are of the properties that the first object's were of.
  private func hasColumns(for changes: [PropertyChange]) -> Bool {
    guard let layout = bulkLayout, let properties = bulk?.properties, !properties.isEmpty,
      changes.count == properties.count
    else { return false }
    for i in changes.indices {
      guard changes[i].path.count == 1, case .property(let name) = changes[i].path[0],
        layout.properties[properties[i]].name == name
      else { return false }
      if case .call = changes[i].action { return false }
    }
    return true
  }

  private func setColumns(
    _ object: ObjectKey, _ changes: [PropertyChange], _ layout: ClassLayout
  ) throws(ObjectError) {
    for i in changes.indices {
      do throws(ObjectError) {
        let value = try newValue(changes[i].action, i, layout)
        bulk?.values[i].append(value)
      } catch {
        throw error.below(.argument(0)).below(.change(i))
      }
    }
    bulk?.objects.append(object)
  }

  /// The new value of the i-th property of the object that the reader is at.
  private func newValue(
    _ action: PropertyChange.Action, _ i: Int, _ layout: ClassLayout
  ) throws(ObjectError) -> ScalarValue {
    guard let bulk else { return .null }
    let property = bulk.properties[i]
    if case .replace(let value) = action {
      return try ValueFitting.fit(value, layout.properties[property], layout)
    }
    let old = try read { () throws(StorageError) in try bulk.reader.value(i).scalar ?? .null }
    if case .add(.scalar(.int(let b))) = action, case .int(let a) = old {
      let (sum, overflow) = a.addingReportingOverflow(b)
      if !overflow { return .int(sum) }
    }
    let new = try Arithmetic.apply(action, to: .scalar(old), layout, property)
    return try ValueFitting.fit(.scalar(new), layout.properties[property], layout)
  }

  // MARK: The same change of all

  /// The changes of columns; nil if they have to be made object by object.
  private func columnChanges(
    _ objects: [ObjectKey], _ changes: [PropertyChange], _ layout: ClassLayout
  ) throws(ObjectError) -> [ColumnChange]? {
    guard let bulk else { return nil }
    var result: [ColumnChange] = []
    let objects = BulkColumns.ordered(objects)
    for (i, change) in changes.enumerated() {
      let property = bulk.properties[i]
      let content: ColumnChange.Content?
      if case .replace(let value) = change.action {
        do throws(ObjectError) {
          content = .constant(
            try ValueFitting.fit(value, layout.properties[property], layout))
        } catch {
          throw error.below(.argument(0)).below(.change(i))
        }
      } else {
        content = try calculation(change.action, property, layout)
      }
      guard let content else { return nil }
      result.append(ColumnChange(property: property, objects: objects, content: content))
    }
    return result
  }

  /// The calculation of a column; nil if an object may have an error, or if the type of the results
  /// is not that of the column.
  private func calculation(
    _ action: PropertyChange.Action, _ property: Int, _ layout: ClassLayout
  ) throws(ObjectError) -> ColumnChange.Content? {
    let operation: WriteTransaction.Arithmetic
    let value: InputValue
    switch action {
    case .add(let right): (operation, value) = (.add, right)
    case .subtract(let right): (operation, value) = (.subtract, right)
    case .multiply(let right): (operation, value) = (.multiply, right)
    case .divide(let right): (operation, value) = (.divide, right)
    case .replace, .call: return nil
    }
    let operand: ScalarValue
    switch value {
    case .scalar(let scalar), .number(let scalar, _): operand = scalar
    default: return nil
    }
    let definition = layout.properties[property]
    switch (definition.kind, operand) {
    case (.int, .int(let number)):
      guard number != 0 || operation != .divide,
        try fitsEverywhere(operation, number, definition, layout)
      else { return nil }
      return .calculation(operation, operand)
    case (.double, .int(let number)): return calculation(operation, Double(number))
    case (.double, .float(let number)): return calculation(operation, Double(number))
    case (.double, .double(let number)): return calculation(operation, number)
    case (.float, .int(let number)) where Int64(exactly: Float(number)) == number:
      guard number != 0 || operation != .divide else { return nil }
      return .calculation(operation, .float(Float(number)))
    case (.float, .float(let number)) where number != 0 || operation != .divide:
      return .calculation(operation, operand)
    default: return nil
    }
  }

  private func calculation(
    _ operation: WriteTransaction.Arithmetic, _ operand: Double
  ) -> ColumnChange.Content? {
    operand == 0 && operation == .divide ? nil : .calculation(operation, .double(operand))
  }

  /// Whether a calculation overflows in no object of the class.
  private func fitsEverywhere(
    _ operation: WriteTransaction.Arithmetic, _ operand: Int64, _ definition: Property,
    _ layout: ClassLayout
  ) throws(ObjectError) -> Bool {
    try read { () throws(StorageError) in
      let cursor = try TableCursor(layout.objectClass.table, columns: [definition.position])
      while try cursor.next() {
        guard case .int(let leaf) = try cursor.leaf(0) else { return false }
        for row in 0..<leaf.count {
          guard let old = leaf.value(at: row) else { continue }
          let overflows =
            switch operation {
            case .add: old.addingReportingOverflow(operand).overflow
            case .subtract: old.subtractingReportingOverflow(operand).overflow
            case .multiply: old.multipliedReportingOverflow(by: operand).overflow
            case .divide: old.dividedReportingOverflow(by: operand).overflow
            }
          if overflows { return false }
        }
      }
      return true
    }
  }
}
