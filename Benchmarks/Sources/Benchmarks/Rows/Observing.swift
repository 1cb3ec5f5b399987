import LuaBridge
import Observation
import ScriptedStore

/// The state as Swift types, and on the main actor.
enum Observing {
  static let all = [
    Benchmark("typed read of a field / untyped", bar: 2) { effort in
      let store = try Scripts.store("counter")
      let path: ValuePath = "count"
      var sum = 0
      let outcome = try compare(effort) { count in
        try Clock.thread.time {
          for _ in 0..<count { sum &+= try store.state(at: path, as: Int.self) }
        }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { sum &+= store.state[at: path].int ?? 1 } }
      }
      guard sum == 0 else { throw Unexpected(description: "the count is not 0") }
      return outcome
    },
    Benchmark("a changed row decoded in a DecodedList, N = 100,000 / 10", bar: 1.5) { effort in
      let (long, short) = (try Versions(rows: 100_000), try Versions(rows: 10))
      return try compare(effort, { try long.decode($0) }, floor: { try short.decode($0) })
    },
    Benchmark("a changed row decoded in an array of 100,000 / all of them", bar: nil) { effort in
      let versions = try Versions(rows: 100_000)
      return try compareOnce(effort, { try versions.decodeArray() }) { try versions.decodeAnew() }
    },
    Benchmark("tracked read of an observable store / of an @Observable class", bar: 3) { effort in
      let store = try Scripts.store("counter")
      return try MainActor.assumeIsolated {
        let (store, model) = (ObservableStore(store), Model())
        var sum = 0
        let outcome = try compare(effort) { count in
          withObservationTracking {
            Clock.thread.time { for _ in 0..<count { sum &+= store["count"].int ?? 1 } }
          } onChange: {
          }
        } floor: { count in
          withObservationTracking {
            Clock.thread.time { for _ in 0..<count { sum &+= model.count } }
          } onChange: {
          }
        }
        guard sum == 0 else { throw Unexpected(description: "the count is not 0") }
        return outcome
      }
    },
    Benchmark("telling one of 10,000 trackers of rows / one", bar: 1.5) { effort in
      let stores = (try Scripts.listStore(rows: 10_001), try Scripts.listStore(rows: 10_001))
      return try MainActor.assumeIsolated {
        let (busy, quiet) = (Trackers(stores.0), Trackers(stores.1))
        for id in 1...10_001 where id != 5 { busy.track(Int64(id)) }
        return try compare(effort, { try busy.toggle($0) }, floor: { try quiet.toggle($0) })
      }
    },
  ]

  private struct Row: Decodable, Sendable {
    var id: Int
    var title: String
    var isComplete: Bool
  }

  @Observable
  final class Model {
    var count = 0
  }

  /// Versions of a list of which the same row differs.
  private final class Versions {
    private var list: Value
    private let decoder = ReusingDecoder<DecodedList<Row>>()
    private let arrays = ReusingDecoder<[Row]>()
    private var isComplete = false

    init(rows: Int) throws { list = try Scripts.rows(rows) }

    private func next() -> Value {
      isComplete.toggle()
      list[5]["isComplete"] = .boolean(isComplete)
      return list
    }

    func decode(_ count: Int) throws -> Double {
      var time = 0.0
      var left = count
      while left > 0 {
        let versions = (0..<min(left, 128)).map { _ in next() }
        time += try Clock.thread.time {
          for version in versions {
            guard try decoder.decode(version).item(5).id == 6 else {
              throw Unexpected(description: "another row was decoded")
            }
          }
        }
        left -= versions.count
      }
      return time
    }

    func decodeArray() throws -> Double {
      _ = try arrays.decode(next())
      let version = next()
      return try Clock.thread.time { _ = try arrays.decode(version) }
    }

    func decodeAnew() throws -> Double {
      let version = next()
      return try Clock.thread.time { _ = try version.decoded(as: [Row].self) }
    }
  }

  /// Trackers of the rows of a list.
  @MainActor
  private final class Trackers {
    private let store: ObservableStore
    private let told = Counter()
    private let action: Action = "todos[5].toggle"

    init(_ store: Store) { self.store = ObservableStore(store) }

    func track(_ id: Int64) {
      let told = told
      withObservationTracking {
        _ = store.scope(element: .integer(id), of: "todos")["isComplete"].bool
      } onChange: {
        told.add()
      }
    }

    func toggle(_ count: Int) throws -> Double {
      let before = told.count
      let time = Clock.thread.time {
        for _ in 0..<count {
          track(5)
          store.send(action)
        }
      }
      guard told.count == before + count else {
        throw Unexpected(description: "\(told.count - before) of \(count) were told")
      }
      return time
    }
  }
}
