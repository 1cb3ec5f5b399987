-- The table `assert`, as in luassert 1.9: Lua's function `assert`, and the root of phrases such as
-- `assert.is_not.equal`.

local native, need = ...
local compare, vocabulary, copy, fail = need "compare", need "vocabulary", need("checks").copy, need("lines").fail

-- Whether Lua code that catches a failure sees luassert's text, which it does in a plain library.
local hasLuassertTexts = native.runOptions.isPlain

-- ---- Failures -----------------------------------------------------------------------------------

-- The metatable of the value that a failed assertion raises. `message` is what code that catches it
-- sees. If `report` is set, it is the message of the report, and `makeMessage()` returns `message`,
-- which is made when it is read first: it may be long, and most failures are only reported.
local Failure = { __tostring = function(failure) return tostring(failure.message) end }

function Failure.__index(failure, key)
  local make = key == "message" and rawget(failure, "makeMessage")
  if not make then return nil end
  failure.makeMessage, failure.message = nil, make()
  return rawget(failure, "message")
end

local function isFailure(value) return getmetatable(value) == Failure end

-- Raises a failure. `makeForCatcher`, if there is one, returns the message for code that catches it.
local function raise(message, makeForCatcher)
  local failure = { message = message }
  if type(message) == "string" then
    local place = native.here() .. ": "
    failure.message = place .. message
    if makeForCatcher then
      failure.message, failure.report = nil, failure.message
      failure.makeMessage = function() return place .. makeForCatcher() end
    end
  end
  error(setmetatable(failure, Failure), 0)
end

-- The test file's name in messages.
local testFile
-- The value that `assert(x, message)` has raised last in a module. By it the report knows a failed assertion
-- from another error. At first it is a table that equals no raised value.
local raised = {}

-- Lua's function `assert`. In a test file it raises a failure, as in busted. Modules get exactly what
-- it raises in the live store, because they may catch it.
local function assertValue(_, ...)
  local value, message = ...
  if value then return ... end
  if hasLuassertTexts or native.here():match("^(.*):%d+$") == testFile then
    raise(message == nil and "assertion failed" or message)
  end
  if select("#", ...) < 2 then message = "assertion failed!" end
  -- Level 4 is the caller: between it and `error` are `entry`, this function and `pcall`.
  raised = select(2, pcall(error, message, 4))
  error(raised, 0)
end

--- Raises a failure unless there are at least `least` arguments. `name` is the phrase.
local function checkCount(arguments, least, name)
  if arguments.n < least then
    raise(("%s takes %d argument%s, got %d"):format(name, least, least == 1 and "" or "s", arguments.n))
  end
end

-- ---- State that snapshots restore ---------------------------------------------------------------

local parameters, formatters, spies = {
  TableFormatLevel = 3,
  TableFormatShowRecursion = false,
  TableErrorHighlightCharacter = "*",
  TableErrorHighlightColor = "none",
}, {}, {}

local Snapshot = {}
Snapshot.__index = Snapshot

--- Restores parameters and formatters, and reverts the spies and stubs that were installed since
--- the snapshot was taken.
function Snapshot.revert(snapshot)
  for i = #spies, snapshot.spyCount + 1, -1 do
    local spy = spies[i]
    spies[i] = nil
    spy:revert()
  end
  parameters, formatters = copy(snapshot.parameters), copy(snapshot.formatters)
end

