public import RealmValues

/// A value for a property, element or entry of type mixed, which can be a collection of such values.
public indirect enum MixedValue: Sendable {
  case scalar(ScalarValue)
  case list([MixedValue])
  /// Entries in any order; keys must be different.
  case dictionary([(key: [UInt8], value: MixedValue)])
}
