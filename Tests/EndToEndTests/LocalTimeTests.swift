import TestSupport
import Testing

/// Dates in the zone of the system, which only people see.
struct LocalTimeTests {
  private func printed(_ zone: String, _ mode: String, _ dates: String) -> String {
    let result = Realmsh.run(
      [
        "-q", "-m", mode, Realmsh.fixture("dogs.realm"), "config zone local",
        "where Dog LIMIT(1) show \(dates)",
      ], environment: ["TZ": zone])
    return result.outputText
  }

  @Test func tablesHaveTheOffsetOfTheDate() {
    #expect(
      printed("CET-1CEST,M3.5.0,M10.5.0/3", "table", "2024-05-01 as summer, 2024-01-01 as winter")
        .hasSuffix("2024-05-01T02:00:00+02:00  2024-01-01T01:00:00+01:00\n"))
    #expect(
      printed("NST3:30", "lines", "2024-05-01T00:00:00.25Z as d")
        == "Dog#0\n  d  2024-04-30T20:30:00.25-03:30\n")
    #expect(
      printed("CET-1", "markdown", "T-1:-500000000 as d").contains("1970-01-01T00:59:58.5+01:00"))
  }

  @Test(arguments: ["json", "jsonl", "csv", "tsv", "literal"])
  func programsSeeTheSameDatesEverywhere(_ mode: String) {
    let text = printed("CET-1", mode, "2024-05-01 as d")
    #expect(text.contains("2024-05-01T00:00:00Z"), "\(text)")
  }
}
