---@meta scripted

-- What `require "scripted"` gives, for the Lua language server. `docs/script-api.md` is the
-- contract; this file names its functions and types.

---JSON's null. It is a value like any other and true in a condition.
---@class scripted.Null

---The id of an element: what its id field holds, or its key in an object.
---@alias scripted.Id integer|number|string|boolean

---An action: a type and payload fields. `action` holds the action of a child or of an own group.
---@class scripted.Action
---@field type string
---@field id? scripted.Id the element, for a child attached with `forEach`
---@field action? scripted.Action the action of the child
---@field [string] any

---A handler. Writes to `state` are dropped again if it raises. In it nothing can wait: what waits belongs
---into `effect.run`.
---@alias scripted.Handler fun(state: table, action: scripted.Action, deps: scripted.Deps, ids: scripted.Id[]?): scripted.Effect?

---What `on.recovered` gets: the store has come back, and effects of this place were in flight.
---@class scripted.Recovered: scripted.Action
---@field effects { origin: string, id?: scripted.EffectId }[] in the order in which they had started

---@class scripted.FeatureDefinition
---@field name? string names the feature in messages; where it was made if absent
---@field state? table the default state, JSON-like
---@field on? table<string, scripted.Handler> a handler for each action pattern, such as `"increment"` or `"todos[*].toggle"`
---@field reduce? fun(state: table, action: scripted.Action, deps: scripted.Deps): scripted.Effect? runs after `on`, with every action
---@field dependencies? string[] the names that it reaches in `deps`
---@field shared? table<string, scripted.SharedKey|fun(state: table): scripted.SharedKey?> the fields of its state that are shared; a function chooses the key by the state
---@field view? fun(state: table, env: scripted.ui.Environment): scripted.ui.Node how it looks: a pure function, which returns nodes of `scripted.ui`
---@field binding? boolean whether `binding` actions are written before `on` runs
---@field transient? string[] fields of `state` that are not kept beyond the process; they have their defaults then
---@field version? integer of the state's shape, 1 if absent; needs a name
---@field migrate? fun(state: table, fromVersion: integer): table? brings a state of another version into shape when scripts are reloaded: changes it, or returns the new one
---@field reload? "finish"|"cancel" what a reload does with effects in flight; they finish on the old code if absent
---@field actions? string[] types that nothing here handles but that are known, such as `"delegate.saved"`

---@class scripted.ForEachOptions
---@field action? string the action's type; the last segment of the key if absent
---@field id? string the field that holds an element's id; `"id"` if absent

---@class scripted.ScopeOptions
---@field action? string the action's type; the last segment of the key if absent

---A place in the state, by functions.
---@class scripted.Lens
---@field get fun(state: table): any
---@field set fun(state: table, childState: any)

---A child, or a function that returns it, called once on first use. So features may recurse.
---@alias scripted.ReducerLike scripted.Reducer|fun(): scripted.Reducer

---@class scripted.Reducer
local Reducer = {}

---Runs `child` on `state[key]` for `{ type = name, action = … }`, then this reducer.
---@generic R: scripted.Reducer
---@param self R
---@param key string|scripted.Lens a key, a dotted path or a lens
---@param child scripted.ReducerLike
---@param options? scripted.ScopeOptions
---@return R
function Reducer:scope(key, child, options) end

---Runs `element` on the element of the list (or object) `state[key]` that
---`{ type = name, id = …, action = … }` names, then this reducer.
---@generic R: scripted.Reducer
---@param self R
---@param key string a key or a dotted path
---@param element scripted.ReducerLike
---@param options? scripted.ForEachOptions
---@return R
function Reducer:forEach(key, element, options) end

---Runs `child` on `state[key]` while it is there, then this reducer. `<key>.dismiss` lets go of it, once this
---reducer has seen it one last time.
---@generic R: scripted.Reducer
---@param self R
---@param key string a key or a dotted path
---@param child scripted.ReducerLike
---@param options? scripted.ScopeOptions
---@return R
function Reducer:ifLet(key, child, options) end

