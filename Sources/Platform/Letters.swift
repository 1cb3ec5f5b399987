// Texts of a few letters that several modules need: secrets, hashes, and the encoding of addresses.

/// A secret that cannot be guessed: 132 bits in letters that an address, a cookie and the name of a
/// file may have.
public enum Secret {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  public static let length = 22

  public static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<length).map { _ in letters[Int(generator.next() & 63)] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the bytes may be a secret: as long as one, and of its letters.
  public static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    bytes.count == length && bytes.allSatisfy(letters.contains)
  }
}

/// The FNV-1a hash, which is the same in every process and on every machine; Swift's own hash is
/// not. It finds damage, and is no protection against intent.
@inlinable
public func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  return hash
}

/// A text with `%XX` for each byte of its UTF-8 that is not kept: by default all but the unreserved
/// characters of RFC 3986.
public func percentEncoded(
  _ text: String,
  keeping isKept: (UInt8) -> Bool = { $0.isASCIILetterOrDigit || "-._~".utf8.contains($0) }
) -> String {
  var encoded = ""
  for byte in text.utf8 {
    if isKept(byte) {
      encoded.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
  return encoded
}

extension UInt8 {
  public var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
