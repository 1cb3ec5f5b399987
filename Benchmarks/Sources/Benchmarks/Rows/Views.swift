import CFloor
import LuaBridge
import ScriptedStore

/// Screens: from an action to the changes of the tree, and the first time that a screen is made.
enum Views {
  /// Makes the benchmark's program measure the memory of rows, as a child.
  static let argument = "--measure-view-memory"

  static let all =
    windowed + whole + [
      Benchmark("screen: a filter and a count over 100,000 rows, toggle one", bar: nil) { effort in
        let screen = try Screen("view_filter", rows: 100_000)
        return try screen.microseconds(effort) { "rows[\($0 % 10 + 1)].toggle" }
      },
      Benchmark("screen: another filter over 100,000 rows", bar: nil) { effort in
        let screen = try Screen("view_filter", rows: 100_000)
        return try screen.milliseconds(effort) {
          try Action(path: "binding.filter", payload: $0 % 2 == 0 ? "completed" : "active")
        }
      },
      first(rows: 60, of: "view_rows_window"),
      first(rows: 10_000, of: "view_rows_whole"),
      Benchmark("screen: the first time, 1,000 rows / their tables in plain Lua", bar: 8) {
        effort in
        let store = try Scripts.store("view_rows_whole", state: ["rows": try Scripts.rows(1000)])
        guard let floor = floor_calls_open(plainTables) else {
          throw Unexpected(description: "the floor does not compile")
        }
        defer { floor_calls_close(floor) }
        return try compare(effort) { count in
          try Clock.thread.time {
            for _ in 0..<count {
              guard store.view().value["kind"] == "screen" else {
                throw Unexpected(description: "there is no screen")
              }
            }
          }
        } floor: { count in
          Clock.thread.time { _ = floor_calls_run(floor, Int64(count)) }
        }
      },
      Benchmark("memory of a shown row of four nodes, N = 10,000", bar: 700) { _ in
        let printed = try Process.output(of: CommandLine.arguments[0], [argument, "10000"])
        guard let bytes = Double(printed.split(separator: "\n").first ?? "") else {
          throw Unexpected(description: "the child said \(printed)")
        }
        return Outcome(result: bytes, unit: .bytes, subject: bytes, floor: nil)
      },
    ]

  private static let windowed =
    [
      Benchmark("screen: toggle one of 100,000 rows, windowed", bar: nil) { effort in
        let screen = try Screen("view_rows_window", rows: 100_000)
        return try screen.microseconds(effort) { "rows[\($0 % 10 + 1)].toggle" }
      },
      Benchmark("screen: toggle one row, windowed, N = 100,000 / 10", bar: 1.3) { effort in
        let (long, short) = (
          try Screen("view_rows_window", rows: 100_000), try Screen("view_rows_window", rows: 10)
        )
        let actions = try (1...10).map { try Action(path: "rows[\($0)].toggle") }
        return try compare(
          effort, { try long.send(actions, $0) }, floor: { try short.send(actions, $0) })
      },
    ] + operations("windowed", "view_rows_window", rows: 100_000)

  private static let whole =
    [
      Benchmark("screen: toggle one of 10,000 rows, all shown", bar: nil) { effort in
        let screen = try Screen("view_rows_whole", rows: 10_000)
        return try screen.microseconds(effort) { "rows[\($0 % 10 + 1)].toggle" }
      }
    ] + operations("all shown", "view_rows_whole", rows: 10_000)

  private static func operations(
    _ how: String, _ feature: String, rows: Int
  ) -> [Benchmark] {
    let count = rows == 100_000 ? "100,000" : "10,000"
    return [
      Benchmark("screen: select one of \(count) rows, \(how)", bar: nil) { effort in
        let screen = try Screen(feature, rows: rows)
        return try screen.microseconds(effort, "select") { .integer(Int64($0 % 40 + 1)) }
      },
      Benchmark("screen: swap two of \(count) rows, \(how)", bar: nil) { effort in
        let screen = try Screen(feature, rows: rows)
        return try screen.microseconds(effort, "swap") { _ in .integer(Int64(rows - 1)) }
      },
      Benchmark("screen: remove one of \(count) rows, \(how)", bar: nil) { effort in
        let screen = try Screen(feature, rows: rows)
        return try screen.microseconds(effort, "remove", limit: 200) { _ in .null }
      },
      Benchmark("screen: insert before \(count) rows, \(how)", bar: nil) { effort in
        let screen = try Screen(feature, rows: rows)
        return try screen.microseconds(effort, "insert", limit: 200) {
          .integer(Int64(1_000_000 + $0))
        }
      },
    ]
  }

