-- The clocks of `deps`: that of every store, and those of the host and of tests.

local native, need = ...
local fail = need("lines").fail

--- Returns the table of a clock; without one, that of the store that runs.
local function on(box)
  local wait, waitUntil = native.clockWaits(box)
  local function now() return (native.clockNow(box)) end
  return {
    sleep = wait,
    now = now,
    timer = native.entry(function(seconds)
      if type(seconds) == "userdata" then
        fail("bad argument #1 to 'clock.timer' (a time of more than zero seconds expected, got userdata; "
          .. "call it with a dot: deps.clock.timer(seconds))")
      end
      if type(seconds) ~= "number" or seconds ~= seconds or seconds <= 0 then
        fail("bad argument #1 to 'clock.timer' (a time of more than zero seconds expected, got %s)", tostring(seconds))
      end
      -- No time that is shorter passes on a clock.
      seconds = math.max(seconds, 1e-6)
      local _, start = native.clockNow(box)
      local ticks = 0
      -- Tick n is due at the start plus n intervals, so that delays do not add up.
      return native.entry(function()
        ticks = ticks + 1
        waitUntil(start + ticks * seconds)
        return ticks
      end)
    end),
  }
end

return {
  -- The dependency `clock` of every store.
  store = on(),
  on = on,
}
