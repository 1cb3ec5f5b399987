#if Server
import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// What a browser would get.
struct Response {
  let status: Int
  /// By names in lower case.
  let headers: [String: String]
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Makes requests as a browser does, or as an attacker.
struct Browser {
  let port: Int
  /// `name=value`; nil for none.
  var cookie: String?

  var host: String { "127.0.0.1:\(port)" }

  /// - Parameter headers: in place of the usual ones of the same name; nil for none.
  func request(
    _ path: String, method: String = "GET", _ headers: [String: String?] = [:], body: [UInt8] = []
  ) throws -> Response {
    let socket = try TestSocket(port: port)
    var all: [String: String?] = ["host": host, "cookie": cookie, "connection": "close"]
    if !body.isEmpty { all["content-length"] = String(body.count) }
    for (name, value) in headers { all[name] = value }
    try socket.write("\(method) \(path) HTTP/1.1\r\n" + Browser.lines(all) + "\r\n")
    if !body.isEmpty { try socket.write(body) }
    return try Browser.response(socket, hasBody: method != "HEAD")
  }

  static func lines(_ headers: [String: String?]) -> String {
    headers.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.joined()
  }

  static func response(_ socket: TestSocket, hasBody: Bool = true) throws -> Response {
    let lines = try socket.read(upTo: "\r\n\r\n").split(separator: "\r\n")
    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    let length = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
    return Response(status: status, headers: headers, body: try socket.read(length))
  }

  /// Opens the printed address, as a person does.
  mutating func enter(_ address: String) throws {
    let query = try #require(address.split(separator: "/").last)
    let response = try request("/\(query)")
    cookie = try #require(response.headers["set-cookie"]).split(separator: ";").first.map(
      String.init)
  }

  /// Opens the page, and takes the first frame.
  func open(_ query: String = "?width=regular") throws -> TestPage {
    let page = try TestPage(self, query)
    try page.waitForFrame()
    return page
  }
}

/// A page: a WebSocket, and the tree that it has been sent.
final class TestPage {
  let socket: TestSocket
  let response: Response
  private(set) var hello = Value.null
  private(set) var reader = FrameReader()
  private(set) var seen = 0
  /// Of each refusal, the event and the sentence.
  private(set) var refusals: [(event: Int, message: String)] = []
  /// The events whose text the server asks for once more.
  private(set) var askedAgain: [Int] = []
  private(set) var development: [Value] = []
  /// Why there is no tree.
  private(set) var failure = Value.null
  private(set) var frames = 0
  private(set) var bytes = 0
  private(set) var pings = 0
  /// The code with which the server closed; nil while it is open.
  private(set) var closed: Int?
  private var event = 0
  var acknowledges = true
  var answersPings = true

