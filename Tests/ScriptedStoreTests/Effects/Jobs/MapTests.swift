import LuaBridge
import ScriptedStore
import Testing

/// `map`, `transaction` and `animation`: what becomes of the actions that an effect sends.
struct MapTests {
  private static let effects = """
    local function all()
      return effect.merge(
        effect.send("sent", 1),
        effect.run(function(send, deps) send("sent", 2); deps.clock.sleep(1); send("sent", 3) end),
        effect.concatenate(effect.run(function() error("x") end, { catch = function(_, send) send("sent", 4) end }), effect.send("sent", 5)))
    end
    """

  /// The actions that effects sent, with their transactions.
  private func sent(_ effect: String, action: String = "go") throws -> [String] {
    let app = try EffectApp(
      "go = function() return \(effect) end,",
      locals: Self.effects + """

        local Child = scripted.feature { dependencies = { "clock" }, actions = { "sent", "mapped" }, on = {
          go = function() return \(effect) end } }
        """, operators: ":scope('child', Child)", state: "{ child = {} }")
    let sent = Recorder<String>()
    let observation = app.store.onAction { record in
      guard record.source == .effect else { return }
      sent.record(
        record.action.description + (record.transaction.map { " in \($0)" } ?? ""))
    }
    try app.store.send(action)
    app.clock.advance(by: .seconds(1))
    observation.cancel()
    #expect(app.scripts.errors.isEmpty && app.scripts.warnings.isEmpty, "\(app.cleanTrace)")
    #expect(app.store.effects.isEmpty)
    return sent.all
  }

  @Test func mapTransformsEveryAction() throws {
    #expect(
      try sent(
        """
        all():map(function(action) return { type = 'mapped', value = action.value * 10, was = action.type } end)
        """)
        == [10, 20, 40, 50, 30].map { "mapped { value = \($0), was = \"sent\" }" })
  }

  @Test func mapsNestInnermostFirst() throws {
    #expect(
      try sent(
        """
        effect.send("sent", 1):map(function(a) return { type = "sent", value = a.value + 1 } end)
          :map(function(a) return { type = "mapped", value = a.value * 10 } end)
        """) == ["mapped { value = 20 }"])
  }

  @Test func aChildsActionIsMappedBeforeItIsTheParents() throws {
    #expect(
      try sent("effect.send('sent', 1):map(function(a) return 'mapped' end)", action: "child.go")
        == ["child.mapped"])
  }

  @Test(arguments: [
    ("function() error('in map') end", "in map"), ("function() end", "map"),
    ("function() return 5 end", "map"), ("function() return { type = 5 } end", "type"),
    ("function() return { type = 'x', f = print } end", "function"),
  ]) func aMapThatRaisesOrReturnsNoActionIsReported(_ map: String, _ message: String) throws {
    for effect in ["effect.send('sent')", "effect.run(function(send) send('sent') end)"] {
      let app = try EffectApp("go = function() return \(effect):map(\(map)) end,")
      app.store.send("go")
      app.store.send("after")
      #expect(app.trace == ["go", "after"])
      let said =
        app.scripts.warnings.map { "\($0.kind) \($0.message)" }
        + app.scripts.errors.map(\.description)
      #expect(said.count == 1 && said[0].contains(message), "\(effect): \(said)")
      #expect(app.store.effects.isEmpty)
    }
  }

  @Test func aTransactionIsAttachedToEveryAction() throws {
    #expect(
      try sent("all():transaction({ id = 7 })")
        == [1, 2, 4, 5, 3].map { "sent { value = \($0) } in { id = 7 }" })
  }

  @Test func anAnimationIsATransaction() throws {
    #expect(
      try sent("effect.send('sent'):animation('spring')") == ["sent in { animation = \"spring\" }"])
  }

  @Test func onlyTheActionsOfThatEffectHaveIt() throws {
    #expect(
      try sent("effect.merge(effect.send('sent', 1):transaction('a'), effect.send('sent', 2))")
        == ["sent { value = 1 } in \"a\"", "sent { value = 2 }"])
  }

  @Test func itReachesThroughMapAndChildren() throws {
    #expect(
      try sent(
        "effect.send('sent', 1):transaction('a'):map(function() return 'mapped' end)",
        action: "child.go") == ["child.mapped in \"a\""])
  }

  @Test func everyWrapperOfNoneIsNothing() throws {
    #expect(
      try sent(
        """
        effect.merge(effect.none:cancellable("x"), effect.none:map(print), effect.none:debounce("x", 1),
          effect.none:throttle("x", 1, { latest = true }), effect.none:transaction(1), effect.none:animation(1))
        """) == [])
  }

  @Test func observersHearTheTransactionOfTheChangeAndOfNoOther() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { n = 0 }, on = {
          up = function(state) state.n = state.n + 1 end,
          animated = function() return effect.send("up"):animation("spring") end,
        } }
        """)
    let store = try scripts.store()
    // Nobody hears of this one; who comes later does not hear of its transaction.
    store.send("animated")
    let heard = Recorder<String>()
    let observation = store.observe(
      "n",
      withTransaction: { value, transaction in
        heard.record("\(value) \(transaction.map { "\($0)" } ?? "plain")")
      })
    store.send("up")
    store.send("animated")
    store.send("up")
    observation.cancel()
    #expect(heard.all == ["2 plain", #"3 { animation = "spring" }"#, "4 plain"])
  }
}
