import Foundation
import Hummingbird
import Logging
import ScriptedStore
import Testing

@testable import Server

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ShopTests {
  static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../scripts").standardizedFileURL.path

  struct Declined: Error {}

  @Test func aVisitorFillsABasketAndPays() async throws {
    try await running(paying: "R-1") { visitor in
      #expect(try await visitor.get()["total"] == 0)
      _ = try await visitor.post(["type": "add", "product": "tea", "count": 2])
      let basket = try await visitor.post(["type": "add", "product": "mug"])
      #expect(basket["total"] == 2100)
      #expect(basket["lines"].array?.count == 2)
      let paid = try await visitor.post(["type": "checkout"])
      #expect(paid["receipt"] == "R-1 for 2100")
      #expect(paid["lines"].array?.isEmpty == true)
      #expect(try await visitor.get() == paid)
    }
  }

  @Test func aPaymentThatFailsLeavesTheBasketAsItWas() async throws {
    try await running { visitor in
      _ = try await visitor.post(["type": "add", "product": "tea"])
      let basket = try await visitor.post(["type": "checkout"])
      #expect(basket["message"] == "the payment failed; nothing was charged")
      #expect(basket["total"] == 450)
    }
  }

  @Test func twoVisitorsHaveTwoBaskets() async throws {
    try await running { visitor in
      let other = Visitor(port: visitor.port)
      _ = try await visitor.post(["type": "add", "product": "tea"])
      #expect(try await other.get()["total"] == 0)
      #expect(try await visitor.get()["total"] == 450)
    }
  }

  @Test func aSessionThatTheServerDoesNotKnowGetsABasketOfAnotherName() async throws {
    try await running { visitor in
      await visitor.set(cookie: "session=chosen")
      let basket = try await visitor.get()
      let cookie = await visitor.cookie
      #expect(basket["total"] == 0)
      #expect(cookie != "session=chosen")
    }
  }

  @Test(arguments: [
    ("", "unexpected end of input"), ("[1]", "an action is a table with a type"),
    (#"{"product":"tea"}"#, "has no type"),
    (#"{"type":"paid","receipt":"R-1"}"#, "'paid' is none of add, checkout, remove"),
  ])
  func whatIsNoActionOfAVisitorIsRefusedWithTheReason(_ body: String, _ reason: String) async throws
  {
    try await running { visitor in
      let (status, text) = try await visitor.request("POST", Data(body.utf8))
      #expect(status == 400)
      #expect(text.contains(reason), "\(text)")
      #expect(try await visitor.get()["receipt"].isNull)
    }
  }

  @Test func aBodyThatIsTooLongIsRefused() async throws {
    try await running { visitor in
      let (status, _) = try await visitor.request("POST", Data(count: 20_000))
      #expect(status == 413)
    }
  }

  @Test func sessionsThatAreNotUsedAreForgottenAndThereAreNotTooMany() throws {
    let host = try ScriptHost(root: Self.scripts)
    let stores = SessionStores(idleTime: .seconds(3600), limit: 2) { try host.store("basket") }
    let (first, _) = try stores.session(nil)
    let (second, store) = try stores.session(nil)
    #expect(try stores.session(first).name == first)
    let (third, _) = try stores.session(nil)
    // The second one was not used for the longest time.
    #expect(stores.count == 2)
    #expect(try stores.session(first).name == first)
    #expect(try stores.session(third).name == third)
    #expect(try stores.session(second).name != second)
    // Whoever has a store may go on with it.
    try store.send("add", ["product": "tea"])
    #expect(store.state["total"] == 450)

    let forgetful = SessionStores(idleTime: .zero) { try host.store("basket") }
    let (name, _) = try forgetful.session(nil)
    #expect(try forgetful.session(name).name != name)
  }

  // MARK: Running

  /// Runs the server at a free port, for one visitor.
  ///
  /// - Parameter receipt: what payments give; nil declines them.
  private func running(
    paying receipt: String? = nil, _ body: @Sendable @escaping (Visitor) async throws -> Void
  ) async throws {
    let shop = try Shop(scripts: Self.scripts) { cents in
      guard let receipt else { throw Declined() }
      return "\(receipt) for \(cents)"
    }
    let (ports, started) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "ServerTests")
    logger.logLevel = .critical
    let app = Application(
      router: shop.router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in started.yield(channel.localAddress?.port ?? 0) },
      logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await app.run() }
      let port = try #require(await ports.first { _ in true })
      try await body(Visitor(port: port))
      group.cancelAll()
    }
  }
}

/// A browser that keeps its cookie.
actor Visitor {
  nonisolated let port: Int
  private(set) var cookie: String?
  private let connection = URLSession(configuration: .ephemeral)

  init(port: Int) { self.port = port }

  func set(cookie: String) { self.cookie = cookie }

  func get() async throws -> Value { try await basket("GET", nil) }

  func post(_ action: Value) async throws -> Value {
    try await basket("POST", Data(action.json().utf8))
  }

  private func basket(_ method: String, _ body: Data?) async throws -> Value {
    let (status, text) = try await request(method, body)
    #expect(status == 200, "\(text)")
    return try Value(json: text)
  }

  func request(_ method: String, _ body: Data?) async throws -> (status: Int, text: String) {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/basket")))
    request.httpMethod = method
    request.httpBody = body
    request.httpShouldHandleCookies = false
    request.setValue(cookie, forHTTPHeaderField: "Cookie")
    let (data, response) = try await connection.data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    if let cookie = answer.value(forHTTPHeaderField: "Set-Cookie") {
      self.cookie = cookie.split(separator: ";").first.map(String.init)
    }
    return (answer.statusCode, String(decoding: data, as: UTF8.self))
  }
}
