-- The globals of a test file, and how its tests run, as in busted 2.1.
--
-- 1. `load` runs the file, which collects a tree of blocks (`blocks.lua`). `list` puts the tests in
--    order. `run` runs some of them, by their indices in that list.
-- 2. Every function of a script is called by `native.protect`, which turns any error into a failure
--    table. So no error of a script leaves these two files.
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
local blocks, luassert = parts.blocks, parts.luassert
local described, protect = blocks.described, native.protect

-- ---- The list of tests --------------------------------------------------------------------------

local tests = {}

local function tagsOf(name)
  local tags = {}
  for tag in name:gmatch("#([%w_%-]+)") do tags[#tags + 1] = tag end
  return tags
end

local function list(seed)
  tests = blocks.ordered(seed)
  local entries = {}
  for index, test in ipairs(tests) do
    entries[index] = { names = test.names, line = test.line, tags = tagsOf(table.concat(test.names, " ")) }
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
  local ok, failure, finish = blocks.callBody(test.body)
  local isPending, reason
  if not ok then
    if blocks.isPending(failure.value) then
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
    for _, block in ipairs(blocks.broken) do report("block", block.names, "describe", block.failure) end
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

local globals = {
  assert = luassert.assert,
  spy = parts.spies.spy,
  stub = parts.spies.stub,
  mock = parts.spies.mock,
  match = parts.match,
}
for name, fn in pairs(blocks.functions) do globals[name] = fn end

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
  load = blocks.collect,
  list = list,
  run = run,
  atTestStart = adder(atStart),
  atTestEnd = adder(atEnd),
  cleanUp = adder(cleanUps),
}
