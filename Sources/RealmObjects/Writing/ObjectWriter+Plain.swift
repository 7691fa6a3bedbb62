public import RealmStorage
public import RealmValues

/// A value as a script has it: its text is not copied, and it is not fitted to a property yet.
public enum PlainValue {
  case null
  case bool(Bool)
  case int(Int64)
  /// A number with its text, which properties of other types than double read.
  case double(Double, text: UnsafeRawBufferPointer)
  case date(Timestamp)
  /// The bytes of a text.
  case string(UnsafeRawBufferPointer)

  /// The same with its text in memory of its own.
  var input: InputValue {
    switch self {
    case .null: .null
    case .bool(let value): .scalar(.bool(value))
    case .int(let value): .scalar(.int(value))
    case .double(let value, let text):
      .number(.double(value), text: String(decoding: text, as: UTF8.self))
    case .date(let value): .scalar(.date(value))
    case .string(let text): .scalar(.string([UInt8](text)))
    }
  }
}

/// Objects that need no plan.
extension ObjectWriter {
  /// Adds an object that has nothing but plain values, one for each property in schema order.
  ///
  /// Most objects of long scripts are of this kind. A single one needs no plan: it is given up as a
  /// whole as soon as a value does not fit.
  ///
  /// - Parameters:
  ///   - count: Number of the values.
  ///   - field: The value at a position, with the name of its property if it has one.
  /// - Returns: the key of the object; nil if nothing was changed, so that `planAdd` is needed, which
  ///   also tells what is wrong.
  /// - Throws: `StorageError`; the transaction must be cancelled then.
  /// - Precondition: a write transaction is open.
  public func addPlain(
    _ objectClass: ObjectClass, count: Int,
    field: (Int) -> (name: UnsafeRawBufferPointer?, value: PlainValue)
  ) throws(StorageError) -> ObjectKey? {
    guard let layout = layout(objectClass.table.key), !layout.isEmbedded,
      count == layout.properties.count, let transaction = realm.transaction
    else { return nil }
    let appender = try layout.appender(in: transaction)
    for property in 0..<count {
      let (name, value) = field(property)
      guard name.map({ layout.isName($0, of: property) }) ?? true,
        try ObjectWriter.give(value, to: property, appender, layout)
      else {
        appender.discard()
        return nil
      }
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

  /// Gives a property of the next object its value; false if it does not fit or the property is not
  /// plain.
  private static func give(
    _ value: PlainValue, to property: Int, _ appender: ObjectAppender, _ layout: ClassLayout
  ) throws(StorageError) -> Bool {
    guard let kind = layout.plainKinds[property] else { return false }
    let position = layout.appenderPositions[property]
    switch (value, kind) {
    case (.string(let text), .string) where text.count <= ValueFitting.maximumTextByteCount:
      try appender.set(position, bytes: text)
    case (.int(let number), .int): try appender.set(position, .int(number))
    case (.double(let number, _), .double): try appender.set(position, .double(number))
    case (.date(let date), .date): try appender.set(position, .date(date))
    default:
      let fitted = try? ValueFitting.fit(value.input, layout.properties[property], layout)
      guard let fitted else { return false }
      // What is given nothing is null where that is allowed.
      if case .null = fitted { return true }
      try appender.set(position, fitted)
    }
    return true
  }
}