---Runs `child` on the state's case `case` while the state, which is tagged, is in it; then this reducer.
---@generic R: scripted.Reducer
---@param self R
---@param case string
---@param child scripted.ReducerLike
---@return R
function Reducer:ifCaseLet(case, child) end

---Runs `element` on the element of the stack `state[key]` that `{ type = name, id = …, action = … }` names, then
---this reducer. `<key>.push` with `{ state = … }` appends one, `<key>.popFrom` with `{ id = … }` takes that one and
---all above it out.
---@generic R: scripted.Reducer
---@param self R
---@param key string a key or a dotted path
---@param element scripted.ReducerLike|table<string, scripted.ReducerLike> a table has a reducer for each case
---@param options? scripted.ScopeOptions
---@return R
function Reducer:stack(key, element, options) end

---This reducer with another dependency `name`, its descendants and their effects too. A table replaces
---only the members that it names.
---@generic R: scripted.Reducer
---@param self R
---@param name string
---@param value any a value, a function, or a table of these
---@return R
function Reducer:dependency(name, value) end

---This reducer with what `transform` makes of the dependency `name`, its descendants and their effects
---too.
---@generic R: scripted.Reducer
---@param self R
---@param name string
---@param transform fun(current: any): any
---@return R
function Reducer:transformDependency(name, transform) end

---Runs `handler` when the value at a key, or what a function makes of the state, is another one after this
---reducer and its children ran, by deep comparison. Its effects come after theirs.
---@generic R: scripted.Reducer
---@param self R
---@param key string|fun(state: table): any a key, a dotted path or a function
---@param handler fun(state: table, old: any, new: any, action: scripted.Action, deps: scripted.Deps): scripted.Effect?
---@return R
function Reducer:onChange(key, handler) end

---This reducer with a view, which counts instead of those in it.
---@generic R: scripted.Reducer
---@param self R
---@param view fun(state: table, env: scripted.ui.Environment): scripted.ui.Node
---@return R
function Reducer:view(view) end

---Prints each action that this reducer gets, and what it changed.
---@generic R: scripted.Reducer
---@param self R
---@param prefix? string
---@return R
function Reducer:printChanges(prefix) end

---Prints each action that this reducer gets.
---@generic R: scripted.Reducer
---@param self R
---@param prefix? string
---@return R
function Reducer:printActions(prefix) end

---Has the host's instrument, if it has one, measure this reducer and its effects.
---@generic R: scripted.Reducer
---@param self R
---@param prefix? string
---@return R
function Reducer:signpost(prefix) end

---@class scripted.Pullback
---@field state string a key or a dotted path of the parent's state
---@field action? string the action's type in the parent; the last segment of the key if absent
---@field dependencies? fun(deps: scripted.Deps): table<string, any> what it finds in `deps` instead, by name

---This reducer as one of a parent, to be combined with it.
---@param definition scripted.Pullback
---@return scripted.Reducer
function Reducer:pullback(definition) end

---Reduces at once, in a handler, and returns the effect for the handler to return. Called with a dot:
---`Child.run(state.child, action, deps)`.
---@param state table the handler's state, or a table in it
---@param action string|scripted.Action
---@param deps? scripted.Deps
---@return scripted.Effect
function Reducer.run(state, action, deps) end

---A text that shows how this reducer is composed.
---@return string
function Reducer.tree() end

---@class scripted.Feature: scripted.Reducer
---@field name string
---@field actions table<string, fun(...): scripted.Action> builds the known actions; an unknown name raises
local Feature = {}

---A fresh plain table: the default state with copies of the given top-level keys replaced or added.
---@param overrides? table
---@return table
function Feature.initial(overrides) end

---@class scripted.Cases: scripted.Reducer
---@field actions table<string, fun(...): scripted.Action> builds the actions of the cases

---What an effect's body sends its actions with. Returns after the action is reduced, and what it sent in
---turn; does nothing in a cancelled effect.
---@alias scripted.Send fun(action: string|scripted.Action, payload?: any)

---What an effect does. It may wait anywhere: in a function of a dependency, in a stream, in `effect.all`.
---@alias scripted.Body fun(send: scripted.Send, deps: scripted.Deps)

