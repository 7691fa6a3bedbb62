/// `encrypt`, `decrypt`, `rekey`. Source: shell.md 15.
extension Parser {
  mutating func encryptionStatement(
    _ action: EncryptionStatement.Action
  ) throws(SyntaxError) -> StatementBody {
    var statement = EncryptionStatement(action: action, target: nil, key: nil)
    if try accept(word: "to") {
      statement.target = try filePath(.output)
    } else {
      try require(word: "in")
      try require(word: "place")
    }
    if action != .decrypt {
      try require(word: "key")
      statement.key = try keySource()
    }
    return switch action {
    case .encrypt: .encrypt(statement)
    case .decrypt: .decrypt(statement)
    case .rekey: .rekey(statement)
    }
  }
}
