#if Journal
import Foundation
import Platform

/// A process that owns the journal of a folder, and takes its input from here: Tests/JournalProcess.
final class OwnerProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - mostActive: the most stores that it has in memory; nil for the default.
  ///   - environment: variables that it has beside those of this process.
  init(_ rooms: Rooms, mostActive: Int? = nil, environment: [String: String] = [:]) throws {
    // A process that was killed reads no more.
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = Self.executable
    process.arguments = [rooms.scripts, rooms.journal] + (mostActive.map { ["\($0)"] } ?? [])
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
  }

  private static let executable: URL = {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let products = tests?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return products.appendingPathComponent("journal-process")
  }()

  /// Writes a line, if the process still reads.
  func say(_ line: String) {
    let line = Array((line + "\n").utf8)
    _ = line.withUnsafeBytes {
      write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
    }
  }

  func closeInput() { try? input.fileHandleForWriting.close() }

  /// The next whole line; nil after the last.
  func hear() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeFirst(end + 1) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      bytes += more
    }
  }

  func kill(afterMicroseconds time: Int) {
    let identifier = process.processIdentifier
    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(time)) {
      // The process is waited for only after its output has ended, which is after this.
      _ = Platform.kill(identifier, SIGKILL)
    }
  }

  /// Kills the process now, and waits for its end.
  func kill() {
    _ = Platform.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: its status, or the signal that has ended it.
  func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
#endif
