import TestSupport
import Testing

@testable import RealmStorage

/// What a commit may overwrite.
struct FreeSpaceListTests {
  private func entry(_ offset: Int, _ byteCount: Int, _ version: Int64) -> FreeSpaceList.Entry {
    FreeSpaceList.Entry(extent: Extent(offset: offset, byteCount: byteCount), version: version)
  }

  /// The entries as texts.
  private func texts(_ list: FreeSpaceList) -> [String] {
    list.entries(releasing: [], version: 0).map {
      "\($0.extent.offset)+\($0.extent.byteCount)@\($0.version)"
    }
  }

  @Test func oldBlocksAreJoined() {
    let list = FreeSpaceList(
      [entry(24, 8, 3), entry(32, 8, 0), entry(40, 8, 6), entry(48, 8, 5)], fileEnd: 4096, oldest: 5
    )
    #expect(texts(list) == ["24+16@0", "40+8@6", "48+8@0"])
  }

  @Test func sectionsAreKeptApart() {
    let section = FreeSpaceList.sectionByteCount
    let list = FreeSpaceList(
      [entry(section - 16, 32, 0)], fileEnd: section + 4096, oldest: 1)
    #expect(texts(list) == ["\(section - 16)+16@0", "\(section)+16@0"])
  }

  /// A block is reusable where the last snapshot before its release did not reach it.
  @Test func blocksOfLaterSnapshotsAreReusable() {
    let unused = [
      FreeSpaceList.Unused(
        releasedBy: 4...6,
        extents: [
          Extent(offset: 24, byteCount: 8), Extent(offset: 48, byteCount: 8),
          Extent(offset: 56, byteCount: 8), Extent(offset: 1000, byteCount: .max - 1000),
        ])
    ]
    let entries = [
      entry(24, 8, 5), entry(32, 8, 5), entry(40, 32, 6), entry(80, 8, 7), entry(992, 16, 4),
      entry(1024, 8, 4), entry(1032, 8, 7),
    ]
    let list = FreeSpaceList(entries, fileEnd: 4096, oldest: 3, unused: unused)
    #expect(
      texts(list) == [
        "24+8@0", "32+8@5", "40+8@6", "48+16@0", "64+8@6", "80+8@7", "992+8@4", "1000+8@0",
        "1024+8@0", "1032+8@7",
      ])
  }

  /// What a commit writes is one piece: the lists follow the nodes.
  @Test func listsFollowTheNodes() {
    var list = FreeSpaceList([entry(24, 8, 0), entry(4096, 4096, 0)], fileEnd: 8192, oldest: 1)
    #expect(list.take(16, pending: 1016) == 4096)
    #expect(list.take(1000, pending: 1000) == 4112)
    #expect(list.blockForLists(moreThan: 500).offset == 5112)
    #expect(texts(list) == ["24+8@0", "5112+3080@0"])
  }

  /// A little goes into one block, even if the file has to grow for it; much fills what is free.
  @Test(arguments: [false, true])
  func fileGrowsForALittleUnlessMuchIsFree(isMuchFree: Bool) {
    let end = 1 << 22
    let count = isMuchFree ? 1000 : 100
    let entries = (0..<count).map { entry(4096 * ($0 + 1), 2048, 0) }
    var list = FreeSpaceList(entries, fileEnd: end, oldest: 1)
    let first = list.take(1024, pending: 8192)
    #expect((first >= end) == !isMuchFree)
    #expect((list.fileEnd > end) == !isMuchFree)
    #expect(list.take(1024, pending: 7168) == first + 1024)
  }

  /// Random releases and allocations with random readers: no byte of a snapshot in use is given out.
  @Test(arguments: [1, 2, 3])
  func nothingInUseIsGivenOut(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Which words of the file each snapshot uses, and the list that it stores.
    var snapshots: [Int64: (used: Set<Int>, entries: [FreeSpaceList.Entry], end: Int)] = [:]
    var newest: Int64 = 1
    snapshots[1] = ([], [entry(24, 4072, 0)], 4096)
    for _ in 0..<400 {
      guard let base = snapshots[newest] else { return }
      // Readers go; the newest version stays for the writer.
      for version in snapshots.keys
      where version != newest && Int.random(in: 0..<6, using: &random) == 0 {
        snapshots[version] = nil
      }
      let inUse = snapshots.keys.sorted()
      var unused: [FreeSpaceList.Unused] = []
      for (version, next) in zip(inUse, inUse.dropFirst()) {
        guard let snapshot = snapshots[version] else { continue }
        var extents = snapshot.entries.map(\.extent)
        extents.append(Extent(offset: snapshot.end, byteCount: .max - snapshot.end))
        unused.append(FreeSpaceList.Unused(releasedBy: (version + 1)...next, extents: extents))
      }
      var list = FreeSpaceList(base.entries, fileEnd: base.end, oldest: inUse[0], unused: unused)
      var used = base.used
      var released: [Extent] = []
      for word in base.used.sorted() where Int.random(in: 0..<4, using: &random) == 0 {
        used.remove(word)
        released.append(Extent(offset: 8 * word, byteCount: 8))
      }
      for _ in 0..<Int.random(in: 0..<30, using: &random) {
        let word = list.take(8, pending: 8) / 8
        #expect(!snapshots.values.contains { $0.used.contains(word) })
        used.insert(word)
      }
      _ = list.blockForLists(moreThan: 64)
      newest += 1
      let entries = list.entries(releasing: released, version: newest)
      for (a, b) in zip(entries, entries.dropFirst()) {
        #expect(a.extent.end <= b.extent.offset)
      }
      snapshots[newest] = (used, entries, list.fileEnd)
    }
    #expect((snapshots[newest]?.end ?? 0) < 1 << 16)
  }
}
