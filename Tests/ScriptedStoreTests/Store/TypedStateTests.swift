import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// The state as Swift types.
struct TypedStateTests {
  private struct Row: Decodable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
  }

  private struct App: Decodable, Sendable {
    var count: Int
    var rows: DecodedList<Row>
  }

  private static let app = """
    return scripted.feature {
      state = { count = 0, name = "a", rows = { { id = 1, title = "a" }, { id = 2, title = "b" } } },
      on = {
        up = function(state) state.count = state.count + 1 end,
        set = function(state, action) state[action.key] = action.to end,
        drop = function(state, action) state[action.value] = nil end,
        title = function(state, action) list.find(state.rows, action.id).title = action.to end,
      },
    }
    """

  private func store() throws -> Store { try Scripts(app: Self.app).store() }

  @Test func aPathIsReadAsAType() throws {
    let store = try store()
    #expect(try store.state(at: "count", as: Int.self) == 0)
    #expect(try store.state(at: "name") == "a")
    #expect(try store.state(at: "nowhere", as: Int?.self) == nil)
    #expect(try store.state(at: "count", as: Double.self) == 0)
    #expect(try store.state(at: "rows", as: [Row].self).map(\.title) == ["a", "b"])
    #expect(try store.state(at: "rows[1]", as: Row.self) == Row(id: 2, title: "b"))
    #expect(try store.state(at: "rows[1]", as: Value.self) == ["id": 2, "title": "b"])
    let app = try store.state(as: App.self)
    #expect(app.count == 0)
    #expect(try app.rows.item(id: 2)?.title == "b")
  }

  @Test func datesAndURLsAreInStatesAndPayloads() throws {
    struct Visit: Codable, Equatable, Sendable {
      var at: Date
      var page: URL?
    }
    struct Add: Encodable {
      var type = "add"
      var visit: Visit
    }
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { visits = {}, latest = 0 },
          on = {
            add = function(state, action)
              state.visits[#state.visits + 1] = action.visit
              state.latest = action.visit.at
            end,
          },
        }
        """)
    let store = try scripts.store()
    let visit = Visit(at: Date(timeIntervalSince1970: 60), page: URL(string: "https://a.org"))
    try store.send(encoding: Add(visit: visit))
    #expect(store.state["visits"] == [["at": 60, "page": "https://a.org"]])
    #expect(try store.state(at: "visits", as: [Visit].self) == [visit])
    #expect(try store.state(at: "latest", as: Date.self) == visit.at)
    #expect(throws: ValueTypeError(path: "visits", expected: "Date", found: "an array")) {
      try store.state(at: "visits", as: Date.self)
    }
  }

  @Test func aReadSeesTheNewestState() throws {
    let store = try store()
    for count in 1...3 {
      store.send("up")
      #expect(try store.state(at: "count", as: Int.self) == count)
      #expect(try store.state(as: App.self).count == count)
    }
    try store.send("title", ["id": 2, "to": "new"])
    #expect(try store.state(at: "rows", as: [Row].self).map(\.title) == ["a", "new"])
  }

  @Test func aChildIsReadAsAType() throws {
    let store = try store()
    let row = store.scope(element: 2, of: "rows")
    #expect(try row.state(as: Row.self) == Row(id: 2, title: "b"))
    #expect(throws: ValueTypeError(path: "id", expected: "Int", found: "a string")) {
      try store.send("set", ["key": "rows", "to": [["id": 2, "title": 5]]])
      _ = try row.state(at: "id", as: Int.self)
      try store.send("set", ["key": "rows", "to": [["id": "2", "title": "x"]]])
      _ = try store.scope(element: "2", of: "rows").state(as: Row.self)
    }
  }

  @Test func whatDoesNotFitIsNamed() throws {
    let store = try store()
    func error<T: Decodable & Sendable>(_ path: ValuePath, _ type: T.Type) -> String? {
      do throws(ValueTypeError) {
        _ = try store.state(at: path, as: type)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(error("name", Int.self) == "name: expected Int, found a string")
    #expect(error("count", String.self) == "count: expected String, found an integer")
    #expect(error("nowhere.x", String.self) == "nowhere.x: expected String, found null")
    #expect(error("rows[7]", Row.self) == "rows[7]: expected an object, found null")
    try store.send("set", ["key": "rows", "to": [["id": 1, "title": "a"], ["id": 2]]])
    #expect(error("rows", [Row].self) == "rows[1].title: expected String, found nothing")
    #expect(error("rows", DecodedList<Row>.self) == nil)
    let rows = try store.state(as: App.self).rows
    #expect(throws: ValueTypeError(path: "rows[1].title", expected: "String", found: "nothing")) {
      try rows.item(1)
    }
  }

  @Test func manyPathsAreNotKept() throws {
    let store = try store()
    for index in 0..<200 {
      #expect(try store.state(at: ValuePath([.key("x\(index)")]), as: [Int]?.self) == nil)
    }
    #expect(try store.state(at: "rows", as: [Row].self).count == 2)
  }

  // MARK: Observing

  @Test func anObserverGetsTheType() throws {
    let store = try store()
    let counts = Recorder<Int?>()
    let observation = store.observe(at: "count", as: Int.self) { counts.record(try? $0.get()) }
    store.send("up")
    store.send("up")
    #expect(counts.all == [1, 2])
    observation.cancel()
  }

  @Test func anObservationOutlivesAValueThatDoesNotFit() throws {
    let store = try store()
    let heard = Recorder<String>()
    let observation = store.observe(at: "count", as: Int.self, initially: true) { count in
      switch count {
      case .success(let count): heard.record("\(count)")
      case .failure(let error): heard.record("\(error)")
      }
    }
    store.send("up")
    try store.send("set", ["key": "count", "to": "many"])
    try store.send("drop", "count")
    try store.send("set", ["key": "count", "to": 7])
    #expect(
      heard.all == [
        "0", "1", "count: expected Int, found a string", "count: expected Int, found null", "7",
      ])
    observation.cancel()
  }

  @Test func aKeyThatAReloadLosesIsAFailureUntilItComesBack() throws {
    let scripts = try Scripts(
      app: #"return scripted.feature { name = "App", version = 1, state = { n = 1 }, on = {} }"#)
    let store = try scripts.store()
    let heard = Recorder<String>()
    let observation = store.observe(at: "n", as: Int.self) { heard.record("\($0)") }
    try scripts.write(
      "app",
      """
      return scripted.feature { name = "App", version = 2, state = {}, on = {},
        migrate = function(state) state.n = nil; return state end }
      """)
    try scripts.host.reload()
    #expect(throws: ValueTypeError(path: "n", expected: "Int", found: "null")) {
      try store.state(at: "n", as: Int.self)
    }
    try scripts.write(
      "app",
      """
      return scripted.feature { name = "App", version = 3, state = { n = 3 }, on = {},
        migrate = function(state) state.n = 3; return state end }
      """)
    try scripts.host.reload()
    #expect(try store.state(at: "n", as: Int.self) == 3)
    #expect(heard.count == 2)
    #expect(heard.all.last == "success(3)")
    observation.cancel()
  }

  @Test func valuesAreAStreamOfTheType() async throws {
    let store = try store()
    var counts = store.values(at: "count", as: Int.self).makeAsyncIterator()
    #expect(try await counts.next()?.get() == 0)
    store.send("up")
    #expect(try await counts.next()?.get() == 1)
    try store.send("drop", "count")
    let failure = await counts.next()
    #expect(throws: ValueTypeError(path: "count", expected: "Int", found: "null")) {
      try failure?.get()
    }
    try store.send("set", ["key": "count", "to": 9])
    #expect(try await counts.next()?.get() == 9)
  }

  @Test func valuesEndWithTheStore() async throws {
    var store: Store? = try store()
    let values = try #require(store?.values(at: "count", as: Int.self))
    store = nil
    var all: [Int] = []
    for await value in values { all.append(try value.get()) }
    #expect(all == [0])
  }
}
