import LuaBridge
import Testing

/// Runs script text as handlers of one feature, as the store does: on drafts of a state, which is committed
/// or rolled back.
///
/// The text sees `state`, `action`, the words of ``SandboxScript``, and `scripted` with what the library
/// builds on (`null`, `array`, `object`, `replace`, `find`, `rearrange`). Its globals stay from one
/// handler to the next.
struct DraftScript {
  let script: SandboxScript
  private let owner: UInt16

  var lua: LuaVM { script.lua }

  init() throws {
    script = try SandboxScript()
    owner = script.lua.arena.pointee.owner(named: "Counter")
    try script.environment.set("scripted", to: .table(try script.lua.makeNatives()))
    for name in ["kept", "seen", "log"] { try script.environment.set(.string(name), to: false) }
  }

  func handler(_ source: String) throws -> Handler {
    Handler(
      try script.lua.load(
        "local state, action = ... " + source, name: "counter.lua",
        environment: script.environment))
  }

  /// The state after a handler ran on it.
  @discardableResult
  func reduce(_ state: Value, _ source: String, action: Value = ["type": "test"]) throws -> Value {
    try reduce(state, handler(source), action: action)
  }

  @discardableResult
  func reduce(_ state: Value, _ handler: Handler, action: Value = ["type": "test"]) throws -> Value
  {
    let root = state.ownedSlot()
    let view = action.ownedSlot()
    defer {
      root.release()
      view.release()
    }
    lua.arena.pointee.begin(root)
    defer { lua.arena.pointee.reset() }
    _ = try lua.call(handler, draft: 0, action: view, owner: owner)
    #if DEBUG
    lua.arena.pointee.checkInvariants()
    #endif
    do throws(DraftError) {
      return Value(owning: try lua.arena.pointee.commit())
    } catch {
      throw ScriptError(error.message)
    }
  }

  func message(_ state: Value, _ source: String) throws -> String {
    try failure { try reduce(state, source) }.message
  }
}

extension Value {
  /// The address of the node behind a container, equal for values that share it.
  var identity: UInt64 {
    let slot = ownedSlot()
    defer { slot.release() }
    return slot.bits
  }
}
