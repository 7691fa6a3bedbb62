import RealmValues
import Testing

/// Goal: identifiers keep the order of their bytes, and texts of the wrong form are refused.
struct IdentifierTests {
  @Test func objectIDText() {
    let id = ObjectID(hex: Array("64F1c2a90f3b5d0012ab34cd".utf8))
    #expect(id?.description == "64f1c2a90f3b5d0012ab34cd")
    #expect(id?.creationTime == Timestamp(seconds: 0x64F1_C2A9, nanoseconds: 0))
    #expect(id?.withBytes { ObjectID($0.baseAddress!) } == id)
    #expect(id?.withBytes { Array($0) }.last == 0xCD)
    #expect(id?.withBytes { $0.count } == 12)
    for text in [
      "", "64f1c2a90f3b5d0012ab34c", "64f1c2a90f3b5d0012ab34cdd", "g4f1c2a90f3b5d0012ab34cd",
    ] {
      #expect(ObjectID(hex: Array(text.utf8)) == nil)
    }
  }

  @Test func uuidText() {
    let id = UUIDValue(hex: Array("3B241101-e2bb-4255-8caf-4136c566a962".utf8))
    #expect(id?.description == "3b241101-e2bb-4255-8caf-4136c566a962")
    #expect(id?.withBytes { UUIDValue($0.baseAddress!) } == id)
    #expect(id?.withBytes { Array($0) }.last == 0x62)
    #expect(id?.withBytes { $0.count } == 16)
    for text in [
      "", "3b241101e2bb42558caf4136c566a962", "{3b241101-e2bb-4255-8caf-4136c566a962}",
      "3b241101-e2bb-4255-8caf-4136c566a96", "3b241101-e2bb-4255-8caf-4136c566a9622",
    ] {
      #expect(UUIDValue(hex: Array(text.utf8)) == nil)
    }
  }

  @Test func orderIsThatOfBytes() {
    for _ in 0..<1000 {
      var a = (0..<16).map { _ in UInt8.random(in: 0...255) }
      let b = (0..<16).map { _ in UInt8.random(in: 0...255) }
      let same = Int.random(in: 0...16)
      a.replaceSubrange(0..<same, with: b[..<same])
      let expected = a.lexicographicallyPrecedes(b)
      #expect((a.withUnsafeBytes(uuid) < b.withUnsafeBytes(uuid)) == expected)
      let expected12 = a[..<12].lexicographicallyPrecedes(b[..<12])
      #expect((a.withUnsafeBytes(objectID) < b.withUnsafeBytes(objectID)) == expected12)
    }
  }

  @Test func newOnesDiffer() {
    let ids = (0..<1000).map { _ in ObjectID.generate() }
    #expect(Set(ids).count == 1000)
    let uuids = (0..<1000).map { _ in UUIDValue.random() }
    #expect(Set(uuids).count == 1000)
    for id in uuids {
      let text = Array(id.description.utf8)
      #expect(text[14] == UInt8(ascii: "4"))
      #expect("89ab".utf8.contains(text[19]))
    }
  }

  // The force unwraps in this file are of buffers of 12 or 16 bytes, which have a start.

  private func uuid(_ bytes: UnsafeRawBufferPointer) -> UUIDValue {
    UUIDValue(bytes.baseAddress!)
  }

  private func objectID(_ bytes: UnsafeRawBufferPointer) -> ObjectID {
    ObjectID(bytes.baseAddress!)
  }
}
