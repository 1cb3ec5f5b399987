/// SHA-256 as in FIPS 180-4. Recordings identify scripts by it, and journals chain their records. It is implemented
/// here, because a library would be loaded at each start of a program.
package enum SHA256 {
  /// The hash of `bytes` as 64 hexadecimal digits.
  package static func hex(of bytes: [UInt8]) -> String { digest(of: bytes).hex }

  /// The hash of the UTF-8 bytes of `text`.
  package static func digest(of text: String) -> Digest { digest(of: Array(text.utf8)) }

  package static func digest(of bytes: [UInt8]) -> Digest {
    // A one, zeros up to the end of a block, and the number of bits.
    var text = bytes
    text.append(0x80)
    text += repeatElement(0, count: (120 - text.count % 64) % 64)
    withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian) { text += $0 }
    var hash = start
    text.withUnsafeBytes { text in
      constants.withUnsafeBufferPointer { constants in
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
          for block in stride(from: 0, to: text.count, by: 64) {
            let block = UnsafeRawBufferPointer(rebasing: text[block..<block + 64])
            compress(&hash, block, words, constants)
          }
        }
      }
    }
    return Digest(hash)
  }

  /// - Parameter words: room for 64 words.
  private static func compress(
    _ hash: inout SIMD8<UInt32>, _ block: UnsafeRawBufferPointer,
    _ words: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      words[index] = UInt32(
        bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }
    for index in 16..<64 {
      words[index] =
        words[index - 16] &+ small(words[index - 15], 7, 18, 3) &+ words[index - 7]
        &+ small(words[index - 2], 17, 19, 10)
    }
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    // Eight at a time, because then no word has to move to the next variable: 40 % quicker.
    var index = 0
    func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
      _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32
    ) {
      h = h &+ large(e, 6, 11, 25) &+ (g ^ (e & (f ^ g))) &+ constants[index] &+ words[index]
      d = d &+ h
      h = h &+ large(a, 2, 13, 22) &+ ((a & b) | (c & (a | b)))
      index += 1
    }
    while index < 64 {
      round(a, b, c, &d, e, f, g, &h)
      round(h, a, b, &c, d, e, f, &g)
      round(g, h, a, &b, c, d, e, &f)
      round(f, g, h, &a, b, c, d, &e)
      round(e, f, g, &h, a, b, c, &d)
      round(d, e, f, &g, h, a, b, &c)
      round(c, d, e, &f, g, h, a, &b)
      round(b, c, d, &e, f, g, h, &a)
    }
    hash &+= SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

  @inline(__always)
  private static func small(_ word: UInt32, _ a: UInt32, _ b: UInt32, _ shift: UInt32) -> UInt32 {
    rotated(word, a) ^ rotated(word, b) ^ word &>> shift
  }

  @inline(__always)
  private static func large(_ word: UInt32, _ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 {
    rotated(word, a) ^ rotated(word, b) ^ rotated(word, c)
  }

  /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  private static let start = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c,
    0x1f83_d9ab, 0x5be0_cd19)

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
    0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
    0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
    0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
    0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]

  /// A hash of 32 bytes.
  package struct Digest: Hashable, Sendable {
    private let a, b, c, d: UInt64

    private init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
      (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    fileprivate init(_ hash: SIMD8<UInt32>) {
      func word(_ index: Int) -> UInt64 { UInt64(hash[index]) << 32 | UInt64(hash[index + 1]) }
      self.init(word(0), word(2), word(4), word(6))
    }

    package static let zero = Digest(0, 0, 0, 0)

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count == 32 else { return nil }
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
      }
      self.init(word(0), word(1), word(2), word(3))
    }

    /// Reads ``hex``. Nil for other text.
    package init?(hex: String) {
      let words = (0..<4).compactMap { UInt64(hex.dropFirst($0 * 16).prefix(16), radix: 16) }
      guard words.count == 4 else { return nil }
      self.init(words[0], words[1], words[2], words[3])
      guard self.hex == hex else { return nil }
    }

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
      try withUnsafeBytes(of: (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian), body)
    }

    /// 64 hexadecimal digits.
    package var hex: String { [a, b, c, d].map(\.hexadecimal).joined() }
  }
}

extension UInt64 {
  /// 16 hexadecimal digits.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
