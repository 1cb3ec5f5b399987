import CFloor
import Foundation
import ScriptedStore
import ScriptedStoreServer

/// The server of screens to browsers: bytes on the way, what a client costs, and what many cost.
enum Servers {
  /// Make the benchmark's program measure memory, as a child.
  static let idleArgument = "--measure-idle-clients"
  static let silentArgument = "--measure-silent-clients"

  static let all =
    [
      bytes("that create 1,000 rows of rows.lua, all shown", bar: 32 << 10) {
        let served = try ServedStore(try rows(areAllShown: true))
        let client = try served.connect()
        return try served.bytes(of: try create(1000), shown: client)
      },
      bytes("of the first frame of 10,000 rows in a window", bar: 2 << 10) {
        let served = try ServedStore(try rows(areAllShown: false))
        served.store.send(try create(10_000))
        return try served.connect().bytes
      },
      bytes("to select one of 10,000 rows, all shown", bar: 64) {
        try mostBytes([
          "rows[1].labelTapped", "rows[10].labelTapped", "rows[9999].labelTapped",
        ])
      },
      bytes("to swap two of 10,000 rows, all shown", bar: 64) {
        try mostBytes(["swapButtonTapped", "swapButtonTapped"])
      },
      bytes("to remove one of 10,000 rows, all shown", bar: 64) {
        try mostBytes(["rows[4].removeButtonTapped", "rows[9999].removeButtonTapped"])
      },
      bytes("of page, style, script and first frame of Todos, compressed", bar: 24 << 10) {
        let served = try ServedStore(try store("todos"))
        let files = try ["/", "/page.css", "/page.js"].map { try served.compressedSize(of: $0) }
        return try files.reduce(0, +) + served.connect().bytes
      },
      memory("of an idle client of 1,000, shared store", bar: 20 << 10, idleArgument),
      memory("grown per client by 1,000 actions that none reads", bar: 256, silentArgument),
    ] + [
      Benchmark("server: one change shown by 1,000 clients, each", bar: 10) { effort in
        try change(effort).shown
      },
      Benchmark("server: 1,000 clients say that they show it, each", bar: nil) { effort in
        try change(effort).answered
      },
    ]

  private static func bytes(
    _ name: String, bar: Int, _ measure: @escaping @Sendable () throws -> Int
  ) -> Benchmark {
    Benchmark("server: bytes " + name, bar: Double(bar)) { _ in
      let bytes = Double(try measure())
      return Outcome(result: bytes, unit: .bytes, subject: bytes, floor: nil)
    }
  }

  private static func memory(_ name: String, bar: Int, _ argument: String) -> Benchmark {
    Benchmark("server: memory " + name, bar: Double(bar)) { _ in
      let printed = try Process.output(of: CommandLine.arguments[0], [argument, "1000"])
      guard let bytes = Double(printed) else {
        throw Unexpected(description: "the child said \(printed)")
      }
      return Outcome(result: bytes, unit: .bytes, subject: bytes, floor: nil)
    }
  }

  // MARK: Stores

  /// The folder of the example scripts.
  private static let folder = Scripts.folder + "/../../scripts"

  private static func store(_ feature: String, in folder: String = folder) throws -> Store {
    try ScriptHost(root: folder).store(feature, dependencies: ["random": .random(seed: 1)])
  }

