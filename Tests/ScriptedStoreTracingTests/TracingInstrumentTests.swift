import Foundation
import InMemoryTracing
import LuaBridge
import Metrics
import MetricsTestKit
import ScriptedStore
import ScriptedStoreTracing
import Testing

/// Spans and timers of what is under a `signpost`.
struct TracingInstrumentTests {
  private let tracer = InMemoryTracer()
  private let metrics = TestMetrics()
  private let clock = VirtualClock()
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tracing-tests-\(UUID().uuidString)")

  private func store() throws -> Store {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(
      """
      local scripted = require "scripted"
      local effect = scripted.effect
      return scripted.feature {
        name = "App", state = {}, dependencies = { "clock" },
        on = {
          go = function(state) state.went = true end,
          fail = function() error("no") end,
          wait = function()
            return effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable("wait")
          end,
          stop = function() return effect.cancel("wait") end,
        },
      }:signpost("shop")
      """.utf8
    ).write(to: folder.appending(path: "app.lua"))
    let host = try ScriptHost(
      root: folder.path,
      configuration: .init(
        clock: clock, onError: nil,
        instrument: TracingInstrument(tracer: tracer, metrics: metrics)))
    let store = try host.store("app")
    try FileManager.default.removeItem(at: folder)
    return store
  }

  @Test func aReducerIsASpanAndATime() throws {
    let store = try store()
    store.send("go")
    let spans = tracer.finishedSpans
    #expect(spans.map(\.operationName) == ["shop App: go"])
    #expect(spans.first?.attributes.get("feature") == .string("App"))
    #expect(spans.first?.attributes.get("action") == .string("go"))
    let timer = try metrics.expectTimer("scripted_store_reducer_duration", [("feature", "App")])
    #expect(timer.values.count == 1)
  }

  @Test func whatRaisesIsAnError() throws {
    try store().send("fail")
    #expect(tracer.finishedSpans.map(\.status?.code) == [.error])
  }

  @Test func anEffectIsASpanFromItsStartToItsEnd() throws {
    let store = try store()
    store.send("wait")
    #expect(tracer.activeSpans.map(\.operationName) == ["shop App: wait"])
    clock.advance(by: .seconds(1))
    #expect(tracer.finishedSpans.map(\.operationName) == ["shop App: wait", "shop App: wait"])
    let timer = try metrics.expectTimer("scripted_store_effect_duration", [("feature", "App")])
    #expect(timer.values.count == 1)
  }

  @Test func aCancelledEffectSaysSo() throws {
    let store = try store()
    store.send("wait")
    store.send("stop")
    #expect(tracer.activeSpans.isEmpty)
    #expect(
      tracer.finishedSpans.filter { $0.attributes.get("cancelled") == .bool(true) }.count == 1)
  }
}
