import CFuzz
import Foundation

/// `Fuzz TARGET [options of libFuzzer] [folders with inputs]`
@main
enum Fuzz {
  private static var targets: [String: any Target.Type] {
    [
      "drafts": Drafts.self, "effects": Effects.self, "json": JSON.self, "paths": Paths.self,
      "patterns": Patterns.self, "recordings": Recordings.self, "scripts": Scripts.self,
      "values": Values.self, "views": Views.self,
    ]
  }

  /// The one that is run, its name, and how often it was, on the only thread that there is.
  nonisolated(unsafe) private static var target: (any Target)?
  nonisolated(unsafe) private static var name = ""
  nonisolated(unsafe) private static var executions = 0
  private static let start = ContinuousClock.now

  static func main() throws {
    let words = CommandLine.arguments
    guard let name = words.dropFirst().first, let type = targets[name] else {
      print("usage: Fuzz \(targets.keys.sorted().joined(separator: "|")) [options] [folders]")
      exit(2)
    }
    target = try type.init()
    Fuzz.name = name
    _ = start
    // The driver exits by itself.
    atexit {
      let seconds = (ContinuousClock.now - Fuzz.start).components.seconds
      print("\(Fuzz.name): \(Fuzz.executions) executions in \(seconds) s, nothing found")
    }
    // The name is no argument of libFuzzer's, and the last of two options counts.
    let arguments = [words[0], "-max_len=\(type.longest)"] + words.dropFirst(2)
    var copies = arguments.map { strdup($0) } + [nil]
    var count = Int32(arguments.count)
    copies.withUnsafeMutableBufferPointer { buffer in
      var first = buffer.baseAddress
      let status = LLVMFuzzerRunDriver(&count, &first) { bytes, length in
        Fuzz.executions += 1
        do {
          try Fuzz.target?.run(UnsafeRawBufferPointer(start: bytes, count: length))
        } catch {
          // A crash is how libFuzzer hears of it.
          let text = "\nFound in \(Fuzz.executions) executions: \(error)\n"
          FileHandle.standardError.write(Data(text.utf8))
          abort()
        }
        return 0
      }
      exit(status)
    }
  }
}

/// Something that takes any bytes. What it throws should not be, and is told as a crash.
protocol Target {
  /// Bytes of an input that make a difference.
  static var longest: Int { get }

  init() throws

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
  mutating func number(below bound: Int) -> Int { (Int(byte()) * bound) >> 8 }

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
