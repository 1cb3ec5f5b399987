import LuaBridge
import ScriptedStore
import Testing

/// Which runtime warnings a host hears of, and how many.
struct WarningLimitTests {
  private static let app = "return scripted.feature { name = 'App', state = {}, on = {} }"

  @Test func aLoopOfOneWarningIsCounted() throws {
    let scripts = try Scripts(["app": Self.app]) { $0.warningLimit = 10 }
    let store = try scripts.store()
    let records = Recorder<Int>()
    let observation = store.onAction { records.record($0.warnings.count) }
    let start = ContinuousClock.now
    for _ in 0..<1000 { store.send("unknown") }
    // On a machine that stands still meanwhile it is ten more for each second.
    let seconds = Int((ContinuousClock.now - start).components.seconds) + 1
    #expect((10...11 * seconds).contains(scripts.warnings.count))
    #expect(records.all.allSatisfy { $0 == 1 } && records.count == 1000)
    observation.cancel()
  }

  @Test func testsHearOfEach() throws {
    let scripts = try Scripts(["app": Self.app], context: .test) { $0.warningLimit = 10 }
    let store = try scripts.store()
    for _ in 0..<100 { store.send("unknown") }
    #expect(scripts.warnings.count == 100)
  }

  @Test func aKindCanBeSilenced() throws {
    let scripts = try Scripts([
      "app": """
      return scripted.feature {
        state = {}, dependencies = {},
        on = { fail = function() return effect.run(function() error("no") end) end },
      }:scope("child", scripted.empty)
      """
    ]) { $0.silencedWarnings = [.unknownAction, .effectError] }
    let store = try scripts.store()
    let records = Recorder<RuntimeWarning>()
    let observation = store.onAction { for warning in $0.warnings { records.record(warning) } }
    for path in ["unknown", "fail", "child.up"] { try store.send(path) }
    #expect(scripts.warnings.map(\.kind) == [.absentChild])
    #expect(records.all.map(\.kind) == [.absentChild])
    observation.cancel()
  }

  // MARK: Counting

  private let start = ContinuousClock.now

  /// A warning as a store makes it.
  private func warning(of type: String, from feature: String = "App") throws -> RuntimeWarning {
    let scripts = try Scripts(
      app: """
        return scripted.feature { name = '\(feature)', on = {} }
          :scope('a', scripted.empty)
        """)
    try scripts.store().send(type)
    return try #require(scripts.warnings.first)
  }

  @Test func theRestOfASecondIsOneWarning() throws {
    var limiter = WarningLimiter(most: 2)
    let warning = try warning(of: "unknown")
    var told: [RuntimeWarning] = []
    for millisecond in 0..<5 {
      told += limiter.pass(warning, at: start + .milliseconds(millisecond))
    }
    #expect(told == [warning, warning])
    #expect(limiter.takeAlarm() == start + .seconds(1))
    #expect(limiter.takeAlarm() == nil)
    #expect(limiter.passCounts(at: start + .milliseconds(999)).isEmpty)
    #expect(limiter.takeAlarm() == start + .seconds(1))
    let counts = limiter.passCounts(at: start + .seconds(1))
    #expect(counts.count == 1)
    #expect(counts.first?.kind == .unknownAction)
    #expect(counts.first?.origin == warning.origin)
    let message = try #require(counts.first?.message)
    #expect(message.hasPrefix("3 more warnings of this kind (unknownAction) from here"))
    #expect(limiter.passCounts(at: start + .seconds(2)).isEmpty)
    #expect(limiter.takeAlarm() == nil)
    #expect(limiter.pass(warning, at: start + .seconds(3)) == [warning])
  }

  @Test func aWarningOfTheNextSecondTellsOfTheLast() throws {
    var limiter = WarningLimiter(most: 1)
    let warning = try warning(of: "unknown")
    _ = limiter.pass(warning, at: start)
    _ = limiter.pass(warning, at: start)
    let told = limiter.pass(warning, at: start + .seconds(1))
    #expect(told.count == 2)
    #expect(told.first?.message.hasPrefix("1 more warning of this kind") == true)
    #expect(told.last == warning)
  }

  @Test func sourcesAreCountedApart() throws {
    var limiter = WarningLimiter(most: 1)
    let (one, other) = (try warning(of: "unknown"), try warning(of: "a.up", from: "Other"))
    #expect(limiter.pass(one, at: start) == [one])
    #expect(limiter.pass(other, at: start) == [other])
    #expect(limiter.pass(one, at: start).isEmpty)
  }
}
