/// What `SchemaEditor.declare` did to one class.
public struct DeclarationOutcome {
  /// The class.
  public var className: String
  /// Whether it is new.
  public var isNew = false
  /// Properties that were added to an existing class.
  public var added: [PropertyDefinition] = []
  /// Existing properties that got an index.
  public var indexed: [PropertyDefinition] = []
  /// Number of objects that got values for the added properties.
  public var filledCount = 0

  /// Whether the class was as stated.
  public var isUnchanged: Bool { !isNew && added.isEmpty && indexed.isEmpty }
}

/// What was done to a property that was altered.
public struct AlterationOutcome {
  /// The class.
  public var className: String
  /// The property before.
  public var old: PropertyDefinition
  /// The property now.
  public var new: PropertyDefinition
  /// Number of objects that got a new value; nil if all values were kept.
  public var rewrittenCount: Int?
}

/// What went with a class that was dropped.
public struct DropOutcome {
  /// Number of objects.
  public var objectCount: Int
  /// Properties of other classes that linked to it.
  public var links: [SchemaError.Place]
}
