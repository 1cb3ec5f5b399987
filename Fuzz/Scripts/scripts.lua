local scripted = require "scripted"

local libraries = { "string", "table", "math", "utf8", "os" }
local globals = {
  _VERSION = _VERSION, assert = assert, collectgarbage = collectgarbage, error = error, getmetatable = getmetatable,
  ipairs = ipairs, load = load, next = next, pairs = pairs, pcall = pcall, rawequal = rawequal, rawget = rawget,
  rawlen = rawlen, rawset = rawset, select = select, setmetatable = setmetatable, tonumber = tonumber,
  tostring = tostring, type = type, xpcall = xpcall,
  string = string, table = table, math = math, utf8 = utf8, os = os,
  print = function(...) return select("#", ...) end,
}

local function copy(source)
  local new = {}
  for key, value in next, source do new[key] = value end
  return new
end

-- What a script does to its globals, it does to its own.
local function environment()
  local own = copy(globals)
  for _, name in ipairs(libraries) do own[name] = copy(own[name]) end
  return own
end

-- The same after whatever was run before.
local function begin(state)
  for key in next, state do state[key] = nil end
  state.list, state.rows, state.object = { 5, 3, 8, 1 }, { { id = 1 }, { id = 2, x = "a" } }, { a = 1, b = { c = {} } }
end

return scripted.feature {
  name = "Scripts",
  dependencies = { "clock" },
  state = {},
  on = {
    run = function(state, action, deps)
      begin(state)
      local own = copy(scripted)
      own.list, own.json = copy(scripted.list), copy(scripted.json)
      local script = assert(load(action.script, "fuzz.lua", "t", environment()))
      return script(state, own, copy(scripted.effect), deps.clock)
    end,
    again = function(state) state.again = (state.again or 0) + 1 end,
    check = function(state)
      begin(state)
      state.found = ("abc"):upper() .. #{ 1, 2 } .. tostring(getmetatable("")) .. type(string.rep)
    end,
  },
}
