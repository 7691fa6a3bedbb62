import ByteKernels
import Testing

// Goal: numbers print as the shortest text that reads back, and only whole numbers are read.

private func text(_ write: (ByteWriter) -> Void) -> String {
  let writer = ByteWriter()
  write(writer)
  return String(decoding: writer.takeBytes(), as: UTF8.self)
}

private func readInt(_ text: String) -> Int64? { withBytes(text) { parseInt($0) } }
private func readDouble(_ text: String) -> Double? { withBytes(text) { parseDouble($0) } }
private func readFloat(_ text: String) -> Float? { withBytes(text) { parseFloat($0) } }

@Test func integersReadBack() {
  var random = RandomSource(seed: 60)
  var values: [Int64] = [0, .min, .max, .min + 1]
  var power: Int64 = 1
  for _ in 0..<19 {
    values += [power, power - 1, -power, 1 - power]
    power = power &* 10
  }
  for _ in 0..<2000 {
    values.append(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
  }
  for value in values {
    let printed = text { $0.writeInt(value) }
    #expect(printed == value.description)
    #expect(readInt(printed) == value)
    let unsigned = UInt64(bitPattern: value)
    #expect(text { $0.writeUInt(unsigned) } == unsigned.description)
    #expect(decimalDigitCount(unsigned) == unsigned.description.count)
  }
}

@Test(arguments: [
  "", "-", "+", " 1", "1 ", "1a", "--1", "9223372036854775808", "-9223372036854775809",
  "18446744073709551616", "18446744073709551615", "99999999999999999999999", "1_0", "0x1",
])
func otherTextIsNoInteger(text: String) {
  #expect(readInt(text) == nil)
}

@Test func leadingZerosAndSignsAreRead() {
  #expect(readInt("+7") == 7)
  #expect(readInt("-0") == 0)
  #expect(readInt("00000000000000000000000000009223372036854775807") == Int64.max)
}

@Test func doublesReadBack() {
  var random = RandomSource(seed: 61)
  for _ in 0..<5000 {
    let choices = [
      Double(bitPattern: random.next()),
      Double(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)),
      Double(Int.random(in: -99999...99999, using: &random)) / 1000,
    ]
    for value in choices where !value.isNaN {
      let printed = text { $0.writeDouble(value) }
      #expect(printed == value.description)
      #expect(readDouble(printed)?.bitPattern == value.bitPattern)
      #expect(readInt(printed) == nil, "must not look like an integer")
    }
    let single = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
    if !single.isNaN {
      let printed = text { $0.writeFloat(single) }
      #expect(printed == single.description)
      #expect(readFloat(printed)?.bitPattern == single.bitPattern)
    }
  }
}

@Test func doublesHaveTheirForms() {
  let forms: [(Double, String)] = [
    (1.5, "1.5"), (100, "100.0"), (0, "0.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (1e16, "1e+16"),
    (9_007_199_254_740_992, "9007199254740992.0"), (.infinity, "inf"), (-.infinity, "-inf"),
    (.nan, "nan"), (-.nan, "nan"), (.leastNonzeroMagnitude, "5e-324"), (0.1, "0.1"),
    (Double(bitPattern: 0x7FF8_0000_0000_00AA), "nan"), (1e-5, "1e-05"),
  ]
  for (value, form) in forms { #expect(text { $0.writeDouble(value) } == form) }
  #expect(text { $0.writeFloat(-.nan) } == "nan")
  #expect(text { $0.writeFloat(0.1) } == "0.1")
}

@Test func decimalTextsAreRead() {
  let forms: [(String, Double)] = [
    ("1", 1), ("1.", 1), (".5", 0.5), ("-.5e1", -5), ("+1E+2", 100), ("1e22", 1e22),
    ("123456789012345678901234567890", 123_456_789_012_345_677_877_719_597_056),
    ("1e400", .infinity), ("-1e999999999999999999999", -.infinity), ("1e-400", 0),
    ("inf", .infinity),
    ("-Infinity", -.infinity), ("+INF", .infinity), ("0.1", 0.1), ("1e23", 1e23),
    ("9007199254740993", 9_007_199_254_740_992), ("0e999", 0),
    ("2.2250738585072011e-308", Double(bitPattern: 0xF_FFFF_FFFF_FFFF)),
  ]
  for (form, value) in forms { #expect(readDouble(form) == value, "\(form)") }
  #expect(readDouble("nan")?.isNaN == true)
  #expect(readFloat("NaN")?.isNaN == true)
  // Rounded twice, by way of a double, this would be one unit higher.
  #expect(readFloat("1.00000017881393432617187499") == 1.0000001)
}

@Test(arguments: [
  "", ".", "-", "e5", "1e", "1e+", "1.2.3", " 1", "1 ", "0x10", "1f", "infin", "nan(1)", "1e5.0",
  "--1", "1\u{0}",
])
func otherTextIsNoDouble(text: String) {
  #expect(readDouble(text) == nil)
  #expect(readFloat(text) == nil)
}
