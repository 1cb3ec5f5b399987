#if Server
import NIOCore
import Platform
import ScriptedStore

/// Why a server does not run.
public struct ViewServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without a full stop.
  public let description: String
  /// Whether another program listens at the port.
  public private(set) var isPortTaken = false

  init(_ description: String) { self.description = description }

  /// What went wrong when the server began to listen.
  init(_ error: any Error, _ configuration: ViewServer.Configuration) {
    let (address, port) = (configuration.address, configuration.port)
    let number = (error as? IOError)?.errnoCode
    isPortTaken = number == EADDRINUSE
    description =
      switch number {
      case EADDRINUSE: "port \(port) is taken by another program"
      case EADDRNOTAVAIL: "\(address) is no address of this machine"
      case EACCES: "port \(port) needs the rights of an administrator"
      default: "cannot listen at \(address), port \(port): \(error)"
      }
  }
}
#endif
