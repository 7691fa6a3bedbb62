import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

extension Binder {
  /// `path GEOWITHIN region`. Source: query-language.md 25.
  func bindGeoWithin(
    _ operand: PropertyOperand, _ region: GeoRegion, _ range: SourceRange
  ) throws(QueryFailure) -> BoundPredicate {
    let path = try resolve(operand.path)
    guard operand.suffix == nil, case .link = path.end else {
      throw failure(.badGeo, "GEOWITHIN needs a link on its left", at: operand.range)
    }
    let target = path.objectClass
    guard target.isEmbedded,
      let type = target.property(named: "type"), type.kind == .string, type.collection == .none,
      let coordinates = target.property(named: "coordinates"), coordinates.kind == .double,
      coordinates.collection == .list
    else {
      throw failure(.badGeo, "\(target.name) is no class of points", at: operand.range)
    }
    return .condition(
      GeoCondition(
        LinkWalker(path.steps, run), types: PropertyReader(target, position: type.position),
        coordinates: PropertyReader(target, position: coordinates.position),
        qualifier: operand.qualifier, region: try bind(region)))
  }

  private func bind(_ region: GeoRegion) throws(QueryFailure) -> SphereRegion {
    switch region.shape {
    case .circle(let centre, let radius):
      let size = try number(radius)
      guard size >= 0 else {
        throw failure(.badGeo, "the radius must not be negative", at: radius.range)
      }
      return SphereRegion(centre: try point(centre), radius: size)
    case .box(let a, let b): return try box(a, b, region.range)
    case .polygon(let loops): return try polygon(loops, region.range)
    case .argument(let number):
      return try bind(passed: try argument(number, region.range), region.range)
    case .variable(let name):
      guard let value = variables(name) else {
        throw .query(
          QueryError(.unknownVariable, "no variable $\(name)", at: region.range, unknownName: name))
      }
      return try bind(passed: value, region.range)
    }
  }

  /// A region given as text.
  private func bind(
    passed: QueryArgument, _ range: SourceRange
  ) throws(QueryFailure) -> SphereRegion {
    if case .list = passed { throw failure(.badArgument, "a list is no region", at: range) }
    guard case .scalar(.string(let text)) = passed,
      let syntax = try? PredicateParser.parse(Array("point GEOWITHIN ".utf8) + text),
      syntax.ordering.isEmpty, case .geoWithin(_, let region, _) = syntax.predicate
    else { throw failure(.badGeo, "the argument is no region", at: range) }
    switch region.shape {
    case .argument, .variable: throw failure(.badGeo, "the argument is no region", at: range)
    default: return try bind(region)
    }
  }

  /// A coordinate or radius.
  private func number(_ constant: Constant) throws(QueryFailure) -> Double {
    let value = try bindConstant(.constant(constant), hint: .none)
    let number: Double? =
      switch value.constant?.isList == true ? nil : value.single {
      case .int(let number)?: Double(number)
      case let other?: other.asDouble
      case nil: nil
      }
    guard let number, !number.isNaN else {
      throw failure(.badGeo, "this is no number", at: constant.range)
    }
    return number
  }

  private func place(_ point: GeoPoint) throws(QueryFailure) -> (Double, Double) {
    if let altitude = point.altitude { _ = try number(altitude) }
    return (try number(point.longitude), try number(point.latitude))
  }

  private func point(_ point: GeoPoint) throws(QueryFailure) -> SpherePoint {
    let (longitude, latitude) = try place(point)
    return try self.point(longitude, latitude, point.longitude.range)
  }

  private func point(
    _ longitude: Double, _ latitude: Double, _ range: SourceRange
  ) throws(QueryFailure) -> SpherePoint {
    guard let point = SpherePoint(longitude: longitude, latitude: latitude) else {
      throw failure(.badGeo, "longitudes end at 180 and latitudes at 90 degrees", at: range)
    }
    return point
  }

  private func box(
    _ a: GeoPoint, _ b: GeoPoint, _ range: SourceRange
  ) throws(QueryFailure) -> SphereRegion {
    let (west, south) = try place(a)
    let (east, north) = try place(b)
    let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
    var points: [SpherePoint] = []
    for (longitude, latitude) in corners {
      points.append(try point(longitude, latitude, range))
    }
    return .polygon([try loop(points, range)])
  }

  private func loop(
    _ points: [SpherePoint], _ range: SourceRange
  ) throws(QueryFailure) -> SphereLoop {
    do throws(SphereLoop.Problem) {
      return try SphereLoop(closing: points)
    } catch {
      let message =
        switch error {
        case .open: "the first point must be repeated at the end"
        case .tooFewVertices: "a loop needs three different points"
        case .repeatedVertex: "a point occurs twice"
        case .crossing: "edges cross or touch"
        }
      throw failure(.badGeo, message, at: range)
    }
  }

  /// Most vertices of a polygon: checking them takes time that grows with the square.
  private static let maximumVertexCount = 10_000

  private func polygon(
    _ loops: [[GeoPoint]], _ range: SourceRange
  ) throws(QueryFailure) -> SphereRegion {
    guard loops.reduce(0, { $0 + $1.count }) <= Binder.maximumVertexCount else {
      throw failure(
        .limitExceeded, "more than \(Binder.maximumVertexCount) points", at: range)
    }
    var made: [SphereLoop] = []
    for points in loops {
      var vertices: [SpherePoint] = []
      for point in points { vertices.append(try self.point(point)) }
      made.append(try loop(vertices, range))
    }
    guard let outside = made.first else { throw failure(.badGeo, "no points", at: range) }
    for (i, hole) in made.enumerated().dropFirst() {
      guard !SphereLoop.cross(outside, hole), outside.contains(hole.vertices[0]) else {
        throw failure(.badGeo, "a hole must lie within the outside", at: range)
      }
      for other in made[1..<i] {
        let isApart =
          !SphereLoop.cross(hole, other) && !other.contains(hole.vertices[0])
          && !hole.contains(other.vertices[0])
        guard isApart else { throw failure(.badGeo, "holes must not cross or nest", at: range) }
      }
    }
    return .polygon(made)
  }
}
