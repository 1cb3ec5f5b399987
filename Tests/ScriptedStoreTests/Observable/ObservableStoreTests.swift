import LuaBridge
import Observation
import ScriptedStore
import Testing

/// Who reads on the main actor hears of what was read.
@MainActor
struct ObservableStoreTests {
  static let app = """
    local Row = scripted.feature {
      state = { id = 0, title = "", n = 0 },
      on = { up = function(state) state.n = state.n + 1 end },
    }
    return scripted.combine {
      scripted.feature {
        binding = true,
        state = {
          n = 0, draft = "a", user = { name = "Blob", age = 1 },
          rows = { { id = 1, title = "a", n = 0 }, { id = 2, title = "b", n = 0 } },
          byKey = { x = { n = 0 } }, destination = {},
        },
        on = {
          inc = function(state) state.n = state.n + 1 end,
          both = function(state) state.n = state.n + 1; state.user.name = state.user.name .. state.n end,
          set = function(state, action) state[action.key] = action.to end,
          add = function(state, action) table.insert(state.rows, { id = action.value, title = "new", n = 0 }) end,
          remove = function(state, action) list.remove(state.rows, action.value) end,
          reverse = function(state) list.move(state.rows, { 1 }, #state.rows + 1) end,
        },
      },
      scripted.scope("user", scripted.feature { state = {}, on = {
        rename = function(state, action) state.name = action.value end } }),
    }:forEach("rows", Row)
    """

  private func store() throws -> (ObservableStore, Scripts) {
    let scripts = try Scripts(app: Self.app)
    return (ObservableStore(try scripts.store()), scripts)
  }

  /// Whether who has read what `read` reads is told of what `body` does.
  private func isTold(
    of body: () throws -> Void, reading read: () -> Void
  ) rethrows -> Bool {
    let told = Recorder<Bool>()
    withObservationTracking(read) { told.record(true) }
    try body()
    return told.count > 0
  }

  @Test func onlyReadersOfAChangedPathAreTold() throws {
    let (store, _) = try store()
    func told(_ read: () -> Any?, _ action: Action) -> Bool {
      isTold(of: { store.send(action) }, reading: { _ = read() })
    }
    #expect(told({ store["n"].int }, "inc"))
    #expect(!told({ store["draft"].string }, "inc"))
    #expect(!told({ store["user"]["name"].string }, "inc"))
    #expect(told({ store["user"]["name"].string }, "both"))
    #expect(!told({ store["user"]["age"].int }, "both"))
    #expect(told({ store["user"].value }, "both"))
    #expect(told({ store.state }, "inc"))
    #expect(told({ store["rows"][0]["n"].int }, "rows[1].up"))
    #expect(!told({ store["rows"][1]["n"].int }, "rows[1].up"))
    #expect(!told({ store["rows"][0]["title"].string }, "rows[1].up"))
    #expect(told({ store[at: "rows[1].n"].int }, "rows[2].up"))
    #expect(!told({ store["rows"].count }, "rows[1].up"))
    #expect(!told({ store["user"].isNull }, "both"))
    #expect(told({ store["user"].isNull }, ["type": "set", "key": "user", "to": nil]))
    #expect(told({ store["nowhere"]["x"].int }, ["type": "set", "key": "nowhere", "to": ["x": 1]]))
    #expect(store["nowhere"]["x"].int == 1)
    let same = store["n"].value
    #expect(!told({ store["n"].int }, ["type": "set", "key": "n", "to": same]))
  }

  @Test func eachChangeIsToldToWhoReadsAgain() throws {
    let (store, _) = try store()
    for count in 1...5 {
      #expect(isTold(of: { store.send("inc") }, reading: { _ = store["n"].int }))
      #expect(store["n"].int == count)
    }
    // Who does not read again is told once.
    let told = Recorder<Bool>()
    withObservationTracking {
      _ = store["n"].int
    } onChange: {
      told.record(true)
    }
    for _ in 0..<3 { store.send("inc") }
    #expect(told.count == 1)
  }

