import Glibc

/// A point of the unit sphere.
struct SpherePoint: Equatable {
  let x: Double
  let y: Double
  let z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The point at degrees of longitude and latitude; nil beyond ±180 and ±90.
  init?(longitude: Double, latitude: Double) {
    guard abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
    let phi = latitude * .pi / 180
    let theta = longitude * .pi / 180
    x = cos(theta) * cos(phi)
    y = sin(theta) * cos(phi)
    z = sin(phi)
  }

  static func dot(_ a: SpherePoint, _ b: SpherePoint) -> Double {
    a.x * b.x + a.y * b.y + a.z * b.z
  }

  /// The cross product, of any length.
  static func cross(_ a: SpherePoint, _ b: SpherePoint) -> SpherePoint {
    SpherePoint(
      x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
  }

  /// Above 0 if c lies left of the arc from a to b, below 0 if right of it.
  static func side(_ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint) -> Double {
    dot(cross(a, b), c)
  }

  /// The square of the straight distance.
  static func squaredChord(_ a: SpherePoint, _ b: SpherePoint) -> Double {
    let (dx, dy, dz) = (a.x - b.x, a.y - b.y, a.z - b.z)
    return dx * dx + dy * dy + dz * dz
  }

  /// The middle of the shorter arc; nil for opposite points.
  static func middle(_ a: SpherePoint, _ b: SpherePoint) -> SpherePoint? {
    let (x, y, z) = (a.x + b.x, a.y + b.y, a.z + b.z)
    let length = (x * x + y * y + z * z).squareRoot()
    guard length > 1e-9 else { return nil }
    return SpherePoint(x: x / length, y: y / length, z: z / length)
  }

  /// Whether two arcs cross at a point inside both; nil if they come so close to touching that it
  /// cannot be told.
  static func crosses(
    _ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint, _ d: SpherePoint
  ) -> Bool? {
    let sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)]
    // The two great circles meet at two opposite points; each arc has to hold the same one.
    guard sides.allSatisfy({ abs($0) > 1e-15 }) else {
      // On one line or touching: only those that are near each other matter.
      let isApart =
        (sides[0] > 1e-15 && sides[1] > 1e-15) || (sides[0] < -1e-15 && sides[1] < -1e-15)
        || (sides[2] > 1e-15 && sides[3] > 1e-15) || (sides[2] < -1e-15 && sides[3] < -1e-15)
      return isApart ? false : nil
    }
    return (sides[0] > 0) != (sides[1] > 0) && (sides[2] > 0) != (sides[3] > 0)
      && (sides[0] > 0) == (sides[3] > 0)
  }
}

/// A closed line of great-circle arcs; what it encloses is the smaller side.
///
/// Source: query-language.md 25.
struct SphereLoop {
  /// Anticlockwise around the inside.
  let vertices: [SpherePoint]

  /// Why points are no loop.
  enum Problem: Error {
    case open, tooFewVertices, repeatedVertex, crossing
  }

  /// Makes a loop of points, the first of which is repeated at the end.
  init(closing points: [SpherePoint]) throws(Problem) {
    guard points.count >= 2, points.first == points.last else { throw .open }
    var vertices: [SpherePoint] = []
    for point in points.dropLast() where point != vertices.last { vertices.append(point) }
    if vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
    guard vertices.count >= 3 else { throw .tooFewVertices }
    for i in vertices.indices {
      for j in i + 1..<vertices.count where vertices[i] == vertices[j] { throw .repeatedVertex }
    }
    let count = vertices.count
    for i in 0..<count {
      for j in i + 2..<max(i + 2, count) where !(i == 0 && j == count - 1) {
        let isCrossing = SpherePoint.crosses(
          vertices[i], vertices[(i + 1) % count], vertices[j], vertices[(j + 1) % count])
        guard isCrossing == false else { throw .crossing }
      }
    }
    self.vertices = SphereLoop.leftArea(vertices) > 2 * .pi ? vertices.reversed() : vertices
  }

  /// The area left of the line, below 4π.
  private static func leftArea(_ vertices: [SpherePoint]) -> Double {
    var total = 0.0
    let a = vertices[0]
    for i in 1..<vertices.count - 1 {
      let (b, c) = (vertices[i], vertices[i + 1])
      let volume = SpherePoint.side(a, b, c)
      let sum = 1 + SpherePoint.dot(a, b) + SpherePoint.dot(b, c) + SpherePoint.dot(c, a)
      total += 2 * atan2(volume, sum)
    }
    let whole = 4 * Double.pi
    let area = total.truncatingRemainder(dividingBy: whole)
    return area < 0 ? area + whole : area
  }

  private func edge(_ i: Int) -> (SpherePoint, SpherePoint) {
    (vertices[i], vertices[(i + 1) % vertices.count])
  }

  /// Whether a point lies inside.
  ///
  /// Walks to the middle of an edge: the side it arrives at and the edges crossed on the way tell.
  /// If the way touches a vertex another edge is tried.
  func contains(_ point: SpherePoint) -> Bool {
    attempt: for i in vertices.indices {
      let (a, b) = edge(i)
      guard let target = SpherePoint.middle(a, b) else { continue }
      let arrival = SpherePoint.side(a, b, point)
      guard abs(arrival) > 1e-15, SpherePoint.squaredChord(point, target) < 3.99 else { continue }
      var isInside = arrival > 0
      for j in vertices.indices where j != i {
        let (c, d) = edge(j)
        guard let isCrossing = SpherePoint.crosses(point, target, c, d) else { continue attempt }
        if isCrossing { isInside.toggle() }
      }
      return isInside
    }
    return false
  }

  /// Whether the lines of two loops cross or touch.
  static func cross(_ a: SphereLoop, _ b: SphereLoop) -> Bool {
    for i in a.vertices.indices {
      for j in b.vertices.indices {
        let (p, q) = a.edge(i)
        let (r, s) = b.edge(j)
        if SpherePoint.crosses(p, q, r, s) != false { return true }
      }
    }
    return false
  }
}
