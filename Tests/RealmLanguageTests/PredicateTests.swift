import RealmLanguage
import Testing

/// Predicates by the rules of realm-core alone.
@Suite struct PredicateTests {
  /// Texts and the outlines of their trees.
  private static let table = #"""
    a == 1
      => comparison(property([name('a')]) equal constant(integer(1)))
    a = 1 or b = 2 and c = 3
      => or([comparison(property([name('a')]) equal constant(integer(1)))
      => and([comparison(property([name('b')]) equal constant(integer(2)))
      => comparison(property([name('c')]) equal constant(integer(3)))])])
    NOT a == 1 AND b == 2
      => and([not(comparison(property([name('a')]) equal constant(integer(1))))
      => comparison(property([name('b')]) equal constant(integer(2)))])
    !(a == 1 || b == 2)
      => not(or([comparison(property([name('a')]) equal constant(integer(1)))
      => comparison(property([name('b')]) equal constant(integer(2)))]))
    not not a == 1
      => not(not(comparison(property([name('a')]) equal constant(integer(1)))))
    (a + 1) * 2 == 3 - b / 4
      => comparison(arithmetic(multiply arithmetic(add property([name('a')])
      => constant(integer(1))) constant(integer(2))) equal arithmetic(subtract
      => constant(integer(3)) arithmetic(divide property([name('b')]) constant(integer(4)))))
    a - -1 == +2
      => comparison(arithmetic(subtract property([name('a')]) constant(integer(-1))) equal
      => constant(integer(2)))
    ((a)) == (1)
      => comparison(property([name('a')]) equal constant(integer(1)))
    name ==[c] 'x'
      => comparison(property([name('name')]) equal latin constant(string('x')))
    name beginswith[c] "it's"
      => comparison(property([name('name')]) beginsWith latin constant(string('it's')))
    name LIKE 'a\n'
      => comparison(property([name('name')]) like constant(string('a\n')))
    ANY owners.name == 'Ann'
      => comparison(property(any [name('owners') name('name')]) equal constant(string('Ann')))
    SOME tags in {1, 'a', null}
      => comparison(property(any [name('tags')]) in list([integer(1) string('a') null]))
    x IN $0
      => comparison(property([name('x')]) in constant(argument(0)))
    x == ALL $1
      => comparison(property([name('x')]) equal constant(argument(1) all))
    a between {1, 2}
      => between(property([name('a')]) [integer(1) integer(2)])
    crew.@max.age > 3
      => comparison(aggregate([name('crew')] max age) greater constant(integer(3)))
    crew.@count == 2
      => comparison(property([name('crew')] size) equal constant(integer(2)))
    tags[SIZE] > 1
      => comparison(property([name('tags')] indexSize) greater constant(integer(1)))
    v.@type == 'int'
      => comparison(property([name('v')] type) equal constant(string('int')))
    v[0].a['b'][*][FIRST][LAST][$2] == 1
      => comparison(property([name('v') index(0) name('a') name('b') all first last argument(2)])
      => equal constant(integer(1)))
    $K0.@sum > 1
      => comparison(aggregate([keyPathArgument(0)] sum) greater constant(integer(1)))
    SUBQUERY(crew, $s, $s.age > 30 and $s.name == 'x').@size > 0
      => comparison(subquery([name('crew')] $s and([comparison(property([name('$s') name('age')])
      => greater constant(integer(30))) comparison(property([name('$s') name('name')]) equal
      => constant(string('x')))])) greater constant(integer(0)))
    @links.Ship.home.@count > 1
      => comparison(property([name('@links') name('Ship') name('home')] size) greater
      => constant(integer(1)))
    head TEXT 'a b'
      => comparison(property([name('head')]) text constant(string('a b')))
    n == 010
      => comparison(property([name('n')]) equal constant(integer(8)))
    n == 0x1F
      => comparison(property([name('n')]) equal constant(integer(31)))
    n == 99999999999999999999
      => comparison(property([name('n')]) equal constant(integer(9223372036854775807)))
    d == 1.50
      => comparison(property([name('d')]) equal constant(double(1.5 '1.50')))
    d == 1.5f
      => comparison(property([name('d')]) equal constant(float(1.5)))
    d == -inf
      => comparison(property([name('d')]) equal constant(infinity(true)))
    d == NaN
      => comparison(property([name('d')]) equal constant(nan))
    t == T-1:-5
      => comparison(property([name('t')]) equal
      => constant(timestamp(1969-12-31T23:59:58.999999995Z)))
    t == 2024-05-01@10:00:00:7
      => comparison(property([name('t')]) equal
      => constant(timestamp(2024-05-01T10:00:00.000000007Z)))
    t == 2100-01-01@00:00:00
      => comparison(property([name('t')]) equal constant(timestamp(1963-11-25T17:31:44Z)))
    b == bin('x')
      => comparison(property([name('b')]) equal constant(binary('x')))
    b == binary(B64"YQ==")
      => comparison(property([name('b')]) equal constant(binary('a')))
    o == oid(65a0b1c2d3e4f50617280002)
      => comparison(property([name('o')]) equal constant(objectID(65a0b1c2d3e4f50617280002)))
    u == uuid(3f1e2d4c-0000-4abc-8def-012345678902)
      => comparison(property([name('u')]) equal
      => constant(uuid(3f1e2d4c-0000-4abc-8def-012345678902)))
    l == O5
      => comparison(property([name('l')]) equal constant(objectKey(5)))
    l == L2:7
      => comparison(property([name('l')]) equal constant(typedLink(2 7)))
    l == obj('Port', 'Oslo')
      => comparison(property([name('l')]) equal constant(object('Port' string('Oslo'))))
    pos geowithin geoCircle([1.5, 2], $0)
      => geoWithin([name('pos')] circle(double(1.5 '1.5') integer(2) argument(0)))
    pos geowithin geoBox([0, 0], [1, 1, 2.0])
      => geoWithin([name('pos')] box(integer(0) integer(0) integer(1) integer(1) double(2.0
      => '2.0')))
    pos geowithin geoPolygon({[0,0],[1,0],[0,0]}, {[2,2]})
      => geoWithin([name('pos')] polygon([[integer(0) integer(0) integer(1) integer(0) integer(0)
      => integer(0)] [integer(2) integer(2)]]))
    pos geowithin $0
      => geoWithin([name('pos')] argument(0))
    a-b == 1
      => comparison(property([name('a-b')]) equal constant(integer(1)))
    to\ kid.x == 1
      => comparison(property([name('to kid') name('x')]) equal constant(integer(1)))
    sort == 1 and in in {2}
      => and([comparison(property([name('sort')]) equal constant(integer(1)))
      => comparison(property([name('in')]) in list([integer(2)]))])
    TRUEPREDICATE SORT(a.b ASC, c DESC) DISTINCT(d) LIMIT(010)
      => truePredicate [sort([[name('a') name('b')] true [name('c')]]) distinct([[name('d')]])
      => limit(8)]
    count == 1 and ok == true or FALSEPREDICATE
      => or([and([comparison(property([name('count')]) equal constant(integer(1)))
      => comparison(property([name('ok')]) equal constant(bool(true)))]) falsePredicate])
    """#

  static let rows = TreeTable.rows(of: table)

  /// What only statements have is no predicate of realm-core.
  @Test(arguments: [
    "a ==[cu] 'x'", "a BEGINSWITH[cd] 'x'", "TRUEPREDICATE OFFSET(1)", "a == 1 LIMIT(1) OFFSET(1)",
  ]) func additionsAreRefused(_ text: String) {
    #expect(throws: SyntaxError.self) { try PredicateParser.parse(text) }
  }

  @Test func treesAreAsWritten() throws {
    let rows = Self.rows
    #expect(rows.count == 51)
    for (text, tree) in rows {
      let parsed = try outline(PredicateParser.parse(text))
      #expect(TreeTable.words(parsed) == tree, "\(text)")
    }
  }
}
