---@meta scripted.sandbox

-- What scripts see of the libraries that `.luarc.json` switches off because the sandbox has none or only a part of
-- them: `docs/script-api.md`, section 8.

---Loads a module under the script root, once, and returns what it returns. `"a.b"` is `a/b.lua` or `a/b/init.lua`.
---@param module string
---@return any
function require(module) end

---@class scripted.os
os = {}

---A time in seconds since 1970. Takes a table of a date; without one it raises, and `deps.date.now()` gives the time.
---@param date { year: integer, month: integer, day: integer, hour?: integer, min?: integer, sec?: integer }
---@return integer
function os.time(date) end

---A date as text, or with `"*t"` as a table, in UTC. Without a time it raises; `deps.date.now()` gives one.
---@param format string
---@param time number
---@return string|table
function os.date(format, time) end

---The seconds from one time to another.
---@param later number
---@param earlier number
---@return number
function os.difftime(later, earlier) end