  @Test func whoIsToldStillReadsTheStateBefore() throws {
    let (store, _) = try store()
    let seen = Recorder<String>()
    withObservationTracking {
      _ = store["n"].int
    } onChange: {
      MainActor.assumeIsolated {
        seen.record("\(store["n"].int ?? -1) \(store["user"]["name"].value)")
      }
    }
    store.send("both")
    #expect(seen.all == ["0 \"Blob\""])
    #expect(store["user"]["name"].string == "Blob1")
  }

  @Test func whoIsToldMaySend() throws {
    let (store, _) = try store()
    withObservationTracking {
      _ = store["n"].int
    } onChange: {
      MainActor.assumeIsolated { _ = store.send("inc") }
    }
    store.send("inc")
    #expect(store["n"].int == 2)
  }

  @Test func theStateIsOneVersionThroughoutATurn() async throws {
    let (store, _) = try store()
    let count = try #require(store["n"].int)
    let inner = store.store
    await onOwnThread { _ = inner.send("inc") }
    // The change arrives in a turn of its own.
    while store["n"].int == count { await Task.yield() }
    #expect(store["n"].int == count + 1)
    #expect(store.store.state["n"].int == count + 1)
  }

  @Test func whatOthersSendArrives() async throws {
    let (store, _) = try store()
    await withCheckedContinuation { done in
      withObservationTracking {
        _ = store["n"].int
      } onChange: {
        done.resume()
      }
      store.store.send("inc")
    }
    while store["n"].int != 1 { await Task.yield() }
  }

  // MARK: Children

  @Test func elementsHaveStores() throws {
    let (store, scripts) = try store()
    let rows = store.elements("rows")
    #expect(rows.map(\.id) == [1, 2])
    #expect(rows[1]["title"].string == "b")
    rows[1].send("up")
    #expect(rows[1]["n"].int == 1)
    #expect(store["rows"][1]["n"].int == 1)
    #expect(rows[1].state == store.store.state["rows"][1])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func elementsTellOfTheirOrderAlone() throws {
    let (store, _) = try store()
    func told(_ action: Action) -> Bool {
      isTold(of: { store.send(action) }, reading: { _ = store.elements("rows").count })
    }
    #expect(!told("rows[1].up"))
    #expect(told(["type": "add", "value": 3]))
    #expect(told("reverse"))
    #expect(told(["type": "remove", "value": 2]))
    #expect(!told("inc"))
    #expect(store.elements("rows").map(\.id) == [3, 1])
  }

  @Test func elementsUnderTwoFieldsTellOfBothOrders() throws {
    let (store, _) = try store()
    let isToldOfTheFirst = isTold(
      of: { store.send("rows[1].up") },
      reading: {
        _ = store.elements("rows", id: "n").count
        _ = store.elements("rows").count
      })
    #expect(isToldOfTheFirst)
  }

  @Test func aRowIsFollowedWhereverItGoes() throws {
    let (store, _) = try store()
    let row = store.elements("rows")[0]
    #expect(!isTold(of: { store.send("reverse") }, reading: { _ = row["title"].string }))
    #expect(row["title"].string == "a")
    #expect(isTold(of: { store.send("rows[1].up") }, reading: { _ = row["n"].int }))
    #expect(!isTold(of: { store.send("rows[2].up") }, reading: { _ = row["n"].int }))
  }

