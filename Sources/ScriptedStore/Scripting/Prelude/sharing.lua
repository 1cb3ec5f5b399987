-- `scripted.shared`: the keys of shared values, and the field `shared` of features.
--
-- A key is described by a table: what kind of value it is, its name, its default, and which part of
-- it is meant. Scripts hold keys and never their descriptions, so that a script cannot change one.

local native, need = ...
local fail, checks = need("lines").fail, need "checks"

-- The methods of keys, which get the description of the key.
local methods = {}
-- Makes a key of a description, and returns the description of a key, or nil for anything else.
local keyOf, descriptionOf

-- Returns a key that differs from another in some fields.
local function derived(description, changes)
  local new = checks.copy(description)
  for field, value in pairs(changes) do new[field] = value end
  return keyOf(new)
end

-- key:reader(): the same value, which the feature may only read.
function methods.reader(description) return derived(description, { readOnly = true }) end

-- Returns the steps of a path: a dotted string, or a list of keys and ids.
local function steps(path)
  local result = {}
  if type(path) == "string" then
    for step in path:gmatch("[^%.]+") do result[#result + 1] = step end
  elseif type(path) == "table" then
    for _, step in ipairs(path) do
      if type(step) ~= "string" and math.type(step) ~= "integer" then
        fail("a path of a shared value has keys and ids, not a %s", type(step))
      end
      result[#result + 1] = step
    end
  end
  if #result == 0 then
    fail("bad argument #1 to 'at' (a path is expected: \"settings.theme\", a list of keys and ids, or a function of "
      .. "the state that returns one)")
  end
  return result
end

local function joined(part, path)
  local result = checks.copy(part)
  for _, step in ipairs(steps(path)) do result[#result + 1] = step end
  return result
end

-- key:at(path): a part of the value. The path may be a function of the feature's state; then the key belongs in
-- `shared`, and the function returns a path, or nil for none.
function methods.at(description, path)
  local choose = description.choosePart
  if type(path) == "function" then
    return derived(description, {
      choosePart = function(state)
        local part = description.part
        if choose then part = choose(state) end
        local chosen = part and path(state)
        return chosen and joined(part, chosen)
      end,
    })
  end
  if not choose then return derived(description, { part = joined(description.part, path) }) end
  local rest = steps(path)
  return derived(description, {
    choosePart = function(state)
      local part = choose(state)
      return part and joined(part, rest)
    end,
  })
end

-- Returns the description. Refuses a part that a function of the state chooses, where there is no state.
local function checkWhole(description, name)
  if description.choosePart then
    fail("a function of the state chooses the part of '%s', so the key belongs in `shared`; '%s' needs key:at(path)",
      description.name, name)
  end
  return description
end

-- key:get(): the current value, in an effect.
function methods.get(description) return native.sharedGet(checkWhole(description, "get")) end

-- key:values(): in an effect, the current value and then the newest after each change.
function methods.values(description)
  local stream = native.sharedStream(checkWhole(description, "values"))
  return function() return native.sharedNext(stream) end
end

-- key:load(): in an effect, loads a stored value again. key:save(): writes it; it is durable when this returns. Both
-- raise `{ code, message, path }`.
for _, request in ipairs { "load", "save" } do
  methods[request] = function(description) native.sharedRequest(description, request) end
end

-- Returns the description of a key. Raises for anything else; `name` is the function that takes it.
local function describe(key, name)
  local description = descriptionOf(key)
  if not description then
    fail("bad argument #1 to '%s' (a key of scripted.shared is expected, got %s)", name, type(key))
  end
  return checkWhole(description, name)
end

-- ---- Kinds of keys ------------------------------------------------------------------------------

local function checkName(name, constructor)
  if type(name) ~= "string" or name == "" then
    fail("bad argument #1 to 'shared.%s' (a name is expected, got %s)", constructor,
      name == "" and "an empty string" or type(name))
  end
end

local function checkDefault(value)
  if type(value) == "function" then return value end
  return native.checkDefault(value)
end

local OPTIONS = {
  version = "number", migrate = "function", check = "function", interval = "number", durability = "string",
  exclusive = "boolean", encode = "function", decode = "function",
}

local TABLE_OPTIONS = {
  id = "string", file = "string", version = "number", migrate = "function", check = "function", durability = "string",
}

-- What may be the `durability` of a kind of key.
local DURABILITY = {
  fileStorage = { kill = true, power = true, exit = true, text = '"kill", "power" or "exit"' }, appStorage = {},
  database = { kill = true, power = true, text = '"kill" or "power"' },
}

-- Only a file that has one value can have another format than JSON.
local function checkFormat(options, known, name)
  local encode, decode = options.encode ~= nil, options.decode ~= nil
  if not encode and not decode then return end
  if not known.encode then
    fail("shared.%s has no option '%s'; only the file of a shared.fileStorage key can have a format of its own", name,
      encode and "encode" or "decode")
  end
  if encode ~= decode then
    fail("shared.%s has the option '%s' without '%s'; give both, as the file is read as well as written", name,
      encode and "encode" or "decode", encode and "decode" or "encode")
  end
  for _, option in ipairs { "version", "migrate" } do
    if options[option] ~= nil then
      fail("shared.%s has the options '%s' and 'decode'; a file with a format of its own has no version beside its "
        .. "text, so leave '%s' out, and let 'decode' read older texts too", name, option, option)
    end
  end
end

local function checkOptions(options, known, name)
  if options ~= nil and type(options) ~= "table" then
    fail("bad argument #3 to 'shared.%s' (table expected, got %s)", name, type(options))
  end
  checkFormat(options or {}, known, name)
  options = checks.options(options, known, "shared." .. name, checks.suggestion)
  local version, interval, durability = options.version, options.interval, options.durability
  if version and (math.type(version) ~= "integer" or version < 1) then
    fail("the option 'version' of shared.%s must be an integer of 1 or more, not %s", name, tostring(version))
  end
  if interval and not (interval >= 0 and interval <= 86400) then
    fail("the option 'interval' of shared.%s must be 0 to 86400 seconds, not %s", name, tostring(interval))
  end
  local choices = DURABILITY[name]
  if durability and choices[durability] ~= true then
    fail("the option 'durability' of shared.%s must be %s, not \"%s\"", name, choices.text, durability)
  end
  return options
end

-- The ends of the names that the storage and SQLite give to files beside the file of a key. Files of the storage whose
-- names begin with a dot need no pattern here: no key can have such a name.
local OWN_FILES = {
  { "%.v%d+$", "an old version of another file" }, { "%.v%d+%-%d+$", "an old version of another file" },
  { "%.broken%-%d+$", "what could not be read of another file" },
  { "%.conflict%-%d+$", "what another program has changed in a file" },
  { "%-wal$", "the log of a database" }, { "%-shm$", "the log of a database" },
  { "%-journal$", "the journal of a database" },
}

-- Refuses names that are made beside the files of other keys, whether or not there is such a key: it may come later.
local function checkOwn(part, name)
  for _, own in ipairs(OWN_FILES) do
    if part:lower():find(own[1]) then
      fail("the file '%s' has a name as the storage gives it to %s, so one could overwrite the other; give the file of "
        .. "this key another name", name, own[2])
    end
  end
end

-- A file's name: a relative path that stays in the folder and does not begin with a dot.
local function checkFile(name)
  if name:find("^/") or name:find("%z") or name:find("\\") then
    fail("the file '%s' must be a relative path with '/' between names", name)
  end
  for part in (name .. "/"):gmatch("([^/]*)/") do
    if part == "" or part:find("^%.") then
      fail("the file '%s' has a name that is empty or begins with a dot; stored values stay in their folder", name)
    end
    checkOwn(part, name)
  end
end

-- The name of a table: SQLite does not distinguish its case, and has some names for itself.
local function checkTable(name, options)
  if name:find("[^%w_-]") or name:lower():find("^sqlite_") then
    fail("the name '%s' of a table may have letters, digits, '_' and '-', and may not begin with 'sqlite_'", name)
  end
  if options.file then checkFile(options.file) end
  if options.id == "" then
    fail("the option 'id' of shared.database must be the name of a field, not an empty string")
  end
end

-- Returns the function that makes keys of a kind, which may have the options `known`; nil if there are none.
local function constructor(kind, known)
  return native.entry(function(name, default, options)
    checkName(name, kind)
    if kind == "fileStorage" then checkFile(name) end
    if not known and options ~= nil then
      fail("shared.%s takes a name and a default, and no options; a value with options is one of shared.fileStorage",
        kind)
    end
    options = known and checkOptions(options, known, kind) or {}
    if kind == "database" then checkTable(name, options) end
    local migrate = options.migrate
    return keyOf {
      kind = kind, name = name, default = checkDefault(default), part = {}, origin = native.here(),
      version = options.version, check = options.check, interval = options.interval, durability = options.durability,
      exclusive = options.exclusive, encode = options.encode, decode = options.decode,
      id = options.id, file = options.file,
      migrate = migrate and function(value, from)
        local new = migrate(value, from)
        if new == nil then return value end
        return new
      end,
    }
  end)
end

-- What `shared.custom` takes, beside `default`, which may be any value.
local CUSTOM = {
  name = "string", dependencies = "table", load = "function", save = "function", subscribe = "function",
  check = "function",
}

-- What a key's `load` returns if there is nothing that could load the value.
local UNLOADED = {}

-- Lets the dependency with the key's name load and save the value.
local function serve(description)
  local name = description.name
  if description.dependencies then
    fail("shared.custom { name = %q } has `dependencies`, and none of the functions load, save and subscribe", name)
  end
  description.isServed, description.dependencies = true, { name }
  description.load = function(deps)
    local client = deps[name]
    -- A dependency of a script need not have the field.
    local isKnown, loads = pcall(function() return client.loads end)
    if isKnown and loads == false then return UNLOADED end
    return client.load()
  end
  description.save = function(value, deps) deps[name].save(value) end
  description.subscribe = function(yield, deps)
    for value in deps[name].subscribe() do yield(value) end
  end
end

-- shared.custom { name, default, dependencies?, load?, save?, subscribe?, check? }: a value that the script's own
-- functions load and save, or those of the dependency with its name.
local custom = native.entry(function(definition)
  checks.argument(definition, "table", 1, "shared.custom")
  local description = { kind = "custom", part = {}, origin = native.here() }
  for field, value in pairs(definition) do
    if field == "default" then
      description.default = checkDefault(value)
    elseif field == "encode" or field == "decode" then
      fail("shared.custom has no field '%s'; let 'load' and 'save' convert the value", field)
    elseif not CUSTOM[field] then
      checks.unknown("shared.custom has no field '%s'%s", field, CUSTOM)
    elseif type(value) ~= CUSTOM[field] then
      fail("the field '%s' of shared.custom must be a %s, not a %s", field, CUSTOM[field], type(value))
    else
      description[field] = value
    end
  end
  if not description.name or description.name == "" then fail("shared.custom needs the field 'name'") end
  if not (description.load or description.save or description.subscribe) then
    serve(description)
  end
  -- What nobody saves, features may only read.
  description.readOnly = not description.save or nil
  for _, dependency in ipairs(description.dependencies or {}) do
    if type(dependency) ~= "string" then
      fail("`dependencies` of shared.custom is a list of names, not of values of type %s", type(dependency))
    end
  end
  return keyOf(description)
end)

-- The description of the status of the value with this description. Its name is the text of that value's identity, as
-- `SharedIdentity` makes it.
local function statusOf(description)
  return {
    kind = "status", name = description.kind .. ":" .. description.name, part = {}, origin = description.origin,
  }
end

local function requireStored(description)
  if not DURABILITY[description.kind] and description.kind ~= "custom" then
    fail("the shared value '%s' is not stored, so it has no status", description.name)
  end
  return description
end

-- key:status(): what a stored value has to tell about itself.
function methods.status(description)
  return derived(statusOf(requireStored(description)), { readOnly = true })
end

keyOf, descriptionOf = checks.class({
  name = "shared key",
  missing = "a key of a shared value has no '%s'%s",
  colon = "call it with a colon: key:%s(…)",
  fixed = "a key of a shared value cannot be changed (field '%s'); a feature's handlers write the value in their state",
  text = function(description) return ("shared.%s(%q)"):format(description.kind, description.name) end,
}, methods, { name = function(description) return description.name end })

local kinds = {
  inMemory = constructor("inMemory"), inherited = constructor("inherited"),
  fileStorage = constructor("fileStorage", OPTIONS), appStorage = constructor("appStorage", {}),
  database = constructor("database", TABLE_OPTIONS), custom = custom,
}
setmetatable(kinds, {
  __metatable = false,
  __index = function(_, name) checks.unknown("scripted.shared has no '%s'%s", name, kinds) end,
  __newindex = function() fail("scripted.shared cannot be changed") end,
})

-- ---- The field `shared` of a feature ------------------------------------------------------------

-- Returns the description of a key in a state. If a function of the state chooses the part, it is that of the key with
-- this part, or nil.
local function inState(description, state)
  if not description.choosePart then return description end
  local part = description.choosePart(state)
  if not part then return nil end
  local chosen = checks.copy(description)
  chosen.part, chosen.choosePart = part, nil
  return chosen
end

-- Returns a function of a state that returns the description of the key which a script's function chooses, or nil.
local function choosing(field, choose)
  return function(state)
    local key = choose(state)
    if key == nil then return nil end
    local description = descriptionOf(key)
    if not description then
      local problem = "the function for the field '%s' of `shared` must return a key or nil, not a %s"
      error(problem:format(field, type(key)), 0)
    end
    return inState(description, state)
  end
end

-- Checks a feature's `shared`, and returns the list of its fields with the descriptions of their keys, or with a
-- function of the state that returns one.
local function fields(definition)
  local result = {}
  for field, key in pairs(definition.shared or {}) do
    if type(field) ~= "string" then
      fail("`shared` has the names of fields as its keys: shared = { settings = keys.settings }")
    end
    local description = descriptionOf(key)
    if type(key) == "function" then
      description = choosing(field, key)
    elseif description and description.choosePart then
      description = choosing(field, function() return key end)
    elseif not description then
      fail("the field '%s' of `shared` must be a key, as scripted.shared.inMemory(\"%s\", 0), not a %s", field, field,
        type(key))
    end
    if definition.state and definition.state[field] ~= nil then
      fail("the field '%s' is in `state` and in `shared`; leave it out of `state`, as the key has a default", field)
    end
    result[#result + 1] = { field = field, key = description }
  end
  if #result > 0 and definition.on and definition.on.shared then
    fail("the action 'shared' tells stores of changed shared values; give the handler another name, or use onChange")
  end
  table.sort(result, function(a, b) return a.field < b.field end)
  return result
end

-- The key of the whole value with this description, which may be written.
local function whole(description)
  local new = checks.copy(description)
  new.part, new.readOnly, new.choosePart = {}, nil, nil
  return keyOf(new)
end

return {
  -- `scripted.shared`.
  keys = kinds,
  fields = fields,
  describe = describe,
  -- The description of the status of the value with this description.
  describeStatus = function(description) return statusOf(requireStored(description)) end,
  -- The key of that status.
  status = function(description) return keyOf(statusOf(description)) end,
  whole = whole,
  unloaded = UNLOADED,
}
