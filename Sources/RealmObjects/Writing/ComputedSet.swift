public import RealmStorage
public import RealmValues

/// A change of plain properties of all objects of a class, whose values come block by block; until it
/// is applied the old values can be read.
public final class ComputedSet {
  /// Most bytes of a text.
  public static let maximumTextByteCount = ValueFitting.maximumTextByteCount

  private let layout: ClassLayout
  private let properties: [Int]
  private let replacements: [ColumnReplacement]
  private let realm: Realm
  private var count = 0

  /// Prepares the change of properties that are given by their names.
  ///
  /// - Returns: nil if they cannot be changed in this way, or not at all.
  init?(_ writer: ObjectWriter, _ layout: ClassLayout, _ names: [String]) throws(StorageError) {
    guard let transaction = writer.realm.transaction else { return nil }
    var properties: [Int] = []
    for name in names {
      guard let property = layout.index(of: name), layout.plainKinds[property] != nil,
        property != layout.primaryKey || transaction.suspendsUniqueness,
        !properties.contains(property)
      else { return nil }
      properties.append(property)
    }
    (self.layout, self.properties, realm) = (layout, properties, writer.realm)
    var replacements: [ColumnReplacement] = []
    for property in properties {
      replacements.append(
        try ColumnReplacement(transaction, layout.table, layout.columns[property]))
    }
    self.replacements = replacements
  }

  /// The value for the i-th property.
  ///
  /// - Throws: `ObjectError`; the place starts with `.change`.
  public func fit(_ value: InputValue, _ i: Int) throws(ObjectError) -> ScalarValue {
    let property = properties[i]
    if case .scalar(let scalar) = value, scalar.kind == layout.plainKinds[property],
      ValueFitting.isShort(scalar)
    {
      return scalar
    }
    do throws(ObjectError) {
      return try ValueFitting.fit(value, layout.properties[property], layout)
    } catch {
      throw error.below(.argument(0)).below(.change(i))
    }
  }

  /// Whether the i-th property holds texts.
  public func isText(_ i: Int) -> Bool { layout.plainKinds[properties[i]] == .string }

  /// Takes the value of the i-th property for the next object of the table, as `fit` gives it.
  public func append(_ value: ScalarValue, _ i: Int) throws(StorageError) {
    try replacements[i].append(value)
  }

  /// Takes the text of the i-th property for the next object of the table.
  public func append(text: UnsafeRawBufferPointer, _ i: Int) throws(StorageError) {
    try replacements[i].append(bytes: text)
  }

  /// Ends a block of the table, for which all properties have got values.
  public func endBlock(_ count: Int) throws(StorageError) {
    for replacement in replacements { try replacement.endBlock() }
    self.count += count
  }

  /// Gives up the values.
  public func discard() throws(StorageError) {
    for replacement in replacements { try replacement.discard() }
  }

  /// Makes the change.
  public func apply() throws(StorageError) -> WriteOutcome {
    realm.noteChange()
    for replacement in replacements { try replacement.apply() }
    var outcome = WriteOutcome()
    outcome.changedInBulk = count
    return outcome
  }
}

extension ObjectWriter {
  /// Begins a change of properties of all objects; nil if it has to be made object by object.
  ///
  /// The realm is refreshed: values are read from its snapshot.
  public func computedSet(
    _ objectClass: ObjectClass, _ names: [String]
  ) throws(StorageError) -> ComputedSet? {
    try realm.refresh()
    guard let layout = layout(objectClass.table.key) else { return nil }
    return try ComputedSet(self, layout, names)
  }
}
