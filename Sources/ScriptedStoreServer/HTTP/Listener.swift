#if Server
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// Takes connections, and makes WebSockets of those that may be one.
struct Listener: Sendable {
  let hub: NIOLoopBound<Hub>
  let configuration: ViewServer.Configuration
  let token: String

  func bind(on group: MultiThreadedEventLoopGroup) async throws -> any Channel {
    let (hub, mostConnections) = (hub, configuration.mostConnections)
    return try await ServerBootstrap(group: group)
      // Where the process has no descriptor left, the server waits for a second before it takes the
      // next connection.
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
        }
      }
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // Pages send little. Each read takes as much memory for a moment.
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let hub = hub.value
          guard hub.connections < mostConnections else { throw ChannelError.alreadyClosed }
          hub.connections += 1
          channel.closeFuture.assumeIsolated().whenComplete { _ in hub.connections -= 1 }
          try add(to: channel)
        }
      }
      .bind(host: configuration.address, port: configuration.port).get()
  }

  /// - Parameter channel: a new connection, on whose event loop this is called.
  private func add(to channel: any Channel) throws {
    let (hub, configuration) = (hub, configuration)
    // The server's port is known when there is a connection.
    let access = Access(
      token: token, address: configuration.address,
      port: channel.localAddress?.port ?? configuration.port, names: configuration.names)
    let handler = RequestHandler(hub.value, access)
    let requests = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: PageHandler.mostBytesOfFrame, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        let isAllowed =
          head.method == .GET && head.uri.split(separator: "?").first == "/live"
          && access.takesHost(of: head)
          && access.takesOrigin(of: head) && access.session(of: head) != nil
        return channel.eventLoop.makeSucceededFuture(isAllowed ? [:] : nil)
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          pipeline.removeHandler(requests.value, promise: nil)
          let query = head.uri.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
          let output = try pipeline.context(handlerType: WebSocketFrameEncoder.self)
          let session = access.session(of: head) ?? ""
          try pipeline.addHandler(
            PageHandler(hub.value, PageRequest(query: query), session: session, output: output))
        }
      })
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
    try channel.pipeline.syncOperations.addHandler(handler)
  }
}
#endif