  /// Connects and takes the greeting. Throws if that is refused.
  ///
  /// - Parameter headers: in place of the usual ones of the same name; nil for none.
  init(_ browser: Browser, _ query: String = "", headers: [String: String?] = [:]) throws {
    socket = try TestSocket(port: browser.port)
    var all: [String: String?] = [
      "host": browser.host, "origin": "http://\(browser.host)", "cookie": browser.cookie,
      "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    for (name, value) in headers { all[name] = value }
    try socket.write("GET /live\(query) HTTP/1.1\r\n" + Browser.lines(all) + "\r\n")
    response = try Browser.response(socket)
    guard response.status == 101 else { throw TestSocket.Failed(description: "\(response.status)") }
    try take()
  }

  /// Goes on with the tree of a page that has gone.
  ///
  /// - Parameters:
  ///   - seen: the last event that the page knows to be done; nil for the last one that it has heard of.
  ///   - gesture: a gesture that is sent in one piece with the request, so that the server takes it before there is a screen.
  ///   - path: that of the node.
  init(
    _ browser: Browser, after old: TestPage, seen: Int? = nil, sending gesture: ViewGesture? = nil,
    at path: Value = []
  ) throws {
    socket = try TestSocket(port: browser.port)
    let page = old.hello["page"].string ?? ""
    let request =
      "GET /live?width=regular&page=\(page)&at=\(old.reader.version)&seen=\(seen ?? old.seen) HTTP/1.1\r\n"
      + Browser.lines([
        "host": browser.host, "origin": "http://\(browser.host)", "cookie": browser.cookie,
        "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ]) + "\r\n"
    var bytes = Array(request.utf8)
    if let gesture {
      var message = gesture.value.object ?? [:]
      message["n"] = Value(old.event + 1)
      message["at"] = Value(old.reader.version)
      message["path"] = path
      bytes += TestPage.frame(Array(Value.object(message).json().utf8))
    }
    try socket.write(bytes)
    response = try Browser.response(socket)
    try take()
    if hello["resumed"] == 1 { reader = old.reader }
    event = old.event + (gesture == nil ? 0 : 1)
  }

  var tree: Value { reader.tree }

  // MARK: Receiving

  /// Takes one message.
  func take() throws {
    let head = try socket.read(2)
    var length = Int(head[1] & 127)
    if length >= 126 {
      length = try socket.read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
    }
    let payload = try socket.read(length)
    switch head[0] & 15 {
    case 1: try take(payload)
    case 9:
      pings += 1
      if answersPings { try send(payload, opcode: 10) }
    case 8: closed = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
    default: break
    }
  }

  private func take(_ payload: [UInt8]) throws {
    let message = try Value(json: payload)
    guard case .object(let object) = message else {
      try reader.read(message)
      frames += 1
      bytes += payload.count
      if acknowledges { try send(["at": Value(reader.version)]) }
      return
    }
    for (name, value) in object {
      switch name {
      case "hello": hello = value
      case "seen": seen = value.int ?? 0
      case "refused": refusals.append((value.int ?? 0, message["message"].string ?? ""))
      case "again": askedAgain.append(message["refused"].int ?? 0)
      case "dev": development.append(value)
      case "failed": failure = value
      default: break
      }
    }
  }

  func waitForFrame() throws {
    let before = frames
    try wait { self.frames > before }
  }

  /// Takes messages until something is the case.
  func wait(until isDone: () -> Bool) throws {
    while !isDone() {
      if let closed { throw TestSocket.Failed(description: "closed with \(closed)") }
      try take()
    }
  }

  /// Takes messages until the server closes. Returns the code.
  func waitForClose() throws -> Int {
    while closed == nil { try take() }
    return closed ?? 0
  }

  /// Waits for the end of an event.
  func settle() throws {
    let event = event
    try wait { self.seen >= event }
  }

  // MARK: Sending

  func send(_ message: Value) throws { try send(Array(message.json().utf8)) }

  func send(_ payload: [UInt8], opcode: UInt8 = 1, isLast: Bool = true) throws {
    try socket.write(TestPage.frame(payload, opcode: opcode, isLast: isLast))
  }

  static func frame(_ payload: [UInt8], opcode: UInt8 = 1, isLast: Bool = true) -> [UInt8] {
    var frame: [UInt8] = [opcode | (isLast ? 0x80 : 0)]
    switch payload.count {
    case ..<126: frame.append(0x80 | UInt8(payload.count))
    case ...0xFFFF: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      frame.append(0x80 | 127)
      for byte in (0..<8).reversed() { frame.append(UInt8(payload.count >> (byte * 8) & 255)) }
    }
    let mask: [UInt8] = [1, 2, 3, 4]
    return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// Does something with the node at a path, and waits for its end.
  func perform(_ gesture: ViewGesture, at path: Value = []) throws {
    try begin(gesture, at: path)
    try settle()
  }

  /// Does something, and does not wait.
  @discardableResult
  func begin(_ gesture: ViewGesture, at path: Value = [], in version: Int? = nil) throws -> Int {
    var message = gesture.value.object ?? [:]
    event += 1
    message["n"] = Value(event)
    message["at"] = Value(version ?? reader.version)
    message["path"] = path
    try send(.object(message))
    return event
  }

  /// Sends an event that is no gesture of `ViewGesture`.
  @discardableResult
  func begin(_ fields: Value.Object, at path: Value) throws -> Int {
    try send(message(of: fields, at: path))
    return event
  }

  /// Sends messages in one piece, so that the server takes the last one before it has done anything
  /// for the first.
  func sendAtOnce(_ messages: [Value]) throws {
    try socket.write(messages.flatMap { TestPage.frame(Array($0.json().utf8)) })
  }

  /// The message of the next event, which is no gesture of `ViewGesture`.
  func message(of fields: Value.Object, at path: Value) -> Value {
    var message = fields
    event += 1
    message["n"] = Value(event)
    if message["at"] == nil { message["at"] = Value(reader.version) }
    message["path"] = path
    return .object(message)
  }

  /// The drawn text of the tree.
  var text: String { TextDrawing.draw(tree, width: 60) }
}
#endif
