import Hummingbird
import ScriptedStore

/// The shop: `GET /basket` shows the visitor's basket, `POST /basket` sends it an action.
struct Shop: Sendable {
  let sessions: SessionStores

  /// What visitors may send. Other actions, as `paid`, come from the basket's own effects.
  private static let actions: Set = ["add", "remove", "checkout"]
  private static let cookie = "session"
  private static let mostBytes = 16_384

  /// - Parameter pay: charges cents, and returns the number of the receipt.
  init(
    scripts: String, pay: @escaping @Sendable (Int) async throws -> String
  ) throws {
    let host = try ScriptHost(root: scripts)
    sessions = SessionStores {
      try host.store(
        "basket",
        dependencies: [
          "payments": .client([
            "pay": .asyncFunction("cents") { (cents: Int) in try await pay(cents) }
          ])
        ])
    }
  }

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.get("basket") { request, _ in
      let (session, store) = try self.session(of: request)
      return Self.response(store.state, session)
    }
    router.post("basket") { request, _ in
      let action = try await Self.action(in: request)
      let (session, store) = try self.session(of: request)
      // Also what the action's effects do, as a payment, is in the answer.
      await store.send(action).finish()
      return Self.response(store.state, session)
    }
    return router
  }

  private func session(of request: Request) throws -> (name: String, store: Store) {
    try sessions.session(request.cookies[Self.cookie]?.value)
  }

  private static func action(in request: Request) async throws -> Action {
    var request = request
    let body = try await request.collectBody(upTo: mostBytes)
    do {
      let action = try Action(Value(json: Array(body.readableBytesView)))
      guard actions.contains(action.path) else {
        throw HTTPError(
          .badRequest,
          message: "'\(action.path)' is none of \(actions.sorted().joined(separator: ", "))")
      }
      return action
    } catch let error as HTTPError {
      throw error
    } catch {
      throw HTTPError(.badRequest, message: "\(error)")
    }
  }

  private static func response(_ state: Value, _ session: String) -> Response {
    var response = Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: state.json())))
    response.setCookie(
      Cookie(name: cookie, value: session, path: "/", httpOnly: true, sameSite: .strict))
    return response
  }
}
