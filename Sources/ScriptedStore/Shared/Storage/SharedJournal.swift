import ScriptValue

/// The lines of a journal: the changes of a file's value since the file was written.
///
/// A line is a checksum of the rest, the checksum of the file's text, the version of the value's shape,
/// and a JSON Patch:
///
///     5f0c…9a 1b77…03 1 [{"op":"replace","path":"/size","value":13}]
///
/// A line that is torn or damaged ends the journal.
enum SharedJournal {
  /// The line of a change.
  ///
  /// - Parameter base: ``checksum(_:)`` of the file's text; 0 if there is no file.
  static func line(
    from old: Value?, to new: Value?, base: UInt64, version: Int
  ) -> [UInt8] {
    // An absent value is an empty list, any other one is the only element of a list.
    let patch = JSONPatch.diff(from: wrapped(old), to: wrapped(new))
    var text = Array("\(hex(base)) \(version) ".utf8)
    patch.appendJSON(to: &text)
    return Array(hex(checksum(text)).utf8) + [UInt8(ascii: " ")] + text + [UInt8(ascii: "\n")]
  }

  /// A journal, laid over the value of the file.
  struct Result {
    var value: Value?
    /// Whether there is any change.
    var hasChanges = false
    /// Whether a change did not fit, so that the rest of the journal was left out.
    var isConflict = false
    /// Whether the first line belongs to this text of the file.
    var belongs = true
    /// The version of the last change's value.
    var version = 1
  }

  /// Lays the changes of a journal over a value.
  static func apply(_ journal: [UInt8], to value: Value?, base: UInt64) -> Result {
    var result = Result(value: value)
    var document = wrapped(value)
    for (index, line) in journal.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let (of, version, patch) = read(line) else { break }
      if index == 0 { result.belongs = of == base }
      result.version = version
      guard let next = try? patch.apply(to: document) else {
        result.isConflict = true
        break
      }
      document = next
      result.hasChanges = true
    }
    result.value = document.array?.first
    return result
  }

  private static func read(
    _ line: ArraySlice<UInt8>
  ) -> (base: UInt64, version: Int, patch: JSONPatch)? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard parts.count == 4, let sum = number(parts[0]), let base = number(parts[1]),
      sum == checksum(line[parts[1].startIndex...]),
      let version = Int(String(decoding: parts[2], as: UTF8.self)),
      let document = try? Value(json: parts[3]), let patch = try? JSONPatch(document)
    else { return nil }
    return (base, version, patch)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private static func wrapped(_ value: Value?) -> Value {
    .array(value.map { [$0] } ?? [])
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// FNV-1a, which finds torn and damaged lines and other texts of a file. It is no protection against
  /// intent.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
