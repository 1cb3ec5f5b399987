-- The blocks of a test file, as in busted 2.1: what `describe`, `it` and the hooks collect.
--
-- 1. A block has its names, its hooks and its children, which are blocks and tests. A file is the
--    root block.
-- 2. `block` is set only while blocks are collected, and `current` only while the body of a test
--    runs. While hooks run, neither is set.
-- 3. Blocks are collected while the file is loaded. The blocks of a plain Lua library are collected
--    when their turn to run comes, as in busted; until then they have only their function, `body`.

local native, need = ...
local fail, compare, luassert = need("lines").fail, need "compare", need "luassert"
local options = native.runOptions
local plain = options.isPlain and need "plain" or nil
local lineHere, protect = native.lineHere, native.protect

-- ---- Blocks -------------------------------------------------------------------------------------

-- The metatable of the value that `pending` raises in a test.
local Pending = { __tostring = function(value) return value.reason or "pending" end }

local function isPending(value) return getmetatable(value) == Pending end

-- The block that is being collected, and the test whose body is running; see 2.
local block, current
-- The blocks that raised an error while they were collected.
local broken = {}

-- Calls `fn` as the code of a block, a hook or a test.
local within = plain and plain.within or function(_, fn) return protect(fn) end

local function newBlock(names, parent)
  return {
    names = names,
    parent = parent,
    outer = parent or plain and plain.suite,
    depth = parent and parent.depth + 1 or 0,
    children = {},
    hooks = { before_each = {}, after_each = {}, setup = {}, teardown = {}, lazy_setup = {}, lazy_teardown = {} },
  }
end

local root = newBlock({}, nil)

