import TestSupport
import Testing

/// Sorts of many objects, which take other ways than those of few.
struct SortingTests {
  /// The least and the greatest int are as far apart as 64 bits allow: the number of places between
  /// them does not fit into 64 bits.
  @Test(arguments: ["int", "int?"]) func intsOverTheWholeRange(_ type: String) {
    let numbers = ["9223372036854775807", "-9223372036854775808", "0"]
    let objects = (0..<4098).map { "{i: \(numbers[$0 % 3])}" }.joined(separator: ", ")
    let script = """
      class T { i: \(type) }
      add T \(objects)
      let $up = where T SORT(i ASC)
      let $down = where T SORT(i DESC)
      assert $up[0].i == -9223372036854775808 and $up[1366].i == 0
      assert $up[4097].i == 9223372036854775807 and $down[0].i == 9223372036854775807

      """
    let result = Realmsh.run(["-q", "--memory"], input: script)
    #expect(result.status == 0, "\(result.errorText)")
  }
}
