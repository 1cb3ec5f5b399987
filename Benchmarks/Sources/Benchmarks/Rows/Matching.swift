import CFloor
import LuaBridge
import ScriptedStore

/// The sandbox's string functions, which count their steps, compared with those of stock Lua in the same loop.
enum Matching {
  static let all = [
    ("find, plain", "plain"), ("find, plain, in 3 KB", "longPlain"), ("find", "find"),
    ("find in 3 KB", "longFind"), ("match with captures", "match"), ("match that trims", "trim"),
    ("match, balanced", "balanced"), ("match of patterns made for one use", "made"),
    ("find that backtracks", "backtracking"), ("gmatch over 3 KB", "gmatch"),
    ("gsub over 3 KB", "gsub"), ("gsub with captures", "captures"), ("gsub by a table", "byTable"),
    ("gsub by a function", "byFunction"),
  ].map { title, handler in
    // Stock Lua matches balanced brackets in some 65 ns, of which the counting of steps is a larger part than elsewhere.
    Benchmark("\(title) / stock", bar: handler == "balanced" ? 1.25 : 1.2) { effort in
      let store = try Scripts.store("matching")
      guard let floor = floor_open(Scripts.folder + "/matching.lua", handler) else {
        throw Unexpected(description: "no floor of \(handler)")
      }
      defer { floor_close(floor) }
      return try compare(effort) { count in
        let action = try Action(path: handler, payload: ["by": .integer(Int64(count))])
        return Clock.thread.time { store.send(action) }
      } floor: { count in
        Clock.thread.time { _ = floor_send_by(floor, Int64(count)) }
      }
    }
  }
}
