import Glibc

/// A region of the sphere.
enum SphereRegion {
  case everything
  /// Centre and the greatest squared straight distance from it.
  case circle(SpherePoint, squaredChord: Double)
  /// The outside, then the holes.
  case polygon([SphereLoop])

  /// A circle with a radius in radians, which is not negative.
  init(centre: SpherePoint, radius: Double) {
    if radius >= .pi {
      self = .everything
    } else {
      let half = 2 * sin(radius / 2)
      self = .circle(centre, squaredChord: half * half)
    }
  }

  /// Whether a point lies inside.
  func contains(_ point: SpherePoint) -> Bool {
    switch self {
    case .everything: true
    case .circle(let centre, let limit): SpherePoint.squaredChord(centre, point) <= limit
    case .polygon(let loops):
      loops[0].contains(point) && !loops.dropFirst().contains { $0.contains(point) }
    }
  }
}