---An id of effects: any JSON-like value of up to 4,096 bytes. Two that are equal are one. It belongs to the place of the
---reducer that returned the effect.
---@alias scripted.EffectId any

---@class scripted.CancellableOptions
---@field cancelInFlight? boolean cancels first what is in flight under the id; false if absent

---@class scripted.ThrottleOptions
---@field latest? boolean the last action of an interval goes through at its end, not the first; false if absent

---@class scripted.RunOptions
---@field catch? fun(error: any, send: scripted.Send, deps: scripted.Deps) gets what the body raised; never a cancellation

---Describes what should happen once the state is written. Nothing happens until the store runs it. Its
---methods return a new effect.
---@class scripted.Effect
local Effect = {}

---Lets `effect.cancel(id)` cancel this.
---@param id scripted.EffectId
---@param options? scripted.CancellableOptions
---@return scripted.Effect
function Effect:cancellable(id, options) end

---Starts this after `seconds` without another one of the id. Cancels its predecessor, pending or running.
---@param id scripted.EffectId
---@param seconds number
---@return scripted.Effect
function Effect:debounce(id, seconds) end

---Lets the first through at once, and one of those that follow within `seconds` at their end: the first, or
---the last with `{ latest = true }`.
---@param id scripted.EffectId
---@param seconds number
---@param options? scripted.ThrottleOptions
---@return scripted.Effect
function Effect:throttle(id, seconds, options) end

---Sends what `transform` returns for each action that this sends.
---@param transform fun(action: scripted.Action): string|scripted.Action
---@return scripted.Effect
function Effect:map(transform) end

---Attaches a JSON-like value to every action that this sends; the host's observers receive it.
---@param transaction any
---@return scripted.Effect
function Effect:transaction(transaction) end

---Attaches an animation, by its name or as a JSON-like value, to every action that this sends; the host's
---observers receive it.
---@param animation any
---@return scripted.Effect
function Effect:animation(animation) end

---What `effect.result` returns: one of the two.
---@class scripted.Result
---@field success? any the first result, null for nil
---@field failure? scripted.Failure

---What was raised. A table that was raised keeps its named fields that an action can have; without a text as `message` it
---has that of its `__tostring` or its `code`.
---@class scripted.Failure
---@field message string without position, unless it is a programming error, as an index of nil
---@field [string] any

---@class scripted.effect
---@field none scripted.Effect nothing
---@field cancelled any what a cancelled effect's wait raises
local effect = {}

---Feeds an action back at once, before the next outside action.
---@param action string|scripted.Action an action, or a path such as `"todos[3].toggle"`
---@param payload? any joins the innermost action of a path
---@return scripted.Effect
function effect.send(action, payload) end

---Runs a function that may wait.
---@param body scripted.Body
---@param options? scripted.RunOptions
---@return scripted.Effect
function effect.run(body, options) end

---The effects together.
---@param ... scripted.Effect|scripted.Effect[]
---@return scripted.Effect
function effect.merge(...) end

---One effect after the other, each when the one before has completed or was cancelled.
---@param ... scripted.Effect|scripted.Effect[]
---@return scripted.Effect
function effect.concatenate(...) end

---Cancels what is in flight under the id, here or at the places that the path names. Inside a body it acts
---at once.
---@param id scripted.EffectId
---@param where? string such as `"todos[*]"`
---@return scripted.Effect
function effect.cancel(id, where) end

---A date for an alarm.
---@class scripted.AlarmDate
---@field at number seconds since 1970, as `deps.date.now()` counts them

---Lets the store send an action later. No effect is in flight until then: an alarm is a part of the state, and a reload leaves
---it as it is. It belongs to the place of the reducer that returned it, and goes with it; a later one with the id replaces it.
---@param id scripted.EffectId
---@param time number|scripted.AlarmDate seconds, or a date
---@param action string|scripted.Action an action, or a path such as `"todos[3].toggle"`
---@param payload? any joins the innermost action of a path
---@return scripted.Effect
function effect.alarm(id, time, action, payload) end

---Removes the alarm with this id.
---@param id scripted.EffectId
---@return scripted.Effect
function effect.cancelAlarm(id) end

