-- What a spec of a plain Lua library gets, as in busted 2.1: its globals, its modules, and blocks
-- that restore both.
--
-- 1. An element is the suite, a block, a hook or a test. `current` is the element whose code runs,
--    and `outer` the element around one.
-- 2. All code of a spec has one environment. A global is looked up in `current`, in the elements
--    around it and then in `_G`. A global that a test sets belongs to the test, one that a block
--    sets to the block, and one that a hook sets to the block of the hook.
-- 3. Modules have stock globals: they do not see the functions of the framework.

local native = ...
local protect, globals = native.protect, native.globals
local package, debug = globals.package, globals.debug

local plain = {}

-- ---- Globals of a spec; see 2 --------------------------------------------------------------------

local suite = { env = {} }
local current = suite

-- The failure of the call of `os.exit` that the running code has made, or nil.
local exit

--- Calls `fn` as the code of an element. Returns the results of `protect`. Code that catches the
--- error of `os.exit` fails all the same: stock Lua would have ended there.
function plain.within(element, fn)
  local outer, outerExit = current, exit
  current, exit = element, nil
  local ok, failure = protect(fn)
  if ok and exit then ok, failure = false, exit end
  current, exit = outer, outerExit
  return ok, failure
end

local raiseExit = globals.os.exit

globals.os.exit = function(code)
  local _, failure = protect(function() raiseExit(code) end)
  exit = exit or failure
  return raiseExit(code)
end

local function write(element, name, value)
  if not element then
    globals[name] = value
  elseif element.writesTo ~= nil then
    write(element.writesTo, name, value)
  else
    element.env = element.env or {}
    element.env[name] = value
  end
end

plain.environment = setmetatable({}, {
  __index = function(_, name)
    local element = current
    while element do
      local env = element.env
      -- As in busted, false counts as no value.
      local value = env and env[name]
      if value then return value end
      element = element.outer
    end
    return globals[name]
  end,
  __newindex = function(_, name, value) write(current, name, value) end,
})

plain.suite = suite

--- Returns the element of a hook of `block`.
function plain.hook(block) return { outer = block, writesTo = block } end

-- ---- Blocks that restore globals and modules -----------------------------------------------------

local function copied(from)
  local copy = {}
  for key, value in next, from do copy[key] = value end
  return copy
end

local function save()
  return { meta = debug.getmetatable(globals), globals = copied(globals), loaded = copied(package.loaded) }
end

local function restore(state)
  setmetatable(globals, state.meta)
  for name in next, copied(globals) do rawset(globals, name, state.globals[name]) end
  for name, value in next, state.globals do rawset(globals, name, value) end
  for name in next, copied(package.loaded) do package.loaded[name] = state.loaded[name] end
end

-- For each entered block what its end restores; false for nothing.
local states = {}

--- Begins a block of the kind "describe", "insulate" or "expose".
function plain.enter(block, kind)
  if kind == "expose" then block.writesTo = block.outer.outer or false end
  states[#states + 1] = kind == "insulate" and save()
end

--- Ends a block. What an `expose` block has changed stays when the block around it ends.
function plain.leave(kind)
  local state = table.remove(states)
  if kind == "expose" and states[#states] then states[#states] = save() end
  if state then restore(state) end
end

-- ---- Modules --------------------------------------------------------------------------------------

-- The framework's modules by name.
local own = {}
-- The folder whose modules replace those of the framework.
local folder = ""

local function isInFolder(path) return path:sub(1, 1) ~= "/" or path:sub(1, #folder) == folder end

-- Finds modules as Lua's own searcher does, and reports their files.
local function search(name)
  local path, problem = package.searchpath(name, package.path)
  local module = own[name]
  if module ~= nil and not (path and isInFolder(path)) then return function() return module end end
  if not path then return problem end
  local chunk, message = globals.loadfile(path)
  if not chunk then
    error(("error loading module '%s' from file '%s':\n\t%s"):format(name, path, message), 0)
  end
  native.scriptLoaded(path, chunk)
  return chunk, path
end

-- The functions of the module `busted` that are no globals of a spec.
local function addFunctions(busted)
  busted.version = "2.1.1"
  busted.gettime, busted.monotime, busted.sleep = native.gettime, native.monotime, native.sleep
  -- Nothing is published: plug-ins that listen to busted's events hear nothing.
  busted.subscribe = function(channel, fn) return { id = channel, fn = fn } end
  busted.unsubscribe, busted.publish = function() end, function() end
  busted.fail = function(message, level)
    error(native.failure(message), type(level) == "number" and level + 1 or 2)
  end
end

-- busted.fixtures: paths and contents of files beside the spec that calls.
local function fixtures()
  local function pathOf(sub)
    local level = 2
    local info = debug.getinfo(level, "S")
    while info and info.source:sub(1, 1) ~= "@" do
      level = level + 1
      info = debug.getinfo(level, "S")
    end
    local place = info and info.source:sub(2):match("^(.*)/[^/]*$") or "."
    return sub and place .. "/" .. sub or place
  end
  local function contents(path)
    local file = globals.assert(globals.io.open(pathOf(path), "rb"))
    local text = file:read("a")
    file:close()
    return text
  end
  return {
    path = pathOf,
    read = contents,
    load = function(path)
      if not path:match("%.lua$") then path = path .. ".lua" end
      return globals.dofile(pathOf(path))
    end,
  }
end

-- A folder that has luassert, say or busted itself is tested with its own.
local function giveWay()
  local inFolder = {}
  for template in package.path:gmatch("[^;]+") do
    if isInFolder(template) then inFolder[#inFolder + 1] = template end
  end
  -- Mostly nothing is found, and then Lua's own path, which has many templates, is not searched.
  local path = table.concat(inFolder, ";")
  for _, library in ipairs { "luassert", "say", "busted" } do
    if package.searchpath(library, path) and isInFolder(package.searchpath(library, package.path)) then
      for name in next, copied(own) do
        local isPart = name == library or name:sub(1, #library + 1) == library .. "."
        if isPart and name ~= "busted.runner" then own[name] = nil end
      end
    end
  end
end

-- Gives the spec the assertions of the folder's own luassert.
local function useLuassert(env)
  env.assert = globals.require("luassert")
  for _, name in ipairs { "match", "mock", "spy", "stub" } do env[name] = globals.require("luassert." .. name) end
end

--- Sets the paths of modules, and offers the framework's modules.
function plain.open(framework, options)
  for name, value in next, framework.globals do suite.env[name] = value end
  own = framework.modules
  own["busted.fixtures"] = fixtures()
  local busted = copied(framework.globals)
  addFunctions(busted)
  own.busted = busted
  folder = options.folder
  if options.path ~= "" then package.path = (options.path .. ";" .. package.path):gsub(";;", ";") end
  if options.cpath ~= "" then package.cpath = (options.cpath .. ";" .. package.cpath):gsub(";;", ";") end
  package.searchers[2] = search
  globals.arg = { [0] = "busted", [-1] = options.interpreter }
  giveWay()
  for name, module in next, own do package.loaded[name] = module end
  if not own.luassert then useLuassert(suite.env) end
end

--- Runs a helper: a file, or a module.
function plain.help(helper, arguments)
  local before = globals.arg
  globals.arg = arguments
  if helper:match("%.lua$") then globals.dofile(helper) else globals.require(helper) end
  globals.arg = before
end

return plain
