-- What a script may see is the sandbox's list (docs/script-api.md, section 8), so a global that the
-- store would refuse when the script runs is found here already.
local function fields(...)
  local set = {}
  for _, name in ipairs { ... } do set[name] = {} end
  return { fields = set }
end

stds.script = {
  read_globals = {
    "_VERSION", "assert", "error", "getmetatable", "ipairs", "load", "next", "pairs", "pcall",
    "print", "rawequal", "rawget", "rawlen", "rawset", "require", "select", "setmetatable",
    "tonumber", "tostring", "type", "xpcall", "collectgarbage",
    math = fields(
      "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
      "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "sin", "sqrt", "tan",
      "tointeger", "type", "ult", "random", "randomseed"),
    string = fields(
      "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
      "packsize", "rep", "reverse", "sub", "unpack", "upper"),
    table = fields("concat", "insert", "move", "pack", "remove", "sort", "unpack"),
    utf8 = fields("char", "charpattern", "codepoint", "codes", "len", "offset"),
    os = fields("time", "date", "clock", "difftime"),
  },
}

std = "script"
max_line_length = 120

-- Tests see busted's names as well.
files["**/*_test.lua"] = { std = "script+busted" }
files["**/*_spec.lua"] = { std = "script+busted" }

-- Definitions for editors: functions without bodies, so nothing in them is used, and the globals of scripts and tests.
files["**/types/*.lua"] = { unused = false, global = false, max_line_length = false }
files["**/Types/*.lua"] = files["**/types/*.lua"]

-- Written by the tests' runner: a snapshot is a string on one line.
files["**/__snapshots__/*.lua"] = { max_line_length = false }