  /// The rows of `scripts/rows.lua`. Its list shows a window of them; without one it has to show all.
  private static func rows(areAllShown: Bool) throws -> Store {
    guard areAllShown else { return try store("rows") }
    let script = try String(contentsOfFile: folder + "/rows.lua", encoding: .utf8)
    let whole = script.replacingOccurrences(of: "ui.list { ", with: "ui.list { window = false, ")
    guard whole != script else { throw Unexpected(description: "rows.lua has no list") }
    let copy = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copy) }
    try whole.write(to: copy.appending(path: "rows.lua"), atomically: true, encoding: .utf8)
    return try store("rows", in: copy.path)
  }

  private static func create(_ count: Int) throws -> Action {
    try Action(path: "createButtonTapped", payload: ["count": Value(count)])
  }

  /// The largest frame of those that actions on 10,000 rows make.
  private static func mostBytes(_ actions: [String]) throws -> Int {
    let served = try ServedStore(try rows(areAllShown: true))
    served.store.send(try create(10_000))
    let client = try served.connect()
    return try actions.map { try served.bytes(of: try Action(path: $0), shown: client) }.max() ?? 0
  }

  // MARK: Many clients

  /// Each round shows one change to 1,000 clients and takes their answers. What the clients themselves compute is this
  /// thread's, and does not count.
  private static func change(_ effort: Effort) throws -> (shown: Outcome, answered: Outcome) {
    let served = try ServedStore(try Scripts.store("view_counter"))
    let clients = try served.connect(1000)
    let action = try Action(path: "increment")
    var times: (shown: [Double], answered: [Double]) = ([], [])
    for _ in 0..<effort.rounds * 3 {
      let start = othersTime()
      let send = Clock.thread.time { served.store.send(action) }
      // A client that waits would be woken by the server's thread.
      usleep(30_000)
      for client in clients { try client.readFrame() }
      usleep(1000)
      let shown = othersTime()
      for client in clients { try client.acknowledge() }
      usleep(30_000)
      times.shown.append((shown - start + send) / Double(clients.count))
      times.answered.append((othersTime() - shown) / Double(clients.count))
    }
    func outcome(_ times: [Double]) -> Outcome {
      Outcome(result: times.median / 1e3, unit: .microseconds, subject: times.median, floor: nil)
    }
    return (outcome(times.shown), outcome(times.answered))
  }

  /// The nanoseconds that all threads but this one have computed.
  private static func othersTime() -> Double { Clock.process.now() - Clock.thread.now() }

  /// Prints the bytes that a client takes which shows a screen and does nothing.
  static func measureIdle(_ count: Int) throws {
    let served = try ServedStore(try Scripts.store("view_counter"))
    let first = try served.connect(20)
    usleep(100_000)
    let before = resident_bytes()
    let clients = try served.connect(count)
    usleep(100_000)
    let after = resident_bytes()
    withExtendedLifetime((served, first, clients)) {
      print((Double(after) - Double(before)) / Double(count))
    }
  }

  /// Prints by how many bytes a client the process grows while clients read nothing and 1,000 actions come in a second.
  static func measureSilent(_ count: Int) throws {
    let served = try ServedStore(
      try Scripts.store("view_rows_window", state: ["rows": try Scripts.rows(1000)]))
    let actions = try (1...10).map { try Action(path: "rows[\($0)].toggle") }
    func send(_ count: Int) {
      for index in 0..<count {
        served.store.send(actions[index % actions.count])
        usleep(1000)
      }
    }
    // What the store and one screen grow by at first is not the clients'.
    let first = try served.connect()
    send(2000)
    let clients = try served.connect(count)
    // Two frames go to each, and then none until it says that they arrived.
    send(100)
    usleep(100_000)
    let before = resident_bytes()
    send(1000)
    // Something that no frame has shown yet.
    try served.store.send("rows[20].toggle")
    usleep(100_000)
    let after = resident_bytes()
    // Then one frame has all.
    for client in clients {
      try client.readFrame()
      try client.readFrame()
      try client.acknowledge()
      try client.readFrame()
    }
    withExtendedLifetime((served, first, clients)) {
      print((Double(after) - Double(before)) / Double(count))
    }
  }
}

/// A server that shows one store, as the benchmark's clients reach it.
private final class ServedStore {
  let store: Store
  private let server: ViewServer
  private let port: Int
  private let cookie: String

  init(_ store: Store) throws {
    self.store = store
    ServedClient.allowManyFiles()
    var configuration = ViewServer.Configuration()
    configuration.port = 0
    let server = ViewServer(configuration) { _ in store }
    let started = DispatchSemaphore(value: 0)
    Task {
      _ = try? await server.start()
      started.signal()
    }
    started.wait()
    guard let port = server.port, let address = server.address else {
      throw Unexpected(description: "the server does not start")
    }
    let query = address.drop { $0 != "?" }
    let entrance = try ServedClient(port).get("/" + query, [])
    guard let cookie = entrance.value(of: "set-cookie")?.split(separator: ";").first else {
      throw Unexpected(description: "the server gives no cookie")
    }
    (self.server, self.port, self.cookie) = (server, port, String(cookie))
  }

