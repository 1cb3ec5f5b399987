import Foundation
import LuaBridge
import ScriptedStoreFiles

@testable import ScriptedStore

/// A folder that scripts may use, inside of one that they may not; both go with it.
final class Sandbox: Sendable {
  let outside: String
  let inside: String
  let files: Dependency

  init(limit: Int = 10 << 20) throws {
    outside =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("files-tests-\(UUID().uuidString)").path
    inside = outside + "/inside"
    try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
    files = try .files(in: inside, limit: limit)
    try put("secret", at: "../secret.txt")
  }

  deinit { try? FileManager.default.removeItem(atPath: outside) }

  /// Calls a function as a script would.
  @discardableResult
  func call(_ name: String, _ arguments: Value?...) async throws -> Value? {
    try await files.call(name, arguments)
  }

  /// What a call raises: its table, or its message under `message`.
  func failure(_ name: String, _ arguments: Value?...) async -> Value {
    await ScriptedStoreFilesTests.failure { try await self.files.call(name, arguments) }
  }

  // MARK: Behind the back of the dependency

  func put(_ text: String, at path: String) throws { try put(Array(text.utf8), at: path) }

  func put(_ bytes: [UInt8], at path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(inside)/\(path)"))
  }

  func text(at path: String) -> String? {
    FileManager.default.contents(atPath: "\(inside)/\(path)").map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(inside)/\(path)", withIntermediateDirectories: true)
  }

  func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(inside)/\(path)", withDestinationPath: target)
  }

  /// Everything that is there, hidden names included.
  func names(in path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(inside)/\(path)").sorted()
  }
}

extension Dependency {
  /// Calls an asynchronous member with as many arguments as it has parameters.
  func call(_ name: String, _ arguments: [Value?]) async throws -> Value? {
    guard case .asyncFunction(_, let body)? = self[name]?.kind else {
      throw ScriptError("there is no function \(name)")
    }
    return try await body(arguments.map { $0.map(HostValue.state) })?.state
  }
}

/// What `body` raises, as a script sees it: a table, or the message as one.
func failure(_ body: () async throws -> Value?) async -> Value {
  do {
    return ["returned": try await body() ?? .null]
  } catch let error as ScriptError {
    return error.value ?? ["message": .string(error.message)]
  } catch {
    return ["message": .string("\(error)")]
  }
}
