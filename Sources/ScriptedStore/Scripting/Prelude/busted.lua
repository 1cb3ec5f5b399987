-- The blocks of a test file and how their tests run, as in busted 2.1.
--
-- 1. `load` runs the file, which collects a tree of blocks. `list` puts the tests in order. `run`
--    runs some of them, by their indices in that list.
-- 2. Every function of a script is called by `native.protect`, which turns any error into a failure
--    table. So no error of a script leaves this file.
-- 3. `block` is set only while blocks are collected, and `current` only while the body of a test
--    runs. While hooks run, neither is set.
--
-- The order of calls for one test:
--
--     setup                    blocks that are not entered yet, outermost first
--     lazy_setup               likewise, unless the test is pending
--     atTestStart
--     before_each              all blocks around the test, outermost first, until a block fails
--     body                     only if nothing failed before
--     finally                  even if the body failed
--     atTestEnd                only if nothing failed and the test is not pending
--     after_each               the blocks whose before_each began, innermost first
--     cleanUp
--     lazy_teardown, teardown  blocks that the next test is not in, innermost first

local native, parts = ...
local luassert = parts.luassert
local here, protect, fail = native.here, native.protect, native.fail

-- ---- Blocks -------------------------------------------------------------------------------------

-- The metatable of the value that `pending` raises in a test.
local Pending = { __tostring = function(value) return value.reason or "pending" end }

-- The block that is being collected, and the test whose body is running; see 3.
local block, current
local brokenBlocks = {}

local function newBlock(names, parent)
  return {
    names = names,
    parent = parent,
    depth = parent and parent.depth + 1 or 0,
    children = {},
    hooks = { before_each = {}, after_each = {}, setup = {}, teardown = {}, lazy_setup = {}, lazy_teardown = {} },
  }
end

local root = newBlock({}, nil)

local function lineHere() return tonumber((here() or ""):match(":(%d+)$")) or 0 end

-- Returns a name as valid UTF-8. Other bytes are escaped as in a Lua string, because a report
-- cannot contain them.
local function readable(name)
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
  if type(fn) ~= "function" and not luassert.isCallable(fn) then
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
  elseif native.isFailure(value) then
    failure.kind = "failure"
  elseif failure.kind == "error" and getmetatable(value) == Pending then
    failure.message = "'pending' is for the body of a test and for blocks"
  elseif failure.kind == "error" and type(value) == "table" and not luassert.hasText(value) then
    failure.message = "a table was raised: " .. luassert.show(value)
  end
  return failure
end

-- Runs `fn`, collecting its blocks and tests into the block `into`. Returns a failure or nil.
local function collect(into, fn, ...)
  local outer = block
  block = into
  local ok, failure = protect(fn, ...)
  block = outer
  if not ok then return described(failure) end
end

local function addTest(name, fn, pending)
  table.insert(block.children, {
    names = extended(block.names, name), line = lineHere(), block = block, body = fn, pending = pending,
  })
end

