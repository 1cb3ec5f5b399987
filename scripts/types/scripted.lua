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

---A handler. Writes to `state` are dropped again if it raises. `deps` is for later versions.
---@alias scripted.Handler fun(state: table, action: scripted.Action, deps: nil, ids: scripted.Id[]?): scripted.Effect?

---@class scripted.FeatureDefinition
---@field name? string names the feature in messages; where it was made if absent
---@field state? table the default state, JSON-like
---@field on? table<string, scripted.Handler> a handler for each action pattern, such as `"increment"` or `"todos[*].toggle"`
---@field reduce? fun(state: table, action: scripted.Action, deps: nil): scripted.Effect? runs after `on`, with every action
---@field actions? string[] types that nothing here handles but that are known, such as `"delegate"`

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

---@class scripted.Feature: scripted.Reducer
---@field name string
---@field actions table<string, fun(...): scripted.Action> builds the known actions; an unknown name raises
local Feature = {}

---A fresh plain table: the default state with the given top-level keys replaced or added.
---@param overrides? table
---@return table
function Feature.initial(overrides) end

---Describes what should happen once the state is written. Nothing happens until the store runs it.
---@class scripted.Effect

---@class scripted.effect
---@field none scripted.Effect nothing
local effect = {}

---Feeds an action back at once, before the next outside action.
---@param action string|scripted.Action an action, or a path such as `"todos[3].toggle"`
---@param payload? any joins the innermost action of a path
---@return scripted.Effect
function effect.send(action, payload) end

---The effects together.
---@param ... scripted.Effect|scripted.Effect[]
---@return scripted.Effect
function effect.merge(...) end

---One effect after the other.
---@param ... scripted.Effect|scripted.Effect[]
---@return scripted.Effect
function effect.concatenate(...) end

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

---Removes the element with the id and returns it.
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

---@class scripted
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
---@param reduce fun(state: table, action: scripted.Action, deps: nil): scripted.Effect?
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
