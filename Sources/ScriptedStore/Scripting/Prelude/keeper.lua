-- The keeper of a custom key: the feature of a store that hosts do not see, and whose effects call the key's functions
-- `load`, `save` and `subscribe`.
--
-- 1. `known` is what the storage has, as far as the keeper knows: a list of the value, or an empty list for no value.
--    A value is saved if it differs from that.
-- 2. One save runs at a time. What changes meanwhile is saved after it.
-- 3. What is loaded does not undo what was written since the load began (`native.sharedMerge`).
-- 4. An effect that waits for a load or a save has a ticket. Each ticket is answered once; 0 is that of no effect.
-- 5. A limit stops the effect that calls a function, and no script can catch that. So the host tells of it (`stopped`),
--    with the effect's id: the ticket of a load, `SAVING` or `SUBSCRIBING`.

local native, need = ...
local clock, sharing, scripted = need("clock").store, need "sharing", need("scripted").module()
local effect, null = scripted.effect, scripted.null

local SAVING, SUBSCRIBING = "saving", "subscribing"

-- What `effect.result` has caught, as the field of a status.
local function failure(result, path)
  local caught = result.failure
  if not caught then return nil end
  local code = caught.code
  return {
    code = type(code) == "string" and code or "failed", message = tostring(caught.message), path = path,
  }
end

-- The time from a failure to the next try: 1, 2, 4 … 60 seconds.
local function pause(failures) return math.min(60, 2 ^ math.min(failures - 1, 6)) end

-- Sends an action after the pause that follows so many failures in a row.
local function again(action, failures)
  return effect.run(function(send)
    clock.sleep(pause(failures))
    send(action)
  end):cancellable(action, { cancelInFlight = true })
end

local function answer(tickets, problem)
  if #tickets == 0 then return nil end
  return effect.run(function() native.sharedAnswer(tickets, problem) end)
end

-- What `load` returns. More than one value is a mistake, as `return nil, "offline"` instead of an error.
local function single(...)
  local count = select("#", ...)
  if count > 1 then
    local problem = "load returned %d values; it must return the value, or nothing, and raise an error if it fails"
    error(problem:format(count), 0)
  end
  return (...)
end

