/// SHA-256 as in FIPS 180-4, of bytes that come in parts. Recordings identify scripts by it, and journals chain their
/// records. It is implemented here, because a library would be loaded at each start of a program.
package struct SHA256: Sendable {
  private var hash = SHA256.start
  /// The bytes that do not fill a block yet: the first `count % 64`.
  private var block = SIMD64<UInt8>()
  private var count = 0

  package init() {}

  /// The hash of `bytes` as 64 hexadecimal digits.
  package static func hex(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finished().hex
  }

  // MARK: Parts

  /// Takes the next bytes. Allocates nothing.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let first = bytes.baseAddress else { return }
    var next = first
    let end = first + bytes.count
    let filled = count % 64
    count += bytes.count
    if filled > 0 {
      let length = min(64 - filled, bytes.count)
      withUnsafeMutableBytes(of: &block) { block in
        block.baseAddress.unsafelyUnwrapped.advanced(by: filled).copyMemory(
          from: next, byteCount: length)
      }
      guard filled + length == 64 else { return }
      next += length
      compressBlock()
    }
    let blocks = (end - next) / 64
    compress(next, blocks: blocks)
    next += blocks * 64
    withUnsafeMutableBytes(of: &block) { block in
      block.baseAddress.unsafelyUnwrapped.copyMemory(from: next, byteCount: end - next)
    }
  }

  /// Takes the UTF-8 bytes of `text`.
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
  }

  package mutating func update(_ digest: Digest) {
    withUnsafeBytes(of: digest.bigEndian) { update($0) }
  }

  /// Takes a number as eight bytes.
  package mutating func update(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { update($0) }
  }

  /// The hash of all bytes.
  package consuming func finished() -> Digest {
    let bits = UInt64(count) * 8
    let filled = count % 64
    withUnsafeMutableBytes(of: &block) { block in
      block[filled] = 0x80
      for index in filled + 1..<64 { block[index] = 0 }
    }
    if filled >= 56 {
      compressBlock()
      block = SIMD64()
    }
    withUnsafeMutableBytes(of: &block) { block in
      block.storeBytes(of: bits.bigEndian, toByteOffset: 56, as: UInt64.self)
    }
    compressBlock()
    return Digest(words: hash)
  }

  private mutating func compressBlock() {
    let block = block
    withUnsafeBytes(of: block) { block in
      compress(block.baseAddress.unsafelyUnwrapped, blocks: 1)
    }
  }

  // MARK: Blocks

  /// Takes blocks of 64 bytes.
  private mutating func compress(_ bytes: UnsafeRawPointer, blocks: Int) {
    guard blocks > 0 else { return }
    SHA256.constants.withUnsafeBufferPointer { constants in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
        for number in 0..<blocks { compress(bytes + number * 64, words, constants) }
      }
    }
  }

  /// - Parameter words: room for 64 words.
  private mutating func compress(
    _ block: UnsafeRawPointer, _ words: UnsafeMutableBufferPointer<UInt32>,
    _ constants: UnsafeBufferPointer<UInt32>
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
  private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

  @inline(__always)
  private func small(_ word: UInt32, _ a: UInt32, _ b: UInt32, _ shift: UInt32) -> UInt32 {
    rotated(word, a) ^ rotated(word, b) ^ word &>> shift
  }

  @inline(__always)
  private func large(_ word: UInt32, _ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 {
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
}

extension SHA256 {
  /// A hash of 32 bytes.
  package struct Digest: Hashable, Sendable {
    // In halves: a vector of 32 bytes would be aligned to 32, which the memory of tasks is not.
    private let halves: (SIMD4<UInt32>, SIMD4<UInt32>)

    private var words: SIMD8<UInt32> { SIMD8(lowHalf: halves.0, highHalf: halves.1) }

    fileprivate init(words: SIMD8<UInt32>) { halves = (words.lowHalf, words.highHalf) }

    package static func == (one: Digest, other: Digest) -> Bool { one.halves == other.halves }

    package func hash(into hasher: inout Hasher) { hasher.combine(halves.0) }

    package static let zero = Digest(words: SIMD8())

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count == 32 else { return nil }
      var words = SIMD8<UInt32>()
      for index in 0..<8 {
        words[index] = UInt32(
          bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
      }
      self.init(words: words)
    }

    /// Reads ``hex``. Nil for other text.
    package init?(hex: String) {
      let digits = Array(hex.utf8)
      guard digits.count == 64 else { return nil }
      var words = SIMD8<UInt32>()
      for (index, digit) in digits.enumerated() {
        guard let value = Digest.digits.firstIndex(of: digit) else { return nil }
        words[index / 8] = words[index / 8] << 4 | UInt32(value)
      }
      self.init(words: words)
    }

    /// The words in the order of the hash's bytes.
    fileprivate var bigEndian: SIMD8<UInt32> {
      var words = words
      for index in 0..<8 { words[index] = words[index].bigEndian }
      return words
    }

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
      try withUnsafeBytes(of: bigEndian) { try body($0) }
    }

    /// 64 hexadecimal digits.
    package var hex: String {
      String(unsafeUninitializedCapacity: 64) { digits in
        for index in 0..<64 {
          digits[index] = Digest.digits[Int(words[index / 8] >> UInt32(28 - index % 8 * 4) & 15)]
        }
        return 64
      }
    }

    private static let digits = Array("0123456789abcdef".utf8)
  }
}
