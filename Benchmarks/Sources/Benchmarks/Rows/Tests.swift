import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// Tests: what a statement of a test store costs above the action that it sends, and a whole run beside busted's.
enum Tests {
  static func all(runner: String) -> [Benchmark] {
    [
      Benchmark("test store: send with one assertion, counter / one send", bar: 6) { effort in
        let plain = try Scripts.store("counter")
        let increment = try Action(path: "increment")
        return try compareOnce(
          effort, { try Run("counter_sends_test").time(ofEachOf: 20_000) },
          floor: {
            Clock.thread.time { for _ in 0..<20_000 { plain.send(increment) } } / 20_000
          })
      },
      Benchmark("test store: toggle one of N todos, N = 100,000 / 10", bar: 1.5) { effort in
        try compareOnce(
          effort, { try Run("rows_100000_test").time(ofEachOf: 5000) },
          floor: { try Run("rows_10_test").time(ofEachOf: 5000) })
      },
      Benchmark("test store: send that writes a shared value / an own one", bar: 1.25) { effort in
        try compareOnce(
          effort, { try Run("shared_sends_test").time(ofEachOf: 20_000) },
          floor: { try Run("own_sends_test").time(ofEachOf: 20_000) })
      },
      Benchmark("1,000 tests of a view with one tap / of a store with one send", bar: 2) {
        effort in
        try compareOnce(
          effort, { try Run("view_taps_test").time(ofEachOf: 1000) },
          floor: { try Run("store_sends_test").time(ofEachOf: 1000) })
      },
      Benchmark("difference of one field in 100,000 rows, as text", bar: 1) { effort in
        let old: Value = ["todos": try Scripts.rows(100_000)]
        var new = old
        new["todos"][70_000]["title"] = "Another thing"
        var times: [Double] = []
        for _ in 0..<(effort.rounds * 10) {
          var text: String?
          times.append(Clock.thread.time { text = LuaDiff().text(from: old, to: new) })
          guard let lines = text?.split(separator: "\n").count, lines < 24 else {
            throw Unexpected(description: "the difference is longer than a screen")
          }
        }
        return Outcome(
          result: times.median / 1e6, unit: .milliseconds, subject: times.median, floor: nil)
      },
      Benchmark("1,000 small tests in 10 files, whole process / busted's", bar: 0.2) { effort in
        let folder = try files(10, testsInEach: 100)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try compareOnce(
          effort, { try Process.time(of: runner, ["test", "--root", folder.path, folder.path]) },
          floor: { try Process.time(of: "/usr/bin/busted", [folder.path]) })
      },
      Benchmark("5,000 small tests of plain Lua in a file, whole process / busted's", bar: 0.1) {
        effort in
        let folder = try files(1, testsInEach: 5_000)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try compareOnce(
          effort, { try Process.time(of: runner, ["test", "--root", folder.path, folder.path]) },
          floor: { try Process.time(of: "/usr/bin/busted", [folder.path]) })
      },
    ]
  }

  /// Files of tests as busted runs them, without stores.
  private static func files(_ count: Int, testsInEach tests: Int) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tests-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in 1...count {
      var text = "describe('file \(file)', function()\n"
      text += "  local list\n  before_each(function() list = { 1, 2, 3 } end)\n"
      for test in 1...tests {
        text += """
            it('does \(test)', function()
              list[#list + 1] = \(test)
              assert.are.equal(\(test), list[4])
              assert.is_true(#list == 4)
              assert.are.same({ 1, 2, 3, \(test) }, list)
            end)

          """
      }
      try Data((text + "end)\n").utf8).write(to: folder.appending(path: "file\(file)_spec.lua"))
    }
    return folder
  }

  /// A test file of the benchmarks, with a stopwatch that its features may start and stop.
  private struct Run {
    private final class Stopwatch: Sendable {
      private let state = Mutex((start: 0.0, time: 0.0))

      var time: Double { state.withLock { $0.time } }
      func start() { state.withLock { $0.start = Clock.thread.now() } }
      func stop() { state.withLock { $0.time = Clock.thread.now() - $0.start } }
    }

    private let stopwatch = Stopwatch()
    private let file: ScriptTestFile

    init(_ name: String) throws {
      let stopwatch = stopwatch
      let reducer = Reducer.reduce { state, action in
        switch action.value["type"].string {
        case "begin": stopwatch.start()
        case "end": stopwatch.stop()
        case "fill": state["todos"] = try Scripts.rows(action.value["count"].int ?? 0)
        default: break
        }
        return .none
      }
      file = try ScriptTestFile(
        "\(Scripts.folder)/\(name).lua", root: Scripts.folder,
        configuration: .init(reducers: ["stopwatch": reducer]))
    }

    /// Nanoseconds that each of so many statements took.
    func time(ofEachOf count: Int) throws -> Double {
      var failure: String?
      file.run { event in
        if case .ended(let result) = event, case .failed(let failures) = result.outcome {
          failure = failures.map(\.description).joined(separator: "\n")
        }
        return true
      }
      if let failure { throw Unexpected(description: failure) }
      return stopwatch.time / Double(count)
    }
  }
}