local function blockFunction(kind)
  return native.entry(function(name, fn)
    checkCollecting(kind)
    name, fn = named(kind, name, fn)
    if fn == nil then return addTest(name, nil, true) end
    checkFunction(kind, 2, fn)
    local inner = newBlock(extended(block.names, name), block)
    local failure = collect(inner, fn)
    if failure then
      brokenBlocks[#brokenBlocks + 1] = { names = inner.names, failure = failure }
    else
      table.insert(block.children, inner)
    end
  end)
end

local function testFunction(kind)
  return native.entry(function(name, fn)
    checkCollecting(kind)
    name, fn = named(kind, name, fn)
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
    table.insert(block.hooks[kind], fn)
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

local tests = {}

local function shuffled(items, random)
  items = table.move(items, 1, #items, 1, {})
  for i = #items, 2, -1 do
    local j = random(i)
    items[i], items[j] = items[j], items[i]
  end
  return items
end

local function flatten(from, random, into)
  local children = from.children
  if random and not from.keepsOrder then children = shuffled(children, random) end
  for _, child in ipairs(children) do
    if child.children then flatten(child, random, into) else into[#into + 1] = child end
  end
  return into
end

local function tagsOf(name)
  local tags = {}
  for tag in name:gmatch("#([%w_%-]+)") do tags[#tags + 1] = tag end
  return tags
end

local function list(seed)
  tests = flatten(root, seed and native.random(seed), {})
  local entries = {}
  for index, test in ipairs(tests) do
    local name = table.concat(test.names, " ")
    entries[index] = {
      name = name, names = test.names, line = test.line, tags = tagsOf(name), pending = test.pending,
    }
  end
  return entries
end

-- ---- Running ------------------------------------------------------------------------------------

local atStart, atEnd, cleanUps = {}, {}, {}

local function adder(functions) return function(fn) functions[#functions + 1] = fn end end

local function attempt(failures, fn)
  local ok, failure = protect(fn)
  if not ok then failures[#failures + 1] = described(failure) end
  return ok
end

-- Calls every function, even after one has failed. Returns whether all succeeded.
local function attemptAll(failures, functions)
  local before = #failures
  for _, fn in ipairs(functions) do attempt(failures, fn) end
  return #failures == before
end

-- Runs `before_each` of the blocks, outermost first, until one fails. Returns the depth of the last
-- block whose hooks began, for which `after_each` must run, and whether all succeeded.
local function beforeEach(chain, failures)
  for depth, around in ipairs(chain) do
    if not attemptAll(failures, around.hooks.before_each) then return depth, false end
  end
  return #chain, true
end

-- Runs the body of a test and then its `finally`. Returns whether the body called `pending`, and
-- the reason.
local function runBody(test, failures)
  current = {}
  local ok, failure = protect(test.body)
  local finish = current.finally
  current = nil
  local isPending, reason
  if not ok then
    if getmetatable(failure.value) == Pending then
      isPending, reason = true, failure.value.reason
    else
      failures[#failures + 1] = described(failure)
    end
  end
  if finish then attempt(failures, finish) end
  return isPending, reason
end

-- The kind of the first failure decides.
local function statusOf(failures)
  if #failures == 0 then return "success" end
  return failures[1].kind == "failure" and "failure" or "error"
end

-- Runs one test. Returns its status and its failures. `chain` has the blocks around it, outermost
-- first.
local function runTest(test, chain)
  local failures = {}
  attemptAll(failures, atStart)
  local isPending, reason
  local depth, isReady = beforeEach(chain, failures)
  if isReady and #failures == 0 then
    isPending, reason = runBody(test, failures)
    if #failures == 0 and not isPending then
      for _, check in ipairs(atEnd) do
        if not attempt(failures, check) then break end
      end
    end
  end
  for i = depth, 1, -1 do attemptAll(failures, chain[i].hooks.after_each) end
  attemptAll(failures, cleanUps)
  if isPending and #failures == 0 then return "pending", { { message = reason, kind = "pending" } } end
  return statusOf(failures), failures
end

local function chainOf(around)
  local chain = {}
  while around do
    chain[around.depth + 1] = around
    around = around.parent
  end
  return chain
end

-- Enters and leaves blocks as the tests need it. If the setup of a block fails, all tests in the
-- block fail.
local function running(report)
  local entered = {} -- outermost first
  local passage = {}

  -- Calls the hooks of one kind and reports their failures. Returns the first failure, or nil.
  local function call(around, kind)
    local failures = {}
    attemptAll(failures, around.hooks[kind])
    for _, failure in ipairs(failures) do report("block", around.names, kind, failure) end
    return failures[1]
  end

  local function leave()
    local around = table.remove(entered)
    if around.isLazilySetUp then call(around, "lazy_teardown") end
    call(around, "teardown")
    around.isLazilySetUp, around.failure = nil, nil
  end

  function passage.leaveAll()
    while #entered > 0 do leave() end
  end

  -- Leaves and enters blocks until those of `chain` are entered. Returns the failure of a setup
  -- around the test, or nil.
  function passage.enter(chain)
    local shared = 0
    while shared < #entered and entered[shared + 1] == chain[shared + 1] do shared = shared + 1 end
    while #entered > shared do leave() end
    for depth, around in ipairs(chain) do
      if depth > shared then
        entered[depth] = around
        around.failure = call(around, "setup")
      end
      if around.failure then return around.failure end
    end
  end

  function passage.setUpLazily(chain)
    for _, around in ipairs(chain) do
      if not around.isLazilySetUp then
        around.isLazilySetUp = true
        around.failure = call(around, "lazy_setup")
        if around.failure then return around.failure end
      end
    end
  end

  return passage
end

local hasReportedBroken = false

local function run(order, report)
  if not hasReportedBroken then
    hasReportedBroken = true
    for _, broken in ipairs(brokenBlocks) do report("block", broken.names, "describe", broken.failure) end
  end
  local passage = running(report)
  local chain, around
  for _, index in ipairs(order) do
    local test = tests[index]
    if test.block ~= around then
      around = test.block
      chain = chainOf(around)
    end
    report("start", index)
    local failure = passage.enter(chain)
    if not failure and not test.pending then failure = passage.setUpLazily(chain) end
    local status, failures
    if failure then
      status, failures = "error", { failure }
    elseif test.pending then
      local reason = test.pending ~= true and test.pending or nil
      status, failures = "pending", { { message = reason, kind = "pending" } }
    else
      status, failures = runTest(test, chain)
    end
    if report("end", index, status, failures) then break end
  end
  passage.leaveAll()
end

-- ---- The framework ------------------------------------------------------------------------------

local function loadFile(_, chunk)
  return collect(root, chunk)
end

local describe, it = blockFunction("describe"), testFunction("it")
local setup, teardown = hookFunction("setup"), hookFunction("teardown")

local globals = {
  describe = describe,
  context = blockFunction("context"),
  insulate = blockFunction("insulate"),
  expose = blockFunction("expose"),
  it = it,
  spec = testFunction("spec"),
  test = testFunction("test"),
  pending = pending,
  before_each = hookFunction("before_each"),
  after_each = hookFunction("after_each"),
  setup = setup,
  strict_setup = setup,
  lazy_setup = hookFunction("lazy_setup"),
  teardown = teardown,
  strict_teardown = teardown,
  lazy_teardown = hookFunction("lazy_teardown"),
  finally = finally,
  randomize = randomize,
  assert = luassert.assert,
  spy = parts.spies.spy,
  stub = parts.spies.stub,
  mock = parts.spies.mock,
  match = parts.match,
}

local modules = {
  busted = globals,
  -- A spec calls `require "busted.runner"()` to run itself. Here it runs anyway.
  ["busted.runner"] = function() end,
  say = luassert.say,
  luassert = luassert.assert,
  ["luassert.assert"] = luassert.assert,
  ["luassert.match"] = parts.match,
  ["luassert.mock"] = parts.spies.mock,
  ["luassert.spy"] = parts.spies.spy,
  ["luassert.stub"] = parts.spies.stub,
  ["luassert.util"] = luassert.util,
}

return {
  globals = globals,
  modules = modules,
  load = loadFile,
  list = list,
  run = run,
  atTestStart = adder(atStart),
  atTestEnd = adder(atEnd),
  cleanUp = adder(cleanUps),
}
