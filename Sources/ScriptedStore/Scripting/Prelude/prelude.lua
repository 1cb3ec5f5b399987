-- The Lua part of the library: its chunks, and how they find each other.
--
-- 1. A chunk is called with `native`, the functions that C and Swift define, and with `need`. It returns what it
--    offers, mostly a table. It changes neither `native` nor what another chunk offers.
-- 2. `need "lines"` returns what `lines.lua` offers. A chunk is loaded when it is needed first, once in a VM. Two
--    chunks that need each other do so inside of functions, which are called when both are there.
-- 3. `NATIVES` lists all of `native`. A native that is not listed, or that is listed and missing, is an error when the
--    chunks that use it are about to be loaded; so is the use of another name.

local native, load = ...

-- The natives by what adds them.
local NATIVES = {
  -- Values, errors and reducers: C, `ScriptedNatives`, `DependencyDeclarations` and `FeatureDeclarations`.
  values = [[
    null array object replace snapshot equals jsonEncode jsonDecode action actionWithIDs checkState checkDefault
    checkPattern nearest listRemedy weakKeys entry here lineHere try failure isFailure errorText
    find rearrange countMatches draft keepDescriptions declareFeature declareDependency element viewElements
    iconFault shortcutFault shapeFault ]],
  -- Effects and clocks: C and `EffectNatives`. `effectFunctions` and `effectMethods` are tables, in which each function
  -- has the name by which scripts call it.
  effects = [[
    effectFunctions effectMethods setEffectIndex isOptions cancelled join clockNow clockWaits featureClock caughtFault
    dismiss ]],
  -- Shared values: `SharedNatives` and `KeeperNatives`.
  shared = [[
    sharedGet sharedStream sharedNext sharedRequest sharedMerge sharedRequire sharedAnswer sharedFailed ]],
  -- Reducers without a store: `DirectRuns`, which needs the module `scripted`.
  runs = [[ prepare run tree ]],
  -- `scripted.test`: `TestStoreNatives` and `DoubleNatives`.
  test = [[
    testStore testSend testReceive testAssert testFinish testCancel testSkipReceived testSkipInFlight testState
    testAlarms testSkipAlarms testCrash
    testIsDismissed testDependencies testOverride testSetShared testSharedField testSetExhaustivity testBegin testCheck
    testEnd testProblems testBeginWarnings testEndWarnings
    testStorageRead testStorageWrite testStorageRename testStorageGet testStorageSet testStorageClock testStorageNames
    testStorageFail testStorageRestart
    testView testFind testGesture testScroll testResize testDrawing testEvaluated testAudit testItem
    newClock newImmediateClock advance runClock checkSuspension timeHasPassed newStream streamSend streamFinish
    streamFail streamNext never uuid seededRandom unimplemented ]],
  -- The test framework: C and `TestContext`. `runOptions` is a table.
  framework = [[ runOptions format diff random protect matchesSnapshot ]],
  -- Tests of plain Lua libraries: C and `TestContext`.
  plain = [[ globals gettime monotime sleep scriptLoaded ]],
}

-- All names that are listed.
local listed = {}
for _, names in pairs(NATIVES) do
  for name in names:gmatch("%w+") do listed[name] = true end
end

setmetatable(native, {
  __metatable = false,
  __index = function(_, name) error(("there is no native '%s' in the prelude"):format(tostring(name)), 2) end,
})

-- Raises unless all natives of these groups are there, and no others than the listed ones.
local function check(...)
  for _, group in ipairs { ... } do
    for name in NATIVES[group]:gmatch("%w+") do
      if rawget(native, name) == nil then error(("the prelude needs the native '%s'"):format(name), 0) end
    end
  end
  for name in pairs(native) do
    if not listed[name] then error(("prelude.lua does not list the native '%s'"):format(tostring(name)), 0) end
  end
end

local offered = {}

local function need(name)
  local offer = offered[name]
  if offer == nil then
    offer = load(name, _ENV)(native, need) -- luacheck: ignore 113
    offered[name] = offer
  end
  return offer
end

-- Returns what a chunk offers. Checks the natives of these groups before it is loaded.
return function(name, ...)
  if offered[name] == nil then check(...) end
  return need(name)
end
