import ByteKernels
import Testing

// Goal: hexadecimal and base 64 read back, agree with the vectors of RFC 4648, and refuse the rest.

private func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func decoded(_ text: String, toleratesMissingPadding: Bool = false) -> String? {
  withBytes(text) {
    decodeBase64($0, toleratesMissingPadding: toleratesMissingPadding).map(string)
  }
}

@Test func base64AgreesWithTheStandard() {
  let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ]
  for (plain, encoded) in vectors {
    #expect(withBytes(plain) { string(base64($0)) } == encoded)
    #expect(decoded(encoded) == plain)
    let bare = String(encoded.prefix { $0 != "=" })
    #expect(decoded(bare, toleratesMissingPadding: true) == plain)
    if bare != encoded { #expect(decoded(bare) == nil) }
  }
}

@Test(arguments: ["Z", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Zm 9", "Zg==Zg==", "Zm-_", "Zg=a"])
func malformedBase64IsRefused(text: String) {
  #expect(decoded(text) == nil)
  if text != "Zg=" { #expect(decoded(text, toleratesMissingPadding: true) == nil) }
}

@Test func encodingsReadBack() {
  var random = RandomSource(seed: 90)
  let alphabet = Array(UInt8.min...UInt8.max)
  for count in Array(0...130) + [24_576, 24_577, 100_000] {
    let bytes = randomBytes(count, of: alphabet, &random)
    let (hexadecimalText, base64Text) = withBytes(bytes) { (hexadecimal($0), base64($0)) }
    #expect(withBytes(hexadecimalText) { decodeHexadecimal($0) } == bytes)
    #expect(withBytes(base64Text) { decodeBase64($0) } == bytes)
    let writer = ByteWriter()
    withBytes(bytes) { writer.writeHexadecimal($0) }
    #expect(writer.takeBytes() == hexadecimalText)
    withBytes(bytes) { writer.writeBase64($0) }
    #expect(writer.takeBytes() == base64Text)
  }
}

@Test func hexadecimalIsReadInAnyCase() {
  #expect(withBytes("00fFaB9z".prefix(6).description) { decodeHexadecimal($0) } == [0, 255, 0xAB])
  for text in ["0", "0g", "g0", "/0", ":0", "@0", "`0", " 0"] {
    #expect(withBytes(text) { decodeHexadecimal($0) } == nil)
  }
}
