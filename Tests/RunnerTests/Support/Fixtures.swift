import Foundation

extension TemporaryFolder {
  /// A script root with a counter that can also go wrong.
  static func counter() throws -> TemporaryFolder {
    try TemporaryFolder(["counter.lua": counterScript])
  }
}

extension TemporaryFolder {
  /// A script root with a feature that has all kinds of effects.
  static func busy() throws -> TemporaryFolder { try TemporaryFolder(["busy.lua": busyScript]) }
}

let busyScript = """
  local scripted = require "scripted"
  local effect = scripted.effect

  return scripted.feature {
    name = "Busy",
    state = { log = scripted.array {} },
    dependencies = { "clock", "date", "uuid", "random", "log", "http", "files" },
    on = {
      note = function(state, action) state.log[#state.log + 1] = action.text end,

      -- { text, after }
      later = function(_, action)
        return effect.run(function(send, deps)
          deps.clock.sleep(action.after)
          send("note", { text = action.text })
        end):cancellable("later")
      end,

      tick = function()
        return effect.run(function(send, deps)
          for n in deps.clock.timer(0.001) do send("note", { text = "tick" }) end
        end)
      end,

      never = function()
        return effect.run(function(_, deps) deps.clock.sleep(1e6) end)
      end,

      fail = function()
        return effect.run(function(_, deps)
          deps.clock.sleep(0.001)
          error("out of order")
        end)
      end,

      spin = function()
        return effect.run(function(_, deps)
          deps.clock.sleep(0.001)
          print("spinning")
          table.sort({ 1, 2, 3 }, function() while true do end end)
        end)
      end,

      compute = function()
        return effect.run(function()
          print("computing")
          while true do end
        end)
      end,

      animated = function()
        return effect.send("note", { text = "moved" }):animation("spring")
      end,

      leak = function()
        local leaked
        return effect.concatenate(
          effect.run(function(send) leaked = send end),
          effect.run(function() leaked("note", { text = "late" }) end))
      end,

      today = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(0.25)
          send("note", { text = deps.date.now() })
        end)
      end,

      draw = function(state, _, deps)
        for _ = 1, 3 do state.log[#state.log + 1] = deps.random.integer(1, 1000000) end
      end,

      identify = function(state, _, deps)
        for _ = 1, 2 do state.log[#state.log + 1] = deps.uuid() end
      end,

      report = function(_, _, deps) deps.log.warning("it is late", { hour = 23 }) end,

      -- { url }
      fetch = function(_, action)
        return effect.run(function(send, deps)
          send("note", { text = deps.http.get(action.url).body })
        end)
      end,

      load = function()
        return effect.run(function(send, deps)
          send("note", { text = deps.files.read("notes/today.txt") })
        end)
      end,
    },
  }
  """

let counterScript = """
  local scripted = require "scripted"
  local effect = scripted.effect

  return scripted.feature {
    name = "Counter",
    state = { count = 0, label = "" },
    on = {
      increment = function(state, action) state.count = state.count + (action.by or 1) end,
      label = function(state, action) state.label = action.text end,
      twice = function() return effect.merge(effect.send("increment"), effect.send("increment")) end,
      break_ = function(state)
        state.count = 1000
        error("out of order")
      end,
    },
  }
  """

/// A folder that goes with its last reference.
final class TemporaryFolder {
  let folder: URL

  init(_ files: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("runner-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.path }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(at: url(name), withIntermediateDirectories: true)
  }

  func text(_ name: String) throws -> String {
    // Foundation loses a page with each empty file that it reads.
    guard try url(name).resourceValues(forKeys: [.fileSizeKey]).fileSize != 0 else { return "" }
    return String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
  }
}
