-- `test.view(Feature)`: a test store together with what its views show. A test finds things there as a
-- person does, by role and name, and does with them what a person can do.

local native, makeRecord, finish, task, checkOptions = ...
local fail, suggestion = native.fail, native.suggestion

-- The test store behind each view, and the view and the Swift object behind each item.
local views, items = native.weakKeys(), native.weakKeys()

local View, Item = { __name = "test view", __metatable = false }, { __name = "view item", __metatable = false }
local viewMethods, itemMethods = {}, {}

local function recordOf(view) return views[view] or fail("call this with a colon on a view from test.view(…)") end

local function itemOf(item) return items[item] or fail("call this with a colon on what view:find(…) returned") end

-- ---- Finding ------------------------------------------------------------------------------------

local QUERY = { name = "string", within = "any", selected = "boolean", disabled = "boolean", number = "number" }

-- The query of a role and what it is called: a name, a number, or { name, within, selected, disabled }.
local function queryOf(role, what, method, within)
  if type(role) ~= "string" then
    fail("bad argument #1 to '%s' (a role as \"button\" expected, got %s)", method, type(role))
  end
  local query = {}
  if type(what) == "table" and not items[what] then
    for key, value in pairs(checkOptions(what, QUERY, method)) do query[key] = value end
  elseif type(what) == "string" then
    query.name = what
  elseif math.type(what) == "integer" then
    query.number = what
  elseif what ~= nil then
    fail("bad argument #2 to '%s' (a name, a number or options expected, got %s)", method, type(what))
  end
  local outer = query.within or within
  query.within = outer and itemOf(outer).object
  return query
end

local function wrap(view, object)
  if object == nil then return nil end
  local item = setmetatable({}, Item)
  items[item] = { view = view, object = object }
  return item
end

local function find(view, how, role, what, within)
  return native.testFind(recordOf(view).store, how, role, queryOf(role, what, how, within))
end

local function all(view, ...)
  local found = { ... }
  for i, object in ipairs(found) do found[i] = wrap(view, object) end
  return found
end

function viewMethods.find(view, role, what) return wrap(view, (find(view, "find", role, what))) end
function viewMethods.query(view, role, what) return wrap(view, (find(view, "query", role, what))) end
function viewMethods.all(view, role, what) return all(view, find(view, "all", role, what)) end

function itemMethods.find(item, role, what)
  local view = itemOf(item).view
  return wrap(view, (find(view, "find", role, what, item)))
end
function itemMethods.query(item, role, what)
  local view = itemOf(item).view
  return wrap(view, (find(view, "query", role, what, item)))
end
function itemMethods.all(item, role, what)
  local view = itemOf(item).view
  return all(view, find(view, "all", role, what, item))
end

-- ---- Doing --------------------------------------------------------------------------------------

local function perform(view, object, gesture, argument, expect)
  local record = recordOf(view)
  if expect ~= nil and type(expect) ~= "function" then
    fail("what is expected is a function that makes the state what it will be, not a %s", type(expect))
  end
  local failure, skipped, started = native.testGesture(record.store, object, gesture, argument, expect)
  if failure or skipped then finish(failure, skipped) end
  return task(record, started)
end

-- Gestures on an item: the name of the gesture, and what its argument must be.
local GESTURES = {
  tap = { "tap" }, submit = { "submit" }, focus = { "focus" }, blur = { "blur" }, delete = { "delete" },
  select = { "select", "optional" }, type = { "type", "text" }, set = { "enter", "any" }, choose = { "enter", "any" },
  move = { "move", "number" },
}

local function checkArgument(item, name, expected, argument)
  if expected == "any" then
    if argument == nil or type(argument) == "function" then
      local hint = native.testItem(item.object).role == "datePicker" and "; scripted.null clears it" or ""
      fail("'%s' needs a value: item:%s(value, expect)%s", name, name, hint)
    end
  elseif expected == "text" and type(argument) ~= "string" then
    fail("bad argument #1 to 'type' (text expected, got %s)", type(argument))
  elseif expected == "number" and math.type(argument) ~= "integer" then
    fail("bad argument #1 to '%s' (the number of a row expected, got %s)", name, type(argument))
  end
end

for name, gesture in pairs(GESTURES) do
  local kind, expected = gesture[1], gesture[2]
  itemMethods[name] = function(item, argument, expect)
    local record = itemOf(item)
    if expected == nil or expected == "optional" and type(argument) == "function" then
      argument, expect = nil, argument
    end
    checkArgument(record, name, expected, argument)
    return perform(record.view, record.object, kind, argument, expect)
  end
end

function itemMethods.scroll(item, row)
  local record = itemOf(item)
  if math.type(row) ~= "integer" then
    fail("bad argument #1 to 'scroll' (the number of a row expected, got %s)", type(row))
  end
  finish(native.testScroll(recordOf(record.view).store, record.object, row))
end

function viewMethods.press(view, shortcut, expect)
  if type(shortcut) ~= "string" then
    fail("bad argument #1 to 'press' (a shortcut as \"mod+n\" expected, got %s)", type(shortcut))
  end
  return perform(view, nil, "press", shortcut, expect)
end
function viewMethods.back(view, expect) return perform(view, nil, "back", nil, expect) end
function viewMethods.dismiss(view, expect) return perform(view, nil, "dismiss", nil, expect) end

-- ---- Looking ------------------------------------------------------------------------------------

function viewMethods.text(view, width) return native.testDrawing(recordOf(view).store, "text", width) end
function viewMethods.html(view) return native.testDrawing(recordOf(view).store, "html") end
function viewMethods.tree(view) return native.testDrawing(recordOf(view).store, "tree") end
function viewMethods.evaluated(view) return native.testEvaluated(recordOf(view).store) end
function viewMethods.audit(view) return native.testAudit(recordOf(view).store) end

-- A number of columns is "compact" or "regular".
function viewMethods.resize(view, width)
  if type(width) == "number" then width = width < 60 and "compact" or "regular" end
  if width ~= "compact" and width ~= "regular" then
    fail("bad argument #1 to 'resize' (a number of columns, \"compact\" or \"regular\" expected, got %s)",
      tostring(width))
  end
  finish(native.testResize(recordOf(view).store, width))
end

-- ---- Members ------------------------------------------------------------------------------------

for name, method in pairs(viewMethods) do viewMethods[name] = native.entry(method) end
for name, method in pairs(itemMethods) do itemMethods[name] = native.entry(method) end

local function unknown(kind, key, ...)
  local known = {}
  for _, members in ipairs { ... } do
    for name in pairs(members) do known[name] = true end
  end
  fail("%s has no '%s'%s", kind, tostring(key), suggestion(key, known))
end

function View.__index(view, key)
  if key == "store" then return recordOf(view).testStore end
  return viewMethods[key] or unknown("a test view", key, viewMethods, { store = true })
end
function View.__newindex(_, key) fail("a test view cannot be changed (field '%s')", tostring(key)) end

local FIELDS = {
  role = true, name = true, number = true, value = true, disabled = true, selected = true, error = true, node = true,
  path = true,
}

function Item.__index(item, key)
  if itemMethods[key] then return itemMethods[key] end
  if not FIELDS[key] then unknown("what was found", key, itemMethods, FIELDS) end
  return native.testItem(itemOf(item).object)[key]
end
function Item.__newindex(_, key) fail("what was found cannot be changed (field '%s')", tostring(key)) end

-- test.view(reducer, options?)
return function(reducer, options)
  local record = makeRecord(reducer, options, "test.view")
  local view = setmetatable({}, View)
  views[view] = record
  return view
end
