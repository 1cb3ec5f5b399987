import LuaBridge
import Testing

/// Random scripts run on a draft and on a plain table of the same value in one VM; both must end as the same
/// state.
@Suite struct DraftFuzzTests {
  /// One random handler: statements over a pool of tables, which work alike on drafts and plain tables.
  ///
  /// Values that a plain table would alias are copied on the way in, as a draft copies them, so that the plain run
  /// follows the contract: a table that is assigned is a copy, the table library moves.
  private struct Generator {
    var random: SplitMix
    var lines: [String] = []

    mutating func pick<T>(_ choices: [T]) -> T {
      choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func scalar() -> String {
      pick([
        "1", "2.0", "2.5", "-7", "true", "false", "'a'", "'é'", "''", "scripted.null",
        "'long text over forty bytes, which Lua does not intern'",
      ])
    }

    mutating func fresh(_ depth: Int = 0) -> String {
      switch number(depth > 2 ? 2 : 6) {
      case 0, 1: return scalar()
      case 2: return "{}"
      case 3: return "{ \(fresh(depth + 1)), \(fresh(depth + 1)) }"
      case 4: return "{ x = \(fresh(depth + 1)), y = \(fresh(depth + 1)) }"
      default: return "{ { id = \(number(9)) }, { id = \(number(9)), x = \(scalar()) } }"
      }
    }

    /// A table that was met before.
    mutating func table() -> String { "pool[\(number(12) + 1)]" }

    mutating func key() -> String { pick(["'x'", "'y'", "'z'", "'k\(number(60))'"]) }

    mutating func statement() {
      let line: String
      switch number(20) {
      case 0, 1: line = "put(\(table()), \(key()), \(fresh()))"
      case 2: line = "put(\(table()), \(key()), \(table()))"
      case 3: line = "put(\(table()), \(key()), nil)"
      case 4, 5: line = "push(\(table()), \(number(6)), \(fresh()))"
      case 6: line = "push(\(table()), \(number(6)), \(table()))"
      case 7, 8: line = "pool[\(number(12) + 1)] = pop(\(table()), \(number(6))) or \(table())"
      case 9: line = "at(\(table()), \(number(5)), \(fresh()))"
      case 10: line = "at(\(table()), \(number(5)), \(table()))"
      case 11, 12, 13: line = "pool[\(number(12) + 1)] = get(\(table()), \(key()), \(number(6)))"
      case 14: line = "order(\(table()))"
      case 15: line = "move(\(table()), \(number(4)), \(number(4)), \(number(4)))"
      case 16: line = "sweep(\(table()), \(number(3)))"
      case 17: line = "grow(\(table()), \(number(50)))"
      case 18: line = "reverse(\(table()))"
      default: line = "swap(\(table()), \(number(6)), \(number(6)))"
      }
      lines.append(line)
    }
  }

