---@meta scripted.test

-- What `require "scripted.test"` returns in a test, for the Lua language server; `docs/script-api.md` says the rest.

---@class scripted.test
local test = {}

---How much a test has to say: everything, what it wants to, or that with what it leaves out printed.
---@alias scripted.Exhaustivity "on"|"off"|{ showSkipped: boolean }

---Makes a state what it will be.
---@alias scripted.Expectation fun(state: table)

---What an effect's action is to be: a pattern as in `on`, an action, or a function of one.
---@alias scripted.Expected string|scripted.Action|fun(action: scripted.Action): boolean

---@class scripted.TestStoreOptions
---@field state? table top-level keys that replace those of the initial state
---@field dependencies? table<string, any> the values of dependencies, under their names
---@field exhaustivity? scripted.Exhaustivity
---@field timeout? number seconds that a statement waits for dependencies of the host

---@class scripted.Timeout
---@field timeout? number seconds

---@class scripted.Strictness
---@field strict? boolean whether it fails where there is nothing to skip

---What an action started.
---@class scripted.TestTask
---@field isCancelled boolean
local task = {}

function task:cancel() end

---@param options? scripted.Timeout
function task:finish(options) end

---A store whose every change a test has to say.
---@class scripted.TestStore
---@field state table as of the last action that was asserted, in an expectation the one before the action; read-only
---@field isDismissed boolean whether its feature asked to be dismissed, from when on nothing can be sent
---@field exhaustivity scripted.Exhaustivity
---@field timeout number
---@field dependencies table<string, any> an assignment overrides from now on
local store = {}

---Sends an action and asserts what it makes of the state.
---@param action string|scripted.Action
---@param payload? any
---@param expect? scripted.Expectation
---@return scripted.TestTask
---@overload fun(self: scripted.TestStore, action: string|scripted.Action, expect: scripted.Expectation): scripted.TestTask
function store:send(action, payload, expect) end

---Asserts that an effect has sent an action, and what that made of the state.
---@param what scripted.Expected
---@param payload? any
---@param expect? scripted.Expectation
---@param options? scripted.Timeout
---@overload fun(self: scripted.TestStore, what: scripted.Expected, expect: scripted.Expectation, options?: scripted.Timeout)
function store:receive(what, payload, expect, options) end

---Asserts the state between actions.
---@param expect scripted.Expectation
function store:assert(expect) end

---Waits until all effects have ended. Actions that were received have to be asserted before.
---@param options? scripted.Timeout
function store:finish(options) end

---Leaves out the actions that were received and not asserted.
---@param options? scripted.Strictness
function store:skipReceivedActions(options) end

---Lets what is in flight now be in flight at the end.
---@param options? scripted.Strictness
function store:skipInFlightEffects(options) end

---Calls the function with another exhaustivity.
---@generic T
---@param exhaustivity scripted.Exhaustivity
---@param fn fun(store: scripted.TestStore): T
---@return T
function store:withExhaustivity(exhaustivity, fn) end

---@param reducer scripted.ReducerLike
---@param options? scripted.TestStoreOptions
---@return scripted.TestStore
function test.store(reducer, options) end

---Calls the function, which must cause a runtime warning; each must match.
---@param pattern string a Lua pattern, or plain text
---@param fn fun()
function test.expectWarning(pattern, fn) end

---A shared value as the host has it.
---@class scripted.test.SharedValue
---@field value any
local sharedValue = {}

---Changes the value as another store would.
---@param value any
function sharedValue:set(value) end

---Changes the value to what the function returns for it.
---@param change fun(value: any): any
function sharedValue:update(change) end

---The value of a key of `scripted.shared`. A store whose state changes by it receives the action `"shared"`.
---@param key scripted.SharedKey
---@return scripted.test.SharedValue
function test.shared(key) end

---The files of the stored values of this test, as another program sees them. They are in memory.
---@class scripted.test.storage
local storage = {}
test.storage = storage

---The text of a file; nil if there is none.
---@param name string
---@return string?
function storage.read(name) end

---Writes a file as another program would. Stores take the change over.
---@param name string
---@param text string
function storage.write(name, text) end

---Removes a file as another program would.
---@param name string
function storage.remove(name) end

---The names of the files.
---@return string[]
function storage.names() end

---Lets all that is done with a file fail from now on; without a code no more.
---@param code? string as `"full"` or `"denied"`
---@param name? string all files without
function storage.fail(code, name) end

---Ends the program, and begins anew: stores that are made from now on read the files.
function storage.restart() end

---The same after a kill: what was not written yet is in the journals.
function storage.crash() end

---A clock on which time passes only when the test says so.
---@class scripted.TestClock: scripted.Clock
local clock = {}

---Lets time pass: who sleeps wakes in the order of time.
---@param seconds? number 0 without
function clock:advance(seconds) end

---Lets time pass until nobody sleeps.
function clock:run() end

---Raises while somebody sleeps.
function clock:checkSuspension() end

---@return scripted.TestClock
function test.clock() end

---A clock on which every sleep is over at once.
---@return scripted.Clock
function test.immediateClock() end

---An iterator over what the test sends. Keeps values until they are read.
---@class scripted.TestStream
---@operator call: any
local stream = {}

---@param value any
function stream:send(value) end

---Ends the loops over it.
function stream:finish() end

---Raises in the loops over it.
---@param error any
function stream:fail(error) end

---@return scripted.TestStream
function test.stream() end

---Waits until it is cancelled; for an override.
function test.never() end

---A `uuid` that counts up from `00000000-0000-0000-0000-000000000000`.
---@return fun(): string
function test.incrementingUUID() end

---The n-th UUID of these, from 0.
---@param n integer
---@return string
function test.uuid(n) end

---A `date` that stands still.
---@param seconds number since 1970
---@return table
function test.constantDate(seconds) end

---A `random` that gives the same each time.
---@param seed integer
---@return table
function test.seededRandom(seed) end

---A function that fails when it is called.
---@param name string
---@return fun(...)
function test.unimplemented(name) end

return test
