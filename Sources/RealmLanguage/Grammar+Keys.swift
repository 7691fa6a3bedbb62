extension Grammar {
  /// The verbs that write the database anew: with another key, or in another format.
  static let fileVerbs = [
    Verb(
      "encrypt", .database, "encrypt (to PATH | in place) key SOURCE",
      "Writes the database encrypted, compacted, as another file or in place.",
      terms: [
        GrammarWord("to PATH", "another file; this one stays as it is"),
        GrammarWord("in place", "the new file takes the place of this one"),
        GrammarWord("key SOURCE", "the key; \"new:vault.key\" makes one and writes it to a file"),
      ],
      examples: [
        "encrypt to vault.realm key \"new:vault.key\"", "encrypt in place key \"file:vault.key\"",
      ], seeAlso: ["decrypt", "rekey", "copy"]
    ) { parser throws(SyntaxError) in try parser.encryptionStatement(.encrypt) },
    Verb(
      "decrypt", .database, "decrypt (to PATH | in place)",
      "Writes the encrypted database without a key, compacted, as another file or in place.",
      terms: [
        GrammarWord("to PATH", "another file; this one stays as it is"),
        GrammarWord("in place", "the new file takes the place of this one"),
      ],
      examples: ["decrypt to plain.realm", "decrypt in place"], seeAlso: ["encrypt", "rekey"]
    ) { parser throws(SyntaxError) in try parser.encryptionStatement(.decrypt) },
    Verb(
      "rekey", .database, "rekey (to PATH | in place) key SOURCE",
      "Writes the encrypted database with another key, compacted, as another file or in place.",
      terms: [
        GrammarWord("to PATH", "another file; this one stays as it is"),
        GrammarWord("in place", "the new file takes the place of this one"),
        GrammarWord(
          "key SOURCE", "the new key; \"new:vault.key\" makes one and writes it to a file"),
      ],
      examples: [
        "rekey in place key \"new:vault2.key\"", "rekey to vault2.realm key \"env:VAULT_KEY\"",
      ], seeAlso: ["encrypt", "decrypt"]
    ) { parser throws(SyntaxError) in try parser.encryptionStatement(.rekey) },
    Verb(
      "upgrade", .database, "upgrade (to PATH | in place)",
      "Writes the database in the newest file format.",
      terms: [
        GrammarWord("to PATH", "another file; this one stays as it is"),
        GrammarWord("in place", "the new file takes the place of this one"),
      ],
      examples: ["upgrade to new.realm", "upgrade in place"], seeAlso: ["copy", "info"]
    ) { parser throws(SyntaxError) in try parser.upgradeStatement() },
  ]
}
