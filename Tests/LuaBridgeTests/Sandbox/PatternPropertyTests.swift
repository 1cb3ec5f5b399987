import LuaBridge
import Testing

/// The sandbox's `string.find`, `match`, `gmatch` and `gsub` beside the stock ones, on random patterns and subjects: results
/// and messages are the same.
@Suite struct PatternPropertyTests {
  /// A script that gets the tables `stock` and `own` with the four functions, a seed, and how many cases to try. It returns what
  /// differs, or nil.
  private static let words = #"""
    local stock, own, seed, cases = ...
    local state = seed
    local function random(n)
      state = state * 6364136223846793005 + 1442695040888963407
      return (state >> 33) % n + 1
    end
    local function pick(list) return list[random(#list)] end

    local function add(list, ...)
      for i = 1, select("#", ...) do
        local value = (select(i, ...))
        list[#list + 1] = math.type(value) or type(value)
        list[#list + 1] = tostring(value)
      end
      list[#list + 1] = ";"
      return list
    end
    local function outcome(...)
      local text = table.concat(add({}, ...), " ")
      return (text:gsub("'string%.", "'")) -- stock functions are no longer where Lua looks for their names
    end
    local function walk(lib, subject, pattern, init)
      local step, list = lib.gmatch(subject, pattern, init), {}
      for _ = 1, 30 do add(list, step()) end
      return table.concat(list, " ")
    end
    local function difference(name, ...)
      local expected, got = outcome(pcall(stock[name], ...)), outcome(pcall(own[name], ...))
      if expected == got then return nil end
      local arguments = {}
      for i = 1, select("#", ...) do arguments[i] = ("%q"):format(tostring((select(i, ...)))) end
      return ("seed %d: %s(%s) is %s, not %s"):format(seed, name, table.concat(arguments, ", "), got, expected)
    end
    """#

  private static let shallow = #"""
    local atoms = {
      "a", "b", "c", ".", "%a", "%d", "%s", "%w", "%A", "%W", "%l", "%u", "%p", "%g", "%x", "%c", "%z", "%.", "%%", "[abc]",
      "[^a]", "[a-c]", "[%a_]", "[^%d]", "[]]", "[^]]", "[a-]", "[a-%%]", "[%]", "[", "[^", "[a", "[%a-z]", "[a-%a]", "[c-a]",
      "[--a]", "[\0-b]", "[%", "%", "%f[%w]", "%f[a]", "%f", "%f[^%z]", "%f[", "%bab", "%b()", "%baa", "%b", "%ba", "%1",
      "%2", "%0", "%9", "(", ")", "()", "(a)", "(.-)", "(%w*)", "^", "$", "\0", "%\0", "*", "+", "-", "?", "]", "é", "x",
    }
    local suffixes = { "", "", "", "", "*", "+", "-", "?" }
    local characters = { "a", "b", "c", "a", "b", " ", "1", ".", "(", ")", "\0", "é", "]", "-", "^", "$", "%", "_", "\n" }
    local replacements = { "", "x", "%0", "<%1>", "%2%1", "%%", "%", "%x", "a%0b", 7 }
    local byFunction = function(a, b)
      if a == "a" then return false end
      if a == " " then return nil end
      if b == 1 then return 3 end
      return tostring(a) .. tostring(b)
    end
    local byTable = { a = "A", b = false, [1] = "one", c = 12, ab = {} }

    local function pattern()
      local parts = { random(8) == 1 and "^" or "" }
      for _ = 1, random(6) - 1 do parts[#parts + 1] = pick(atoms) .. pick(suffixes) end
      return table.concat(parts) .. (random(8) == 1 and "$" or "")
    end
    local function subject()
      local parts = {}
      for i = 1, random(11) - 1 do parts[i] = pick(characters) end
      return table.concat(parts)
    end

    for _ = 1, cases do
      local subject, pattern, kind = subject(), pattern(), random(6)
      local init
      if random(4) == 1 then init = random(16) - 8 end
      local found
      if kind == 1 then found = difference("find", subject, pattern, init)
      elseif kind == 2 then found = difference("match", subject, pattern, init)
      elseif kind == 3 then found = difference("find", subject, pattern, init, true)
      elseif kind == 4 then found = difference("gsub", subject, pattern, pick(replacements), random(3) == 1 and random(5) - 2 or nil)
      elseif kind == 5 then found = difference("gsub", subject, pattern, random(2) == 1 and byFunction or byTable)
      else
        local expected, got = outcome(pcall(walk, stock, subject, pattern, init)), outcome(pcall(walk, own, subject, pattern, init))
        if expected ~= got then found = ("seed %d: gmatch(%q, %q, %s) is %s, not %s"):format(seed, subject, pattern, init, got, expected) end
      end
      if found then return found end
    end
    """#

  /// Around Lua's limit of 200 nested choices.
  private static let deep = #"""
    for count = 190, 210 do
      for _, item in ipairs { "a?", "a*", "a-", "()", "(a)", "b?", "b*", "a*b?", "a" } do
        for _, start in ipairs { "", "(", "(()" } do
          local found = difference("match", ("a"):rep(220), start .. item:rep(count))
          if found then return found end
        end
      end
    end
    local items = { "a?", "a*", "a?", "a-", "b?", "b*", "b-", ".?" }
    for _ = 1, cases do
      local parts = {}
      for i = 1, 150 + random(120) do parts[i] = pick(items) end
      local found = difference("match", ("a"):rep(random(4) == 1 and 300 or random(3) - 1), table.concat(parts))
      if found then return found end
    end
    """#

  /// Texts with few different bytes, in which much is nearly found.
  private static let plain = #"""
    for _ = 1, cases do
      local parts = {}
      for i = 1, random(300) do parts[i] = random(2) == 1 and "a" or "b" end
      local subject = table.concat(parts):rep(random(30))
      local from = random(#subject)
      local text = random(4) == 1 and subject:sub(from, from + random(600)) .. "b" or subject:sub(from, from + random(20))
      local found = difference("find", subject, text, random(#subject), true)
      if found then return found end
    end
    """#

  private func compare(_ script: String, seed: Int, cases: Int) throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let strings = try #require(try environment.get("string").table)
    let stock = try lua.makeTable()
    for name in ["find", "match", "gmatch", "gsub"] {
      let own = try #require(try strings.get(.string(name)).function)
      try stock.set(.string(name), to: .function(try lua.replaced(by: own)))
    }
    let function = try lua.load(
      Self.words + "\n" + script, name: "patterns.lua", environment: environment)
    let results = try function.call([
      .table(stock), .table(strings), .integer(Int64(seed)), .integer(Int64(cases)),
    ])
    guard let difference = results.first else { return }
    Issue.record("\(difference)")
  }

  @Test(arguments: 1...8)
  func randomPatternsDoWhatTheyDoInStockLua(seed: Int) throws {
    try compare(Self.shallow, seed: seed, cases: 25_000)
  }

  @Test func longPatternsAreTooComplexWhereTheyAreInStockLua() throws {
    try compare(Self.deep, seed: 9, cases: 1_000)
  }

  @Test func plainTextsAreFoundWhereStockLuaFindsThem() throws {
    try compare(Self.plain, seed: 10, cases: 10_000)
  }
}
