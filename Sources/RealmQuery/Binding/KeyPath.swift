import RealmObjects
import RealmStorage

/// An element of a path after arguments were put in.
enum PathPart {
  /// A property or a key; `bytes` are kept by the query.
  case name(String, bytes: UnsafeRawBufferPointer)
  /// A position; -1 is the last one.
  case index(Int64)
  /// `[*]`.
  case all
  /// `@links.Class.property`.
  case backlinks(className: String, property: String)
  /// `@links` at the end.
  case allBacklinks
}

/// One step of a path from object to object.
struct LinkStep {
  enum Kind {
    case single, list, set, dictionary
    case backlinks(StoredBacklink)
  }

  let kind: Kind
  /// Class the step starts from.
  let origin: ObjectClass
  /// The link property: of `origin`, for backlinks of `target`.
  let property: Property
  /// Class the step leads to.
  let target: ObjectClass
  /// Position in a list of links; -1 is the last one.
  var index: Int64?
  /// Key in a dictionary of links.
  var key: UnsafeRawBufferPointer?
  /// The key as a part, for a path that ends in it.
  var keyPart: PathPart?

  var isSingle: Bool { if case .single = kind { true } else { false } }
  var isBacklinks: Bool { if case .backlinks = kind { true } else { false } }
  /// Whether an index or key was given.
  var isNarrowed: Bool { index != nil || key != nil }
}

/// A path whose names were found. Source: query-language.md 6.
struct KeyPath {
  enum End {
    /// The objects reached.
    case link
    /// The number of all backlinks of the objects reached.
    case allBacklinks
    /// A property of the objects reached, and what follows it.
    case property(Property, [PathPart])
  }

  var steps: [LinkStep]
  /// Class reached by the steps.
  var objectClass: ObjectClass
  var end: End

  /// Whether all steps are single links.
  var isUnary: Bool { steps.allSatisfy(\.isSingle) }
}
