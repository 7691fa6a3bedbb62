import RealmValues
import Testing

@testable import RealmStorage

struct InstructionLogTests {
  @Test func aNewTableWithAnObject() {
    var log = InstructionLog()
    let (table, column) = (TableKey(1), ColumnKey(63))
    log.add(.insert, table)
    log.add(.insert, table, column)
    log.addCreation(ObjectKey(0), in: table)
    #expect(log.bytes == [1, 1, 10, 0, 1, 20, 0x3F, 11, 0])
  }

  @Test func numbersTakeAsFewBytesAsNeeded() {
    var log = InstructionLog()
    log.addRemoval(ObjectKey(64), from: TableKey(0))
    log.addRemoval(ObjectKey(-1), from: TableKey(0))
    log.addRemoval(ObjectKey(1_140_850_689), from: TableKey(0))
    #expect(
      log.bytes == [10, 0, 0, 12, 0xC0, 0, 12, 0x40, 12, 0x81, 0x80, 0x80, 0xA0, 0x04])
  }

  @Test func collectionsAreSelectedOnce() {
    var log = InstructionLog()
    let list = InstructionLog.Collection(
      table: TableKey(2), column: ColumnKey(3), object: ObjectKey(4))
    log.add(.insert(5), to: list)
    log.add(.move(5, 0), to: list)
    log.add(.clear(oldCount: 6), to: list)
    #expect(log.bytes == [10, 0, 2, 30, 3, 4, 31, 5, 33, 5, 0, 36, 6])
  }
}