---Asks whoever presents this feature to let go of it, as `deps.dismiss()` does.
---@return scripted.Effect
function effect.dismiss() end

---Runs the functions side by side and returns one value for each, in order; the list may have nils. If one raises, the others are
---cancelled and it raises again. Inside `effect.run` only.
---@param functions (fun(): any)[]
---@return any ...
function effect.all(functions) end

---Runs the functions side by side, returns the index and the results of the first to finish, and cancels
---the others. Inside `effect.run` only.
---@param functions (fun(): ...)[]
---@return integer index
---@return any ...
function effect.race(functions) end

---Calls `fn(...)` and raises `{ code = "timeout" }` if it takes longer than `seconds`. Inside `effect.run`
---only.
---@param seconds number
---@param fn fun(...): ...
---@param ... any
---@return any ...
function effect.timeout(seconds, fn, ...) end

---Calls `fn()`, which `effect.cancel(id)` then cancels: the call raises `effect.cancelled`, the body around
---it goes on. Inside `effect.run` only.
---@overload fun(id: scripted.EffectId, fn: fun(): ...): any ...
---@param id scripted.EffectId
---@param options? scripted.CancellableOptions
---@param fn fun(): ...
---@return any ...
function effect.withCancellation(id, options, fn) end

---Whether the running effect was cancelled. Inside `effect.run` only.
---@return boolean
function effect.isCancelled() end

---Lets the other effects go on first. Inside `effect.run` only.
function effect.yield() end

---Calls a function of a module in another Lua VM, on a thread of its own, and waits for its first result; stores go on
---meanwhile. Arguments and result are values of state, copied. The module and those that it requires are loaded
---there once, and cannot require `scripted`. Inside `effect.run` only.
---@param module string
---@param name string
---@param ... any
---@return any
function effect.compute(module, name, ...) end

---Calls `fn(...)`: `{ success = its first result }`, or `{ failure = { message = … } }` if it raised. A
---cancellation passes through.
---@param fn fun(...): any
---@param ... any
---@return scripted.Result
function effect.result(fn, ...) end

-- ---- Dependencies ----------------------------------------------------------------------------------

---What a feature reaches: the names in its `dependencies`; `dismiss` and `isPresented` always.
---@class scripted.Deps
---@field clock scripted.Clock
---@field date scripted.Date
---@field uuid fun(): string a random UUID, in upper case
---@field random scripted.Random
---@field log scripted.Log
---@field http scripted.HTTP where the host allows it
---@field files scripted.Files where the host allows it
---@field dismiss fun() asks whoever presents this feature to let go of it
---@field isPresented boolean
---@field [string] any what the host registered and scripts declared

---The store's clock. What waits does so inside `effect.run` only.
---@class scripted.Clock
---@field sleep fun(seconds: number) waits
---@field now fun(): number seconds since a time of the clock's own
---@field timer fun(seconds: number): fun(): integer an iterator that waits for each tick: 1, 2, 3 …

---@class scripted.Date
---@field now fun(): number seconds since 1970, UTC

---@class scripted.Random
---@field integer fun(a: integer, b: integer): integer from `a` to `b`, both included
---@field number fun(): number from 0 to 1, without 1

---@class scripted.Log
---@field debug fun(message: any, fields?: table<string, any>)
---@field info fun(message: any, fields?: table<string, any>)
---@field warning fun(message: any, fields?: table<string, any>)
---@field error fun(message: any, fields?: table<string, any>)

---Requests to the hosts that the host program allows. They wait, inside `effect.run` only. A host that is not
---allowed, and what goes wrong on the way, raises `{ code, message, url }`.
---@class scripted.HTTP
---@field get fun(url: string, options?: scripted.HTTPOptions): scripted.HTTPResponse
---@field head fun(url: string, options?: scripted.HTTPOptions): scripted.HTTPResponse
---@field post fun(url: string, options?: scripted.HTTPOptions): scripted.HTTPResponse
---@field put fun(url: string, options?: scripted.HTTPOptions): scripted.HTTPResponse
---@field patch fun(url: string, options?: scripted.HTTPOptions): scripted.HTTPResponse
---@field delete fun(url: string, options?: scripted.HTTPOptions): scripted.HTTPResponse
---@field request fun(request: scripted.HTTPRequest): scripted.HTTPResponse
---@field getJSON fun(url: string, options?: scripted.HTTPOptions): any the value of the response's JSON; raises unless the status is 2xx

