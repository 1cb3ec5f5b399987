import Platform

/// Finds out whether Lua files belong to scripted features: whether one of them requires `scripted`
/// or `scripted.…`.
enum ScriptedUse {
  /// Whether a Lua file in the folder, or below it, requires `scripted`. Hidden folders are passed
  /// over. O(bytes of the files), up to the first one that does.
  static func isFound(in folder: String) -> Bool {
    var seen: Set<String> = []
    var pending = [folder]
    while let path = pending.popLast() {
      guard Paths.isFolder(path) else {
        if path.hasSuffix(".lua"), let text = try? WholeFile.read(path), isFound(in: text) {
          return true
        }
        continue
      }
      guard let real = Paths.real(path), seen.insert(real).inserted else { continue }
      pending += ((try? Paths.names(in: real)) ?? []).map { Paths.join(real, $0) }
    }
    return false
  }

  private static let module = Array("scripted".utf8)
  private static let require = Array("require".utf8)

  /// Whether a text has `require`, then blanks, a parenthesis or a comma, and then the quoted name
  /// of the module. A comment counts too: it may be code that is switched off for a moment.
  static func isFound(in text: [UInt8]) -> Bool {
    text.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return false }
      let end = first + bytes.count
      var at = first
      while let found = memchr(at, Int32(UInt8(ascii: "s")), end - at) {
        let start = UnsafeRawPointer(found) - first
        at = UnsafeRawPointer(found) + 1
        guard bytes.dropFirst(start).starts(with: module) else { continue }
        let next = bytes.dropFirst(start + module.count).first
        if isEnd(next) && isRequired(bytes[..<start]) { return true }
      }
      return false
    }
  }

  private static func isEnd(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "."), UInt8(ascii: "]"): true
    default: false
    }
  }

  /// Whether a text ends with `require` and the beginning of a string.
  private static func isRequired(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    switch text.last {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "["): break
    default: return false
    }
    let before = text.dropLast().reversed().drop { byte in
      byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ",")
        || byte == UInt8(ascii: "[")
    }
    return before.prefix(require.count).elementsEqual(require.reversed())
  }
}
