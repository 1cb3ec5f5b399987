import ScriptValue

/// Short strings that were read last, so that nodes with equal texts share one.
struct StringCache: ~Copyable {
  private static let size = 512
  private static let longest = 40
  private var entries: [StringNode?] = Array(repeating: nil, count: size)

  /// The string (+1) of these bytes, which are UTF-8.
  @inline(__always)
  mutating func string(_ bytes: UnsafeRawBufferPointer) -> Slot {
    guard bytes.count <= StringCache.longest else { return .string(trustedUTF8: bytes) }
    let index = Int(truncatingIfNeeded: UTF8Text.hash(bytes)) & (StringCache.size - 1)
    if let known = entries[index], UTF8Text.equals(known.bytes, bytes) { return .owning(known) }
    let new = StringNode.make(trustedUTF8: bytes)
    entries[index] = new
    return .owning(new)
  }
}
