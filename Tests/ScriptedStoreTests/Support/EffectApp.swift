import LuaBridge
import ScriptedStore

/// A store of one feature whose handlers a test writes, and all that happened in it, in order.
///
/// Every action notes its path and value before it is reduced; scripts note more by `note(text)`. Time passes
/// only by `clock.advance`.
final class EffectApp: Sendable {
  let scripts: Scripts
  let clock: VirtualClock
  let store: Store
  /// Reads what the scripts noted, which all stores of the host share.
  private let reader: Store

  /// - Parameters:
  ///   - on: handlers, as in the field `on` of a feature.
  ///   - locals: statements before the feature.
  ///   - operators: what follows it, as `:scope("child", Child)`.
  ///   - uses: dependencies beside the clock.
  init(
    _ on: String, locals: String = "", operators: String = "", state: String = "{}",
    uses: [String] = [], dependencies: Dependencies = Dependencies(), memoryLimit: Int? = nil
  ) throws {
    let clock = VirtualClock()
    let names = (["clock"] + uses).map { "\"\($0)\"" }.joined(separator: ", ")
    self.clock = clock
    scripts = try Scripts(
      [
        "app": """
        local trace = {}
        local function note(text) trace[#trace + 1] = tostring(text) end
        local function path(action)
          local id = action.id and "[" .. tostring(action.id) .. "]" or ""
          if type(action.action) == "table" then return action.type .. id .. "." .. path(action.action) end
          return action.type .. (action.value == nil and "" or " " .. tostring(action.value))
        end
        \(locals)
        return scripted.combine {
          scripted.reduce(function(_, action) if action.type ~= "trace" then note(path(action)) end end),
          scripted.feature {
            name = "App",
            state = \(state),
            dependencies = { \(names) },
            on = {
              trace = function(state) state.trace = trace end,
              \(on)
            },
          }\(operators),
        }
        """
      ], memoryLimit: memoryLimit, dependencies: dependencies, clock: clock)
    store = try scripts.store()
    reader = try scripts.store()
  }

  /// What happened until now.
  var trace: [String] {
    _ = reader.send("trace")
    return reader.state["trace"].array?.compactMap(\.string) ?? []
  }

  /// What happened in all until now, if nothing went wrong; else what did.
  var cleanTrace: [String] {
    let wrong = scripts.errors.map(\.description) + scripts.warnings.map(\.message)
    return wrong.isEmpty ? trace : trace + wrong.map { "wrong: \($0)" }
  }

  /// What the effects in flight wait for.
  var waits: [String] { store.effects.map(\.waitingOn) }
}
