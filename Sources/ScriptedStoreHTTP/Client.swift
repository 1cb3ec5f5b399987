#if HTTP
import AsyncHTTPClient
import LuaBridge
import NIOCore
import NIOHTTP1
import ScriptedStore
import Synchronization

/// Sends the requests of one `http` dependency. Connections are reused.
final class Client: Sendable {
  private let allowed: AllowedHosts
  /// The largest size of a response body, in bytes.
  private let limit: Int
  /// A sentence for error messages: how a host gets allowed.
  private let remedy: @Sendable (_ host: String) -> String
  /// The longest time that a request may take, in seconds.
  let timeout: Double
  /// Made at the first request, since it starts threads.
  private let connections = Mutex<HTTPClient?>(nil)

  init(
    allowing allowed: AllowedHosts, limit: Int, timeout: Double,
    remedy: @escaping @Sendable (_ host: String) -> String
  ) {
    self.remedy = remedy
    self.allowed = allowed
    self.limit = limit
    self.timeout = timeout
  }

  deinit {
    connections.withLock { $0 }?.shutdown { _ in }
  }

  /// The server's response, after redirects. Throws if it is not complete in time.
  func send(_ request: Request) async throws -> Response {
    guard allowed.contain(request.target) else {
      throw request.failure("notAllowed", refusal(of: request.target))
    }
    return try await withThrowingTaskGroup(of: Response?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await self.follow(request) }
      group.addTask {
        try await Task.sleep(for: .seconds(request.timeout))
        return nil
      }
      guard let response = try await group.next() ?? nil else { throw request.timedOut }
      return response
    }
  }

  private func follow(_ first: Request) async throws -> Response {
    var request = first
    for _ in 0...Client.mostRedirects {
      let response = try await exchange(request)
      guard request.followsRedirects, [301, 302, 303, 307, 308].contains(response.status),
        let location = response.headers.first(name: "location")
      else { return response }
      let target: Target
      do throws(ScriptError) {
        target = try request.target.redirected(to: location)
      } catch {
        throw request.failure("redirect", "it was redirected; \(error.message)")
      }
      guard allowed.contain(target) else {
        throw request.failure("notAllowed", "it was redirected; " + refusal(of: target))
      }
      request = request.redirected(to: target, status: response.status)
    }
    throw request.failure("redirect", "it was redirected more than \(Client.mostRedirects) times")
  }

  /// A limit of the same order as those of browsers and curl.
  private static let mostRedirects = 10

  private func exchange(_ request: Request) async throws -> Response {
    var outgoing = HTTPClientRequest(url: request.target.text)
    outgoing.method = HTTPMethod(rawValue: request.method)
    outgoing.headers = request.headers
    outgoing.body = request.body.map { .bytes($0, length: .known(Int64($0.count))) }
    do {
      let head = try await client().execute(outgoing, deadline: .distantFuture)
      var body: [UInt8] = []
      for try await part in head.body {
        // Leaving the loop closes the connection, so that the rest is not sent.
        guard part.readableBytes <= limit - body.count else { throw request.tooLarge(limit) }
        body.append(contentsOf: part.readableBytesView)
      }
      // If the task is cancelled, the sequence ends without an error.
      try Task.checkCancellation()
      return Response(
        request: request, status: Int(head.status.code), reason: head.status.reasonPhrase,
        headers: head.headers, body: body)
    } catch {
      throw request.failure(error, limit: limit)
    }
  }

  private func client() -> HTTPClient {
    connections.withLock { connections in
      if let client = connections { return client }
      var configuration = HTTPClient.Configuration(
        // Redirects are followed in `follow`, since each target must be allowed.
        redirectConfiguration: .disallow, decompression: .enabled(limit: .size(limit)))
      // A refused connection is reported at once; a script that wants another attempt makes another
      // request.
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.timeout.connect = .milliseconds(Int64(timeout * 1000))
      let client = HTTPClient(configuration: configuration)
      connections = client
      return client
    }
  }

  private func refusal(of target: Target) -> String {
    "http may not reach \(target.hostAndPort); \(remedy(target.hostAndPort))"
  }
}
#endif
