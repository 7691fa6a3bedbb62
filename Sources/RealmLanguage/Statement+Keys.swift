/// `encrypt`, `decrypt`, `rekey`.
public struct EncryptionStatement: Equatable, Sendable {
  /// What happens to the key.
  public enum Action: String, Sendable {
    case encrypt, decrypt, rekey
  }

  /// What happens to the key.
  public var action: Action
  /// The new file; nil for `in place`.
  public var target: FilePath?
  /// The source of the new key; nil for `decrypt`.
  public var key: FilePath?
}