  /// A client that shows the screen.
  func connect() throws -> ServedClient {
    let client = try ServedClient(port)
    try client.open(cookie: cookie)
    return client
  }

  func connect(_ count: Int) throws -> [ServedClient] { try (0..<count).map { _ in try connect() } }

  /// The bytes of the frame that shows an action.
  func bytes(of action: Action, shown client: ServedClient) throws -> Int {
    store.send(action)
    try client.readFrame()
    try client.acknowledge()
    return client.bytes
  }

  func compressedSize(of path: String) throws -> Int {
    let head = try ServedClient(port).get(path, ["Cookie: \(cookie)", "Accept-Encoding: gzip"])
    guard head.value(of: "content-encoding") == "gzip",
      let length = head.value(of: "content-length").flatMap({ Int($0) })
    else { throw Unexpected(description: "\(path) is answered by \(head)") }
    return length
  }
}

/// A page as a program: it reads the frames, and says which one it shows.
private final class ServedClient {
  private let port: Int
  private let socket: Int32
  /// The JSON text of the last frame.
  private var frame: [UInt8] = []

  var bytes: Int { frame.count }

  init(_ port: Int) throws {
    self.port = port
    #if canImport(Darwin)
    let stream = SOCK_STREAM
    #else
    let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    socket = Foundation.socket(AF_INET, stream, 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      throw Unexpected(description: "cannot connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(socket) }

  /// Each client is two files of this process.
  static func allowManyFiles() {
    #if canImport(Darwin)
    let resource = RLIMIT_NOFILE
    #else
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = min(max(limit.rlim_cur, 4096), limit.rlim_max)
    _ = setrlimit(resource, &limit)
  }

  // MARK: HTTP

  /// The head of an answer.
  struct Head {
    let text: String

    func value(of name: String) -> String? {
      for line in text.split(separator: "\r\n") where line.lowercased().hasPrefix(name + ": ") {
        return String(line.dropFirst(name.count + 2))
      }
      return nil
    }
  }

  func get(_ path: String, _ headers: [String]) throws -> Head {
    let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
    try write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try read(1) }
    return Head(text: String(decoding: head, as: UTF8.self))
  }

  /// Becomes a WebSocket, and shows the first frame.
  func open(cookie: String) throws {
    let head = try get(
      "/live?width=regular",
      [
        "Origin: http://127.0.0.1:\(port)", "Cookie: \(cookie)", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ])
    guard head.text.hasPrefix("HTTP/1.1 101") else {
      throw Unexpected(description: "the server refuses: \(head.text)")
    }
    try readFrame()
    try acknowledge()
  }

  // MARK: Frames

  /// Takes messages up to the next frame.
  func readFrame() throws {
    repeat {
      let head = try read(2)
      let more = head[1] == 126 ? 2 : head[1] == 127 ? 8 : 0
      let length = more == 0 ? Int(head[1]) : try read(more).reduce(0) { $0 << 8 | Int($1) }
      frame = try read(length)
    } while frame.first != UInt8(ascii: "[")
  }

  /// Says that the last frame is shown.
  func acknowledge() throws {
    let version = frame.dropFirst().prefix { $0 != UInt8(ascii: ",") }
    let message = Array(#"{"at":"#.utf8) + version + [UInt8(ascii: "}")]
    // A mask of zeros changes nothing.
    try write([0x81, 0x80 | UInt8(message.count), 0, 0, 0, 0] + message)
  }

  private func write(_ bytes: [UInt8]) throws {
    guard send(socket, bytes, bytes.count, 0) == bytes.count else {
      throw Unexpected(description: "cannot send: \(String(cString: strerror(errno)))")
    }
  }

  private func read(_ count: Int) throws -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes {
        recv(socket, $0.baseAddress! + done, count - done, 0)
      }
      guard read > 0 else { throw Unexpected(description: "the server has closed, or is silent") }
      done += read
    }
    return bytes
  }
}
