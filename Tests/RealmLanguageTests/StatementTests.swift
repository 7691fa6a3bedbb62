import RealmLanguage
import Testing

/// Statements, one of each form.
@Suite struct StatementTests {
  /// Texts and the outlines of their trees.
  private static let table = #"""
    open dogs.realm
      => open(file('dogs.realm'))
    open ~/a-b/c.realm as d create readonly key "file:k" schema s.txt version 3 compact snapshot previous
      => open(file('~/a-b/c.realm') d true true true 'file:k' true 's.txt' 3 previous)
    open "my dogs.realm" new shared snapshot 7
      => open(file('my dogs.realm' true) true true version(7))
    open memory
      => open(memory)
    open memory tmp
      => open(memory(tmp))
    open memory as tmp
      => open(memory tmp)
    open memory.realm
      => open(file('memory.realm'))
    close
      => close(current)
    CLOSE all
      => close(all)
    close dogs
      => close(named(dogs))
    use
      => use
    use `my-db`
      => use(my-db)
    info
      => info(summary)
    info space
      => info(space)
    info file "a b" key cmd
      => info(file('a b' true 'cmd'))
    check
      => check(standard)
    check quick
      => check(quick)
    check deep.realm deep
      => check('deep.realm' deep)
    check x.realm key k quick
      => check('x.realm' 'k' quick)
    schema
      => schema(show(text))
    schema Dog, Person as json to x.json
      => schema(show([Dog Person] json 'x.json'))
    schema version
      => schema(version)
    schema version 5
      => schema(version(5))
    schema diff b.realm
      => schema(diff('b.realm'))
    get Dog 1
      => get(object(Dog primaryKey(integer(1))))
    get Dog(1).a.b show x
      => get(object(Dog primaryKey(integer(1))) [property('a') property('b')]
      => [expression(path(row [property('x')]))])
    get $_[2]
      => get(variable(_) [index(literal(integer(2)))])
    get Dog#12
      => get(object(Dog objectKey(12)))
    get Dog "x"
      => get(object(Dog primaryKey(string('x'))))
    get Dog $id
      => get(object(Dog variable(id)))
    get Dog(uuid(3b241101-e2bb-4255-8caf-4136c566a962))
      => get(object(Dog primaryKey(uuid(3b241101-e2bb-4255-8caf-4136c566a962))))
    get obj("Dog", 1)
      => get(object(Dog primaryKey(integer(1))))
    where Dog
      => where(name(Dog) truePredicate)
    where Dog show == true show name
      => where(name(Dog) comparison(property([name('show')]) equal constant(bool(true)))
      => [expression(path(row [property('name')]))])
    where Dog SORT(a ASC)
      => where(name(Dog) truePredicate [sort([[name('a')] true])])
    where Dog args ($x, 1)
      => where(name(Dog) truePredicate [path(variable(x)) literal(integer(1))])
    where `my-class` `a b`.`c``d` == 1
      => where(name(my-class) comparison(property([name('a b') name('c`d')]) equal
      => constant(integer(1))))
    where $old age > 3
      => where(path(variable(old)) comparison(property([name('age')]) greater
      => constant(integer(3))))
    where $rex.dogs
      => where(path(variable(rex) [property('dogs')]) truePredicate)
    where Dog(1).@links.Person.dogs show *
      => where(path(object(Dog primaryKey(integer(1))) [backlinks('Person' 'dogs')])
      => truePredicate [stored])
    where Dog show **, except a b, a.b as c, 1 + 2, owners {name, x {y}}
      => where(name(Dog) truePredicate [everything except([a b]) expression(path(row
      => [property('a') property('b')]) c) expression(binary(add literal(integer(1))
      => literal(integer(2)))) shape(row [property('owners')] [expression(path(row
      => [property('name')])) shape(row [property('x')] [expression(path(row
      => [property('y')]))])])])
    where Dog c == Dog(1) or c == Dog#12 or d == 2024-05-01 or d > 2024-05-01T12:00:00.5+02:00
      => where(name(Dog) or([comparison(property([name('c')]) equal constant(objectName(Dog
      => primaryKey(integer(1))))) comparison(property([name('c')]) equal constant(objectName(Dog
      => objectKey(12)))) comparison(property([name('d')]) equal
      => constant(value(date(2024-05-01T00:00:00Z)))) comparison(property([name('d')]) greater
      => constant(value(date(2024-05-01T10:00:00.5Z))))]))
    where Dog x == $v and y == ANY $w and p == decimal(1.50) and o == oid("65a0b1c2d3e4f50617280002")
      => where(name(Dog) and([comparison(property([name('x')]) equal constant(variable('v')))
      => comparison(property([name('y')]) equal constant(variable('w') any))
      => comparison(property([name('p')]) equal constant(value(decimal(1.50))))
      => comparison(property([name('o')]) equal constant(objectID(65a0b1c2d3e4f50617280002)))]))
    count Dog
      => count(name(Dog))
    count Dog where age > 3 args (1)
      => count(name(Dog) comparison(property([name('age')]) greater constant(integer(3)))
      => [literal(integer(1))])
    aggregate Dog count()
      => aggregate(name(Dog) [count])
    aggregate Dog count(), avg(age), max(a.b[0]) as oldest where color != null args (1)
      => aggregate(name(Dog) [count avg row [property('age')] max row [property('a') property('b')
      => index(literal(integer(0)))] oldest] comparison(property([name('color')]) notEqual
      => constant(null)) [literal(integer(1))])
    aggregate Person(1).dogs SUM(age) as `a b`, min(@count) by address.city, upper(name) where age > 3 SORT(age ASC)
      => aggregate(path(object(Person primaryKey(integer(1))) [property('dogs')]) [sum row
      => [property('age')] a b min row [aggregate(count)]] [path(row [property('address')
      => property('city')]) call(upper [path(row [property('name')])])]
      => comparison(property([name('age')]) greater constant(integer(3))) [sort([[name('age')]
      => true])])
    sections Dog by upper(substr(name, 0, 1)) show name, age
      => sections(name(Dog) call(upper [call(substr [path(row [property('name')])
      => literal(integer(0)) literal(integer(1))])]) [expression(path(row [property('name')]))
      => expression(path(row [property('age')]))])
    sections $x by a where b == 1 args (2) show *
      => sections(path(variable(x)) path(row [property('a')]) comparison(property([name('b')])
      => equal constant(integer(1))) [literal(integer(2))] [stored])
    print (aggregate Dog count())
      => print([query(aggregate(name(Dog) [count]))])
    let $x = sections Dog by a
      => let(x query(sections(name(Dog) path(row [property('a')]))))
    more
      => more(next)
    more 5
      => more(rows(5))
    more all
      => more(all)
    last
      => last
    last JSON
      => last(json)
    import Dog from a.csv
      => import(Dog 'a.csv')
    import Dog from - format csv header off map (`a b` -> name, 3 -> home.city) null "NA" upsert
      => import(Dog '-' csv [name(a b) [name] position(3) [home city]] NA)
    import Dog from a upsert policy all batch 10 skip 1 rejects "b c" dry header on
      => import(Dog 'a' true all 10 1 'b c' true)
    import Dog from a.csv separator ";" map (none -> none, 2 -> `none`)
      => import(Dog 'a.csv' ; [name(none) position(2) [none]])
    export Dog to a.csv
      => export(source(name(Dog)) 'a.csv')
    export Dog where a == 1 show x to "b c" format jsonl append links
      => export(source(name(Dog) comparison(property([name('a')]) equal constant(integer(1)))
      => [expression(path(row [property('x')]))]) 'b c' true jsonl true true)
    export all to a.db format sqlite
      => export(all 'a.db' sqlite)
    dump
      => dump
    dump schema to a.realmsh
      => dump(schema 'a.realmsh')
    dump data Dog, `to` to "b c"
      => dump(data [Dog to] 'b c' true)
    source x.realmsh
      => source('x.realmsh')
    print 1 + 2 * 3, -x, - 1, 5-1, not a or b and c
      => print([binary(add literal(integer(1)) binary(multiply literal(integer(2))
      => literal(integer(3)))) unary(minus path(row [property('x')])) unary(minus
      => literal(integer(1))) binary(subtract literal(integer(5)) literal(integer(1))) binary(or
      => unary(not path(row [property('a')])) binary(and path(row [property('b')]) path(row
      => [property('c')])))])
    print (count Dog), (count + 1), $a.b[0].c[first]['k'][*].@count
      => print([query(count(name(Dog))) binary(add path(row [property('count')])
      => literal(integer(1))) path(variable(a) [property('b') index(literal(integer(0)))
      => property('c') first index(literal(string('k'))) all aggregate(count)])])
    print upper("é\u00e9"), if(a > 1, null, true), {a: 1, "b c": [1, 2,],}, @links.Dog.x
      => print([call(upper [literal(string('éé'))]) call(if [binary(greater path(row
      => [property('a')]) literal(integer(1))) literal(null) literal(bool(true))]) object([a
      => literal(integer(1)) b c array([literal(integer(1)) literal(integer(2))])]) path(row
      => [backlinks('Dog' 'x')])])
    print 0x2A, 010, 1., .5, 1e3f, inf, -inf, nan, 2024-05-01, T5:6, B64"YQ==", hex("ff"), uuid(), decimal(x), oid(65a0b1c2d3e4f50617280002)
      => print([literal(integer(42)) literal(integer(10)) literal(double(1.0 '1.'))
      => literal(double(0.5 '.5')) literal(float(1000.0 '1e3')) literal(double(inf 'inf'))
      => literal(double(-inf '-inf')) literal(double(nan 'nan'))
      => literal(date(2024-05-01T00:00:00Z)) literal(date(1970-01-01T00:00:05.000000006Z))
      => literal(data('a')) literal(data('�')) call(uuid) call(decimal [path(row
      => [property('x')])]) literal(objectID(65a0b1c2d3e4f50617280002))])
    print a ==[c] b, a in [c], x contains[c] "y", old.x, 99999999999999999999
      => print([binary(equal latin path(row [property('a')]) path(row [property('b')])) binary(in
      => path(row [property('a')]) array([path(row [property('c')])])) binary(contains latin
      => path(row [property('x')]) literal(string('y'))) path(old [property('x')])
      => literal(double(1e+20 '99999999999999999999'))])
    help
      => help
    help where; help # x; y
      => help(where) ; help
    help config | wc -l; x
      => help(config) 'wc -l; x'
    help | less
      => help 'less'
    help |
      => help(|)
    help || a
      => help(|| a)
    ? open
      => help(open)
    config
      => config
    config rows
      => config(rows)
    config rows 50
      => config(rows 50)
    config prompt "{db}> "
      => config(prompt {db}> )
    mode
      => mode
    mode box
      => mode(box)
    assert x == 1, "why"
      => assert(binary(equal path(row [property('x')]) literal(integer(1))) 'why')
    cd
      => cd
    cd ..
      => cd('..')
    exit
      => exit
    quit 3
      => exit(3)
    ! ls -l; x
      => command('ls -l; x')
    time explain run expect error NoSuchTable: count Dog | wc -l; x
      => [time explain(true) expectError(NoSuchTable)] count(name(Dog)) 'wc -l; x'
    explain where Dog
      => [explain] where(name(Dog) truePredicate)
    """#

  static let rows = TreeTable.rows(of: table)

  @Test func treesAreAsWritten() throws {
    let rows = Self.rows
    #expect(rows.count == 94)
    for (text, tree) in rows {
      let parsed = try StatementParser.parse(text).map(outline).joined(separator: " ; ")
      #expect(TreeTable.words(parsed) == tree, "\(text)")
    }
  }
}