-- Makes the feature of the keeper of the key with this description. An idle keeper calls nothing.
local function make(key, isIdle)
  local load, save, subscribe, dependencies = key.load, key.save, key.subscribe, key.dependencies
  if isIdle then load, save, subscribe, dependencies = nil, nil, nil, nil end

  -- A value from outside, which must be what the key's features expect.
  local function checked(stored)
    if stored == nil or stored == null then return nil end
    local isValid, problem = pcall(native.sharedRequire, key, stored)
    if isValid then return stored end
    return error({ code = "invalid", message = native.errorText(problem) or tostring(problem) }, 0)
  end

  -- Takes over what the storage has; nil for the default.
  local function take(state, stored, before)
    if stored == nil then stored = state.default[1] end
    state.known = { stored }
    state.value = native.sharedMerge(state.value, stored, before)
  end

  local function tellSaved(send, known, tickets, problem)
    if problem then native.sharedFailed(key, "save", problem) end
    send("saved", { known = known, failure = problem })
    native.sharedAnswer(tickets, problem)
  end

  local function tellLoaded(send, ticket, loaded, problem)
    if problem then native.sharedFailed(key, "load", problem) end
    loaded.ticket, loaded.failure = ticket, problem
    send("loaded", loaded)
    native.sharedAnswer({ ticket }, problem)
  end

  local function tellUnsubscribed(send, problem)
    native.sharedFailed(key, "load", problem)
    send("unsubscribed", { failure = problem })
  end

  local function startSave(state)
    if state.isSaving then return nil end
    local tickets = scripted.snapshot(state.waiting)
    state.waiting = {}
    local isSaved = scripted.equals(state.value, state.known[1])
    if isSaved and state.failures > 0 then
      -- What could not be saved is not the value any more.
      state.failures, state.status.saveError = 0, nil
    end
    if isSaved or not save then return answer(tickets) end
    state.isSaving, state.saving = true, tickets
    local new = scripted.snapshot(state.value)
    return effect.run(function(send, deps)
      tellSaved(send, { new }, tickets, failure(effect.result(save, new, deps), key.name))
    end):cancellable(SAVING)
  end

  local function startLoad(state, ticket)
    state.status.isLoading = true
    local before = scripted.snapshot(state.known)
    return effect.run(function(send, deps)
      local isUnloaded = load == nil
      local result = effect.result(function()
        local stored = load and single(load(deps))
        isUnloaded = isUnloaded or stored == sharing.unloaded
        if isUnloaded then return nil end
        return checked(stored)
      end)
      local stored = result.success
      if stored == null then stored = nil end
      local loaded = { known = { stored }, before = before, isUnloaded = isUnloaded }
      tellLoaded(send, ticket, loaded, failure(result, key.name))
    end):cancellable(ticket)
  end

  return scripted.feature {
    name = ("shared.custom(%q)"):format(key.name),
    dependencies = dependencies,
    state = {
      default = {}, known = {}, loading = {}, waiting = {}, saving = {}, isSaving = false, failures = 0,
      subscriptionFailures = 0,
    },
    shared = { value = sharing.whole(key), status = sharing.status(key) },
    on = {
      -- The keeper was made. After a reload it has the state of the keeper before it, whose effects were cancelled.
      begin = function(state)
        local effects = {}
        for _, ticket in ipairs(state.loading) do effects[#effects + 1] = startLoad(state, ticket) end
        if subscribe then effects[#effects + 1] = effect.send("subscribe") end
        for _, ticket in ipairs(state.waiting) do state.saving[#state.saving + 1] = ticket end
        state.waiting, state.saving, state.isSaving = state.saving, {}, false
        effects[#effects + 1] = startSave(state)
        return effect.merge(effects)
      end,
      load = function(state, action)
        state.loading[#state.loading + 1] = action.ticket
        return startLoad(state, action.ticket)
      end,
      loaded = function(state, action)
        for index, ticket in ipairs(state.loading) do
          if ticket == action.ticket then
            table.remove(state.loading, index)
            break
          end
        end
        state.status.isLoading = #state.loading > 0
        state.status.loadError = action.failure
        if not action.failure and not action.isUnloaded then take(state, action.known[1], action.before[1]) end
      end,
      save = function(state, action)
        if action.ticket then state.waiting[#state.waiting + 1] = action.ticket end
        return startSave(state)
      end,
      saved = function(state, action)
        state.isSaving, state.saving = false, {}
        state.status.saveError = action.failure
        if not action.failure then
          state.known, state.failures = action.known, 0
          return startSave(state)
        end
        state.failures = state.failures + 1
        if #state.waiting > 0 then return startSave(state) end
        return again("save", state.failures)
      end,
      subscribe = function()
        return effect.run(function(send, deps)
          local function yield(stored) send("changed", { known = { checked(stored) } }) end
          local result = effect.result(subscribe, yield, deps)
          local problem = failure(result, key.name)
          if problem then tellUnsubscribed(send, problem) end
        end):cancellable(SUBSCRIBING)
      end,
      changed = function(state, action)
        state.status.loadError, state.subscriptionFailures = nil, 0
        take(state, action.known[1], state.known[1])
      end,
      unsubscribed = function(state, action)
        state.status.loadError = action.failure
        state.subscriptionFailures = state.subscriptionFailures + 1
        return again("subscribe", state.subscriptionFailures)
      end,
      stopped = function(state, action)
        local id, problem = action.id, failure({ failure = action.failure }, key.name)
        local tickets = scripted.snapshot(state.saving)
        return effect.run(function(send)
          if id == SAVING then
            tellSaved(send, nil, tickets, problem)
          elseif id == SUBSCRIBING then
            tellUnsubscribed(send, problem)
          else
            tellLoaded(send, id, {}, problem)
          end
        end)
      end,
    },
  }:onChange("value", startSave)
end

return { make = make }
