-- The module `scripted.list`: functions over lists whose elements have an id. The lists are drafts
-- or plain tables.
--
-- Each function reads the list once. A function that removes or moves many elements sets the whole
-- contents with `native.rearrange`, which preserves the drafts of the elements that stay.

local native = ...
local error, getmetatable, next, tostring, type = error, getmetatable, next, tostring, type
local mathType, min, toInteger = math.type, math.min, math.tointeger
local copy, tableInsert, tableRemove, tableSort = table.move, table.insert, table.remove, table.sort
local findById, rearrange, countMatches = native.find, native.rearrange, native.countMatches

-- Up to these numbers of elements are removed one by one. That is cheap if most elements have not
-- been read, and the list stays shared with its old version. `FEW_OF_READ` is the bound where every
-- element has been read, because each element then has a draft that `table.remove` must move.
local FEW, FEW_OF_READ = 32, 4

local list = {}

-- Errors are raised at the script's line. `level` is that of `error`, as seen from the function
-- that calls `argumentError`.
local function argumentError(level, position, name, expected, got)
  local text = "bad argument #%d to 'scripted.list.%s' (%s expected, got %s)"
  error(text:format(position, name, expected, mathType(got) == "float" and got or type(got)), level + 1)
end

-- An object has no elements, so a function of lists would do nothing. (`table.pack()` is an empty list
-- that has the field `n`.)
local function checkList(items, name)
  if type(items) ~= "table" then argumentError(3, 1, name, "list", items) end
  if #items == 0 and type(next(items)) == "string" and items.n ~= 0 then
    local text = "bad argument #1 to 'scripted.list.%s' (list expected, got an object; "
      .. "go through it with 'for key, x in pairs(object) do')"
    error(text:format(name), 3)
  end
end

local function checkFunction(value, position, name)
  if type(value) ~= "function" then argumentError(3, position, name, "function", value) end
end

local function idKey(options, position, name)
  if options == nil then return "id" end
  if type(options) ~= "table" then argumentError(3, position, name, "table like { id = \"uuid\" }", options) end
  for option in next, options do
    if option ~= "id" then
      local text = "bad argument #%d to 'scripted.list.%s' (there is no option '%s', only { id = \"uuid\" })"
      error(text:format(position, name, tostring(option)), 3)
    end
  end
  local key = options.id
  if key == nil then return "id" end
  if type(key) ~= "string" then argumentError(3, position, name, "id key as a string", key) end
  return key
end

-- Returns the position of the first element with this id, and nil for an id of nil or NaN. An id is never a table: an
-- element in its place would silently not be found.
local function indexOfId(items, id, key, name)
  if id == nil or id ~= id then return nil end
  if type(id) == "table" then
    local text = "bad argument #2 to 'scripted.list.%s' "
      .. "(an id expected, got a table; write the element's id, as element.%s)"
    error(text:format(name, key), 3)
  end
  if type(id) == "function" then
    local text = "bad argument #2 to 'scripted.list.%s' (an id expected, got a function; %s)"
    error(text:format(name, name == "remove" and "scripted.list.removeAll takes a function"
      or "scripted.list.filter takes a function, or write a loop: for index, x in ipairs(list) do … end"), 3)
  end
  return (findById(items, id, key))
end

local function checkIndex(level, index, largest, position, name)
  local exact = mathType(index) and toInteger(index)
  if not exact then argumentError(level, position, name, "index", index) end
  if exact < 1 or exact > largest then
    local text = "bad argument #%d to 'scripted.list.%s' (index %d is out of range, from 1 to %d)"
    error(text:format(position, name, exact, largest), level)
  end
  return exact
end

