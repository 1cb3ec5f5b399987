import ScriptValue
import ScriptedStore

/// A parsed line of the input.
enum InputLine {
  case blank
  case action(Action)
  /// Seconds.
  case wait(Double)

  /// The reason why a line is neither an action nor a wait.
  struct Malformed: Error {
    var message: String
    var column: Int?
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(Malformed) {
    guard !bytes.allSatisfy(Self.isBlank) else {
      self = .blank
      return
    }
    guard bytes.first(where: { !Self.isBlank($0) }) != UInt8(ascii: ":") else {
      throw Malformed(
        message:
          "commands with a colon are for runner dev; runner run has --print-state, and the line {\"wait\": 1} lets time pass"
      )
    }
    guard Self.isJSON(bytes) else {
      self = .action(try Self.action { try ActionLine.action(Self.text(bytes)) })
      return
    }
    switch try Self.value(bytes) {
    case .array(let parts):
      guard parts.count == 2, case .string(let path) = parts[0] else {
        throw Malformed(
          message: "an action as an array has a path and a payload: [\"todos[3].rename\", \"Milk\"]"
        )
      }
      self = .action(try Self.action { try Action(path: path, payload: parts[1]) })
    case .string(let path):
      self = .action(try Self.action { try Action(path: path) })
    case .object(let object):
      if object.count == 1, let seconds = object["wait"] {
        self = .wait(try Self.seconds(seconds))
      } else {
        self = .action(try Self.action { try Action(.object(object)) })
      }
    case let other:
      throw Malformed(
        message:
          "an action is an object with a type, or a path with an optional payload, not \(other)")
    }
  }

  /// Whether a line is to be read as JSON. Another one begins with the path of an action, as in
  /// `runner dev`; so does a path in quotes that a payload follows.
  private static func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let quote = UInt8(ascii: "\"")
    switch bytes.first(where: { !isBlank($0) }) {
    case quote: return bytes.last { !isBlank($0) } == quote
    case UInt8(ascii: "_"): return false
    case let first? where isLetter(first): return ["true", "false", "null"].contains(text(bytes))
    default: return true
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self).trimmed
  }

  private static func value(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Value {
    do {
      return try Value(json: bytes)
    } catch {
      throw Malformed(message: error.message, column: error.column)
    }
  }

  private static func action(_ make: () throws -> Action) throws(Malformed) -> Action {
    do {
      return try make()
    } catch {
      throw Malformed(message: "\(error)")
    }
  }

  private static func seconds(_ value: Value) throws(Malformed) -> Double {
    let seconds: Double? =
      switch value {
      case .integer(let seconds): Double(seconds)
      case .float(let seconds): seconds
      default: nil
      }
    guard let seconds, seconds >= 0, seconds < 1e9 else {
      throw Malformed(message: "wait takes a number of seconds, not \(value)")
    }
    return seconds
  }
}
