#if Server
import Dispatch
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Platform
import ScriptedStore

/// Answers requests for the page and its files. No request changes anything, but for the one that sends a file of a person.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let hub: Hub
  private let access: Access
  private var head: HTTPRequestHead?
  /// The file that the request sends; nil for other requests.
  private var upload: Upload?
  /// A request whose answer waits until the socket takes it. The next one is not read before.
  private var waiting: HTTPRequestHead?
  private var end: Scheduled<Void>?
  /// The least number of bytes of a file or of an answer that have to come or go within `longestRequest`.
  fileprivate static let step = 1 << 18

  init(_ hub: Hub, _ access: Access) {
    self.hub = hub
    self.access = access
  }

  func handlerAdded(context: ChannelHandlerContext) { restartTime(context) }

  func handlerRemoved(context: ChannelHandlerContext) {
    end?.cancel()
    if case .place? = upload?.admission { hub.endUpload() }
    upload = nil
  }

  /// Closes the connection after `longestRequest`, unless this is called again before, or `end` is cancelled.
  private func restartTime(_ context: ChannelHandlerContext) {
    end?.cancel()
    let time = hub.configuration.times.longestRequest
    end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      upload = upload(of: head)
    // Other bodies mean nothing.
    case .body(let bytes):
      // A slow line may take longer for a large file, as long as it goes on.
      if upload?.take(bytes) == true { restartTime(context) }
    case .end:
      guard let head else { return }
      self.head = nil
      if let upload {
        self.upload = nil
        return take(upload, head, context)
      }
      guard context.channel.isWritable else {
        waiting = head
        return
      }
      respond(to: head, context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable, let head = waiting {
      waiting = nil
      respond(to: head, context)
    }
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The request for a WebSocket that is refused comes here, and is answered.
    if error is NIOWebSocketUpgradeError || error is HTTPServerUpgradeErrors { return }
    context.close(promise: nil)
  }

  private func send(_ answer: Answer, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    restartTime(context)
    var headers = answer.headers
    if answer.status.mayHaveResponseBody {
      headers.replaceOrAdd(name: "content-length", value: String(answer.body.count))
    }
    if !head.isKeepAlive { headers.replaceOrAdd(name: "connection", value: "close") }
    let response = HTTPResponseHead(version: head.version, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(response)), promise: nil)
    var body = ByteBuffer(bytes: head.method == .HEAD ? [] : answer.body)
    while body.readableBytes > 0,
      let part = body.readSlice(length: min(RequestHandler.step, body.readableBytes))
    {
      // A slow line may take longer for a large answer, as long as it goes on.
      context.write(wrapOutboundOut(.body(.byteBuffer(part)))).assumeIsolated().whenSuccess {
        self.restartTime(context)
      }
    }
    let isLast = !head.isKeepAlive
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      if isLast { context.close(promise: nil) }
    }
  }

  private func respond(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // The host may take longer to read a file than a request may take to come.
    end?.cancel()
    if let answer = answer(to: head) {
      send(answer, to: head, context)
    } else if let (path, name) = FileAddress.file(at: head.uri) {
      sendPersonal(path, named: name, to: head, context)
    } else {
      sendAuthored(to: head, context)
    }
  }

  // MARK: Files of people

  /// The file that a request is about to send; nil for all other requests, also for those that may not send any.
  private func upload(of head: HTTPRequestHead) -> Upload? {
    let parts = head.uri.split(separator: "?", maxSplits: 1)
    guard head.method == .POST, parts.count == 2, parts[0] == UploadRequest.address,
      access.takesHost(of: head), access.takesOrigin(of: head),
      let session = access.session(of: head), let request = UploadRequest(query: parts[1])
    else { return nil }
    return Upload(request: request, admission: hub.admit(request, session: session))
  }

  private func take(_ upload: Upload, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard case .place(let screen, let tree) = upload.admission else {
      return send(upload.answer ?? .nothing, to: head, context)
    }
    guard upload.bytes.count == upload.request.file.size else {
      hub.endUpload()
      return send(.message(.badRequest, "The file has not come whole."), to: head, context)
    }
    // The host may take longer to keep a file than a request may take to come.
    end?.cancel()
    let onLoop = OnLoop((handler: self, context: context), context.eventLoop)
    hub.take(upload.bytes, upload.request, on: screen, seen: tree) { refusal in
      let answer: Answer = refusal.map { .message(.unprocessableEntity, $0) } ?? .nothing
      onLoop { handler, context in handler.send(answer, to: head, context) }
    }
  }

  /// Sends a file of a person, when the host has read it.
  private func sendPersonal(
    _ path: String, named name: String, to head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    guard let files = hub.configuration.files else { return send(.nothingThere, to: head, context) }
    let onLoop = OnLoop((handler: self, context: context), context.eventLoop)
    Task {
      let bytes = try? await files.contents(of: path)
      onLoop { handler, context in
        let answer = bytes.map { Answer.personal($0, named: name, for: head) }
        handler.send(answer ?? .nothingThere, to: head, context)
      }
    }
  }

  /// Sends the author's style sheet or picture. A file is read for it, which may take long, and all
  /// pages wait for the event loop. So another thread does it.
  private func sendAuthored(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let configuration = hub.configuration
    let path = String(head.uri.prefix { $0 != "?" })
    let onLoop = OnLoop((handler: self, context: context), context.eventLoop)
    RequestHandler.files.async {
      let answer: Answer =
        if path == RequestHandler.style, let css = configuration.css {
          .file(PageFile(Array((css() ?? "").utf8), type: "css"), for: head)
        } else if let folder = configuration.assets,
          let asset = AssetFolder(path: folder).asset(at: path)
        {
          .asset(asset, for: head)
        } else {
          .nothingThere
        }
      onLoop { handler, context in handler.send(answer, to: head, context) }
    }
  }

  /// Reads files of the author, one at a time.
  private static let files = DispatchQueue(label: "ScriptedStore.server.files")
  private static let style = "/app.css"

  /// Nil for what may be a file of a person or of the author.
  private func answer(to head: HTTPRequestHead) -> Answer? {
    guard access.takesHost(of: head) else {
      return .message(
        .forbidden,
        "This server is not known by that name. Its address is printed where it was started.")
    }
    guard head.method == .GET || head.method == .HEAD else {
      return .message(.methodNotAllowed, "There is nothing here but pages to read.")
    }
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts.first ?? "/")
    if path == "/", let query = parts.dropFirst().first, let token = queryFields(query)["token"] {
      guard access.isToken(token) else { return .message(.forbidden, RequestHandler.needsToken) }
      let session = access.session(of: head) ?? Secret.random()
      return .entrance(cookie: access.setCookie(for: session))
    }
    if path == "/favicon.ico" { return .nothing }
    guard access.session(of: head) != nil else {
      return .message(.forbidden, RequestHandler.needsToken)
    }
    if let file = hub.files[path] { return .file(file, for: head) }
    if let icon = IconFiles.file(at: path) {
      // The page names its build in the query.
      return .file(icon, for: head, isForever: parts.count > 1 && parts[1] == hub.files.build)
    }
    if path == "/live" {
      return .message(.forbidden, "This address is for the WebSocket of the page.")
    }
    return nil
  }

  private static let needsToken =
    "Open the whole address that was printed where the server was started, with ?token= in it. The browser remembers it then."
}

/// A file that is being sent.
private struct Upload {
  let request: UploadRequest
  let admission: Hub.Admission
  private(set) var bytes: [UInt8] = []
  /// The bytes since ``take(_:)`` returned true.
  private var recent = 0

  init(request: UploadRequest, admission: Hub.Admission) {
    (self.request, self.admission) = (request, admission)
  }

  /// Why the file is not taken; its bytes are dropped then.
  var answer: Answer? {
    guard case .refusal(let reason) = admission else { return nil }
    return .message(.unprocessableEntity, reason)
  }

  /// Takes a part of the file, as far as it is no longer than it said. Returns whether much has come since the last time.
  mutating func take(_ part: ByteBuffer) -> Bool {
    recent += part.readableBytes
    if answer == nil, bytes.count <= request.file.size { bytes += part.readableBytesView }
    guard recent >= RequestHandler.step else { return false }
    recent = 0
    return true
  }
}
#endif
