import CFloor
import LuaBridge

/// What a script pays for a function in Swift rather than in C.
enum HostFunctions {
  private static let script =
    "local count = ... local add, sum = add, 0 for i = 1, count do sum = add(sum, i) end return sum"

  static let all = [
    Benchmark("a Swift closure called from Lua with two numbers / a C function", bar: 3) { effort in
      let lua = try LuaVM()
      try lua.setGlobal("add", to: lua.function("add") { (a: Int, b: Int) in a + b })
      let chunk = try lua.load(script, name: "calls.lua")
      guard let floor = floor_calls_open(script) else {
        throw Unexpected(description: "the floor cannot be made")
      }
      defer { floor_calls_close(floor) }
      guard try chunk.call(100, as: Int.self) == 5050, floor_calls_run(floor, 100) == 5050 else {
        throw Unexpected(description: "the sums are wrong")
      }
      return try compare(effort) { count in
        try Clock.thread.time { try chunk.call(count, as: Int.self) }
      } floor: { count in
        Clock.thread.time { _ = floor_calls_run(floor, Int64(count)) }
      }
    }
  ]
}
