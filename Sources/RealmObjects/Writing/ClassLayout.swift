import RealmStorage
import RealmValues

/// What a writer has to know of a class, found out once.
final class ClassLayout {
  /// The class in the schema in use.
  var objectClass: ObjectClass
  let table: TableKey
  /// Index of the primary key among the properties.
  let primaryKey: Int?
  let properties: [Property]
  /// The name of each property.
  let names: [String]
  /// The names one behind the other, and where each ends.
  private let nameText: [UInt8]
  private let nameEnds: [Int]
  /// The column of each property.
  let columns: [ColumnKey]
  /// The type of each property that has one value which is neither a link nor mixed.
  let plainKinds: [ValueKind?]
  /// What adds objects in the transaction that was used last.
  private var appender: ObjectAppender?
  /// The position of each property in the appender, -1 for collections.
  private(set) var appenderPositions: [Int] = []

  init(_ objectClass: ObjectClass) {
    self.objectClass = objectClass
    table = objectClass.table.key
    properties = objectClass.properties
    names = properties.map(\.name)
    nameText = names.flatMap { Array($0.utf8) }
    var end = 0
    nameEnds = names.map { name in
      end += name.utf8.count
      return end
    }
    primaryKey = properties.firstIndex { $0.isPrimaryKey }
    let stored = objectClass.table.columns
    columns = properties.map { stored[$0.position].key }
    plainKinds = properties.map {
      $0.collection == .none && $0.kind != .link && $0.kind != .mixed ? $0.kind : nil
    }
  }

  var name: String { objectClass.name }
  var isEmbedded: Bool { objectClass.isEmbedded }

  /// Whether the bytes are the name of a property.
  func isName(_ bytes: UnsafeRawBufferPointer, of property: Int) -> Bool {
    let start = property == 0 ? 0 : nameEnds[property - 1]
    guard bytes.count == nameEnds[property] - start else { return false }
    for index in 0..<bytes.count where bytes[index] != nameText[start + index] { return false }
    return true
  }

  /// Index of a property; nil if there is none.
  func index(of name: String) -> Int? { names.firstIndex(of: name) }

  /// What adds objects in a transaction; `appenderPositions` belong to it.
  func appender(in transaction: WriteTransaction) throws(StorageError) -> ObjectAppender {
    let current = try transaction.appender(table)
    if appender !== current {
      appender = current
      appenderPositions = columns.map { current.position(of: $0) ?? -1 }
    }
    return current
  }

  /// Whether the layout is that of a class of another version of the schema.
  func fits(_ other: ObjectClass) -> Bool {
    if other === objectClass { return true }
    guard other.name == name, other.isEmbedded == isEmbedded,
      other.properties.count == properties.count
    else { return false }
    let stored = other.table.columns
    return other.properties.indices.allSatisfy {
      other.properties[$0].name == properties[$0].name
        && stored[other.properties[$0].position].key == columns[$0]
        && other.properties[$0].isPrimaryKey == properties[$0].isPrimaryKey
    }
  }

  /// An error about a property.
  func error(_ kind: ObjectError.Kind, _ property: Int? = nil) -> ObjectError {
    ObjectError(kind, className: name, property: property.map { properties[$0].name } ?? "")
  }
}
