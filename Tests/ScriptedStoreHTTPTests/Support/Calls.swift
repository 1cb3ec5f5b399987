#if HTTP
import LuaBridge
import ScriptedStoreHTTP

@testable import ScriptedStore

extension Dependency {
  /// Calls an asynchronous member with as many arguments as it has parameters.
  func call(_ name: String, _ arguments: Value?...) async throws -> Value {
    try await call(name, arguments)
  }

  private func call(_ name: String, _ arguments: [Value?]) async throws -> Value {
    guard case .asyncFunction(_, let body)? = self[name]?.kind else {
      throw ScriptError("there is no function \(name)")
    }
    return try await body(arguments.map { $0.map(HostValue.state) })?.state ?? .null
  }

  func get(_ url: String, _ options: Value? = nil) async throws -> Value {
    try await call("get", .string(url), options)
  }

  /// What a call raises, as a script sees it: a table, or the message as one.
  func failure(_ name: String, _ arguments: Value?...) async -> Value {
    do {
      return ["returned": try await call(name, arguments)]
    } catch let error as ScriptError {
      return error.value ?? ["message": .string(error.message)]
    } catch {
      return ["message": .string("\(error)")]
    }
  }

  func failure(getting url: String, _ options: Value? = nil) async -> Value {
    await failure("get", .string(url), options)
  }
}

/// A client that may reach the server, and nothing else.
func client(
  of server: Server, limit: Int = 10 << 20, timeout: Duration = .seconds(60)
) throws -> Dependency {
  try .http(allowing: [server.host], limit: limit, timeout: timeout)
}
#endif
