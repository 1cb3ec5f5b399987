import Platform
import ScriptValue

/// The lines of a file's journals: the changes of its value since it was written.
///
/// A line begins with a line feed, so that it is whole even behind one that a kill has torn. Then comes a
/// checksum of the rest. There are two kinds of lines:
///
///     5f0c…9a 7 1 [{"op":"replace","path":"/size","value":13}]
///     77a1…02 6 1b77…03
///
/// The first one is change 7, a JSON Patch of a value of version 1. The second one is a mark: the text of
/// the file with this checksum contains all changes up to 6.
///
/// 1. Changes are numbered without gaps, through both journals. A line may be there twice.
/// 2. For each text that the file may have had since its oldest change in the journals, there is a mark.
///    So a start knows which changes the file lacks, at whatever moment the process ended.
enum SharedJournal {
  static func change(
    from old: Value?, to new: Value?, number: UInt64, version: Int
  ) -> [UInt8] {
    // An absent value is an empty list, any other one is the only element of a list.
    let patch =
      if let old, let new {
        JSONPatch.diff(from: old, to: new, at: JSONPointer(tokens: ["0"]))
      } else {
        JSONPatch.diff(from: wrapped(old), to: wrapped(new))
      }
    return line { text in
      text += "\(number) \(version) ".utf8
      patch.appendJSON(to: &text)
    }
  }

  /// The line of a mark.
  ///
  /// - Parameters:
  ///   - text: ``checksum(_:)`` of a text of the file; 0 for no file.
  ///   - number: the last change that the text contains.
  static func mark(_ text: UInt64, number: UInt64) -> [UInt8] {
    line { $0 += "\(number) \(text.hexadecimal)".utf8 }
  }

  private static func line(_ appendText: (inout [UInt8]) -> Void) -> [UInt8] {
    var line = [UInt8](repeating: UInt8(ascii: " "), count: 18)
    appendText(&line)
    line.replaceSubrange(0..<17, with: "\n\(checksum(line[18...]).hexadecimal)".utf8)
    return line
  }

  /// The journals of a file, laid over its value.
  struct Result {
    var value: Value?
    /// Whether there is any change that the file lacks.
    var hasChanges = false
    /// Whether a change did not fit, so that the rest of the journals was left out.
    var isConflict = false
    /// The version of the last change's value.
    var version = 1
    var number: UInt64 = 0
    /// Whether there is any line.
    var hasLines = false
  }

  /// Lays the changes of journals over a value. All of them, if there is no mark of the text: another
  /// program has changed the file while no process had it open.
  ///
  /// - Parameters:
  ///   - journals: the older one first.
  ///   - text: ``checksum(_:)`` of the file's text; 0 if there is no file.
  static func apply(_ journals: [[UInt8]], to value: Value?, text: UInt64) -> Result {
    let lines = journals.flatMap { $0.split(separator: UInt8(ascii: "\n")).compactMap(read) }
    var result = Result(value: value, hasLines: !lines.isEmpty)
    result.number = lines.map(\.number).max() ?? 0
    var last = lines.last { $0.mark == text }?.number
    var document = wrapped(value)
    for line in lines {
      guard let (version, patch) = line.change, line.number > last ?? 0 else { continue }
      guard line.number == (last ?? line.number &- 1) &+ 1,
        let next = try? patch.apply(to: document)
      else {
        result.isConflict = true
        break
      }
      (document, last) = (next, line.number)
      result.version = version
      result.hasChanges = true
    }
    result.value = document.array?.first
    return result
  }

  private struct Line {
    let number: UInt64
    var mark: UInt64?
    var change: (version: Int, patch: JSONPatch)?
  }

  /// Nil for a line that is torn or damaged.
  private static func read(_ line: ArraySlice<UInt8>) -> Line? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard parts.count >= 3, number(parts[0], radix: 16) == checksum(line[parts[1].startIndex...]),
      let count = number(parts[1], radix: 10)
    else { return nil }
    if parts.count == 3 {
      return number(parts[2], radix: 16).map { Line(number: count, mark: $0) }
    }
    guard count > 0, let version = Int(String(decoding: parts[2], as: UTF8.self)),
      let document = try? Value(json: parts[3]), let patch = try? JSONPatch(document)
    else { return nil }
    return Line(number: count, change: (version, patch))
  }

  private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt64? {
    UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
  }

  private static func wrapped(_ value: Value?) -> Value {
    .array(value.map { [$0] } ?? [])
  }

  /// Finds torn and damaged lines, and other texts of a file.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 { stableHash(bytes) }
}