  /// The nodes of 1,000 rows of `view_rows_whole.lua` as tables, which Lua alone makes so many times.
  private static let plainTables = """
    rows = rows or {}
    for id = #rows + 1, 1000 do
      rows[id] = { id = id, title = "Thing " .. id, isComplete = false }
    end
    local list
    for _ = 1, ... do
      list = { kind = "list", selection = "selected", children = {} }
      local screen = { kind = "screen", title = "Rows", children = { list } }
      for index = 1, #rows do
        local row = rows[index]
        list.children[index] = {
          kind = "row", id = row.id, children = {
            { kind = "toggle", label = "Done", bind = "isComplete", value = row.isComplete },
            { kind = "text", text = row.title },
            { kind = "button", title = "Remove", action = "remove" },
          },
        }
      end
    end
    return #list.children
    """

  private static func first(rows: Int, of feature: String) -> Benchmark {
    Benchmark("screen: the first time, \(rows) rows shown", bar: nil) { effort in
      let store = try Scripts.store(feature, state: ["rows": try Scripts.rows(rows)])
      var times: [Double] = []
      for _ in 0..<effort.rounds {
        var tree: ViewTree?
        times.append(Clock.thread.time { tree = store.view() })
        guard tree?.value["kind"] == "screen" else {
          throw Unexpected(description: "the screen shows \(tree?.value ?? .null)")
        }
      }
      return Outcome(
        result: times.median / 1e6, unit: .milliseconds, subject: times.median, floor: nil)
    }
  }

  /// Prints the bytes that a shown row takes beside its state.
  static func measure(rows count: Int) throws {
    let warm = try Screen("view_rows_whole", rows: 100)
    let store = try Scripts.store("view_rows_whole", state: ["rows": try Scripts.rows(count)])
    try store.send("rows[\(count / 2)].toggle")
    let before = resident_bytes()
    let tree = store.view()
    let after = resident_bytes()
    withExtendedLifetime((warm, store, tree)) {
      print((Double(after) - Double(before)) / Double(count))
    }
  }

  /// A store with a `ViewTree`, so that its views run after each action.
  private final class Screen {
    private let feature: String
    private let rows: Int
    private var store: Store
    private var tree: ViewTree
    private var observation: StoreObservation
    private let changes = Counter()

    init(_ feature: String, rows: Int) throws {
      self.feature = feature
      self.rows = rows
      store = try Scripts.store(feature, state: ["rows": try Scripts.rows(rows)])
      tree = store.view()
      let changes = changes
      observation = tree.observe { _, _ in changes.add() }
    }

    /// The time of so many actions, each of which has to change the tree.
    func send(_ actions: [Action], _ count: Int) throws -> Double {
      let before = changes.count
      let time = Clock.thread.time {
        for index in 0..<count { store.send(actions[index % actions.count]) }
      }
      guard changes.count - before == count else {
        throw Unexpected(
          description: "\(count) actions changed the tree \(changes.count - before) times")
      }
      return time
    }

    func microseconds(
      _ effort: Effort, _ path: (Int) -> String
    ) throws -> Outcome {
      try microseconds(effort, try (0..<40).map { try Action(path: path($0)) })
    }

    /// - Parameter limit: how often the action may be sent to one list; then it gets a new one.
    func microseconds(
      _ effort: Effort, _ path: String, limit: Int = .max, _ payload: (Int) -> Value
    ) throws -> Outcome {
      let actions = try (0..<(limit == .max ? 40 : limit)).map { index in
        let value = payload(index)
        return try Action(path: path, payload: value == .null ? nil : value)
      }
      return try microseconds(effort, actions, limit: limit)
    }

    private func microseconds(
      _ effort: Effort, _ actions: [Action], limit: Int = .max
    ) throws -> Outcome {
      let count = min(limit, 2000)
      var times: [Double] = []
      _ = try send(actions, min(count, actions.count))
      for _ in 0..<effort.rounds {
        if limit < .max { try renew() }
        times.append(try send(actions, count) / Double(count))
      }
      return Outcome(
        result: times.median / 1e3, unit: .microseconds, subject: times.median, floor: nil)
    }

    func milliseconds(_ effort: Effort, _ action: (Int) throws -> Action) throws -> Outcome {
      var times: [Double] = []
      for index in 0..<effort.rounds { times.append(try send([try action(index)], 1)) }
      return Outcome(
        result: times.median / 1e6, unit: .milliseconds, subject: times.median, floor: nil)
    }

    private func renew() throws {
      observation.cancel()
      store = try Scripts.store(feature, state: ["rows": try Scripts.rows(rows)])
      tree = store.view()
      let changes = changes
      observation = tree.observe { _, _ in changes.add() }
      try store.send("rows[1].toggle")
    }
  }
}
