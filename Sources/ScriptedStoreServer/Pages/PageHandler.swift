#if Server
import NIOCore
import NIOWebSocket
import ScriptedStore

/// The WebSocket of a page: puts messages together, and holds the browser to the limits.
///
/// ```
///   open ──(an error, a limit, the server ends)──▶ closing: what comes is dropped ──(the browser closes, 2 s)──▶ closed
/// ```
final class PageHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = ByteBuffer

  private let hub: Hub
  private let request: PageRequest
  private let session: String
  private var page: Page?
  private var context: ChannelHandlerContext?
  /// The context after the encoder: a frame is encoded once for all pages.
  private let output: ChannelHandlerContext
  private var isClosing = false
  /// The parts of a message that has not ended.
  private var parts: [UInt8]?
  /// The messages since `second` began.
  private var count = 0
  private var second = NIODeadline.uptimeNanoseconds(0)
  private var lastSign = NIODeadline.now()

  /// Bytes of a message.
  static let mostBytes = 16_384
  /// Messages in a second.
  private static let mostMessages = 200
  /// The largest frame that is read at all, so that larger ones than allowed are still answered.
  static let mostBytesOfFrame = 1 << 16

  init(
    _ hub: Hub, _ request: PageRequest, session: String, output: ChannelHandlerContext
  ) {
    self.hub = hub
    self.output = output
    self.request = request
    self.session = session
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    page = hub.open(request, session: session, self)
    schedulePing(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func end() {
    isClosing = true
    context = nil
    if let page { hub.close(page) }
    page = nil
  }

  // MARK: Sending

  /// Whether the browser has taken what was sent.
  var isWritable: Bool { !isClosing && context?.channel.isWritable == true }

  func send(_ bytes: ByteBuffer) {
    guard !isClosing else { return }
    output.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  /// The page has another connection.
  func leavePage() {
    page = nil
    close(WebSocketClose.goingAway)
  }

  func close(_ code: UInt16) {
    guard !isClosing, let context else { return }
    send(WebSocketBytes.close(code))
    isClosing = true
    // Closed at once, the system could drop the code together with what is still on its way.
    context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(2)) { context.close(promise: nil) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { page?.becameWritable() }
    context.fireChannelWritabilityChanged()
  }

  private func schedulePing(_ context: ChannelHandlerContext) {
    let times = hub.configuration.times
    context.eventLoop.assumeIsolated().scheduleTask(in: times.betweenPings) { [weak self] in
      guard let self, let context = self.context else { return }
      if lastSign + times.longestSilence < .now() { return context.close(promise: nil) }
      if isWritable { send(WebSocketBytes.ping()) }
      schedulePing(context)
    }
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if isClosing {
      if frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    // The reserved bits are for extensions, and none was agreed on.
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return close(WebSocketClose.protocolError)
    }
    let bytes = Array(frame.unmaskedData.readableBytesView)
    switch frame.opcode {
    case .pong: lastSign = .now()
    case .ping: if allows(bytes), isWritable { send(WebSocketBytes.pong(bytes)) }
    case .connectionClose:
      close(WebSocketClose.normal)
      context.close(promise: nil)
    case .text:
      guard allows(bytes) else { return }
      guard parts == nil else { return close(WebSocketClose.protocolError) }
      if frame.fin { receive(bytes) } else { parts = bytes }
    case .continuation:
      guard allows(bytes) else { return }
      guard let before = parts else { return close(WebSocketClose.protocolError) }
      guard before.count + bytes.count <= PageHandler.mostBytes else {
        return close(WebSocketClose.tooLarge)
      }
      parts = frame.fin ? nil : before + bytes
      if frame.fin { receive(before + bytes) }
    case .binary: close(WebSocketClose.unsupported)
    default: close(WebSocketClose.protocolError)
    }
  }

  /// Whether a frame is within the limits; closes the connection otherwise.
  private func allows(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= PageHandler.mostBytes else {
      close(WebSocketClose.tooLarge)
      return false
    }
    let now = NIODeadline.now()
    if second + .seconds(1) <= now { (second, count) = (now, 0) }
    count += 1
    if count > PageHandler.mostMessages { close(WebSocketClose.policy) }
    return count <= PageHandler.mostMessages
  }

  private func receive(_ bytes: [UInt8]) {
    guard let page else { return }
    guard let value = try? Value(json: bytes), let message = PageMessage(value) else {
      return close(WebSocketClose.notText)
    }
    hub.receive(message, from: page)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error as? NIOWebSocketError {
    case .invalidFrameLength?: close(WebSocketClose.tooLarge)
    case .some: close(WebSocketClose.protocolError)
    case nil: context.close(promise: nil)
    }
  }
}
#endif
