-- The module `scripted.ui`: a function for each element, which checks the names and types of its
-- properties and sets `kind`. What it returns is the table that it was given.
--
-- The elements and their properties come from Swift (`ViewElement`), which is the only list of them.

local native, need = ...
local fail, checks = need("lines").fail, need "checks"
local suggestion = checks.suggestion
local next, rawequal, tostring, type = next, rawequal, tostring, type
local concat = table.concat

local elements, elementCounterparts, propertyCounterparts = native.viewElements()
-- The functions, and what scripts get, which they cannot change.
local ui, module = {}, {}

-- Raises for the module itself as first argument, which a colon passes.
local function checkDot(given, name, form)
  if rawequal(given, module) then fail("call it with a dot: ui.%s%s", name, form) end
end

-- ---- Elements -----------------------------------------------------------------------------------

-- The codes of Lua's types, as `lua_type` returns them.
local TYPE_CODES = { boolean = 1, null = 2, number = 3, string = 4, table = 5 }
-- The bit of a property that may not be an empty string.
local NOT_EMPTY = 1 << 16

local function sorted(set, form)
  local names = {}
  for name in next, set do names[#names + 1] = form:format(name) end
  table.sort(names)
  return names
end

local function typeOf(value) return value == native.null and "null" or type(value) end
local function aTypeOf(value) return value == native.null and "null" or "a " .. type(value) end

-- Returns the position of the first item of a list whose text is neither a text nor a number, and what it is; nil if
-- there is none. A text may be left out.
local function wrongText(items, name)
  for i = 1, #items do
    local item = items[i]
    if type(item) == "table" then
      local text = item[name]
      if text ~= nil and type(text) ~= "string" and type(text) ~= "number" then return i, text end
    end
  end
end

-- Whether a value is a name, or a list of names.
local function areNames(value)
  if type(value) == "string" then return value ~= "" end
  if type(value) ~= "table" then return false end
  for i = 1, #value do
    if type(value[i]) ~= "string" then return false end
  end
  return true
end

local function explainType(kind, key, property, value)
  if type(value) == "function" then
    fail("the property '%s' of ui.%s is a function; "
      .. "actions are data, as \"save\" or { \"rename\", { title = \"Milk\" } }", key, kind)
  end
  if property.isField then
    fail("%s takes the name of a field, as %s = \"name\", not its value (in ui.%s, which got %s)", key, key, kind,
      value == "" and "an empty text" or aTypeOf(value))
  end
  if property.isNames then
    fail("%s takes the name of a list, or several, as %s = { \"todo\", \"done\" } (in ui.%s)", key, key, kind)
  end
  if property.words then
    fail("the property '%s' of ui.%s is %s; it may be %s", key, kind, aTypeOf(value),
      concat(sorted(property.words, '"%s"'), ", "))
  end
  if property.isIcon and type(value) == "string" then fail("%s (in ui.%s)", native.iconFault(value), kind) end
  if property.isShortcut and type(value) == "string" then
    fail("%s (in ui.%s)", native.shortcutFault(value), kind)
  end
  if property.itemText and type(value) == "table" then
    local index, text = wrongText(value, property.itemText)
    fail("the property '%s' of %s[%d] of ui.%s must be a number or string, not %s; "
      .. "give it what is shown, as %s = \"Milk\"",
      property.itemText, key, index, kind, aTypeOf(text), property.itemText)
  end
  fail("the property '%s' of ui.%s must be a %s, not %s", key, kind,
    concat(sorted(property.types, "%s"), " or "), aTypeOf(value))
end

-- Raises for two arguments, which are what belongs into one table.
local function explainSecond(kind, element, given, second)
  checkDot(given, kind, " { … }")
  local form = 'label = "…"'
  if element.children then
    form = "…, …"
  elseif element.text then
    local key = type(second) == "table" and next(second)
    form = ("%s, %s = …"):format(type(given) == "string" and ('"%s"'):format(given) or "…",
      type(key) == "string" and key or element.properties.action and "action" or "label")
  end
  fail("ui.%s takes one argument, a table in braces: ui.%s { %s }", kind, kind, form)
end

-- Raises for a node in the place of the table that is to become one.
local function explainNode(kind, element, given)
  local other = tostring(given.kind)
  if element.children then
    fail("ui.%s is given a node in place of a table; put its children into braces: ui.%s { ui.%s … }", kind, kind,
      other)
  end
  fail("ui.%s is given the node of a ui.%s; put them beside each other: ui.row { ui.%s …, ui.%s … }", kind, other,
    kind, other)
end

-- Returns what is here in place of a property of SwiftUI or HTML; nil for other names.
local function propertyCounterpart(element, key)
  local known = propertyCounterparts[tostring(key):lower()]
  return known and "; " .. (element.properties[known.property] and known.here or known.elsewhere)
end

-- Returns the function that raises for what `native.element` refuses.
local function explain(kind, element)
  return function(given, key, value, second)
    if second ~= nil then explainSecond(kind, element, given, second) end
    if key == nil then
      if type(value) == "table" then
        fail("ui.%s is given a table of the state; put its fields into one of the view: ui.%s { … }", kind, kind)
      end
      fail("bad argument #1 to 'ui.%s' (table or string expected, got %s)", kind, typeOf(value))
    end
    if given.kind ~= nil and given.kind ~= kind then explainNode(kind, element, given) end
    if math.type(key) == "integer" then
      fail(element.text and "ui.%s takes one text; join several by .., or put them into a ui.row"
        or "ui.%s takes no children; what it is called is its `label`", kind)
    end
    local property = element.properties[key]
    if property == nil then
      fail("ui.%s has no property '%s'%s", kind, tostring(key),
        propertyCounterpart(element, key) or suggestion(key, element.properties))
    end
    if property.words and type(value) == "string" then
      fail("the property '%s' of ui.%s is \"%s\"; it may be %s%s", key, kind, value,
        concat(sorted(property.words, '"%s"'), ", "), suggestion(value, property.words))
    end
    explainType(kind, key, property, value)
  end
end

local function constructor(kind, element)
  -- A table that was a node of this kind before may be one again.
  local rules = { kind = { [kind] = true } }
  for name, property in next, element.properties do
    if property.words then
      local words = {}
      for _, word in ipairs(property.words) do words[word] = true end
      property.words = words
      rules[name] = words
    elseif property.isNames then
      rules[name] = areNames
    elseif property.isIcon then
      rules[name] = function(value) return type(value) == "string" and not native.iconFault(value) end
    elseif property.isShortcut then
      rules[name] = function(value) return type(value) == "string" and not native.shortcutFault(value) end
    elseif property.itemText then
      rules[name] = function(value) return type(value) == "table" and not wrongText(value, property.itemText) end
    else
      rules[name] = 0
      for typeName in next, property.types do rules[name] = rules[name] | 1 << TYPE_CODES[typeName] end
      if property.isField then rules[name] = rules[name] | NOT_EMPTY end
    end
  end
  local mostChildren = element.text and 1 or element.children and math.maxinteger or 0
  return native.element(kind, rules, mostChildren, explain(kind, element))
end

for kind, element in next, elements do ui[kind] = constructor(kind, element) end

-- What a list shows in place of rows is its last child.
local function withEmpty(construct)
  return native.entry(function(...)
    local list = construct(...)
    local empty = list.empty
    list.empty = nil
    if not empty then return list end
    local last = 0
    for key in next, list do
      if math.type(key) == "integer" and key > last then last = key end
    end
    list[last + 1] = ui.empty { empty }
    return list
  end)
end

ui.list, ui.table = withEmpty(ui.list), withEmpty(ui.table)

-- ---- Places -------------------------------------------------------------------------------------

-- The node of a `forEach`. `call` is the line of an error that is found later, as of an element without an id.
local function forEach(node)
  node.kind, node.call = "forEach", native.here()
  return node
end

local function checkRow(position, fn) checks.argument(fn, "function", position, "ui.forEach") end

local PLACED_OPTIONS = { where = "function", only = "table", env = "table" }

-- The elements of an attached forEach.
local function placedRows(action, options)
  options = checks.options(options, PLACED_OPTIONS, "ui.forEach", suggestion)
  if options.where and options.only then fail("ui.forEach takes `where` or `only`, not both") end
  return forEach { action = action, where = options.where, only = options.only, env = options.env }
end

local function wholeNumber(position, value)
  local number = math.tointeger(value)
  if not number then
    fail("bad argument #%d to 'ui.forEach' (whole number expected, got %s)", position, tostring(value))
  end
  return number
end

-- A range of numbers.
local function range(first, last, fn)
  if type(last) == "function" then
    checkRow(2, last)
    return forEach { first = 1, last = wholeNumber(1, first), row = last }
  end
  checkRow(3, fn)
  return forEach { first = wholeNumber(1, first), last = wholeNumber(2, last), row = fn }
end

ui.forEach = native.entry(function(what, ...)
  if type(what) == "string" then return placedRows(what, ...) end
  if type(what) == "number" then return range(what, ...) end
  checkDot(what, "forEach", " \"rows\"")
  if type(what) ~= "table" then
    fail("bad argument #1 to 'ui.forEach' (the action of an attached forEach, a list or a number expected, got %s)",
      type(what))
  end
  local options, fn = ...
  if type(options) == "function" then
    checkRow(2, options)
    return forEach { list = what, row = options }
  end
  options = checks.options(options, { id = "string" }, "ui.forEach", suggestion)
  checkRow(3, fn)
  return forEach { list = what, id = options.id, row = fn }
end)

ui.child = native.entry(function(action, options)
  if action ~= nil and type(action) ~= "string" then
    checkDot(action, "child", " \"settings\"")
    fail("bad argument #1 to 'ui.child' (the action name of a child expected, got %s)", type(action))
  end
  options = checks.options(options, { env = "table" }, "ui.child", suggestion)
  return { kind = "child", action = action, env = options.env }
end)

local NAVIGATION = { path = true, env = true, [1] = true }

ui.navigation = native.entry(function(given)
  checkDot(given, "navigation", " { … }")
  if type(given) ~= "table" or type(given.path) ~= "string" then
    fail("ui.navigation takes { path = the action name of a stack, root }")
  end
  for key in next, given do
    if not NAVIGATION[key] then
      checks.unknown("ui.navigation has no property '%s'%s", key, NAVIGATION)
    end
  end
  return { kind = "navigation", action = given.path, env = given.env, given[1] }
end)

ui.host = native.entry(function(given)
  checkDot(given, "host", " { … }")
  if type(given) ~= "table" or type(given.name) ~= "string" then
    fail("ui.host takes { name = the name by which the host draws it, … }")
  end
  given.kind = "host"
  return given
end)

-- ---- Drawings -----------------------------------------------------------------------------------

local canvas = ui.canvas

-- The shapes of a canvas become its children, so that each is drawn, tapped and changed as a node.
local function addShape(node, index, shape)
  if type(shape) == "table" then
    for key, value in next, shape do
      if type(value) == "string" and not utf8.len(value) then
        fail("shapes[%d] of ui.canvas has a wrong %s: it is no text in UTF-8", index, tostring(key))
      end
    end
  end
  local fault = native.shapeFault(shape)
  if fault then fail("shapes[%d] of ui.canvas %s", index, fault) end
  local child = checks.copy(shape)
  child.kind, child.shape = "shape", shape.kind
  node[index] = child
end

local function isSide(number) return number and number > 0 and number < math.huge end

ui.canvas = native.entry(function(...)
  local node = canvas(...)
  if not isSide(node.width) or not isSide(node.height) then
    fail("ui.canvas takes its size, as width = 300, height = 100")
  end
  local shapes = node.shapes or {}
  node.shapes = nil
  for i = 1, #shapes do addShape(node, i, shapes[i]) end
  return node
end)

setmetatable(ui, {
  __index = function(_, key)
    local counterpart = elementCounterparts[tostring(key):lower()]
    fail("scripted.ui has no '%s'%s", tostring(key), counterpart and "; " .. counterpart or suggestion(key, ui))
  end,
})

return setmetatable(module, {
  __metatable = false,
  __index = ui,
  __newindex = function(_, key) fail("scripted.ui cannot be changed (field '%s')", tostring(key)) end,
})
