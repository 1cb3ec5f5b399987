-- Effects of random operators over few ids, as numbers choose them.
local scripted = require "scripted"
local effect = scripted.effect

local ids = { "a", "b", 3 }
local spans = { 0, 0.5, 1, 1.5 }
local kept = {}

-- A function that gives the next choice from 1 to `bound`; the first one when the numbers are used up.
local function chooser(numbers)
  local at = 0
  return function(bound)
    at = at + 1
    return (numbers[at] or 0) % bound + 1
  end
end

local build

-- The function of an `effect.run`, made of the choices that are left.
local function body(choose, depth)
  local kind, id, span = choose(9), ids[choose(#ids)], spans[choose(#spans)]
  local function wait(_, deps) deps.clock.sleep(span) end
  if kind == 1 then return wait end
  if kind == 2 then return function(send) send("note") end end
  if kind == 3 then return function(send, deps) wait(send, deps) send("note") end end
  if kind == 4 then return function(send, deps) for _ = 1, 4 do deps.clock.sleep(span) send("note") end end end
  if kind == 5 then return function(send) effect.cancel(id) send("note") end end
  if kind == 6 then return function(_, deps) for _ = 1, 3 do pcall(deps.clock.sleep, span) end end end
  if kind == 7 then return function() effect.yield() error("raised") end end
  local first = depth < 3 and body(choose, depth + 1) or wait
  local second = depth < 3 and body(choose, depth + 1) or wait
  local join = choose(4)
  return function(send, deps)
    local parts = { function() first(send, deps) end, function() second(send, deps) end }
    if join == 1 then effect.all(parts) end
    if join == 2 then effect.race(parts) end
    if join == 3 then effect.timeout(span, parts[1]) end
    if join == 4 then effect.withCancellation(id, { cancelInFlight = span > 0 }, parts[2]) end
    send("note")
  end
end

local leaves = {
  function() return effect.none end,
  function() return effect.send("note") end,
  function(choose) return effect.cancel(ids[choose(#ids)]) end,
  function(choose) return effect.cancel(ids[choose(#ids)], "rows[*]") end,
  function() return effect.dismiss() end,
  function(choose) return effect.run(body(choose, 0)) end,
  function(choose) return effect.run(body(choose, 0), { catch = function(_, send) send("note") end }) end,
}

local operators = {
  function(inner, choose) return inner:cancellable(ids[choose(#ids)]) end,
  function(inner, choose) return inner:cancellable(ids[choose(#ids)], { cancelInFlight = true }) end,
  function(inner, choose) return inner:debounce(ids[choose(#ids)], spans[choose(#spans)]) end,
  function(inner, choose) return inner:throttle(ids[choose(#ids)], spans[choose(#spans)]) end,
  function(inner, choose) return inner:throttle(ids[choose(#ids)], spans[choose(#spans)], { latest = true }) end,
  function(inner) return inner:map(function(action) return { type = action.type } end) end,
  function(inner) return inner:transaction("t") end,
  function(inner, choose, depth) return effect.merge(inner, build(choose, depth)) end,
  function(inner, choose, depth) return effect.concatenate(inner, build(choose, depth)) end,
}

function build(choose, depth)
  local built = leaves[choose(#leaves)](choose)
  if depth > 4 then return built end
  for _ = 2, choose(5) do built = operators[choose(#operators)](built, choose, depth + 1) end
  return built
end

local function cancelAll()
  local cancels = {}
  for _, id in ipairs(ids) do cancels[#cancels + 1] = effect.cancel(id) end
  return effect.merge(cancels)
end

local function go(_, action) return build(chooser(action.numbers), 0) end
local function note(state) state.notes = (state.notes or 0) + 1 end

local Child = scripted.feature {
  name = "Child",
  dependencies = { "clock" },
  state = { notes = 0 },
  on = { go = go, note = note },
}

return scripted.feature {
  name = "Effects",
  dependencies = { "clock" },
  state = { notes = 0, rows = {} },
  on = {
    go = go,
    note = note,
    add = function(state, action)
      if not scripted.list.find(state.rows, action.value) then table.insert(state.rows, { id = action.value }) end
    end,
    remove = function(state, action) scripted.list.remove(state.rows, action.value) end,
    present = function(state) state.child = {} end,
    dismiss = function(state) state.child = nil end,
    -- More than its VM may have: the scripts are loaded anew in another one.
    fill = function() for i = 1, 60000 do kept[#kept + 1] = { i } end end,
    clear = function(state)
      state.rows, state.child = {}, nil
      return cancelAll()
    end,
  },
}:forEach("rows", Child):ifLet("child", Child)
