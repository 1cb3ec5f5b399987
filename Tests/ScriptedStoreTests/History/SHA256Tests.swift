import ScriptedStore
import Testing

@Suite struct SHA256Tests {
  /// The examples of FIPS 180-4, and lengths about the end of a block.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    ("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func hashesAreThoseOfTheStandard(text: String, count: Int, expected: String) {
    #expect(SHA256.hex(of: Array(String(repeating: text, count: count).utf8)) == expected)
  }

  @Test func digestsAreReadFromTheirTextAndBytes() {
    let digest = SHA256.digest(of: "a text, ")
    #expect(digest.hex == SHA256.hex(of: Array("a text, ".utf8)))
    #expect(SHA256.Digest(hex: digest.hex) == digest)
    #expect(digest.withBytes { SHA256.Digest($0) } == digest)
    #expect(SHA256.Digest(hex: "9f") == nil)
    #expect(SHA256.Digest(hex: digest.hex.uppercased()) == nil)
    #expect(SHA256.Digest(hex: String(repeating: "g", count: 64)) == nil)
  }
}