  @Test func anElementThatWentIsNullAndItsActionsAreWarnings() throws {
    let (store, scripts) = try store()
    let row = store.elements("rows")[0]
    #expect(
      isTold(of: { store.send(["type": "remove", "value": 1]) }, reading: { _ = row["n"].int }))
    #expect(row.state == .null)
    #expect(row["n"].int == nil)
    row.send("up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
    #expect(
      isTold(of: { store.send(["type": "add", "value": 1]) }, reading: { _ = row["n"].int }))
    #expect(row["title"].string == "new")
  }

  @Test func elementsOfAnObject() throws {
    let (store, _) = try store()
    let elements = store.elements("byKey")
    #expect(elements.map(\.id) == ["x"])
    #expect(elements[0]["n"].int == 0)
    #expect(store.elements("nowhere").isEmpty)
  }

  @Test func aBindingRefusesAValueThatNestsTooDeep() throws {
    let (store, scripts) = try store()
    var deep = Value.null
    for _ in 0..<128 { deep = .array([deep]) }
    store.binding("draft").set(deep)
    #expect(store["draft"].string == "a")
    #expect(scripts.errors.map(\.message).joined().contains("nests deeper than 128"))
  }

  @Test func scopesAreChildren() throws {
    let (store, _) = try store()
    let user = store.scope(state: "user")
    #expect(
      isTold(of: { _ = try? user.send("rename", "New") }, reading: { _ = user["name"].string }))
    #expect(user["name"].string == "New")
    #expect(store["user"]["name"].string == "New")
    #expect(store.scope(state: "destination", case: "edit").state == .null)
    #expect(store.scope(element: 2, of: "rows")["title"].string == "b")
    let own = ObservableStore(store.store.scope(state: "user"))
    #expect(own["name"].string == "New")
  }

  // MARK: Bindings

  @Test func aBindingReadsAndSets() throws {
    let (store, scripts) = try store()
    let draft = store.binding("draft")
    #expect(draft.get() == "a")
    #expect(isTold(of: { draft.set("b") }, reading: { _ = draft.get() }))
    #expect(draft.value == "b")
    draft.value = "c"
    #expect(store.store.state["draft"] == "c")
    store.binding("user.name").set("Other")
    #expect(store["user"]["name"].string == "Other")
    let title = store.binding("rows[2].title")
    title.set("second")
    #expect(title.get() == "second")
    #expect(store["rows"][1]["title"].string == "second")
    #expect(scripts.errors.isEmpty)
  }

  @Test func aBindingThatIsNoneIsRefused() throws {
    let (store, scripts) = try store()
    let none = store.binding("rows[")
    #expect(none.get() == .null)
    none.set(1)
    #expect(scripts.errors.count == 1)
    store.binding("missing").set(1)
    #expect(scripts.warnings.map(\.kind) == [.unknownBindingKey])
  }

  // MARK: Types, memory

  @Test func aTypedReadIsTracked() throws {
    struct Row: Decodable, Sendable, Equatable { var id: Int, title: String, n: Int }
    let (store, _) = try store()
    var rows: [Row] = []
    #expect(
      isTold(
        of: { store.send("rows[1].up") },
        reading: { rows = (try? store.state(at: "rows", as: [Row].self)) ?? [] }))
    #expect(rows.map(\.n) == [0, 0])
    #expect(try store.state(at: "rows", as: [Row].self).map(\.n) == [1, 0])
    #expect(throws: ValueTypeError(path: "n", expected: "String", found: "an integer")) {
      try store.state(at: "n", as: String.self)
    }
  }

  @Test func theStoreGoesWithItsLastReference() throws {
    let (first, _) = try store()
    weak var store: Store?
    var observable: ObservableStore? = ObservableStore(try Scripts(app: Self.app).store())
    store = observable?.store
    _ = observable?["n"].int
    #expect(store != nil)
    observable = nil
    #expect(store == nil)
    _ = first
  }

  /// Readers that come and go at many paths, whose nodes are removed meanwhile, hear of every change.
  @Test func manyPathsComeAndGo() throws {
    let (store, _) = try store()
    let kept = store["user"]["name"]
    for round in 0..<2000 {
      let key = "k\(round)"
      #expect(
        isTold(
          of: { store.send(["type": "set", "key": .string(key), "to": 1]) },
          reading: { _ = store[key].int }))
      store.send(["type": "set", "key": .string(key), "to": nil])
    }
    #expect(isTold(of: { store.send("both") }, reading: { _ = kept.string }))
  }
}
