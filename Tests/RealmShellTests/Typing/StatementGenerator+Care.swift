/// Productions of the verbs that compare and save files.
extension StatementGenerator {
  static let careVerbs: [String: Production] = [
    "diff": { generator in
      generator.words("diff")
      generator.choose(
        {
          $0.name("data.realm")
          $0.optional { $0.keySource() }
        },
        { $0.name("other") },
        { $0.words("snapshot", "previous") })
      generator.optional { $0.words($0.one(of: ["schema", "data"])) }
      generator.optional { generator in generator.list { $0.name($0.anyClass()) } }
    },
    "recover": { generator in
      generator.words("recover")
      generator.name("data.realm")
      generator.optional { $0.keySource() }
      generator.words("to")
      generator.name("data.realm")
    },
  ]
}