local function takeSnapshot()
  return setmetatable({ parameters = copy(parameters), formatters = copy(formatters), spyCount = #spies }, Snapshot)
end

-- ---- Text ---------------------------------------------------------------------------------------

local function show(value)
  for i = #formatters, 1, -1 do
    local text = formatters[i](value)
    if text ~= nil then return text end
  end
  if isFailure(value) and value.report then return value.report end
  return compare.show(value, parameters.TableFormatLevel)
end

-- Returns the text that luassert has for a value; see `value` in `luassert_texts.lua`.
local function formatted(value, crumbs)
  for i = #formatters, 1, -1 do
    local text = formatters[i](value, crumbs and { crumbs = crumbs })
    if text ~= nil then return text end
  end
  return need("luassert_texts").value(value, parameters, crumbs, formatted)
end

local say = { _registry = { en = {} } }
local namespace, fallback = "en", "en"

function say.set_namespace(_, name)
  namespace = name
  say._registry[name] = say._registry[name] or {}
end

function say.set_fallback(_, name)
  fallback = name
  say._registry[name] = say._registry[name] or {}
end

function say.set(_, key, text) say._registry[namespace][key] = text end

setmetatable(say, {
  __call = function(_, key, arguments)
    local text = say._registry[namespace][key] or say._registry[fallback][key]
    if (text == nil or type(text) == "function") and hasLuassertTexts then
      text = need("luassert_texts").said[key] or text
    end
    if type(text) ~= "string" then return text end
    local texts = {}
    for i = 1, arguments and (arguments.n or #arguments) or 0 do texts[i] = tostring(arguments[i]) end
    return (text:format(table.unpack(texts)))
  end,
})

-- ---- Assertions ---------------------------------------------------------------------------------

-- Returns the message of an assertion that has failed: a key of `say`, or a function.
local function formOf(state, entry)
  if not state.mod and entry.negative ~= nil then return entry.negative end
  return entry.positive
end

local MOST_DIRECTIVES = 16

-- Returns the text of every argument, and then `missing`: a message may have more `%s` than there are arguments. An
-- argument whose position is in `arguments.nofmt` is text already.
local function shown(arguments, textOf, missing)
  local count, isText = arguments.n or #arguments, arguments.nofmt or {}
  local texts = { n = math.max(count, MOST_DIRECTIVES) }
  for i = 1, count do texts[i] = isText[i] and arguments[i] or textOf(arguments[i]) end
  for i = count + 1, texts.n do texts[i] = missing end
  return texts
end

local function messageOf(state, entry, arguments)
  local message = formOf(state, entry)
  if type(message) == "string" then message = say(message, shown(arguments, show, "nil")) or message end
  if type(message) == "function" then message = message(arguments, show, state) end
  if message == nil then message = ("assertion '%s' failed"):format(entry.name) end
  local own = state.failure_message
  if own ~= nil then message = (type(own) == "string" and own or show(own)) .. "\n" .. message end
  return message
end

-- Returns the message that luassert has, for Lua code that catches the failure.
local function messageForCatcher(state, entry, arguments, ours)
  local key, texts
  if type(entry.positive) == "function" then
    key, texts = need("luassert_texts").message(state, entry.name, arguments, formatted)
    if not key then return ours end
  else
    key = formOf(state, entry)
    if type(key) ~= "string" then return ours end
    texts = shown(arguments, formatted, formatted(nil))
  end
  local message = say(key, texts) or key
  local own = state.failure_message
  if own == nil then return message end
  local isText = type(own) == "string" or compare.hasText(own)
  return (isText and tostring(own) or formatted(own)) .. "\n" .. message
end

local function perform(state, entry, ...)
  local arguments = table.pack(...)
  local holds, results = entry.callback(state, arguments, 1)
  if (holds and true or false) ~= state.mod then
    local message = messageOf(state, entry, arguments)
    raise(message, hasLuassertTexts and function()
      return messageForCatcher(state, entry, arguments, message)
    end)
  end
  if results then return table.unpack(results, 1, results.n or #results) end
  return table.unpack(arguments, 1, arguments.n)
end

local function start(state) return state and copy(state) or { mod = true } end

local phrases = vocabulary.phrases("assert", "assertion", start, perform)

local assert = {}

function assert.register(_, kind, ...) vocabulary.register(kind, ...) end

function assert.unregister(_, kind, name) vocabulary.unregister(kind, name) end

-- The functions of `luassert.state`, which are methods of `assert`, too.
local settings = { snapshot = takeSnapshot }

--- Adds `format(value) -> text or nil`. Formatters that were added later are asked first.
function settings.add_formatter(format)
  if not compare.isCallable(format) then fail("a formatter must be a function, not a %s", type(format)) end
  formatters[#formatters + 1] = format
end

function settings.remove_formatter(format)
  for i = #formatters, 1, -1 do
    if formatters[i] == format then table.remove(formatters, i) end
  end
end

function settings.set_parameter(name, value) parameters[name] = value end

function settings.get_parameter(name) return parameters[name] end

--- Registers a spy, so that snapshots can revert it.
function settings.add_spy(spy) spies[#spies + 1] = spy end

for name, fn in pairs(settings) do
  assert[name] = function(_, ...) return fn(...) end
end

-- The metatable of a level, which custom assertions pass as the last argument of `assert`.
local Level = {}

function assert.level(_, level) return setmetatable({ level = level }, Level) end

function assert.get_level(_, level) return getmetatable(level) == Level and level.level or nil end

function assert.format(_, arguments)
  local isText, details = arguments.nofmt or {}, arguments.fmtargs or {}
  for i = 1, arguments.n or #arguments do
    if not isText[i] then
      local detail = details[i]
      arguments[i] = hasLuassertTexts and formatted(arguments[i], detail and detail.crumbs) or show(arguments[i])
    end
  end
  return arguments
end

setmetatable(assert, {
  __index = function(_, word)
    local phrase = phrases[word]
    rawset(assert, word, phrase)
    return phrase
  end,
  __call = native.entry(assertValue),
})

-- ---- luassert.util ------------------------------------------------------------------------------

local util = {
  deepcompare = compare.same,
  deepcopy = compare.deepCopy,
  shallowcopy = function(value) return type(value) == "table" and copy(value) or value end,
  callable = compare.isCallable,
  hastostring = compare.hasText,
  pack = table.pack,
  unpack = function(list, from, to) return table.unpack(list, from or 1, to or list.n or #list) end,
  make_arglist = function(...)
    if hasLuassertTexts then return need("luassert_texts").list(...) end
    return table.pack(...)
  end,
  -- A level of `error`. A failure is located by itself, so that the level is of no use.
  errorlevel = function() return 1 end,
  --- As `table.insert`, for a list with its number of elements in `n`.
  tinsert = function(list, ...)
    local position, value = ...
    local count = (list.n or #list) + 1
    if select("#", ...) == 1 then position, value = count, position end
    for i = count, position + 1, -1 do list[i] = list[i - 1] end
    list[position] = value
    list.n = math.max(count, position)
  end,
  --- As `table.remove`, for a list with its number of elements in `n`.
  tremove = function(list, position)
    local count = list.n or #list
    position = position or count
    local removed = list[position]
    for i = position, count do list[i] = list[i + 1] end
    list.n = position <= count and count - 1 or count
    return removed
  end,
}

function settings.format_argument(value) return hasLuassertTexts and formatted(value) or show(value) end

return {
  assert = assert,
  say = say,
  util = util,
  state = settings,
  raise = raise,
  checkCount = checkCount,
  show = show,
  isFailure = isFailure,
  setTestFile = function(name) testFile = name end,
  -- Whether a value that was raised is that of a failed `assert(x, message)` of a module.
  isRaised = function(value) return rawequal(value, raised) end,
  textOf = function(failure)
    local message = failure.report or failure.message
    return type(message) == "string" and message or show(message)
  end,
}
