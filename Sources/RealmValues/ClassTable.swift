/// The tables that hold the objects of classes.
///
/// Source: file-format.md 8.
public enum ClassTable {
  /// What stands before the name of the class in that of its table.
  public static let prefix = "class_"

  /// The name of the class that a table is of; nil for a table of Realm's own or of the bare library.
  public static func className(ofTable name: String) -> String? {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.utf8.count)) : nil
  }
}