-- Returns a name as valid UTF-8. Other bytes are escaped as in a Lua string, because a report
-- cannot contain them.
local function readable(name)
  if utf8.len(name) then return name end
  local pieces, from = {}, 1
  repeat
    local _, bad = utf8.len(name, from)
    pieces[#pieces + 1] = name:sub(from, (bad or #name + 1) - 1)
    if bad then
      pieces[#pieces + 1] = ("\\%03d"):format(name:byte(bad))
      from = bad + 1
    end
  until not bad
  return table.concat(pieces)
end

-- Returns name and function of a block, a test or a hook. The name may be omitted.
local function named(kind, name, fn)
  if fn == nil and type(name) == "function" then name, fn = nil, name end
  if name == nil then name = kind end
  if type(name) ~= "string" and type(name) ~= "number" then
    fail("bad argument #1 to '%s' (name expected, got %s)", kind, type(name))
  end
  return readable(tostring(name)), fn
end

local function checkFunction(kind, position, fn)
  if not compare.isCallable(fn) then
    fail("bad argument #%d to '%s' (function expected, got %s)", position, kind, type(fn))
  end
end

local function checkCollecting(kind)
  if not block then fail("'%s' is for blocks: it cannot be called while tests run", kind) end
end

local function extended(names, name)
  local longer = table.move(names, 1, #names, 1, {})
  longer[#longer + 1] = name
  return longer
end

-- Completes the failure table that `protect` returned, for reports.
local function described(failure)
  local value = failure.value
  if luassert.isFailure(value) then
    failure.kind = "failure"
    failure.message = luassert.textOf(value)
  elseif failure.kind == "error" and luassert.isRaised(value) then
    failure.kind = "failure"
    if type(value) ~= "string" and not compare.hasText(value) then failure.message = luassert.show(value) end
  elseif native.isFailure(value) then
    failure.kind = "failure"
  elseif failure.kind == "error" and isPending(value) then
    failure.message = "'pending' is for the body of a test and for blocks"
  elseif failure.kind == "error" and type(value) == "table" and not compare.hasText(value) then
    failure.message = "a table was raised: " .. luassert.show(value)
  end
  return failure
end

-- Runs `fn`, collecting its blocks and tests into the block `into`. Returns a failure or nil.
local function collect(into, fn)
  local outer = block
  block = into
  local ok, failure = within(into, fn)
  block = outer
  if not ok then return described(failure) end
end

local function addTest(name, fn, pending)
  table.insert(block.children, {
    names = extended(block.names, name), line = lineHere(), outer = block, body = fn, pending = pending,
  })
end

-- Collects a block at once; see 3.
local function collectNow(inner, fn)
  if plain then plain.enter(inner, inner.kind) end
  local failure = collect(inner, fn)
  if plain then plain.leave(inner.kind) end
  if failure then
    broken[#broken + 1] = { names = inner.names, failure = failure }
  else
    table.insert(block.children, inner)
  end
end

local functions

-- In a plain library, `it "name"` returns a function that takes the body, as in busted.
local function later(kind, name)
  return function(fn) functions[kind](name, fn) end
end

local function blockFunction(kind)
  return native.entry(function(name, fn)
    checkCollecting(kind)
    name, fn = named(kind, name, fn)
    if fn == nil and plain then return later(kind, name) end
    if fn == nil then return addTest(name, nil, true) end
    checkFunction(kind, 2, fn)
    local inner = newBlock(extended(block.names, name), block)
    inner.kind = kind
    if not options.collectsLate then return collectNow(inner, fn) end
    inner.body = fn
    table.insert(block.children, inner)
  end)
end

local function testFunction(kind)
  return native.entry(function(name, fn)
    checkCollecting(kind)
    name, fn = named(kind, name, fn)
    if fn == nil and plain then return later(kind, name) end
    if fn ~= nil then checkFunction(kind, 2, fn) end
    addTest(name, fn, fn == nil or nil)
  end)
end

-- In a block, adds a test that is not ready. In the body of a test, ends the test.
local pending = native.entry(function(name, reason)
  if current then error(setmetatable({ reason = name and tostring(name), message = name }, Pending), 0) end
  checkCollecting("pending")
  name = named("pending", name)
  addTest(name, nil, type(reason) == "string" and reason or true)
end)

local function hookFunction(kind)
  return native.entry(function(name, fn)
    checkCollecting(kind)
    if fn == nil then fn = name end
    checkFunction(kind, 1, fn)
    table.insert(block.hooks[kind], { fn = fn, element = plain and plain.hook(block) })
  end)
end

local finally = native.entry(function(fn)
  if not current then fail("'finally' is for the body of a test") end
  checkFunction("finally", 1, fn)
  current.finally = fn
end)

-- Sets whether the tests and blocks of this block may be shuffled. By default they may.
local randomize = native.entry(function(mayShuffle)
  checkCollecting("randomize")
  block.keepsOrder = mayShuffle == false
end)

-- ---- The order of the tests ---------------------------------------------------------------------

local function shuffled(items, random)
  items = table.move(items, 1, #items, 1, {})
  for i = #items, 2, -1 do
    local j = random(i)
    items[i], items[j] = items[j], items[i]
  end
  return items
end

-- Returns the children of a block in the order in which they run.
local function childrenOf(from, random)
  if random and not from.keepsOrder then return shuffled(from.children, random) end
  return from.children
end

local function flatten(from, random, into)
  for _, child in ipairs(childrenOf(from, random)) do
    if child.children then flatten(child, random, into) else into[#into + 1] = child end
  end
  return into
end

-- Returns the tests in the order in which they run.
local function ordered(seed) return flatten(root, seed and native.random(seed), {}) end

-- ---- The functions of a test file ---------------------------------------------------------------

local strictSetup, strictTeardown = hookFunction("setup"), hookFunction("teardown")
local lazySetup, lazyTeardown = hookFunction("lazy_setup"), hookFunction("lazy_teardown")

functions = {
  describe = blockFunction("describe"),
  context = blockFunction("context"),
  insulate = blockFunction("insulate"),
  expose = blockFunction("expose"),
  it = testFunction("it"),
  spec = testFunction("spec"),
  test = testFunction("test"),
  pending = pending,
  before_each = hookFunction("before_each"),
  after_each = hookFunction("after_each"),
  setup = options.setsUpLazily and lazySetup or strictSetup,
  strict_setup = strictSetup,
  lazy_setup = lazySetup,
  teardown = options.setsUpLazily and lazyTeardown or strictTeardown,
  strict_teardown = strictTeardown,
  lazy_teardown = lazyTeardown,
  finally = finally,
  randomize = randomize,
}

return {
  functions = functions,
  broken = broken,
  root = root,
  -- Runs a test file of this name, which adds to the tree. Returns a failure or nil.
  collect = function(chunk, file)
    luassert.setTestFile(file)
    return collect(root, chunk)
  end,
  -- Collects a block whose turn has come. Returns a failure or nil.
  collectLate = function(late) return collect(late, late.body) end,
  childrenOf = childrenOf,
  within = within,
  ordered = ordered,
  described = described,
  isPending = isPending,
  -- Calls the body of a test. Returns the results of `protect` (true and nil for success), and then
  -- the function that the body gave to `finally`.
  callBody = function(test)
    current = {}
    local ok, failure = within(test, test.body)
    local finish = current.finally
    current = nil
    return ok, failure, finish
  end,
}
