import CFloor
import Dispatch
import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// Hot reload: how long from a save to the new code, for how long actions wait, and whether memory comes back.
enum Reloads {
  static let all = [
    Benchmark("save of one file to the new code live, 20 modules, 100 stores", bar: 10) { effort in
      let project = try Project(modules: 20, stores: 100)
      let times = try (0..<max(11, effort.rounds)).map { _ in
        try project.save().duration / .nanoseconds(1)
      }
      return Outcome(
        result: times.median / 1e6, unit: .milliseconds, subject: times.median, floor: nil)
    },
    Benchmark(
      "longest wait of an action while scripts are reloaded, 1,000 effects in flight", bar: 5
    ) { effort in
      let project = try Project(modules: 20, stores: 100)
      try project.beginEffects(1000)
      let waits = try (0..<max(11, effort.rounds)).map { _ in try project.longestWaitOfSave() }
      try project.endEffects(1000)
      return Outcome(
        result: waits.median / 1e6, unit: .milliseconds, subject: waits.median, floor: nil)
    },
    Benchmark("memory after N reloads / after N / 10, N = 10,000 (quick: 1,000)", bar: 1.05) {
      effort in
      let count = effort.rounds > 3 ? 10_000 : 1000
      let printed = try Process.output(of: CommandLine.arguments[0], [memoryArgument, "\(count)"])
      let parts = printed.split(separator: " ").compactMap { Double($0) }
      guard parts.count == 2 else { throw Unexpected(description: "the child said \(printed)") }
      return Outcome(
        result: parts[1] / parts[0], unit: .ratio, subject: parts[1], floor: parts[0])
    },
  ]

  /// Makes the benchmark's program measure the memory, as a child.
  static let memoryArgument = "--measure-reloads"

  /// Prints the resident bytes after a tenth of so many reloads, and after all.
  static func measureMemory(of count: Int) throws {
    let project = try Project(modules: 20, stores: 100)
    for _ in 0..<count / 10 { try project.reload() }
    let before = resident_bytes()
    for _ in 0..<count - count / 10 { try project.reload() }
    let after = resident_bytes()
    withExtendedLifetime(project) { print(before, after) }
  }

  private final class News: Sendable {
    private let told = Mutex<[Result<ReloadReport, ReloadError>]>([])
    private let count = DispatchSemaphore(value: 0)

    func tell(_ result: Result<ReloadReport, ReloadError>) {
      told.withLock { $0.append(result) }
      count.signal()
    }

    func next() -> Result<ReloadReport, ReloadError> {
      count.wait()
      return told.withLock { $0.removeFirst() }
    }
  }

  private final class Failure: Sendable {
    private let kept = Mutex<ReloadError?>(nil)

    var error: ReloadError? { kept.withLock { $0 } }

    func set(_ error: ReloadError) { kept.withLock { $0 = error } }
  }

  /// Scripts in a folder of their own, which stores run and somebody saves.
  private final class Project {
    private let folder: URL
    private let host: ScriptHost
    private let stores: [Store]
    private let clock = VirtualClock()
    private var version = 0
    private let news = News()
    private var watch: ScriptWatch?

    init(modules: Int, stores count: Int) throws {
      folder = FileManager.default.temporaryDirectory
        .appending(path: "reloads-\(ProcessInfo.processInfo.processIdentifier)-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var requires = ""
      for module in 1..<modules {
        try Project.part(module).write(
          to: folder.appending(path: "part\(module).lua"), atomically: false, encoding: .utf8)
        requires += ":scope(\"part\(module)\", require \"part\(module)\")"
      }
      let app = """
        local scripted = require "scripted"
        return scripted.feature {
          name = "App", state = { count = 0 }, dependencies = { "clock" },
          on = {
            up = function(state) state.count = state.count + 1 end,
            sleep = function()
              return scripted.effect.run(function(send, deps) deps.clock.sleep(1) send("up") end)
            end,
          },
        }\(requires)
        """
      try app.write(
        to: folder.appending(path: "app.lua"), atomically: false, encoding: .utf8)
      let host = try ScriptHost(root: folder.path, configuration: .init(clock: clock))
      self.host = host
      stores = try (0..<count).map { _ in try host.store("app") }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A feature of some forty lines.
    private static func part(_ number: Int, version: Int = 0) -> String {
      var text = "-- version \(version)\nlocal scripted = require \"scripted\"\n"
      text +=
        "return scripted.feature {\n  name = \"Part\(number)\", state = { items = {} },\n  on = {\n"
      for handler in 1...10 {
        text += """
              handler\(handler) = function(state, action)
                local item = { id = #state.items + 1, title = action.title or "none", done = false }
                table.insert(state.items, item)
              end,

          """
      }
      return text + "  },\n}\n"
    }

    private func write() throws {
      version += 1
      let number = version % 19 + 1
      let file = folder.appending(path: "part\(number).lua")
      try Project.part(number, version: version).write(to: file, atomically: true, encoding: .utf8)
    }

    func reload() throws {
      try write()
      guard try host.reload().stores == stores.count else {
        throw Unexpected(description: "stores were forgotten")
      }
    }

    /// Saves a file, and waits until it is live.
    func save() throws -> ReloadReport {
      if watch == nil {
        watch = try host.watch { [news] in news.tell($0) }
      }
      try write()
      let report = try news.next().get()
      guard report.stores == stores.count else {
        throw Unexpected(description: "stores were forgotten")
      }
      return report
    }

    func beginEffects(_ count: Int) throws {
      for index in 0..<count { try stores[index % stores.count].send("sleep") }
    }

    /// All of them must be there.
    func endEffects(_ count: Int) throws {
      guard stores.reduce(0, { $0 + $1.effects.count }) == count else {
        throw Unexpected(description: "effects were lost")
      }
      clock.advance(by: .seconds(1))
      guard stores.allSatisfy({ $0.effects.isEmpty }) else {
        throw Unexpected(description: "effects did not end")
      }
    }

    /// The nanoseconds that the slowest action took to be reduced, of those that were sent one after the other while
    /// scripts were reloaded.
    func longestWaitOfSave() throws -> Double {
      try write()
      let (host, failure, reloading) = (host, Failure(), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        do throws(ReloadError) { _ = try host.reload() } catch { failure.set(error) }
        reloading.signal()
      }
      var longest = 0.0
      var expected = stores[0].state["count"].int ?? 0
      while reloading.wait(timeout: .now()) == .timedOut {
        let start = Clock.wall.now()
        try stores[0].send("up")
        expected += 1
        while stores[0].state["count"].int != expected {}
        longest = max(longest, Clock.wall.now() - start)
      }
      if let error = failure.error { throw error }
      return longest
    }
  }
}