---@class scripted.HTTPOptions
---@field headers? table<string, string|number|boolean|string[]>
---@field query? table<string, string|number|boolean|string[]> encoded and put behind the URL
---@field body? string one of `body`, `json` and `base64` is the body
---@field json? any
---@field base64? string
---@field timeout? number in seconds
---@field followRedirects? boolean true if absent
---@field as? "text"|"json"|"base64" how the body of the response is read

---@class scripted.HTTPRequest: scripted.HTTPOptions
---@field method? string `"GET"` if absent
---@field url string

---@class scripted.HTTPResponse
---@field status integer
---@field headers table<string, string|string[]> names in lower case; `set-cookie` is a list
---@field url string of the last redirect
---@field body? string
---@field json? any if the content type is JSON

---Files in one folder of the host's choice. The functions wait, inside `effect.run` only. What goes wrong raises
---`{ code, message, path }`.
---@class scripted.Files
---@field read fun(path: string, options?: scripted.FileOptions): any
---@field write fun(path: string, contents: any, options?: scripted.FileOptions) whole or not at all
---@field append fun(path: string, contents: any, options?: scripted.FileOptions)
---@field remove fun(path: string): boolean false if there was none
---@field list fun(path?: string): { name: string, kind: "file"|"folder"|"other", size: integer }[]
---@field exists fun(path: string): boolean
---@field makeFolder fun(path: string)

---@class scripted.FileOptions
---@field as? "text"|"json"|"base64"

---@class scripted.DependencyDefinition
---@field name string
---@field live any a value, a function, a table of these, or a function of `deps` that returns one, called on first use
---@field preview? any what previews get instead
---@field test? any what tests get; without one, calling it fails them
---@field writes? boolean whether its functions change something outside: then handlers of durable stores cannot call them, and effects can

---@class scripted.ListOptions
---@field id string the field that holds an element's id

---Lists of elements, drafts and plain tables alike. Indices start at 1.
---@class scripted.list
local list = {}

---The element with the id.
---@generic T
---@param elements T[]
---@param id scripted.Id
---@param options? scripted.ListOptions
---@return T?
function list.find(elements, id, options) end

---The index of the element with the id.
---@param elements table[]
---@param id scripted.Id
---@param options? scripted.ListOptions
---@return integer?
function list.indexOf(elements, id, options) end

---Inserts an element before the one at `index`, or at the end.
---@generic T
---@param elements T[]
---@param element T
---@param index? integer
function list.insert(elements, element, index) end

---Removes the element with the id and returns it; nil if there is none. Without an id it raises.
---@generic T
---@param elements T[]
---@param id scripted.Id
---@param options? scripted.ListOptions
---@return T?
function list.remove(elements, id, options) end

---Removes all elements for which the predicate holds.
---@generic T
---@param elements T[]
---@param predicate fun(element: T): any
function list.removeAll(elements, predicate) end

---Removes the elements at the indices, all of them as they are before the call.
---@param elements any[]
---@param indices integer|integer[]
function list.removeAt(elements, indices) end

---Moves the elements at the indices before the one at `toIndex`, all of them as they are before the
---call; `#elements + 1` is the end. An index out of range raises.
---@param elements any[]
---@param fromIndices integer|integer[]
---@param toIndex integer
function list.move(elements, fromIndices, toIndex) end

---Sorts in place, by `<` without `before`. Stable: what is before neither of the other keeps its
---order.
---@generic T
---@param elements T[]
---@param before? fun(a: T, b: T): any
function list.sort(elements, before) end

---How many elements the predicate holds for. In a view, what it returned for unchanged parts of a list of the state with
---48 elements or more is remembered; so for `any` and `all`.
---@generic T
---@param elements T[]
---@param predicate fun(element: T): any
---@return integer
function list.count(elements, predicate) end

