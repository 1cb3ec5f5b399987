import Foundation
import Testing

/// What the limit of memory bounds is memory of the process.
struct MemoryTests {
  /// The free lists of small blocks are as long as they may be when the arrays of tables shrink to a small block each. A shrinking
  /// block must not fail, and must not keep the megabyte that it had.
  @Test func tablesThatShrinkGiveTheirMemoryBack() throws {
    let scripts = try TemporaryFolder()
    try scripts.write(
      """
      local scripted = require "scripted"
      local kept, big = {}, {}
      return scripted.feature {
        name = "Shrinking", state = { count = 0 },
        on = {
          prepare = function()
            for i = 1, 400 do kept[i] = false end
            for i = 1, 60000 do big[i] = true end
            local dropped = {}
            for i = 1, 3000 do dropped[i] = { a = 1, b = 2 } end
          end,
          fill = function(_, action)
            local texts = {}
            for i = 1, action.count do texts[i] = string.rep("x", action.size) .. i end
          end,
          shrink = function(state)
            for i = 1, 400 do
              local t = table.pack(table.unpack(big, 1, 60000))
              for j = 9, 60000 do t[j] = nil end
              kept[i], t.y, t.z = t, 1, 1
              state.count = i
            end
          end,
        },
      }
      """, to: "shrinking.lua")
    let version = try RunnerProcess.run(["--version"])
    let outcome = try RunnerProcess.run(
      [
        "run", "shrinking", "--root", scripts.path, "--print-state", "--max-memory", "8M",
        "--max-growth", "8M", "--max-time", "60",
      ],
      input: """
        "prepare"
        {"type":"fill","size":64,"count":60000}
        {"type":"fill","size":130,"count":36000}
        {"type":"fill","size":190,"count":27000}
        {"type":"fill","size":210,"count":25000}
        "shrink"

        """)
    #expect(outcome.lines.last == #"{"state":{"count":400}}"#, "\(outcome.errors)")
    // What is measured includes the memory of the process that starts the runner.
    #expect(outcome.peakMemory < version.peakMemory + (200 << 20))
  }
}
