#if Server
import Foundation
import ScriptedStore
import Synchronization

@testable import ScriptedStoreServer

/// A server on a free port, with the scripts of a test.
final class TestServer: Sendable {
  let host: ScriptHost
  let server: ViewServer
  let stores = Mutex<[Store]>([])
  private let folder: String
  private let started = Mutex("")

  /// - Parameter script: that of the feature.
  init(_ script: String, _ configuration: ViewServer.Configuration = .with()) throws {
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("server-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try script.write(toFile: folder + "/app.lua", atomically: true, encoding: .utf8)
    var options = ScriptHost.Configuration()
    options.onWarning = nil
    options.onError = nil
    // A busy machine takes long for a large script. Without a limit, a reload would have a second.
    options.limits.loadTime = .seconds(60)
    let host = try ScriptHost(root: folder, configuration: options)
    self.host = host
    let made = WeakServer()
    server = ViewServer(configuration) { _ in
      let store = try host.store("app")
      made.server?.stores.withLock { $0.append(store) }
      return store
    }
    made.server = self
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs a server while `body` does.
  static func running<Result>(
    _ script: String, _ configuration: ViewServer.Configuration = .with(),
    _ body: (TestServer, Browser) async throws -> Result
  ) async throws -> Result {
    let server = try TestServer(script, configuration)
    let address = try await server.server.start()
    server.started.withLock { $0 = address }
    do {
      var browser = Browser(port: server.server.port ?? 0)
      try browser.enter(address)
      let result = try await body(server, browser)
      await server.server.stop()
      return result
    } catch {
      await server.server.stop()
      throw error
    }
  }

  /// The printed address.
  var address: String { started.withLock { $0 } }
  /// The store that was made first.
  var store: Store { stores.withLock { $0[0] } }

  /// Saves another script, and loads it.
  func save(_ script: String) throws {
    try script.write(toFile: folder + "/app.lua", atomically: true, encoding: .utf8)
    try host.reload()
  }

  func browser() throws -> Browser {
    var browser = Browser(port: server.port ?? 0)
    try browser.enter(address)
    return browser
  }
}

/// Proof: `server` is written once, before another thread has this object.
private final class WeakServer: @unchecked Sendable {
  weak var server: TestServer?
}

extension ViewServer.Configuration {
  /// A free port, with the bar for development, and what a test changes.
  static func with(_ change: (inout Self) -> Void = { _ in }) -> Self {
    var configuration = Self()
    configuration.port = 0
    configuration.isProduction = false
    change(&configuration)
    return configuration
  }
}

enum Scripts {
  /// A counter with a field, a list and a sheet.
  static let counter = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    local effect = scripted.effect
    return scripted.feature {
      name = "Counter", binding = true,
      state = { count = 0, name = "", isLocked = false, rows = {} },
      on = {
        increment = function(state) state.count = state.count + 1 end,
        lock = function(state) state.isLocked = true end,
        animate = function(state) return effect.send("increment"):animation("spring") end,
        add = function(state, action)
          for i = 1, action.count do
            table.insert(state.rows, { id = #state.rows + 1, title = "row " .. (#state.rows + 1) })
          end
        end,
        remove = function(state, action)
          for i, row in ipairs(state.rows) do
            if row.id == action.id then table.remove(state.rows, i) break end
          end
        end,
        boom = function(state) error("boom") end,
      },
      view = function(state, env)
        return ui.column {
          ui.text("Count: " .. state.count),
          ui.button { "Increment", action = "increment", disabled = state.isLocked, shortcut = "mod+i" },
          ui.textField { label = "Name", bind = "name" },
          ui.text(env.width .. " " .. env.colorScheme .. " " .. env.platform),
          ui.button { "Lock", action = "lock" },
          ui.list {
            ui.forEach(state.rows, function(row)
              return ui.row { ui.text(row.title), ui.button { "Remove", action = { "remove", { id = row.id } } } }
            end),
          },
        }
      end,
    }
    """
}
#endif
