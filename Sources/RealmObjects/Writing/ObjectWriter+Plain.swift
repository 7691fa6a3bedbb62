public import RealmStorage
public import RealmValues

/// Objects that need no plan.
extension ObjectWriter {
  /// Adds an object that has nothing but plain values, one for each property in schema order.
  ///
  /// Most objects of long scripts are of this kind. A single one needs no plan: it is given up as a
  /// whole as soon as a value does not fit.
  ///
  /// - Parameters:
  ///   - count: Number of the values.
  ///   - field: The value at a position, with the name of its property if it has one; nil if it is
  ///     no plain value.
  /// - Returns: the key of the object; nil if nothing was changed, so that `planAdd` is needed, which
  ///   also tells what is wrong.
  /// - Throws: `StorageError`; the transaction must be cancelled then.
  /// - Precondition: a write transaction is open.
  public func addPlain(
    _ objectClass: ObjectClass, count: Int,
    field: (Int) -> (name: String?, value: InputValue)?
  ) throws(StorageError) -> ObjectKey? {
    guard let layout = layout(objectClass.table.key), !layout.isEmbedded,
      count == layout.properties.count, let transaction = realm.transaction
    else { return nil }
    let appender = try layout.appender(in: transaction)
    for property in 0..<count {
      guard let (name, value) = field(property),
        name == nil || name == layout.names[property],
        let scalar = ObjectWriter.plain(value, property, layout)
      else {
        appender.discard()
        return nil
      }
      if case .null = scalar { continue }
      try appender.set(layout.appenderPositions[property], scalar)
    }
    do throws(StorageError) {
      let key = try appender.append()
      realm.noteChange()
      return key
    } catch {
      if case .rejected(.duplicatePrimaryKey) = error { return nil }
      throw error
    }
  }

  /// A value as the property stores it; nil if it does not fit or the property is not plain.
  private static func plain(
    _ value: InputValue, _ property: Int, _ layout: ClassLayout
  ) -> ScalarValue? {
    guard let kind = layout.plainKinds[property] else { return nil }
    switch value {
    case .scalar(let scalar), .number(let scalar, _):
      if scalar.kind == kind, ValueFitting.isShort(scalar) { return scalar }
      return try? ValueFitting.fit(value, layout.properties[property], layout)
    default: return nil
    }
  }
}
