-- `test.view(Feature)`: a test store together with what its views show. A test finds things there as a
-- person does, by role and name, and does with them what a person can do.

local native, need = ...
local fail, checks, stores = need("lines").fail, need "checks", need "test_store"
local finish = need("statements").finish

-- What is behind a view is what is behind its test store. What is behind an item: `view`, the same table, and the Swift
-- object `object`.
local viewMethods, itemMethods = {}, {}
local wrap, recordOf

-- ---- Finding ------------------------------------------------------------------------------------

local QUERY = { name = "string", within = "any", selected = "boolean", disabled = "boolean", number = "number" }

-- The query of a role and what it is called: a name, a number, or { name, within, selected, disabled }.
local function queryOf(role, what, method, outer)
  if type(role) ~= "string" then
    fail("bad argument #1 to '%s' (a role as \"button\" expected, got %s)", method, type(role))
  end
  local query = { within = outer and outer.object }
  if type(what) == "table" and not recordOf(what) then
    for key, value in pairs(checks.options(what, QUERY, ("'%s'"):format(method))) do query[key] = value end
    if query.number and not math.tointeger(query.number) then
      fail("the option 'number' of '%s' must be a whole number, not %s", method, tostring(query.number))
    end
    if what.within then
      local item = recordOf(what.within) or fail("call this with a colon on what view:find(…) returned")
      query.within = item.object
    end
  elseif type(what) == "string" then
    query.name = what
  elseif math.type(what) == "integer" then
    query.number = what
  elseif what ~= nil then
    fail("bad argument #2 to '%s' (a name, a number or options expected, got %s)", method, type(what))
  end
  return query
end

-- Finds things in a view, or in an item of it.
local function find(view, how, role, what, item)
  return native.testFind(view.store, how, role, queryOf(role, what, how, item))
end

local function one(view, object) return object and wrap { view = view, object = object } end

local function all(view, ...)
  local found = { ... }
  for i, object in ipairs(found) do found[i] = one(view, object) end
  return found
end

function viewMethods.find(view, role, what) return one(view, (find(view, "find", role, what))) end
function viewMethods.query(view, role, what) return one(view, (find(view, "query", role, what))) end
function viewMethods.all(view, role, what) return all(view, find(view, "all", role, what)) end

function itemMethods.find(item, role, what) return one(item.view, (find(item.view, "find", role, what, item))) end
function itemMethods.query(item, role, what) return one(item.view, (find(item.view, "query", role, what, item))) end
function itemMethods.all(item, role, what) return all(item.view, find(item.view, "all", role, what, item)) end

-- ---- Doing --------------------------------------------------------------------------------------

local function perform(view, object, gesture, argument, expect, list)
  if expect ~= nil and type(expect) ~= "function" then
    fail("what is expected is a function that makes the state what it will be, not a %s", type(expect))
  end
  return stores.finishWithTask(view, native.testGesture(view.store, object, gesture, argument, expect, list))
end

-- Gestures on an item: the name of the gesture, and what its argument must be.
local GESTURES = {
  tap = { "tap" }, submit = { "submit" }, focus = { "focus" }, blur = { "blur" }, delete = { "delete" },
  select = { "select", "optional" }, type = { "type", "text" }, set = { "enter", "any" }, choose = { "enter", "any" },
}

local function checkArgument(item, name, expected, argument)
  if expected == "any" then
    if argument == nil or type(argument) == "function" then
      local hint = native.testItem(item.object).clearable and "; scripted.null clears it" or ""
      fail("'%s' needs a value: item:%s(value, expect)%s", name, name, hint)
    end
  elseif expected == "text" and type(argument) ~= "string" then
    fail("bad argument #1 to 'type' (text expected, got %s)", type(argument))
  end
end

local function checkRowNumber(position, name, number)
  if math.type(number) == "integer" then return end
  fail("bad argument #%d to '%s' (the number of a row expected, got %s)", position, name, type(number))
end

for name, gesture in pairs(GESTURES) do
  local kind, expected = gesture[1], gesture[2]
  itemMethods[name] = function(item, argument, expect)
    if expected == nil or expected == "optional" and type(argument) == "function" then
      argument, expect = nil, argument
    end
    checkArgument(item, name, expected, argument)
    return perform(item.view, item.object, kind, argument, expect)
  end
end

-- item:move(row, expect?), or item:move(list, row, expect?) with another list that was found.
function itemMethods.move(item, ...)
  local list = recordOf((...))
  if not list then
    local row, expect = ...
    checkRowNumber(1, "move", row)
    return perform(item.view, item.object, "move", row, expect)
  end
  local _, row, expect = ...
  checkRowNumber(2, "move", row)
  return perform(item.view, item.object, "move", row, expect, list.object)
end

function itemMethods.scroll(item, row)
  checkRowNumber(1, "scroll", row)
  finish(native.testScroll(item.view.store, item.object, row))
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

-- Returns a number of columns; nil for anything else.
local function columnsOf(width) return type(width) == "number" and math.tointeger(width) or nil end

function viewMethods.text(view, width)
  local columns = columnsOf(width)
  if width ~= nil and not columns then
    fail("bad argument #1 to 'text' (a number of columns expected, got %s)", tostring(width))
  end
  return native.testDrawing(view.store, "text", columns)
end
function viewMethods.html(view) return native.testDrawing(view.store, "html") end
function viewMethods.tree(view) return native.testDrawing(view.store, "tree") end
function viewMethods.evaluated(view) return native.testEvaluated(view.store) end
function viewMethods.audit(view) return native.testAudit(view.store) end

function viewMethods.resize(view, width)
  local columns = columnsOf(width)
  if (columns or 0) < 1 and width ~= "compact" and width ~= "regular" then
    fail("bad argument #1 to 'resize' (a number of columns, \"compact\" or \"regular\" expected, got %s)",
      tostring(width))
  end
  finish(native.testResize(view.store, columns or width))
end

-- ---- Views and items ----------------------------------------------------------------------------

local makeView = checks.class({
  name = "test view",
  missing = "a test view has no '%s'%s",
  colon = "call this with a colon on a view from test.view(…)",
  fixed = "a test view cannot be changed (field '%s')",
}, viewMethods, { store = function(view) return view.testStore end })

local FIELDS = {
  role = true, name = true, number = true, value = true, disabled = true, selected = true, error = true, node = true,
  path = true,
}

local getters = {}
for field in pairs(FIELDS) do
  getters[field] = function(item) return native.testItem(item.object)[field] end
end

wrap, recordOf = checks.class({
  name = "view item",
  missing = "what was found has no '%s'%s",
  colon = "call this with a colon on what view:find(…) returned",
  fixed = "what was found cannot be changed (field '%s')",
}, itemMethods, getters)

return {
  -- test.view(reducer, options?)
  view = native.entry(function(reducer, options) return makeView(stores.make(reducer, options, "test.view")) end),
}
