import ArgumentParser
import Platform
import ScriptValue
import ScriptedStore

/// The actions and waits of an input, line after line. Prints an error for each line that is
/// neither.
package struct InputLines {
  private let name: String
  private var reader: LineReader
  /// Whether a person types the input: there is a prompt, and a typo does not end the run.
  private let isConversation: Bool
  /// Whether a malformed line does not end the input.
  private let keepGoing: Bool
  package private(set) var hasReachedEnd = false
  package private(set) var isMalformed = false
  package private(set) var isUnreadable = false

  package init(_ input: InputFile, keepGoing: Bool) {
    name = input.name
    reader = LineReader(input.descriptor)
    isConversation = input.isTerminal && StandardStreams.errorIsTerminal
    self.keepGoing = keepGoing
  }

  /// Reads up to the next line that is not blank. Nil at the end of the input, or if nothing more
  /// is to be read.
  package mutating func next() -> InputLine? {
    while true {
      if isConversation { StandardStreams.prompt("› ") }
      switch reader.advance() {
      case .interrupted: return nil
      case .end:
        hasReachedEnd = true
        return nil
      case .failed(let number):
        StandardStreams.error("error: \(name): \(errorText(number))")
        isUnreadable = true
        return nil
      case .tooLong:
        guard refuse(InputLine.Malformed(message: "the line is too long")) else { return nil }
      case .line:
        do throws(InputLine.Malformed) {
          if let line = try reader.withLine(InputLine.init) { return line }
        } catch {
          guard refuse(error) else { return nil }
        }
      }
    }
  }

  /// Prints why the current line is malformed. Returns false if nothing more is to be read.
  private mutating func refuse(_ error: InputLine.Malformed) -> Bool {
    if isConversation {
      StandardStreams.error("error: \(error.message)")
      return true
    }
    isMalformed = true
    let line = reader.number
    let position = error.column.map { "\(name):\(line):\($0)" } ?? "\(name):\(line)"
    StandardStreams.error("error: \(position): \(error.message)")
    return keepGoing
  }
}

/// A parsed line of the input.
package enum InputLine {
  case action(Action)
  /// Seconds.
  case wait(Double)

  /// The reason why a line is neither an action nor a wait.
  struct Malformed: Error {
    var message: String
    var column: Int?
  }

  /// Nil for a blank line.
  init?(_ bytes: UnsafeRawBufferPointer) throws(Malformed) {
    if bytes.allSatisfy(Self.isBlank) { return nil }
    guard bytes.first(where: { !Self.isBlank($0) }) != UInt8(ascii: ":") else {
      throw Malformed(
        message:
          "commands with a colon are for runner dev; runner run has --print-state, and the line {\"wait\": 1} lets time pass"
      )
    }
    guard Self.isJSON(bytes) else {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Malformed(message: "invalid UTF-8")
      }
      self = .action(try Self.action { try ActionLine.action(text.trimmed) })
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
      } else if object["recording"] != nil, object["type"] == nil {
        throw Malformed(
          message:
            "this is a recording, and no file of actions; `runner replay FILE` reduces it again")
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
    case quote:
      // A text as the payload ends in a quote too.
      // The line then has more than two quotes, and is no JSON.
      return bytes.last { !isBlank($0) } == quote
        && (bytes.count { $0 == quote } <= 2 || (try? Value(json: bytes)) != nil)
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
    guard let seconds, waits.contains(seconds) else {
      throw Malformed(message: "wait takes a number of seconds, at most 1e15, not \(value)")
    }
    return seconds
  }

  /// The seconds that a wait may have. The longest alarms have as many.
  package static let waits = 0...1e15
}

/// A file opened for reading, or standard input. The descriptor stays open until the process ends.
package struct InputFile {
  package let name: String
  package let descriptor: Int32

  /// Opens the file at a path; `-` is standard input.
  ///
  /// - Parameter option: the option that names it; nil for an argument.
  package init(_ path: String, of option: String? = nil) throws(ExitCode) {
    guard path != "-" else {
      name = "standard input"
      descriptor = STDIN_FILENO
      return
    }
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = errorText(errno)
      throw fail(.noInput, "\(option.map { "\($0): " } ?? "")\(path): \(reason)")
    }
  }

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The most bytes of an input that is read at once. It may be a pipe or a device, whose end is not
  /// known.
  private static let most = 256 << 20

  /// Reads the rest of the file into memory.
  package func bytes() throws(ExitCode) -> [UInt8] {
    do throws(FileFault) {
      return try OrdinaryFile.rest(of: descriptor, atMost: Self.most)
    } catch {
      throw fail(.ioError, "\(name): \(error)")
    }
  }
}
