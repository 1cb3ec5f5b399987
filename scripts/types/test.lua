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
---@field state? table|fun(state: table) top-level keys that replace those of the initial state, or a function that changes that
---@field dependencies? table<string, any> the values of dependencies, under their names
---@field exhaustivity? scripted.Exhaustivity
---@field timeout? number seconds that a statement waits for dependencies of the host
---@field durable? boolean whether its handlers cannot call functions that write, as those of a durable store

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

---An alarm of a store.
---@class scripted.SetAlarm
---@field id scripted.EffectId
---@field action string the path of its action, as `receive` takes it
---@field payload? table the fields of its action
---@field seconds? number the time until then; nil for one that was set for a date
---@field at? number its date, in seconds since 1970
---@field place? string the path of its place; nil at the root

---A store whose every change a test has to say.
---@class scripted.TestStore
---@field state table as of the last action that was asserted, in an expectation the one before the action; read-only
---@field alarms scripted.SetAlarm[] the alarms that are set, in the order of their times; those that were read are asserted
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

---The shared value behind a field of the state, as `test.shared` gives it for a key.
---@param path string as `settings`, or `child.settings`
---@return scripted.test.SharedValue
function store:shared(path) end

---Does what a lost process does: gives transient fields their defaults, cancels the effects in flight, and sends `recovered` where
---there were some. Alarms stay.
---@param expect? scripted.Expectation what the loss makes of the state
function store:crash(expect) end

---Leaves out the actions that were received and not asserted.
---@param options? scripted.Strictness
function store:skipReceivedActions(options) end

---Lets what is in flight now be in flight at the end.
---@param options? scripted.Strictness
function store:skipInFlightEffects(options) end

---Lets the alarms that are set now be set at the end.
---@param options? scripted.Strictness
function store:skipAlarms(options) end

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

---@class scripted.TestViewOptions: scripted.TestStoreOptions
---@field env? table<string, any> what views find in `env`, as `width = "compact"`

---What a person perceives: the kind of an element that shows, does or enters something, and what rows, options, tabs
---and presentations are.
---@alias scripted.Role
---| "text" | "heading" | "image" | "icon" | "progress" | "badge" | "number" | "date"
---| "button" | "link" | "menu" | "toast"
---| "textField" | "secureField" | "textEditor" | "toggle" | "picker" | "slider" | "stepper" | "datePicker"
---| "screen" | "form" | "section" | "list" | "table" | "toolbar" | "tabs" | "disclosure" | "group" | "scroll" | "host"
---| "row" | "cell" | "option" | "tab" | "sheet" | "cover" | "popover" | "dialog" | "alert"

---@class scripted.ViewQuery
---@field name? string its label, text or title
---@field number? integer the number of a row, a cell, an option or a tab
---@field within? scripted.ViewItem what it is in
---@field selected? boolean
---@field disabled? boolean

---A test store together with what its views show. A test finds there what a person perceives, by role and name, and does
---with it what a person can do.
---@class scripted.TestView
---@field store scripted.TestStore
local view = {}

---What is called so, of which there has to be one.
---@param role scripted.Role
---@param what? string|integer|scripted.ViewQuery a name, the number of a row, or more
---@return scripted.ViewItem
function view:find(role, what) end

---The same; nil if there is none.
---@param role scripted.Role
---@param what? string|integer|scripted.ViewQuery
---@return scripted.ViewItem?
function view:query(role, what) end

---All that are called so.
---@param role scripted.Role
---@param what? string|integer|scripted.ViewQuery
---@return scripted.ViewItem[]
function view:all(role, what) end

---Uses what has this shortcut. Without that `"escape"` dismisses, or goes back.
---@param shortcut string
---@param expect? scripted.Expectation
---@return scripted.TestTask
function view:press(shortcut, expect) end

---Goes back in the navigation that is shown.
---@param expect? scripted.Expectation
---@return scripted.TestTask
function view:back(expect) end

---Closes what is presented topmost.
---@param expect? scripted.Expectation
---@return scripted.TestTask
function view:dismiss(expect) end

---Gives the screen another width: a number of columns, of which fewer than 60 are compact, or a word. `view:text()` has as many columns, 80 with a word.
---@param width integer|"compact"|"regular"
function view:resize(width) end