---Whether the predicate holds for an element.
---@generic T
---@param elements T[]
---@param predicate fun(element: T): any
---@return boolean
function list.any(elements, predicate) end

---Whether the predicate holds for each element.
---@generic T
---@param elements T[]
---@param predicate fun(element: T): any
---@return boolean
function list.all(elements, predicate) end

---A new plain table of the elements for which the predicate holds.
---@generic T
---@param elements T[]
---@param predicate fun(element: T): any
---@return T[]
function list.filter(elements, predicate) end

---A new plain table of what the function returns for each element.
---@generic T, U
---@param elements T[]
---@param transform fun(element: T): U
---@return U[]
function list.map(elements, transform) end

---The ids of the elements, in order.
---@param elements table[]
---@param options? scripted.ListOptions
---@return scripted.Id[]
function list.ids(elements, options) end

---@class scripted.json
local json = {}

---The text of a JSON-like value, on one line.
---@param value any
---@return string
function json.encode(value) end

---The value of a JSON text, as plain tables. An error names line and column.
---@param text string
---@return any
function json.decode(text) end

---What stands behind a field in a feature's `shared`.
---@class scripted.SharedKey
---@field name string
local sharedKey = {}

---The same value; the feature may only read it.
---@return scripted.SharedKey
function sharedKey:reader() end

---A part of the value: a dotted path, a list of keys and ids, or a function of the feature's state that returns one of these,
---or nil for none. A part that a function chooses can only be in `shared`.
---@param path string|(string|integer)[]|fun(state: table): (string|(string|integer)[])?
---@return scripted.SharedKey
function sharedKey:at(path) end

---Of a stored or custom value: `{ isLoading, loadError?, saveError? }`, read-only.
---@return scripted.SharedKey
function sharedKey:status() end

---In an effect: the current value.
---@return any
function sharedKey:get() end

---In an effect: the current value, and then the newest after each change.
---@return fun(): any
function sharedKey:values() end

---In an effect: reads a stored or custom value again. Raises `{ code, message, path }`.
function sharedKey:load() end

---In an effect: writes a stored or custom value; it is durable when this returns. Raises `{ code, message, path }`.
function sharedKey:save() end

---@class scripted.CustomKey
---@field name string
---@field default any a value, or a function that makes it
---@field dependencies? string[] what the functions find in `deps`
---@field load? fun(deps: table): any returns what is stored; nil for nothing
---@field save? fun(value: any, deps: table)
---@field subscribe? fun(yield: fun(value: any), deps: table) calls `yield` with each value that comes from outside
---@field check? fun(value: any) raises if a value that was loaded, or that an action wrote, cannot be used

---@class scripted.StorageOptions
---@field version? integer the version of the value's shape; 1
---@field migrate? fun(value: any, from: integer): any changes its argument, or returns a new value
---@field check? fun(value: any) raises if a value that was read, or that an action wrote, cannot be used
---@field encode? fun(value: any): string the text of a file that is not JSON; with `decode`, without `version`
---@field decode? fun(text: string): any the value of such a text
---@field interval? number seconds between two writes of the file; 1
---@field durability? "kill"|"power"|"exit" what a change outlives at once
---@field exclusive? boolean whether only the first of several processes writes the file

---@class scripted.DatabaseOptions
---@field file? string the database; "app.db"
---@field id? string the field of a row that is its id; "id"
---@field version? integer of the rows' shape; 1
---@field migrate? fun(rows: table, from: integer): any changes rows of an older version, or returns new ones
---@field check? fun(rows: table) raises if rows that were read, or that an action wrote, cannot be used
---@field durability? "kill"|"power" what a change outlives at once

---@class scripted.shared
local shared = {}

---A value that lives as long as the host.
---@param name string
---@param default any a value, or a function that makes it
---@return scripted.SharedKey
function shared.inMemory(name, default) end

---A value in a file of its own.
---@param path string
---@param default any a value, or a function that makes it
---@param options? scripted.StorageOptions
---@return scripted.SharedKey
function shared.fileStorage(path, default, options) end

---A value in the file `app-storage.json`, together with all keys of this kind.
---@param name string
---@param default any a value, or a function that makes it
---@return scripted.SharedKey
function shared.appStorage(name, default) end

