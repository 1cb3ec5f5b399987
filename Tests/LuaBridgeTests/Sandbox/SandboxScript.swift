import LuaBridge

/// Runs a script as a module of its own VM, with a few words for its checks:
///
/// - `same(a, b)` raises unless they are equal,
/// - `raises(part, f, …)` raises unless `f(…)` raises a string with `part` in it, and returns that,
/// - `chain()` is a table that looks for what it has not in 1900 others,
/// - `show(list)` is its elements with spaces between, a table's as `#<id>`.
struct SandboxScript {
  let lua: LuaVM
  let environment: LuaTable

  private static let words = """
    local words = {}
    function words.same(got, expected)
      if got ~= expected then
        error("got " .. tostring(got) .. ", expected " .. tostring(expected), 2)
      end
    end
    function words.raises(part, f, ...)
      local ok, message = pcall(f, ...)
      if ok then error("nothing raised, expected " .. part, 2) end
      if not message:find(part, 1, true) then error(message .. " lacks " .. part, 2) end
      return message
    end
    -- It is made before there is a limit on time.
    local first = {}
    for _ = 1, 1900 do first = setmetatable({}, { __index = first }) end
    function words.chain() return first end
    function words.show(list)
      local words = {}
      for i = 1, #list do
        local element = list[i]
        words[i] = type(element) == "table" and "#" .. tostring(element.id) or tostring(element)
      end
      return table.concat(words, " ")
    end
    return words
    """

  init() throws {
    lua = try LuaVM()
    environment = try lua.makeEnvironment()
    let results = try lua.load(SandboxScript.words, name: "words").call()
    guard case .table(let words) = results.first else { return }
    for (key, value) in try words.entries() { try environment.set(key, to: value) }
    try environment.set("null", to: .value(.null))
  }

  @discardableResult
  func run(_ source: String) throws -> [LuaValue] {
    try lua.evaluate(source, name: "module.lua", environment: environment)
  }

  /// Where the tables are that a script makes with `make`.
  enum Tables: CaseIterable, Sendable {
    case plain
    case drafts
  }

  /// Runs a script in which `make(t)` is the plain table itself, or a draft of its value.
  func run(on tables: Tables, _ source: String) throws {
    switch tables {
    case .plain: try run("local function make(t) return t end " + source)
    case .drafts:
      try handle("local function make(t) state.made = t; return state.made end " + source)
    }
  }

  /// Runs a script as the handler of an action on an empty state, whose draft is `state`; `action` is
  /// read-only. What is not state in the end is refused here, as the store does.
  func handle(_ source: String, action: Value = [:]) throws {
    _ = try reduce(source, .object([:]), action: action)
  }

  /// The same on a state that there is; what becomes of it.
  func reduce(_ source: String, _ state: Value, action: Value = [:]) throws -> Value {
    let handler = Handler(
      try lua.load(
        "local state, action = ... " + source, name: "module.lua", environment: environment))
    let view = action.ownedSlot()
    defer { view.release() }
    let before = state.ownedSlot()
    defer { before.release() }
    lua.arena.pointee.begin(before)
    defer { lua.arena.pointee.reset() }
    _ = try lua.call(handler, draft: 0, action: view, owner: 0)
    do throws(DraftError) {
      let after = try lua.arena.pointee.commit()
      defer { after.release() }
      return Value(borrowing: after)
    } catch {
      throw ScriptError(error.message)
    }
  }
}