---The screen as text.
---@param width? integer columns; without it those of `view:resize`, or 80
---@return string
function view:text(width) end

---The screen as HTML, a node a line.
---@return string
function view:html() end

---The nodes of the screen.
---@return table
function view:tree() end

---The places whose views ran for the last statement, as `"todos[1]"`; `""` is the root.
---@return string[]
function view:evaluated() end

---What is wrong with the screen for those who use it by keys, or hear it. A test does this by itself at its end.
---@return string[]
function view:audit() end

---What was found on a screen: as it is now, where it still is.
---@class scripted.ViewItem
---@field role scripted.Role
---@field name? string
---@field number? integer of a row, a cell, an option or a tab
---@field value any
---@field disabled boolean
---@field selected boolean
---@field error? string
---@field node table
---@field path string
local item = {}

---@param role scripted.Role
---@param what? string|integer|scripted.ViewQuery
---@return scripted.ViewItem
function item:find(role, what) end

---@param role scripted.Role
---@param what? string|integer|scripted.ViewQuery
---@return scripted.ViewItem?
function item:query(role, what) end

---@param role scripted.Role
---@param what? string|integer|scripted.ViewQuery
---@return scripted.ViewItem[]
function item:all(role, what) end

---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:tap(expect) end

---Enters text behind what is there.
---@param text string
---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:type(text, expect) end

---Enters a value in the place of what is there.
---@param value any
---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:set(value, expect) end

---Chooses an option of a picker, or a tab, by its value or label.
---@param value any
---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:choose(value, expect) end

---Selects a row; of a list, the one with the id.
---@param id? any
---@param expect? scripted.Expectation
---@return scripted.TestTask
---@overload fun(self: scripted.ViewItem, expect?: scripted.Expectation): scripted.TestTask
function item:select(id, expect) end

---Deletes a row.
---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:delete(expect) end

---Moves a row to the position before row `to`. `to` may be one past the last row. With another list as the first
---argument, the row moves into that list, before its row `to`.
---@param to integer
---@param expect? scripted.Expectation
---@return scripted.TestTask
---@overload fun(self: scripted.ViewItem, list: scripted.ViewItem, to: integer, expect?: scripted.Expectation): scripted.TestTask
function item:move(to, expect) end

---Submits a field, or the form that it is in.
---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:submit(expect) end

---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:focus(expect) end

---@param expect? scripted.Expectation
---@return scripted.TestTask
function item:blur(expect) end

---Lets a list show the rows from this one on.
---@param row integer
function item:scroll(row) end

---@param reducer scripted.ReducerLike
---@param options? scripted.TestViewOptions
---@return scripted.TestView
function test.view(reducer, options) end

---Calls the function, which must cause a runtime warning; each must match.
---@param pattern string a Lua pattern, or plain text
---@param fn fun()
function test.expectWarning(pattern, fn) end

---A shared value as the host has it.
---@class scripted.test.SharedValue
---@field value any
---@field status { isLoading: boolean, loadError?: table, saveError?: table } of a stored or custom value
local sharedValue = {}

---Changes the value as another store would.
---@param value any
function sharedValue:set(value) end

---Changes the value to what the function returns for it or, if it returns nothing, to what it makes of its argument.
---@param change fun(value: any): any?
function sharedValue:update(change) end

---The value of a key of `scripted.shared`. A store whose state changes by it receives the action `"shared"`.
---@param key scripted.SharedKey
---@return scripted.test.SharedValue
function test.shared(key) end

---The files of the stored values of this test, as another program sees them. They are in memory. Each statement writes
---them, unless `test.storage { clock = clock }` lets a `test.clock()` say when.
---@class scripted.test.storage
---@overload fun(options: { clock: scripted.TestClock }): scripted.test.storage
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

---Gives a file another name, as another program would.
---@param name string
---@param new string
function storage.rename(name, new) end

---The stored value of an `appStorage` key; nil if there is none.
---@param name string
---@return any
function storage.get(name) end

---Writes the stored value of an `appStorage` key, or removes it (nil), as another program would.
---@param name string
---@param value any
function storage.set(name, value) end

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
