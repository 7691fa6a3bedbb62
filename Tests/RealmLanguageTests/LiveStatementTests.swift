import RealmLanguage
import Testing

/// Statements about changes and threads, one of each form; `⏎` stands for a newline.
@Suite struct LiveStatementTests {
  /// Texts and the outlines of their trees.
  private static let table = #"""
    observe
      => observe
    observe realm
      => observe(realm)
    observe Realm mode json to diffs.jsonl
      => observe(realm json 'diffs.jsonl')
    observe Dog
      => observe(source(name(Dog)))
    observe Dog 1 keys (age, owner.name)
      => observe(object(Dog primaryKey(integer(1)))
      => [[property(age)] [property(owner) property(name)]])
    observe Dog keys (*, dogs.*, *.*, @links.Person.dogs.name)
      => observe(source(name(Dog))
      => [[any] [property(dogs) any] [any any] [backlinks(Person dogs) property(name)]])
    observe Dog where age > 3 SORT(_id ASC) as old
      => observe(source(name(Dog) comparison(property([name('age')]) greater constant(integer(3)))
      => [sort([[name('_id')] true])]) old)
    observe Dog where age > $0 args ($n) values none show name, age mode human
      => observe(source(name(Dog) comparison(property([name('age')]) greater constant(argument(0)))
      => [path(variable(n))]) none [expression(path(row [property('name')]))
      => expression(path(row [property('age')]))] human)
    observe Person(1).dogs
      => observe(source(path(object(Person primaryKey(integer(1))) [property('dogs')])))
    observe $rex values full
      => observe(source(path(variable(rex))) full)
    observe sections Dog by color where age > 3 as letters
      => observe(sections(name(Dog) path(row [property('color')])
      => comparison(property([name('age')]) greater constant(integer(3)))) letters)
    observe `realm`
      => observe(source(name(realm)))
    unobserve 2
      => unobserve(observer(number(2)))
    unobserve old
      => unobserve(observer(name(old)))
    unobserve all
      => unobserve(all)
    wait
      => wait(interruption)
    wait 500ms
      => wait(time(500))
    wait timeout 2s
      => wait(interruption 2000)
    wait for dogs
      => wait(work(name(dogs)))
    wait for 1 3 changes timeout 5m
      => wait(work(number(1) 3) 300000)
    on
      => on(list)
    on main
      => on(thread(main))
    on worker with $a, $b
      => on(thread(worker [a b]))
    on worker { add Dog {_id: 1} ⏎ commit }
      => on(thread(worker [add(Dog [object([_id literal(integer(1))])]) commit]))
    on worker async with $a { print $a }
      => on(thread(worker true [a] [print([path(variable(a))])]))
    on a { on b { on c: count Dog } }
      => on(thread(a [on(thread(b [[on(c)] count(name(Dog))]))]))
    on worker: count Dog
      => [on(worker)] count(name(Dog))
    time on worker async with $x: expect error X: write { cancel } | cat
      => [time on(worker true [x]) expectError(X)] write([cancel]) 'cat'
    on a: on b: on c { refresh }
      => [on(a) on(b)] on(thread(c [refresh]))
    on a: ⏎ invalidate
      => [on(a)] invalidate
    stop worker
      => stop(worker)
    commit without 1, dogs
      => commit([number(1) name(dogs)])
    info versions
      => info(versions)
    open dogs.realm create versions 5
      => open(file('dogs.realm') true 5)
    open memory versions 2
      => open(memory 2)
    """#

  static let rows = TreeTable.rows(of: table).map { row in
    (text: row.text.replacing("⏎", with: "\n"), tree: row.tree)
  }

  @Test func treesAreAsWritten() throws {
    for (text, tree) in Self.rows {
      let statements = try StatementParser.parse(text)
      #expect(statements.count == 1)
      #expect(TreeTable.words(outline(try #require(statements.first))) == tree, "\(text)")
      #expect(StatementBounds.completeness(of: Array(text.utf8).span) == .complete, "\(text)")
    }
  }

  @Test(arguments: [
    ("on worker async", 15, "expected : or {"),
    ("on worker with", 14, "expected a variable"),
    ("stop", 4, "expected a thread"),
    ("observe Dog keys ()", 18, "expected a property"),
    ("observe Dog values some", 19, "expected none, changes or full"),
    ("wait for dogs 3", 15, "expected changes"),
    ("wait for", 8, "expected a thread, an observer or a whole number"),
    ("on worker { count Dog", 21, "expected }"),
  ])
  func error(_ text: String, _ place: Int, _ message: String) {
    let error = #expect(throws: SyntaxError.self) { try StatementParser.parse(text) }
    #expect(error?.range.start == place)
    #expect(error?.message == message)
  }

  @Test(arguments: [
    ("on worker {", 1), ("on worker async with $x {\ncount Dog", 1), ("on worker:", 0),
    ("observe Dog keys (", 1),
  ])
  func isOpen(_ text: String, _ brackets: Int) {
    #expect(
      StatementBounds.completeness(of: Array(text.utf8).span)
        == .incomplete(openBrackets: brackets))
  }
}
