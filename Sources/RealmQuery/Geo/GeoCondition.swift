import RealmLanguage
import RealmObjects
import RealmStorage
import RealmValues

/// Whether linked points lie in a region. Source: query-language.md 25.
final class GeoCondition: Condition {
  private let walker: LinkWalker
  private let types: PropertyReader
  private let coordinates: PropertyReader
  private let qualifier: Qualifier?
  private let region: SphereRegion

  init(
    _ walker: LinkWalker, types: PropertyReader, coordinates: PropertyReader,
    qualifier: Qualifier?, region: SphereRegion
  ) {
    self.walker = walker
    self.types = types
    self.coordinates = coordinates
    self.qualifier = qualifier
    self.region = region
  }

  override func matches(_ key: ObjectKey) throws(QueryFailure) -> Bool {
    var count = 0
    var insideCount = 0
    try walker.forEachReached(from: key) { (object) throws(QueryFailure) in
      count += 1
      if let point = try point(object), region.contains(point) { insideCount += 1 }
    }
    switch qualifier {
    case nil, .any: return insideCount > 0
    case .all: return count > 0 && insideCount == count
    case Qualifier.none?: return insideCount == 0
    }
  }

  /// The place of an object; nil if it is no point or lies nowhere.
  private func point(_ object: ObjectKey) throws(QueryFailure) -> SpherePoint? {
    guard case .string(let type)? = try types.value(of: object),
      String(decoding: type, as: UTF8.self).lowercased() == "point",
      case .list(let list)? = try coordinates.value(of: object)
    else { return nil }
    let values = try reading { () throws(StorageError) in try list.values() }
    guard values.count >= 2, case .double(let longitude) = values[0],
      case .double(let latitude) = values[1]
    else { return nil }
    return SpherePoint(longitude: longitude, latitude: latitude)
  }
}
