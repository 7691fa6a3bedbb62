import RealmLanguage
import Testing

/// Statements that change something, one of each form; `⏎` stands for a newline.
@Suite struct ChangingStatementTests {
  /// Texts and the outlines of their trees.
  private static let table = #"""
    copy to backup.realm
      => copy(database('backup.realm'))
    copy to "my dogs.realm" new key "file:k"
      => copy(database('my dogs.realm' true true 'file:k' true))
    copy Dog into archive
      => copy(objects(name(Dog) archive))
    copy Person(1).dogs where age > $0 args (3) into archive links policy all
      => copy(objects(path(object(Person primaryKey(integer(1))) [property('dogs')])
      => comparison(property([name('age')]) greater constant(argument(0))) [literal(integer(3))]
      => archive true all))
    copy $old into `my-db` policy error
      => copy(objects(path(variable(old)) my-db error))
    compact
      => compact
    compact to small.realm
      => compact('small.realm')
    encrypt to vault.realm key "new:vault.key"
      => encrypt(encrypt 'vault.realm' 'new:vault.key' true)
    encrypt in place key vault.key
      => encrypt(encrypt 'vault.key')
    decrypt to "my dogs.realm"
      => decrypt(decrypt 'my dogs.realm' true)
    decrypt in place
      => decrypt(decrypt)
    rekey to vault2.realm key "env:KEY"
      => rekey(rekey 'vault2.realm' 'env:KEY' true)
    rekey in place key prompt
      => rekey(rekey 'prompt')
    upgrade to new.realm
      => upgrade(file('new.realm'))
    upgrade in place
      => upgrade(inPlace)
    open new.realm create shared
      => open(file('new.realm') true true)
    class Dog {}
      => class(Dog standalone)
    class Dog { _id: int primary, name: string? indexed fulltext, age: int = 3, }
      => class(Dog standalone [_id scalar(int) [primary] name scalar(string) [indexed fulltext]
      => age scalar(int) literal(integer(3))])
    class Dog {⏎⏎  a: bool⏎  b: float?, c: double[]⏎  d: decimal128<>⏎  e: decimal{}⏎}
      => class(Dog standalone [a scalar(bool) b scalar(float) c scalar(double) list d
      => scalar(decimal128) set e scalar(decimal128) dictionary])
    class A embedded { a: Dog, b: Dog?, c: Dog?{}, d: `my-class`<>, e: mixed, f: data, g: date, h: objectId, i: uuid }
      => class(A embedded [a object(Dog) b object(Dog) c object(Dog) dictionary d object(my-class)
      => set e scalar(mixed) f scalar(data) g scalar(date) h scalar(objectId) i scalar(uuid)])
    class A asymmetric { l: @links.Person.dogs, `a b`: string = "x" # y⏎ m: int[] = [1, 2]⏎ n: string{} = {a: "b"}, o: uuid = uuid(), p: Dog = Dog(1), q: Dog = $rex, r: date = 2024-05-01 }
      => class(A asymmetric [l backlinks(Person dogs) a b scalar(string) literal(string('x')) m
      => scalar(int) list array([literal(integer(1)) literal(integer(2))]) n scalar(string)
      => dictionary object([a literal(string('b'))]) o scalar(uuid) call(uuid) p object(Dog)
      => path(object(Dog primaryKey(integer(1)))) q object(Dog) path(variable(rex)) r scalar(date)
      => literal(date(2024-05-01T00:00:00Z))])
    class class { primary: int primary }
      => class(class standalone [primary scalar(int) [primary]])
    alter Dog.age: string
      => alter(property(Dog age scalar(string)))
    alter Dog.age: double? indexed using double(old.age) + name
      => alter(property(Dog age scalar(double) [indexed] binary(add call(double [path(old
      => [property('age')])]) path(row [property('name')]))))
    alter Address embedded
      => alter(kind(Address embedded))
    alter Address standalone
      => alter(kind(Address standalone))
    alter Dog primary name
      => alter(primaryKey(Dog name))
    alter Dog primary none
      => alter(primaryKey(Dog))
    migrate to 4 { print 1 }
      => migrate([4 [print([literal(integer(1))])]])
    migrate dry {⏎ version 1 {}⏎ version 2 {} }
      => migrate(true [1 2] true)
    rename class Dog to Hound
      => rename(class(Dog Hound))
    rename Dog.color to coat
      => rename(property(Dog color coat))
    rename class.a to b
      => rename(property(class a b))
    drop class Dog
      => drop(class(Dog))
    drop class Dog links
      => drop(class(Dog true))
    drop Dog.color
      => drop(property(Dog color))
    drop index Dog.age
      => drop(index(Dog age))
    drop class.a
      => drop(property(class a))
    schema version 4
      => schema(version(4))
    begin
      => begin(wait)
    begin nowait
      => begin(nowait)
    begin timeout 250ms
      => begin(timeout(250))
    begin TIMEOUT 2s
      => begin(timeout(2000))
    begin timeout 5m
      => begin(timeout(300000))
    commit
      => commit
    commit without 1, dogs
      => commit([number(1) name(dogs)])
    cancel
      => cancel
    write {}
      => write
    write { set Dog 1 age += 1; delete Dog 3 }
      => write([set(object(Dog primaryKey(integer(1))) [row [property('age')] assign(add
      => literal(integer(1)))]) delete(objects(object(Dog primaryKey(integer(3)))))])
    write {⏎  add Dog {⏎    _id: 1⏎  }⏎⏎  write { begin; # x⏎ count Dog where age > 3 }; help x }⏎  count Dog | wc -l }⏎  ! ls }⏎}
      => write([add(Dog [object([_id literal(integer(1))])]) write([begin(wait) count(name(Dog)
      => comparison(property([name('age')]) greater constant(integer(3))))]) help(x })
      => count(name(Dog)) 'wc -l }' command('ls }')])
    time write { expect error X: add Dog [1] } | cat
      => [time] write([[expectError(X)] add(Dog [array([literal(integer(1))])])]) 'cat'
    refresh
      => refresh
    add Dog {_id: 1, name: "Rex"}
      => add(Dog [object([_id literal(integer(1)) name literal(string('Rex'))])])
    add Dog [5, "Fido", 7, null, Dog(4), [], {}] as $fido
      => add(Dog [array([literal(integer(5)) literal(string('Fido')) literal(integer(7))
      => literal(null) path(object(Dog primaryKey(integer(4)))) array object])] fido)
    add Person { _id: 3, dogs: [Dog(4), {_id: 6}], address: {city: upper("x")}, "a b": $x[0].y, `c d`: -1, }, [1]
      => add(Person [object([_id literal(integer(3)) dogs array([path(object(Dog
      => primaryKey(integer(4)))) object([_id literal(integer(6))])]) address object([city
      => call(upper [literal(string('x'))])]) a b path(variable(x) [index(literal(integer(0)))
      => property('y')]) c d literal(integer(-1))]) array([literal(integer(1))])])
    upsert Dog {_id: 4}
      => upsert(Dog [object([_id literal(integer(4))])])
    upsert Dog {_id: 4}, [5] policy modified as $d
      => upsert(Dog [object([_id literal(integer(4))]) array([literal(integer(5))])] modified d)
    upsert Dog {_id: 4} policy all
      => upsert(Dog [object([_id literal(integer(4))])] all)
    upsert Dog {_id: 4} policy error
      => upsert(Dog [object([_id literal(integer(4))])] error)
    set Dog 1 age += 1, citiesVisited += "Rome", favoriteParks["Rome"] = "Villa Ada"
      => set(object(Dog primaryKey(integer(1))) [row [property('age')] assign(add
      => literal(integer(1))) row [property('citiesVisited')] assign(add literal(string('Rome')))
      => row [property('favoriteParks') index(literal(string('Rome')))] assign(assign
      => literal(string('Villa Ada')))])
    set Dog(1) age -= 1, a.b[0].c *= 2, x /= 2, y = x = 1
      => set(object(Dog primaryKey(integer(1))) [row [property('age')] assign(subtract
      => literal(integer(1))) row [property('a') property('b') index(literal(integer(0)))
      => property('c')] assign(multiply literal(integer(2))) row [property('x')] assign(divide
      => literal(integer(2))) row [property('y')] assign(assign binary(equal path(row
      => [property('x')]) literal(integer(1))))])
    set Dog#12 a = {b: [1]}
      => set(object(Dog objectKey(12)) [row [property('a')] assign(assign object([b
      => array([literal(integer(1))])]))])
    set Dog "x" a = null
      => set(object(Dog primaryKey(string('x'))) [row [property('a')] assign(assign
      => literal(null))])
    set Dog $id a = 1
      => set(object(Dog variable(id)) [row [property('a')] assign(assign literal(integer(1)))])
    set Dog -1 a = 1
      => set(object(Dog primaryKey(integer(-1))) [row [property('a')] assign(assign
      => literal(integer(1)))])
    set Dog uuid(3b241101-e2bb-4255-8caf-4136c566a962) a = 1
      => set(object(Dog primaryKey(uuid(3b241101-e2bb-4255-8caf-4136c566a962))) [row
      => [property('a')] assign(assign literal(integer(1)))])
    set Dog null a = 1
      => set(object(Dog primaryKey(null)) [row [property('a')] assign(assign
      => literal(integer(1)))])
    set Dog null = 1 all
      => set(source(name(Dog)) [row [property('null')] assign(assign literal(integer(1)))] all)
    set Dog inf.a = 1 all
      => set(source(name(Dog)) [row [property('inf') property('a')] assign(assign
      => literal(integer(1)))] all)
    set Person 1 dogs.move(0, 1), address.city = upper(address.city)
      => set(object(Person primaryKey(integer(1))) [row [property('dogs')] call(move
      => [literal(integer(0)) literal(integer(1))]) row [property('address') property('city')]
      => assign(assign call(upper [path(row [property('address') property('city')])]))])
    set P 1 a.append(1, $x), b.insert(0, 1), c.remove(1), d.removeat(0), e.swap(0, -1), f.clear(), g.union([1]), h.intersect($x), i.subtract([]), j.k["x"].append({a: 1})
      => set(object(P primaryKey(integer(1))) [row [property('a')] call(append
      => [literal(integer(1)) path(variable(x))]) row [property('b')] call(insert
      => [literal(integer(0)) literal(integer(1))]) row [property('c')] call(remove
      => [literal(integer(1))]) row [property('d')] call(removeAt [literal(integer(0))]) row
      => [property('e')] call(swap [literal(integer(0)) literal(integer(-1))]) row [property('f')]
      => call(clear) row [property('g')] call(union [array([literal(integer(1))])]) row
      => [property('h')] call(intersect [path(variable(x))]) row [property('i')] call(subtract
      => [array]) row [property('j') property('k') index(literal(string('x')))] call(append
      => [object([a literal(integer(1))])])])
    set Dog color = "grey" where age > 4 args (1)
      => set(source(name(Dog)) [row [property('color')] assign(assign literal(string('grey')))]
      => condition(comparison(property([name('age')]) greater constant(integer(4)))
      => [literal(integer(1))]))
    set Dog age = 0
      => set(source(name(Dog)) [row [property('age')] assign(assign literal(integer(0)))])
    set Person address.city = "Oslo" all
      => set(source(name(Person)) [row [property('address') property('city')] assign(assign
      => literal(string('Oslo')))] all)
    set Person(1).dogs age = 0 all
      => set(source(path(object(Person primaryKey(integer(1))) [property('dogs')])) [row
      => [property('age')] assign(assign literal(integer(0)))] all)
    set $x age = 1
      => set(source(path(variable(x))) [row [property('age')] assign(assign literal(integer(1)))])
    set $x[0] age = 1
      => set(source(path(variable(x) [index(literal(integer(0)))])) [row [property('age')]
      => assign(assign literal(integer(1)))])
    set $x.dogs age = 1 where a == 1
      => set(source(path(variable(x) [property('dogs')])) [row [property('age')] assign(assign
      => literal(integer(1)))] condition(comparison(property([name('a')]) equal
      => constant(integer(1)))))
    set Dog all = all all
      => set(source(name(Dog)) [row [property('all')] assign(assign path(row [property('all')]))]
      => all)
    set `my-class` `a b` = 1
      => set(source(name(my-class)) [row [property('a b')] assign(assign literal(integer(1)))])
    delete Dog 1
      => delete(objects(object(Dog primaryKey(integer(1)))))
    delete Dog(1)
      => delete(objects(object(Dog primaryKey(integer(1)))))
    delete Dog#3
      => delete(objects(object(Dog objectKey(3))))
    delete $x[0]
      => delete(objects(source(path(variable(x) [index(literal(integer(0)))]))))
    delete $x
      => delete(objects(source(path(variable(x)))))
    delete Dog
      => delete(objects(source(name(Dog))))
    delete Dog where age > 10
      => delete(objects(source(name(Dog)) condition(comparison(property([name('age')]) greater
      => constant(integer(10))))))
    delete Dog all
      => delete(objects(source(name(Dog)) all))
    delete Person(1).dogs where a == 1 args ($x)
      => delete(objects(source(path(object(Person primaryKey(integer(1))) [property('dogs')]))
      => condition(comparison(property([name('a')]) equal constant(integer(1)))
      => [path(variable(x))])))
    delete everything
      => delete(everything)
    let
      => let
    let $x = 1 + 2
      => let(x binary(add literal(integer(1)) literal(integer(2))))
    let $rex = get Dog 1
      => let(rex query(get(object(Dog primaryKey(integer(1))))))
    let $old = where Dog age > 10 show name
      => let(old query(where(name(Dog) comparison(property([name('age')]) greater
      => constant(integer(10))) [expression(path(row [property('name')]))])))
    let $n = (count Dog) + 1
      => let(n binary(add query(count(name(Dog))) literal(integer(1))))
    let $n = count
      => let(n path(row [property('count')]))
    let $d = add Dog {_id: 1} as $e
      => let(d query(add(Dog [object([_id literal(integer(1))])] e)))
    let $d = upsert Dog {_id: 1} policy all
      => let(d query(upsert(Dog [object([_id literal(integer(1))])] all)))
    let $x = $_[0].name
      => let(x path(variable(_) [index(literal(integer(0))) property('name')]))
    invalidate
      => invalidate
    unlet $x
      => unlet([x])
    projection
      => projection
    projection Owner of Person { name, city = address.city }
      => projection(Owner Person [name city path(row [property('address') property('city')])])
    unlet $x, $y
      => unlet([x y])
    print (add Dog {a: 1}), (upsert Dog [1])
      => print([query(add(Dog [object([a literal(integer(1))])])) query(upsert(Dog
      => [array([literal(integer(1))])]))])
    set Dog a = 1 where TRUEPREDICATE
      => set(source(name(Dog)) [row [property('a')] assign(assign literal(integer(1)))]
      => condition(truePredicate))
    delete Dog where SORT(a ASC) LIMIT(1)
      => delete(objects(source(name(Dog)) condition(truePredicate [sort([[name('a')] true])
      => limit(1)])))
    expect error ObjectAlreadyExists: add Dog [1]
      => [expectError(ObjectAlreadyExists)] add(Dog [array([literal(integer(1))])])
    let $x = {a: 1}
      => let(x object([a literal(integer(1))]))
    set Dog 1 a=-1, b+=1
      => set(object(Dog primaryKey(integer(1))) [row [property('a')] assign(assign
      => literal(integer(-1))) row [property('b')] assign(add literal(integer(1)))])
    """#

  static let rows = TreeTable.rows(of: table).map { row in
    (
      text: row.text.split(separator: "⏎", omittingEmptySubsequences: false).joined(
        separator: "\n"),
      tree: row.tree
    )
  }

  @Test func treesAreAsWritten() throws {
    #expect(Self.rows.count == 110)
    for (text, tree) in Self.rows {
      let parsed = try StatementParser.parse(text).map(outline).joined(separator: " ; ")
      #expect(TreeTable.words(parsed) == tree, "\(text)")
    }
  }

  @Test func everyVerbThatChangesHasRows() {
    let verbs = Grammar.verbs.filter { verb in
      switch verb.group {
      case .schema, .transaction, .names: true
      case .objects: verb.name != "get"
      default: ["copy", "compact", "encrypt", "decrypt", "rekey", "upgrade"].contains(verb.name)
      }
    }
    #expect(verbs.count > 18)
    for verb in verbs {
      #expect(Self.rows.contains { $0.text.hasPrefix(verb.name) }, "\(verb.name)")
    }
  }

  private func body(_ text: String) throws -> StatementBody {
    try #require(try StatementParser.parse(text).first).body
  }

  private func place(_ range: SourceRange, in text: String) -> String {
    SourceText(text).text(of: range)
  }

  @Test func partsOfClassesHavePlaces() throws {
    let text = "class A embedded { a: string?[] indexed = [1], b: @links.P.q }"
    guard case .class(let statement) = try body(text) else {
      Issue.record("no class")
      return
    }
    #expect(place(statement.bodyRange, in: text) == String(text.dropFirst(17)))
    let first = statement.properties[0]
    #expect(place(first.range, in: text) == "a: string?[] indexed = [1]")
    #expect(place(first.type.range, in: text) == "string?[]")
    #expect(first.type.isOptional && !statement.properties[1].type.isOptional)
    #expect(first.type.optionalRange.map { place($0, in: text) } == "?")
    #expect(place(first.flags[0].range, in: text) == "indexed")
    #expect(first.defaultValue.map { place($0.range, in: text) } == "[1]")
    #expect(place(statement.properties[1].type.range, in: text) == "@links.P.q")
  }

  @Test func partsOfAlterHavePlaces() throws {
    let text = "alter Dog.age: double? using age"
    guard case .alter(.property(let reference, let type, _, let conversion)) = try body(text) else {
      Issue.record("no alter")
      return
    }
    #expect(place(reference.range, in: text) == "Dog.age")
    #expect(place(type.range, in: text) == "double?")
    #expect(conversion.map { place($0.range, in: text) } == "age")
    let other = "alter Dog primary none"
    guard case .alter(.primaryKey(_, _, let range)) = try body(other) else {
      Issue.record("no alter")
      return
    }
    #expect(place(range, in: other) == "primary none")
  }

  @Test func partsOfChangesHavePlaces() throws {
    let text = "set Dog 12 a.b[0] += 1, c.insert(0, \"x\")"
    guard case .set(let statement) = try body(text) else {
      Issue.record("no set")
      return
    }
    #expect(place(statement.subject.range, in: text) == "Dog 12")
    #expect(
      statement.changes.map { place($0.range, in: text) } == [
        "a.b[0] += 1", "c.insert(0, \"x\")",
      ])
    #expect(statement.changes.map { place($0.path.range, in: text) } == ["a.b[0]", "c"])
    #expect(statement.changes[0].path.steps.map { place($0.range, in: text) } == ["a", "b", "[0]"])
    guard case .call(_, let arguments, let name) = statement.changes[1].action else {
      Issue.record("no call")
      return
    }
    #expect(place(name, in: text) == "insert")
    #expect(arguments.map { place($0.range, in: text) } == ["0", "\"x\""])
  }

  @Test func partsOfNewObjectsHavePlaces() throws {
    let text = "upsert Dog {_id: 4, `a b`: [Dog(1)]} policy all as $x"
    guard case .upsert(let statement) = try body(text),
      case .object(let fields, let range) =
        statement.values[0]
    else {
      Issue.record("no upsert")
      return
    }
    #expect(place(range, in: text) == "{_id: 4, `a b`: [Dog(1)]}")
    #expect(fields.map { place($0.range, in: text) } == ["_id: 4", "`a b`: [Dog(1)]"])
    #expect(statement.policy.map { place($0.range, in: text) } == "all")
    #expect(statement.variable.map { place($0.range, in: text) } == "$x")
  }

  @Test func blocksHoldStatementsWithTheirPlaces() throws {
    let text = "write {\n  time add A [1]; # x\n  delete B all\n}; count C"
    let statements = try StatementParser.parse(text)
    #expect(statements.count == 2)
    guard case .write(let block) = statements[0].body else {
      Issue.record("no write")
      return
    }
    #expect(
      block.statements.map { place($0.range, in: text) } == ["time add A [1]", "delete B all"])
    #expect(place(block.range, in: text) == String(text.dropFirst(6).dropLast(9)))
    #expect(place(statements[0].range, in: text) == String(text.dropLast(9)))
  }

  @Test func migrationsHaveBlocksForVersions() throws {
    let text =
      "migrate dry {\n  version 1 { drop A.b }\n\n  version 2 {\n    set A c = old.b all\n  }\n}"
    guard case .migrate(let statement) = try body(text) else {
      Issue.record("no migrate")
      return
    }
    #expect(statement.isDry && statement.hasVersions)
    #expect(statement.steps.map(\.version.value) == [1, 2])
    #expect(statement.steps.map { place($0.range, in: text) } == ["version 1", "version 2"])
    let statements = statement.steps.flatMap { $0.block.statements }
    #expect(statements.map { place($0.range, in: text) } == ["drop A.b", "set A c = old.b all"])
    guard case .migrate(let single) = try body("MIGRATE to 4 { print 1; print 2 }") else {
      Issue.record("no migrate")
      return
    }
    #expect(!single.isDry && !single.hasVersions)
    #expect(single.steps.map { place($0.range, in: "MIGRATE to 4 {") } == ["MIGRATE to 4"])
    #expect(single.steps.flatMap { $0.block.statements }.count == 2)
  }

  @Test func newlinesSeparateInBlocksAndNotInValues() throws {
    let text = """
      write {
        set Dog 1 a = [1,
          2], b = (3
          + 4)
        where Dog a == 1 and
          b == 2 SORT(
            a ASC)
        write {
          begin
        }
        add Dog
          {a: 1}
      }
      """
    #expect(throws: SyntaxError.self) { try StatementParser.parse(text) }
    let fixed = text.replacing("add Dog\n", with: "add Dog \\\n")
    guard case .write(let block) = try body(fixed) else {
      Issue.record("no write")
      return
    }
    #expect(Array(block.statements).count == 4)
  }

  @Test func parsingGoesOnBehindAFailedBlock() throws {
    var parser = StatementParser(
      SourceText("write {\n add A [1]\n help } {\n cuont B; count C\n}\ncount D\n"))
    #expect(throws: SyntaxError.self) { try parser.next() }
    #expect(try parser.next().map(outline) == "count(name(D))")
    #expect(try parser.next() == nil)
  }

  @Test(arguments: [
    "{", "[", "add A {a:", "write {", "print (", "class A {a: int = [", "let $x = {a:",
  ])
  func deepNestingIsRefused(_ opening: String) throws {
    let repeated = opening.hasPrefix("add") ? "{a:" : String(opening.suffix(1))
    for text in [
      String(repeating: opening, count: 100_000),
      opening + String(repeating: repeated, count: 100_000),
      "print " + String(repeating: repeated, count: 100_000),
    ] {
      var parser = StatementParser(SourceText(text))
      #expect(throws: SyntaxError.self) { try parser.next() }
      let bytes = Array(text.utf8)
      #expect(StatementBounds.completeness(of: bytes.span) != .complete)
    }
  }

  @Test func longBlocksGiveAllTheirStatements() throws {
    let count = 10_000
    let lines = (0..<count).map {
      $0 % 3 == 0 ? "add A [\($0)]; write { cancel }" : "add A {\n a: \($0)}"
    }
    let text = "write {\n" + lines.joined(separator: "\n\n") + "} # end"
    guard case .write(let block) = try body(text) else {
      Issue.record("no write")
      return
    }
    let starts = block.statements.map(\.range.start)
    #expect(starts.count == count + (count + 2) / 3)
    #expect(starts == starts.sorted())
    #expect(Array(block.statements).last.map(outline) == "write([cancel])")
    #expect(throws: SyntaxError.self) {
      try StatementParser.parse(text.replacing("[9999]", with: "9999"))
    }
  }

  @Test func blocksAreLimitedInDepth() {
    func nested(_ depth: Int) -> String {
      String(repeating: "write {", count: depth) + String(repeating: "}", count: depth)
    }
    #expect(throws: Never.self) { try StatementParser.parse(nested(200)) }
    let error = #expect(throws: SyntaxError.self) { try StatementParser.parse(nested(201)) }
    #expect(error?.name == .limitExceeded)
  }

  @Test func manyValuesAreOneStatement() throws {
    let values = (0..<10_000).map { "{_id: \($0), list: [\($0), \($0)]}" }
    guard case .add(let statement) = try body("add A " + values.joined(separator: ", ")) else {
      Issue.record("no add")
      return
    }
    #expect(statement.values.count == 10_000)
  }

  @Test func longNamesKeepTheirText() throws {
    let names = (0..<1000).map { "a_name_that_is_long_enough_\($0)" }
    let fields = (names + names).map { "\($0): 1" }.joined(separator: ", ")
    guard case .add(let statement) = try body("add A {\(fields)}"),
      case .object(let read, _) =
        statement.values[0]
    else {
      Issue.record("no add")
      return
    }
    #expect(read.map(\.key.text) == names + names)
  }
}
