import CFuzz
import Foundation

/// `Fuzz TARGET [options of libFuzzer] [folders with inputs]`
@main
enum Fuzz {
  private static let targets: [String: @Sendable () throws -> any Target] = [
    "drafts": Drafts.init, "json": JSON.init, "paths": Paths.init, "patterns": Patterns.init,
    "scripts": Scripts.init, "values": Values.init,
  ]

  /// The one that is run, on the only thread that there is.
  nonisolated(unsafe) private static var target: (any Target)?

  static func main() throws {
    guard let make = CommandLine.arguments.dropFirst().first.flatMap({ targets[$0] }) else {
      print("usage: Fuzz \(targets.keys.sorted().joined(separator: "|")) [options] [folders]")
      exit(2)
    }
    target = try make()
    // The name is no argument of libFuzzer's.
    var arguments = [CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)
    var words = arguments.map { strdup($0) } + [nil]
    var count = Int32(arguments.count)
    arguments = []
    words.withUnsafeMutableBufferPointer { buffer in
      var words = buffer.baseAddress
      let status = LLVMFuzzerRunDriver(&count, &words) { bytes, length in
        do {
          try Fuzz.target?.run(UnsafeRawBufferPointer(start: bytes, count: length))
        } catch {
          // A crash is how libFuzzer hears of it.
          fatalError("\(error)")
        }
        return 0
      }
      exit(status)
    }
  }
}

/// Something that takes any bytes. What it throws should not be, and is told as a crash.
protocol Target {
  func run(_ bytes: UnsafeRawBufferPointer) throws
}

/// What should not be.
struct Surprise: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Choices that are made by bytes, and by zeros when there are no more.
struct Choices {
  private var bytes: Slice<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes[...] }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// Less than `bound`.
  mutating func number(below bound: Int) -> Int { Int(byte()) * bound >> 8 }

  mutating func pick<T>(_ choices: [T]) -> T { choices[number(below: choices.count)] }

  mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

  /// Up to so many bytes as they are.
  mutating func some(atMost count: Int) -> [UInt8] {
    let taken = number(below: count + 1)
    let some = Array(bytes.prefix(taken))
    bytes = bytes.dropFirst(taken)
    return some
  }
}

/// Two digits a byte.
func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}
