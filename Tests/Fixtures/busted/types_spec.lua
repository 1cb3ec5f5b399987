-- Every assertion about the type or the truth of one value, in several spellings, with values of every type.
local values = {
  { "nil", nil },
  { "true", true },
  { "false", false },
  { "zero", 0 },
  { "an empty string", "" },
  { "a numeral", "12" },
  { "a table", {} },
  { "a function", function() end },
}

local names = {
  "true", "false", "nil", "truthy", "falsy", "boolean", "number", "string", "table", "function", "thread", "userdata",
}

for _, name in ipairs(names) do
  describe(name, function()
    for _, entry in ipairs(values) do
      local what, value = entry[1], entry[2]
      it("is_" .. name .. " of " .. what, function() assert["is_" .. name](value) end)
      it("is_not_" .. name .. " of " .. what, function() assert["is_not_" .. name](value) end)
    end

    it("of nothing", function() assert[name]() end)
    it("not of nothing", function() assert["not"][name]() end)
    it("takes a message", function() assert["is_" .. name](true, "a message") end)
  end)
end
