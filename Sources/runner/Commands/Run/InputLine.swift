import LuaBridge
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
    guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
      self = .blank
      return
    }
    switch try Self.value(bytes) {
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
        message: "an action is an object with a type, or a path in quotes, not \(other)")
    }
  }

  private static func value(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Value {
    do {
      return try Value(json: bytes)
    } catch {
      // The likely cause is a path without quotes, such as `increment`.
      let isBare = error.column == 1 && isLetter(bytes[0]) && error.message.hasPrefix("expected")
      throw Malformed(
        message: error.message + (isBare ? "; a path is written in quotes" : ""),
        column: error.column)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
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