  /// What the statements do. `copy` stands for the copy that a draft's assignment makes.
  private static let words = """
    local scripted, isDraft, root = ...
    local pool = {}
    for i = 1, 12 do pool[i] = root end

    local function copy(value)
      if isDraft or type(value) ~= "table" then return value end
      local new = {}
      for k, v in pairs(value) do new[k] = copy(v) end
      return new
    end
    local function kind(t)
      if #t > 0 then return "list" end
      if next(t) ~= nil then return "object" end
      return "empty"
    end
    local function depth(t)
      if type(t) ~= "table" then return 0 end
      local most = 0
      for _, v in pairs(t) do most = math.max(most, depth(v)) end
      return most + 1
    end
    local function size(t)
      if type(t) ~= "table" then return 1 end
      local sum = 1
      for _, v in pairs(t) do sum = sum + size(v) end
      return sum
    end
    local function fits(value) return depth(value) < 6 and size(value) < 60 and size(root) < 3000 and depth(root) < 40 end

    local function put(t, key, value)
      if kind(t) == "list" or not fits(value) then return end
      if type(value) == "table" and t[key] == value then return end
      t[key] = copy(value)
    end
    local function push(t, i, value)
      if kind(t) == "object" or not fits(value) then return end
      if i < 1 or i > #t then table.insert(t, copy(value)) else table.insert(t, i, copy(value)) end
    end
    local function at(t, i, value)
      if kind(t) == "object" or i < 1 or i > #t + 1 or not fits(value) then return end
      if type(value) == "table" and t[i] == value then return end
      t[i] = copy(value)
    end
    local function pop(t, i)
      if kind(t) ~= "list" then return nil end
      local value
      if i < 1 or i > #t then value = table.remove(t) else value = table.remove(t, i) end
      return type(value) == "table" and value or nil
    end
    local function get(t, key, i)
      local value
      if kind(t) == "object" then value = t[key] or t.k1 or t.x else value = t[i] end
      return type(value) == "table" and value or root
    end
    local function rank(v)
      if type(v) == "table" then
        local id = v.id
        return "t" .. tostring(type(id) == "number" and id or #v)
      end
      return type(v) .. tostring(v)
    end
    local function order(t)
      if kind(t) ~= "list" then return end
      local ranks = {}
      for i = 1, #t do
        local r = rank(t[i])
        if ranks[r] then return end
        ranks[r] = true
      end
      table.sort(t, function(a, b) return rank(a) < rank(b) end)
    end
    local function move(t, from, to, target)
      if kind(t) ~= "list" or from < 1 or to > #t or from > to or target < 1 or target > #t + 1 then return end
      if isDraft then table.move(t, from, to, target) return end
      -- The draft of what was moved goes along, and what stays behind is a copy.
      local moved = {}
      for i = from, to do moved[i] = t[i] end
      if target == from then return end
      for i = from, to do
        if type(t[i]) == "table" and not (i >= target and i <= target + to - from) then t[i] = copy(t[i]) end
      end
      for i = from, to do t[target + i - from] = moved[i] end
    end
    local function sweep(t, mode)
      if kind(t) == "object" then
        local keys = {}
        for key in pairs(t) do keys[#keys + 1] = key end
        table.sort(keys)
        for i = 1, #keys do
          if (#keys[i] + i) % 3 == mode then t[keys[i]] = nil end
        end
      else
        for i = #t, 1, -1 do
          if i % 3 == mode then table.remove(t, i) end
        end
      end
    end
    local function grow(t, count)
      if size(root) > 3000 then return end
      if kind(t) == "list" then
        for i = 1, count do t[#t + 1] = i end
      else
        for i = 1, count do t["k" .. i] = i end
      end
    end
    local function reverse(t)
      if kind(t) ~= "list" then return end
      local elements = {}
      for i = #t, 1, -1 do elements[#elements + 1] = t[i] end
      scripted.rearrange(t, elements)
    end
    local function swap(t, i, j)
      if kind(t) ~= "list" or i < 1 or j < 1 or i > #t or j > #t or i == j then return end
      local a, b = copy(t[i]), copy(t[j])
      if isDraft then t[i], t[j] = t[j], t[i] else t[i], t[j] = b, a end
    end
    """

  @Test(arguments: 0..<8)
  func randomHandlersDoToADraftWhatTheyDoToAPlainTable(seed: Int) throws {
    let script = try DraftScript()
    let lua = script.lua
    let check = try lua.makeFunction("check") { [unowned lua] _ in
      #if DEBUG
      lua.arena.pointee.checkInvariants()
      #endif
      return .values([])
    }
    try script.script.environment.set("log", to: .function(check))
    let natives = try #require(try script.script.environment.get("scripted").table)
    var state: Value = [
      "x": [["id": 1], ["id": 2], ["id": 3]], "y": ["x": ["z": 1]], "z": [1, 2.0, "a"],
    ]
    var generator = Generator(random: SplitMix(seed: UInt64(seed)))
    for round in 0..<40 {
      generator.lines = []
      for _ in 0..<20 { generator.statement() }
      let body =
        DraftFuzzTests.words + "\n"
        + generator.lines.joined(separator: "\nif isDraft then log() end\n")
      let run = try script.lua.load(
        body + "\nreturn root", name: "fuzz.lua", environment: script.script.environment)
      let plain = try #require(
        try run.call([.table(natives), false, .value(state)], tablesAsValues: true).first?.state)
      try script.script.environment.set("kept", to: .function(run))
      let draft = try script.reduce(state, "kept(scripted, true, state)")
      guard draft == plain else {
        Issue.record(
          "seed \(seed), round \(round): from\n\(state)\nby\n\(generator.lines.joined(separator: "\n"))\ndraft\n\(draft)\nplain\n\(plain)"
        )
        return
      }
      let again = try Value(json: draft.json())
      #expect(again == draft)
      #expect(draft.json() == again.json())
      state = draft
      if state.json().utf8.count > 30_000 || round % 10 == 9 {
        state = [
          "x": [["id": 1], ["id": 2], ["id": 3]], "y": ["x": ["z": 1]], "z": [1, 2.0, "a"],
        ]
      }
    }
  }
}
