import RealmObjects
import Testing

/// Random changes of classes and their objects, compared with a model after every commit.
struct RandomSchemaTests {
  @Test(arguments: 1...6)
  func classesStayConsistent(seed: Int) throws {
    let file = try SchemaFile()
    let model = SchemaModel(file, seed: UInt64(seed))
    for _ in 0..<25 {
      try file.write { for _ in 0..<15 { try model.change() } }
      try model.compare()
    }
  }
}
