-- What scripts do with patterns. Each action does it `by` times.
local scripted = require "scripted"

local text = ("The quick brown fox, 1234 of them; jumps over = the lazy dog.\n"):rep(50)
local person = { name = "Ada", age = "36" }
local entities = { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;" }

local function times(work)
  return function(_, action)
    for i = 1, action.by do work(i) end
  end
end

return scripted.feature {
  name = "Matching",
  state = {},
  on = {
    plain = times(function() return ("hello world"):find("wor", 1, true) end),
    longPlain = times(function() return text:find("the lazy cat", 1, true) end),
    find = times(function() return ("hello world 42"):find("%d+") end),
    longFind = times(function() return text:find("[@#]") end),
    match = times(function() return ("key = value"):match("^(%w+)%s*=%s*(%w+)$") end),
    trim = times(function() return ("   some text here   "):match("^%s*(.-)%s*$") end),
    balanced = times(function() return ("f(a(b)c(d(e)))"):match("%b()") end),
    made = times(function(i) return ("key" .. i .. "=5"):match("^key" .. i .. "=(%d+)$") end),
    backtracking = times(function() return ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"):find("a*a*a*b") end),
    gmatch = times(function()
      local count = 0
      for _ in text:gmatch("%a+") do count = count + 1 end
      return count
    end),
    gsub = times(function() return text:gsub("%s+", " ") end),
    captures = times(function() return text:gsub("(%w+) (%w+)", "%2 %1") end),
    byTable = times(function() return ("$name is $age"):gsub("%$(%w+)", person) end),
    byFunction = times(function() return ("a<b>&c"):gsub("[<>&]", function(c) return entities[c] end) end),
  },
}
