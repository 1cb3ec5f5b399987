---@meta scripted.busted

-- The globals of tests, as busted 2.1 and luassert 1.9 have them: `docs/busted.md`.

---A block of tests. Words with `#` in its name are tags.
---@param name string
---@param body fun()
function describe(name, body) end

---The same as `describe`.
---@param name string
---@param body fun()
function context(name, body) end

---A block that restores the globals and the loaded modules, in plain Lua libraries.
---@param name string
---@param body fun()
function insulate(name, body) end

---A block whose globals the blocks around it see, in plain Lua libraries.
---@param name string
---@param body fun()
function expose(name, body) end

---A test. Words with `#` in its name are tags.
---@param name string
---@param body fun()
function it(name, body) end

---The same as `it`.
---@param name string
---@param body fun()
function spec(name, body) end

---The same as `it`.
---@param name string
---@param body fun()
function test(name, body) end

---A test that is not written yet. In a test it skips the rest, for the reason `name`.
---@param name? string
---@param body? fun()
function pending(name, body) end

---Runs before each test of the block.
---@param body fun()
function before_each(body) end

---Runs after each test of the block.
---@param body fun()
function after_each(body) end

---Runs once, before the first test of the block.
---@param body fun()
function setup(body) end

---Runs once, before the first test of the block.
---@param body fun()
function strict_setup(body) end

---Runs once, before the first test of the block that is selected.
---@param body fun()
function lazy_setup(body) end

---Runs once, after the last test of the block.
---@param body fun()
function teardown(body) end

---Runs once, after the last test of the block.
---@param body fun()
function strict_teardown(body) end

---Runs once, after the last test of the block that is selected.
---@param body fun()
function lazy_teardown(body) end

---Runs at the end of the test in which it is called, however that ends.
---@param body fun()
function finally(body) end

---Shuffles the tests of the block, by a seed if there is one.
---@param seed? integer
function randomize(seed) end

---A phrase of assertions. Words may be joined by dots or underscores: `assert.is_not.equal`, `assert.is_not_equal`.
---@class scripted.Assertions
---@field is scripted.Assertions
---@field are scripted.Assertions
---@field was scripted.Assertions
---@field has scripted.Assertions
---@field does scripted.Assertions
---@field is_not scripted.Assertions
---@field are_not scripted.Assertions
---@field has_no scripted.Assertions
---@field does_not scripted.Assertions
---@field no scripted.Assertions
---@field equal fun(expected: any, actual: any, message?: any) the same value, as by `==`
---@field equals fun(expected: any, actual: any, message?: any)
---@field are_equal fun(expected: any, actual: any, message?: any)
---@field same fun(expected: any, actual: any, message?: any) equal in depth
---@field are_same fun(expected: any, actual: any, message?: any)
---@field near fun(expected: number, actual: number, tolerance: number, message?: any)
---@field unique fun(list: table, isDeep?: boolean, message?: any) no two fields alike
---@field is_true fun(value: any, message?: any)
---@field is_false fun(value: any, message?: any)
---@field is_truthy fun(value: any, message?: any)
---@field is_falsy fun(value: any, message?: any)
---@field is_nil fun(value: any, message?: any)
---@field is_not_nil fun(value: any, message?: any)
---@field is_boolean fun(value: any, message?: any)
---@field is_number fun(value: any, message?: any)
---@field is_string fun(value: any, message?: any)
---@field is_table fun(value: any, message?: any)
---@field is_function fun(value: any, message?: any)
---@field is_userdata fun(value: any, message?: any)
---@field is_thread fun(value: any, message?: any)
---@field truthy fun(value: any, message?: any)
---@field falsy fun(value: any, message?: any)
---@field match fun(pattern: string, value: any, init?: integer, isPlain?: boolean, message?: any): ... returns the captures
---@field matches fun(pattern: string, value: any, init?: integer, isPlain?: boolean, message?: any): ...
---@field error fun(fn: fun(), expected?: any, message?: any)
---@field has_error fun(fn: fun(), expected?: any, message?: any)
---@field has_no_error fun(fn: fun(), message?: any)
---@field error_matches fun(fn: fun(), pattern: string, init?: integer, isPlain?: boolean, message?: any)
---@field holes fun(length?: integer, message?: any) behind `assert.array(list).has`
---@field returned_arguments fun(count: integer, ...: any)
---@field matches_snapshot fun(value: any, name?: string) compares with the value that was kept when the test ran first
---@field called fun(count?: integer, message?: any) behind `assert.spy(s).was`
---@field called_with fun(...: any)
---@field called_at_least fun(count: integer, message?: any)
---@field called_at_most fun(count: integer, message?: any)
---@field called_more_than fun(count: integer, message?: any)
---@field called_less_than fun(count: integer, message?: any)
---@field returned_with fun(...: any)
---@field [string] any phrases of several words, and own ones

---@class scripted.Assert: scripted.Assertions
---@field spy fun(spy: any, message?: any): scripted.Assertions
---@field stub fun(stub: any, message?: any): scripted.Assertions
---@field array fun(list: table): scripted.Assertions
---@field message fun(message: any): scripted.Assertions
---@overload fun(value: any, message?: any, ...: any): any, any
assert = {}

---Adds a word.
---@param kind "assertion"|"matcher"|"modifier"
---@param name string
---@param callback fun(state: table, arguments: table, level?: integer): any
---@param positive? string the key of its message in `say`
---@param negative? string the key of its message behind `not`
function assert:register(kind, name, callback, positive, negative) end

---@param kind "assertion"|"matcher"|"modifier"
---@param name string
function assert:unregister(kind, name) end

---Remembers spies, stubs and formatters. Its `revert()` undoes what came later.
---@return table
function assert:snapshot() end

---A function that records its calls.
---@class scripted.Spy
---@field calls table[]
---@field returnvals table[]
---@overload fun(...: any): ...
local Spy = {}

---Forgets the calls.
function Spy:clear() end

---Restores what it replaced.
---@return any
function Spy:revert() end

spy = {}

---@param fn fun(...: any): ...
---@return scripted.Spy
function spy.new(fn) end

---Replaces a function of a table by a spy that calls it.
---@param target table
---@param name any
---@return scripted.Spy
function spy.on(target, name) end

---@class scripted.Stub: scripted.Spy
---@field returns fun(...: any): scripted.Stub
---@field invokes fun(fn: fun(...: any): ...): scripted.Stub
---@field by_default scripted.Stub
---@field on_call_with fun(...: any): scripted.Stub

---Replaces a function of a table by one that does nothing, returns the values, or calls the function.
---@param target table
---@param name any
---@param ... any
---@return scripted.Stub
function stub(target, name, ...) end

---Spies on all functions of a table, or stubs them.
---@param target table
---@param isStub? boolean
---@return table
function mock(target, isStub) end

---Matchers for `called_with`: `match.is_string()`, `match._` for any value.
---@type table<string, any>
match = {}
