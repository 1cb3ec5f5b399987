import ScriptValue

/// The lines of a journal: the changes of a file's value since the file was written.
///
/// A line is a checksum, the version of the file that the change belongs to, and a JSON Patch:
///
///     5f0c…9a 1b77…03 [{"op":"replace","path":"/size","value":13}]
///
/// A line that is torn or damaged ends the journal.
enum SharedJournal {
  /// The line of a change.
  ///
  /// - Parameter base: ``checksum(_:)`` of the file's text; 0 if there is no file.
  static func line(from old: Value?, to new: Value?, base: UInt64) -> [UInt8] {
    // An absent value is an empty list, any other one is the only element of a list.
    let patch = JSONPatch.diff(from: wrapped(old), to: wrapped(new))
    var text: [UInt8] = Array(hex(base).utf8) + [UInt8(ascii: " ")]
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
  }

  /// Lays the changes of a journal over a value.
  static func apply(_ journal: [UInt8], to value: Value?, base: UInt64) -> Result {
    var result = Result(value: value)
    var document = wrapped(value)
    for (index, line) in journal.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let (of, patch) = read(line) else { break }
      if index == 0 { result.belongs = of == base }
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

  private static func read(_ line: ArraySlice<UInt8>) -> (base: UInt64, patch: JSONPatch)? {
    guard line.count > 34, let sum = number(line.prefix(16)),
      sum == checksum(line.dropFirst(17)), let base = number(line.dropFirst(17).prefix(16)),
      let document = try? Value(json: line.dropFirst(34)), let patch = try? JSONPatch(document)
    else { return nil }
    return (base, patch)
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