-- Returns the distinct indices in ascending order, and as a set.
local function checkIndices(indices, count, name)
  local ordered, set = {}, {}
  if type(indices) ~= "table" then indices = { indices } end
  for i = 1, #indices do
    local index = checkIndex(4, indices[i], count, 2, name)
    if not set[index] then
      set[index] = true
      ordered[#ordered + 1] = index
    end
  end
  tableSort(ordered)
  return ordered, set
end

--- Returns the position of the first element with this id, or nil. O(n).
function list.indexOf(items, id, options)
  checkList(items, "indexOf")
  return (indexOfId(items, id, idKey(options, 3, "indexOf"), "indexOf"))
end

--- Returns the first element with this id, or nil. O(n).
function list.find(items, id, options)
  checkList(items, "find")
  local index = indexOfId(items, id, idKey(options, 3, "find"), "find")
  return index and items[index]
end

--- Inserts an element before `index`, or at the end if there is no index.
function list.insert(items, element, index)
  if type(items) ~= "table" then argumentError(2, 1, "insert", "list", items) end
  if element == nil then argumentError(2, 2, "insert", "element", nil) end
  if index == nil then
    tableInsert(items, element)
  else
    tableInsert(items, checkIndex(3, index, #items + 1, 3, "insert"), element)
  end
end

--- Removes the first element with this id and returns it, or nil if there is none.
function list.remove(items, id, options)
  checkList(items, "remove")
  if id == nil then
    error("bad argument #2 to 'scripted.list.remove' (no id; in a handler of a pattern with [*], it is ids[1])", 2)
  end
  local index = indexOfId(items, id, idKey(options, 3, "remove"), "remove")
  return index and (tableRemove(items, index))
end

--- Removes every element for which the predicate returns true. If the predicate raises an error,
--- nothing is removed.
function list.removeAll(items, predicate)
  checkList(items, "removeAll")
  checkFunction(predicate, 2, "removeAll")
  local kept, keptCount, removed, removedCount = {}, 0, {}, 0
  for i = 1, #items do
    local element = items[i]
    if predicate(element) then
      removedCount = removedCount + 1
      removed[removedCount] = i
    else
      keptCount = keptCount + 1
      kept[keptCount] = element
    end
  end
  if removedCount > FEW_OF_READ then
    rearrange(items, kept)
  else
    for i = removedCount, 1, -1 do tableRemove(items, removed[i]) end
  end
end

--- Removes the elements at `indices`, which is a list of indices or one index. All indices refer to
--- the list before the first removal.
function list.removeAt(items, indices)
  checkList(items, "removeAt")
  local count = #items
  local ordered, set = checkIndices(indices, count, "removeAt")
  if #ordered <= FEW then
    for i = #ordered, 1, -1 do tableRemove(items, ordered[i]) end
    return
  end
  local kept, keptCount = {}, 0
  for i = 1, count do
    if not set[i] then
      keptCount = keptCount + 1
      kept[keptCount] = items[i]
    end
  end
  rearrange(items, kept)
end

--- Moves the elements at `indices` (a list of indices, or one index), in their order, before the
--- element that is at `to` before the move; `#items + 1` is the end. Works like SwiftUI's
--- `move(fromOffsets:toOffset:)`, but counts from 1.
function list.move(items, indices, to)
  checkList(items, "move")
  local count = #items
  local ordered, set = checkIndices(indices, count, "move")
  to = checkIndex(3, to, count + 1, 3, "move")
  local moved = #ordered
  if moved == 0 then return end
  local first, last = ordered[1], ordered[moved]
  if last - first == moved - 1 and to >= first and to <= last + 1 then return end -- already there
  local arranged, arrangedCount = {}, 0
  for i = 1, count + 1 do
    if i == to then
      for j = 1, moved do arranged[arrangedCount + j] = items[ordered[j]] end
      arrangedCount = arrangedCount + moved
    end
    if i <= count and not set[i] then
      arrangedCount = arrangedCount + 1
      arranged[arrangedCount] = items[i]
    end
  end
  rearrange(items, arranged)
end

local function ascending(a, b) return a < b end

-- Sorts by merging runs that insertion sort has ordered. Returns the table with the result (`items`
-- or a new one), and whether any element moved. O(n log n) comparisons. Unlike table.sort, it is
-- stable, calls `before` once per comparison, and accepts a `before` that is inconsistent.
local function stableSort(items, count, before)
  local run, changed = 8, false
  for first = 1, count, run do
    for i = first + 1, min(first + run - 1, count) do
      local item, hole = items[i], i
      while hole > first and before(item, items[hole - 1]) do
        items[hole] = items[hole - 1]
        hole = hole - 1
      end
      if hole ~= i then
        items[hole] = item
        changed = true
      end
    end
  end
  local from, into = items, {}
  while run < count do
    for first = 1, count, 2 * run do
      local middle, last = first + run, min(first + 2 * run - 1, count)
      if middle > last or not before(from[middle], from[middle - 1]) then
        copy(from, first, last, first, into)
      else
        changed = true
        local left, right = first, middle
        for at = first, last do
          if left < middle and (right > last or not before(from[right], from[left])) then
            into[at] = from[left]
            left = left + 1
          else
            into[at] = from[right]
            right = right + 1
          end
        end
      end
    end
    from, into = into, from
    run = 2 * run
  end
  return from, changed
end

--- Sorts the list in place. `before(a, b)` returns true if `a` belongs before `b`; the default is
--- `<`. Equal elements stay in their order.
function list.sort(items, before)
  checkList(items, "sort")
  if before ~= nil then checkFunction(before, 2, "sort") end
  local elements, count = {}, #items
  for i = 1, count do elements[i] = items[i] end
  if before == nil and count > 1 and type(elements[1]) == "table" and not getmetatable(elements[1]) then
    error("bad argument #2 to 'scripted.list.sort' (function expected, got nil; the elements are tables, so it takes "
      .. "one that compares them: function(a, b) return a.name < b.name end)", 2)
  end
  before = before or ascending
  local sorted, changed = stableSort(elements, count, before)
  if changed then rearrange(items, sorted) end
end

--- Returns a plain list of the elements for which the predicate returns true.
function list.filter(items, predicate)
  checkList(items, "filter")
  checkFunction(predicate, 2, "filter")
  local kept, count = {}, 0
  for i = 1, #items do
    local element = items[i]
    if predicate(element) then
      count = count + 1
      kept[count] = element
    end
  end
  return kept
end

--- Returns a plain list of the function's results for all elements.
function list.map(items, transform)
  checkList(items, "map")
  checkFunction(transform, 2, "map")
  local results = {}
  for i = 1, #items do results[i] = transform(items[i]) end
  return results
end

-- In a view, `countMatches` remembers what the predicate returned for the parts of a long list of the
-- state, so that the next count asks about new elements only. Elsewhere it returns nil, and
-- where the predicate raises: it may have been asked about an element that a loop does not come to.

--- Returns the number of elements for which the predicate returns true.
function list.count(items, predicate)
  checkList(items, "count")
  checkFunction(predicate, 2, "count")
  local number = countMatches(items, predicate)
  if number then return number end
  number = 0
  for i = 1, #items do
    if predicate(items[i]) then number = number + 1 end
  end
  return number
end

--- Returns whether the predicate returns true for some element.
function list.any(items, predicate)
  checkList(items, "any")
  checkFunction(predicate, 2, "any")
  local number = countMatches(items, predicate)
  if number then return number > 0 end
  for i = 1, #items do
    if predicate(items[i]) then return true end
  end
  return false
end

--- Returns whether the predicate returns true for each element.
function list.all(items, predicate)
  checkList(items, "all")
  checkFunction(predicate, 2, "all")
  local number = countMatches(items, predicate)
  if number then return number == #items end
  for i = 1, #items do
    if not predicate(items[i]) then return false end
  end
  return true
end

--- Returns a plain list of the elements' ids.
function list.ids(items, options)
  checkList(items, "ids")
  local key, ids = idKey(options, 2, "ids"), {}
  for i = 1, #items do
    local element = items[i]
    if type(element) ~= "table" then argumentError(2, 1, "ids", "list of tables", element) end
    ids[i] = element[key]
  end
  return ids
end

return list