---A value that the script's own functions load and save, or those of the dependency with its name if it has none.
---@param key scripted.CustomKey
---@return scripted.SharedKey
function shared.custom(key) end

---A list of rows with ids, in a table of an SQLite database.
---@param name string of the table: letters, digits, `_` and `-`
---@param default any a list, or a function that makes it
---@param options? scripted.DatabaseOptions
---@return scripted.SharedKey
function shared.database(name, default, options) end

---The value of the nearest feature around that shares a field of this name; else one of the store's own.
---@param path string
---@param default any a value, or a function that makes it
---@return scripted.SharedKey
function shared.inherited(path, default) end

---@class scripted
---@field shared scripted.shared
---@field effect scripted.effect
---@field list scripted.list
---@field json scripted.json
---@field null scripted.Null
---@field empty scripted.Reducer a reducer that does nothing
local scripted = {}

---A feature: its default state and what its actions do.
---@param definition scripted.FeatureDefinition
---@return scripted.Feature
function scripted.feature(definition) end

---A reducer of one function.
---@param reduce fun(state: table, action: scripted.Action, deps: scripted.Deps): scripted.Effect?
---@return scripted.Reducer
function scripted.reduce(reduce) end

---Runs the reducers in order, on the same state. `initial` and `actions` are the first feature's.
---@param reducers scripted.ReducerLike[]
---@return scripted.Feature
function scripted.combine(reducers) end

---A reducer that runs `child` on `state[key]` and does nothing else.
---@param key string|scripted.Lens
---@param child scripted.ReducerLike
---@param options? scripted.ScopeOptions
---@return scripted.Reducer
function scripted.scope(key, child, options) end

---Writes the `value` of `binding` actions at their `key`; null removes what is there.
---@return scripted.Reducer
function scripted.binding() end

---A reducer for a child that may be absent: an action that comes then is a warning that names this.
---@param reducer scripted.ReducerLike
---@return scripted.Reducer
function scripted.optional(reducer) end
---A reducer for each case of a state that is tagged: a table with its case as the only key.
---@param cases table<string, scripted.ReducerLike>
---@return scripted.Cases
function scripted.cases(cases) end

---A case that no reducer runs on, whose state is any value.
---@type scripted.Reducer
scripted.ignored = nil

---What hosts expect of an alert or a dialog.
---@class scripted.Alert
---@field title string
---@field message? string
---@field buttons? scripted.AlertButton[] without any a host adds one that dismisses

---@class scripted.AlertButton
---@field label string
---@field role? "cancel"|"destructive"
---@field action string|scripted.Action one of the alert's, or "dismiss", which only lets go of it
---@field animation? any what the host's transaction has as its `animation`

---An alert or a dialog, in `scripted.cases` under an `ifLet` or straight in `ifLet`: it goes after any of its actions,
---unless the parent assigned it. Its state is a `scripted.Alert`.
---@type scripted.Reducer
scripted.ephemeral = nil

---Declares a dependency, which features then name in `dependencies`. Two of one name are refused.
---@param definition scripted.DependencyDefinition
function scripted.dependency(definition) end

---Builds an action from a path, with an id for each `[*]`.
---@param path string such as `"orders[*].step.add"`
---@param ids scripted.Id[]
---@param payload? any
---@return scripted.Action
function scripted.action(path, ids, payload) end

---Replaces the whole state of the reducer.
---@param state table the handler's state
---@param value table
function scripted.replace(state, value) end

---A deep copy in plain tables, which outlives the handler.
---@generic T
---@param value T
---@return T
function scripted.snapshot(value) end

---Deep equality of two JSON-like values.
---@param a any
---@param b any
---@return boolean
function scripted.equals(a, b) end

---Whether the value is JSON's null.
---@param value any
---@return boolean
function scripted.isNull(value) end

---Makes an empty table an array, in JSON as well.
---@generic T: table
---@param elements T
---@return T
function scripted.array(elements) end

---Makes an empty table an object, in JSON as well.
---@generic T: table
---@param fields T
---@return T
function scripted.object(fields) end

return scripted
