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

local native, need = ...
local blocks, luassert, match, spies = need "blocks", need "luassert", need "match", need "spies"
local plain = native.runOptions.isPlain and need "plain" or nil
-- Its assertions are words of `vocabulary.lua`.
need "assertions"
local described, within = blocks.described, blocks.within

-- ---- The list of tests --------------------------------------------------------------------------

local tests = {}

local function tagsOf(names)
  local tags = {}
  for _, name in ipairs(names) do
    if name:find("#", 1, true) then
      for tag in name:gmatch("#([%w_%-]+)") do tags[#tags + 1] = tag end
    end
  end
  return tags
end

local function list(seed)
  tests = blocks.ordered(seed)
  local entries = {}
  for index, test in ipairs(tests) do
    entries[index] = { names = test.names, line = test.line, tags = tagsOf(test.names) }
  end
  return entries
end

-- ---- Running ------------------------------------------------------------------------------------

local atStart, atEnd, cleanUps = {}, {}, {}

local function adder(hooks) return function(fn) hooks[#hooks + 1] = { fn = fn } end end

-- Calls the function of a hook.
local function attempt(failures, hook)
  local ok, failure = within(hook.element, hook.fn)
  if not ok then failures[#failures + 1] = described(failure) end
  return ok
end

-- Calls every hook, even after one has failed. Returns whether all succeeded. Most lists are empty,
-- and `ipairs` would take longer than the rest.
local function attemptAll(failures, hooks)
  local before = #failures
  for i = 1, #hooks do attempt(failures, hooks[i]) end
  return #failures == before
end

-- Runs `before_each` of the blocks, outermost first, until one fails. Returns the depth of the last
-- block whose hooks began, for which `after_each` must run, and whether all succeeded.
local function beforeEach(chain, failures)
  for depth = 1, #chain do
    if not attemptAll(failures, chain[depth].hooks.before_each) then return depth, false end
  end
  return #chain, true
end

-- Runs the body of a test and then its `finally`. Returns whether the body called `pending`, and
-- the reason.
local function runBody(test, failures)
  local ok, failure, finish = blocks.callBody(test)
  local isPending, reason
  if not ok then
    if blocks.isPending(failure.value) then
      isPending, reason = true, failure.value.reason
    else
      failures[#failures + 1] = described(failure)
    end
  end
  if finish then attempt(failures, { fn = finish, element = test }) end
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

  -- Leaves the innermost block of `chain`, and the blocks in it.
  function passage.leaveUpTo(chain)
    while #entered >= #chain do leave() end
  end

  -- Leaves and enters blocks until those of `chain` are entered. Returns the failure of a setup
  -- around the test, or nil.
  function passage.enter(chain)
    local shared = 0
    while shared < #entered and entered[shared + 1] == chain[shared + 1] do shared = shared + 1 end
    while #entered > shared do leave() end
    for depth = 1, #chain do
      local around = chain[depth]
      if depth > shared then
        entered[depth] = around
        around.failure = call(around, "setup")
      end
      if around.failure then return around.failure end
    end
  end

  function passage.setUpLazily(chain)
    for depth = 1, #chain do
      local around = chain[depth]
      if not around.isLazilySetUp then
        around.isLazilySetUp = true
        around.failure = call(around, "lazy_setup")
        if around.failure then return around.failure end
      end
    end
  end

  return passage
end

-- Runs one test in the blocks of `chain`. Returns its status and its failures.
local function runIn(passage, test, chain)
  local failure = passage.enter(chain)
  if not failure and not test.pending then failure = passage.setUpLazily(chain) end
  if failure then return "error", { failure } end
  if not test.pending then return runTest(test, chain) end
  local reason = test.pending ~= true and test.pending or nil
  return "pending", { { message = reason, kind = "pending" } }
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
    if test.outer ~= around then
      around = test.outer
      chain = chainOf(around)
    end
    report("start", index)
    local status, failures = runIn(passage, test, chain)
    if report("end", index, status, failures) then break end
  end
  passage.leaveAll()
end

-- Runs a plain test file, whose blocks are collected when their turn comes, after the setup of the
-- blocks around them. `report("found", names, line, tags)`, with lists as texts with zero bytes
-- between the elements and nil for an empty one, returns whether a test is to run;
-- `report("end", …)` returns whether the run stops and whether the test is repeated. Returns the
-- failure of the file itself, or nil.
local function runLate(seed, report)
  local random = seed and native.random(seed)
  local passage = running(report)
  local count, isOver = 0, false

  local function runFound(test, chain)
    count = count + 1
    local tags = tagsOf(test.names)
    local tagList = tags[1] and table.concat(tags, "\0")
    if not report("found", table.concat(test.names, "\0"), test.line, tagList) then return end
    local isRepeated
    repeat
      report("start", count)
      local status, failures = runIn(passage, test, chain)
      isOver, isRepeated = report("end", count, status, failures)
    until not isRepeated
  end

  local runBlock

  local function runChildren(around, chain)
    local failure = passage.enter(chain)
    local hasTest = false
    for _, child in ipairs(blocks.childrenOf(around, random)) do
      if isOver then return end
      if not child.children then
        hasTest = true
        runFound(child, chain)
      elseif not failure then
        runBlock(child)
      end
    end
    -- Without a test that fails of it, the failure of a setup would be no failure of the run.
    if failure and not hasTest then report("block", around.names, "describe", failure) end
  end

  function runBlock(around)
    plain.enter(around, around.kind)
    local failure = blocks.collectLate(around)
    if failure then
      report("block", around.names, "describe", failure)
    else
      local chain = chainOf(around)
      runChildren(around, chain)
      passage.leaveUpTo(chain)
    end
    plain.leave(around.kind)
  end

  local failure = blocks.collectLate(blocks.root)
  if failure then return failure end
  runChildren(blocks.root, { blocks.root })
  passage.leaveAll()
end

-- ---- The framework ------------------------------------------------------------------------------

local globals = {
  assert = luassert.assert,
  spy = spies.spy,
  stub = spies.stub,
  mock = spies.mock,
  match = match,
}
for name, fn in pairs(blocks.functions) do globals[name] = fn end

local modules = {
  busted = globals,
  -- A spec calls `require "busted.runner"()` to run itself. Here it runs anyway.
  ["busted.runner"] = function() end,
  say = luassert.say,
  luassert = luassert.assert,
  ["luassert.assert"] = luassert.assert,
  ["luassert.match"] = match,
  ["luassert.mock"] = spies.mock,
  ["luassert.spy"] = spies.spy,
  ["luassert.stub"] = spies.stub,
  ["luassert.util"] = luassert.util,
  ["luassert.state"] = luassert.state,
}

return {
  globals = globals,
  modules = modules,
  load = blocks.collect,
  list = list,
  run = run,
  runLate = runLate,
  -- Sets the file that `runLate` runs.
  prepare = function(chunk) blocks.root.body = chunk end,
  environment = plain and plain.environment,
  open = function(options) plain.open({ globals = globals, modules = modules }, options) end,
  help = plain and plain.help,
  atTestStart = adder(atStart),
  atTestEnd = adder(atEnd),
  cleanUp = adder(cleanUps),
}
