-- equal, same, near and unique.
local function point(x, y)
  return setmetatable({ x = x, y = y, made = {} }, {
    __index = { isPoint = true },
  })
end

local Money = {}
Money.__eq = function(a, b) return a.amount == b.amount end
local function money(amount, note) return setmetatable({ amount = amount, note = note }, Money) end

local function ring(value)
  local result = { value = value }
  result.self = result
  return result
end

local one = {}
local cases = {
  { "a number and itself", 1, 1 },
  { "two numbers", 1, 2 },
  { "a number and its numeral", 1, "1" },
  { "a whole number and a float", 1, 1.0 },
  { "two strings", "a", "b" },
  { "a string and itself", "a", "a" },
  { "true and itself", true, true },
  { "false and nil", false, nil },
  { "nil and nil", nil, nil },
  { "a table and itself", one, one },
  { "two empty tables", {}, {} },
  { "two lists alike", { 1, 2 }, { 1, 2 } },
  { "a longer list", { 1, 2 }, { 1, 2, 3 } },
  { "a shorter list", { 1, 2, 3 }, { 1, 2 } },
  { "two tables alike", { a = 1, b = { c = { d = 2 } } }, { b = { c = { d = 2 } }, a = 1 } },
  { "tables that differ deep down", { a = { b = { c = 1 } } }, { a = { b = { c = 2 } } } },
  { "a table and a number", {}, 1 },
  { "a field that is false and none", { a = false }, {} },
  { "a table in the place of a number", { a = {} }, { a = 1 } },
  { "points alike", point(1, 2), point(1, 2) },
  { "other points", point(1, 2), point(1, 3) },
  { "a point and a plain table", point(1, 2), { x = 1, y = 2, made = {} } },
  { "equal by metamethod", money(1, "a"), money(1, "b") },
  { "unequal by metamethod", money(1, "a"), money(2, "a") },
  { "equal by metamethod inside", { money(1, "a") }, { money(1, "b") } },
  { "rings alike", ring(1), ring(1) },
  { "other rings", ring(1), ring(2) },
  { "functions", print, print },
  { "other functions", print, type },
  { "not a number", 0 / 0, 0 / 0 },
  { "tables as keys", { [one] = 1 }, { [one] = 1 } },
  { "other tables as keys", { [{}] = 1 }, { [{}] = 1 } },
}

for _, name in ipairs { "equal", "same" } do
  describe(name, function()
    for _, case in ipairs(cases) do
      it(case[1], function() assert.are[name](case[2], case[3]) end)
      it("not " .. case[1], function() assert.are_not[name](case[2], case[3]) end)
    end
    it("takes a message", function() assert[name](1, 1, "a message") end)
    it("takes a message and fails", function() assert[name](1, 2, "a message") end)
    it("takes a table as message", function() assert[name](1, 2, { "a message" }) end)
    it("of one argument", function() assert[name](1) end)
    it("not of one argument", function() assert["not"][name](1) end)
    it("of no argument", function() assert[name]() end)
    it("of explicit nils", function() assert[name](nil, nil) end)
  end)
end

describe("near", function()
  it("within", function() assert.near(1, 1.1, 0.2) end)
  it("at the edge", function() assert.is_near(1, 1.5, 0.5) end)
  it("below", function() assert.is_near(1, 0.5, 0.5) end)
  it("outside", function() assert.near(1, 1.1, 0.05) end)
  it("not within", function() assert.is_not.near(1, 1.1, 0.05) end)
  it("not, but within", function() assert.is_not_near(1, 1.1, 0.2) end)
  it("numerals", function() assert.near("1", "1", 0.05) end)
  it("no number", function() assert.near(1, "a", 0.05) end)
  it("no tolerance", function() assert.near(1, 1) end)
  it("with a message", function() assert.near(1, 5, 0.1, "a message") end)
end)

describe("unique", function()
  it("all different", function() assert.unique({ 1, 2, 3 }) end)
  it("two alike", function() assert.is_unique({ 1, 2, 1 }) end)
  it("not, two alike", function() assert.is_not_unique({ 1, 2, 1 }) end)
  it("not, all different", function() assert.is_not.unique({ 1, 2 }) end)
  it("tables alike", function() assert.unique({ {}, {} }) end)
  it("tables alike, deeply", function() assert.unique({ {}, {} }, true) end)
  it("tables that differ, deeply", function() assert.unique({ { 1 }, { 2 } }, true) end)
  it("fields", function() assert.unique({ a = 1, b = 1 }) end)
  it("of nothing", function() assert.unique({}) end)
  it("with a message", function() assert.unique({ 1, 1 }, "a message") end)
  it("deeply with a message", function() assert.unique({ {}, {} }, true, "a message") end)
  it("not deeply with a message", function() assert.unique({ {}, {} }, false, "a message") end)
end)

describe("array", function()
  local holed = { 1, nil, 3 }
  holed[5] = 5
  it("has holes", function() assert.array(holed).has.holes() end)
  it("has no holes", function() assert.array({ 1, 2, 3 }).has.no.holes() end)
  it("has holes, but has none", function() assert.array({ 1, 2, 3 }).has.holes() end)
  it("has no holes, but has one", function() assert.array(holed).has_no.holes() end)
  it("has holes up to a length", function() assert.array({ 1, 2, 3 }).has.holes(4) end)
  it("has no holes up to a length", function() assert.array({ 1, 2, 3 }).has.no.holes(2) end)
  it("is empty", function() assert.array({}).has.no.holes() end)
  it("is empty, of a length", function() assert.array({}).has.holes(1) end)
  it("holes without a list", function() assert.has_holes() end)
end)

describe("returned arguments", function()
  local function values(...) return ... end
  it("as many", function() assert.returned_arguments(2, values(1, 2)) end)
  it("as many, nil at the end", function() assert.returned_arguments(3, values(1, nil, nil)) end)
  it("fewer", function() assert.returned_arguments(2, values(1)) end)
  it("more", function() assert.returned_arguments(2, values(1, 2, 3)) end)
  it("not as many", function() assert.not_returned_arguments(2, values(1)) end)
  it("not as many, but as many", function() assert.not_returned_arguments(2, values(1, 2)) end)
  it("none", function() assert.returned_arguments(0, values()) end)
end)
