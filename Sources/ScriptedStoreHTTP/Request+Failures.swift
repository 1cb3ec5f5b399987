#if HTTP
import AsyncHTTPClient
import LuaBridge
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import Platform
import ScriptedStoreClients

extension Request {
  /// The error that a script gets for a failure of this request that no script could have avoided.
  func failure(_ code: String, _ problem: String, _ details: Value.Object = [:]) -> ScriptError {
    var details = details
    details["url"] = .string(target.text)
    return .failure(code, "\(description): \(problem)", details)
  }

  func tooLarge(_ limit: Int) -> ScriptError {
    failure("tooLarge", "the response has more than the \(limit) bytes that the host allows")
  }

  var timedOut: ScriptError {
    failure("timeout", "there was no whole response within \(Value.float(timeout).json()) seconds")
  }

  private var closed: ScriptError {
    failure("connection", "the server closed the connection before the response was whole")
  }

  /// Converts an error of the client to an error for scripts. Errors for scripts and cancellation
  /// stay as they are.
  func failure(_ error: any Error, limit: Int) -> any Error {
    switch error {
    case is ScriptError, is CancellationError: return error
    case let error as HTTPClientError: return failure(error)
    case let error as NIOConnectionError:
      guard let problem = error.connectionErrors.first?.error else {
        return failure("connection", "no address was found for \(error.host)")
      }
      return failure(problem, limit: limit)
    case let error as IOError:
      return failure("connection", String(cString: strerror(error.errnoCode)))
    case is ChannelError, HTTPParserError.invalidEOFState: return closed
    case let error as HTTPParserError:
      return failure("protocol", "the response is not HTTP (\(error))")
    case NIOHTTPDecompression.DecompressionError.limit: return tooLarge(limit)
    case is NIOHTTPDecompression.DecompressionError:
      return failure("protocol", "the response is not compressed as it says")
    default: return failure("connection", "\(error)")
    }
  }

  private func failure(_ error: HTTPClientError) -> any Error {
    switch error {
    case .cancelled: CancellationError()
    case .deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
      timedOut
    case .remoteConnectionClosed: closed
    default: failure("connection", error.shortDescription)
    }
  }
}
#endif
