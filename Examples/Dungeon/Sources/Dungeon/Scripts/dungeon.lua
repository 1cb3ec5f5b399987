-- The rules of the game: rooms, what lies in them, and who lives there. The program in Swift reads commands
-- and prints the log; everything that happens is decided here.
local scripted = require "scripted"
local Fight = require "fight"
local map = require "map"

local effect = scripted.effect

-- The torch burns down by one each time, and the last of it is the end.
local secondsPerFlicker = 20

local function say(state, text, ...) table.insert(state.log, text:format(...)) end

local function has(state, item)
  for _, owned in ipairs(state.items) do
    if owned == item then return true end
  end
  return false
end

local function endWith(state, ending, text)
  state.ending = ending
  say(state, text)
  return effect.cancel("torch")
end

local function enter(state, name)
  local room = map[name]
  state.room = name
  say(state, room.text)
  if room.monster and not state.slain[name] then
    state.fight = Fight.initial { monster = room.monster.name, strength = room.monster.strength }
    say(state, "A %s blocks your way!", room.monster.name)
  end
  if room.isExit then return endWith(state, "won", "You see the sky. You are free!") end
end

return scripted.feature {
  name = "Dungeon",
  dependencies = { "clock" },
  state = {
    room = "cell", ---@type "cell"|"corridor"|"armoury"|"bridge"|"garden"
    items = scripted.array {}, ---@type string[]
    taken = scripted.object {}, ---@type table<string, boolean>
    slain = scripted.object {}, ---@type table<string, boolean>
    log = scripted.array {}, ---@type string[]
    ending = scripted.null, ---@type "won"|"slain"|"dark"|nil
    health = 10,
    torch = 6,
  },
  on = {
    start = function(state)
      say(state, "You wake up in the dark and light your torch.")
      enter(state, state.room)
      return effect.run(function(send, deps)
        while true do
          deps.clock.sleep(secondsPerFlicker)
          send("torchFlickered")
        end
      end):cancellable("torch", { cancelInFlight = true })
    end,

    torchFlickered = function(state)
      state.torch = state.torch - 1
      if state.torch == 0 then return endWith(state, "dark", "Your torch goes out. You will never be found.") end
      say(state, "The torch flickers. It will last %d times more.", state.torch)
    end,

    ---@param action { direction: "north"|"east"|"south"|"west" }
    go = function(state, action)
      if state.fight then return say(state, "The %s is in your way.", state.fight.monster) end
      local room = map[state.room]
      local target = room[action.direction]
      if not target then return say(state, "There is only a wall.") end
      if map[target].needs and not has(state, map[target].needs) then
        return say(state, "It is locked. You need a %s.", map[target].needs)
      end
      return enter(state, target)
    end,

    take = function(state)
      local item = map[state.room].item
      if not item or state.taken[state.room] then return say(state, "There is nothing to take.") end
      state.taken[state.room] = true
      table.insert(state.items, item)
      say(state, "You take the %s.", item)
    end,

    -- The fight says how it ended; what that means is decided here.
    ---@param action { damage: integer }
    ["fight.delegate.wounded"] = function(state, action)
      state.health = state.health - action.damage
      say(state, "The %s hits you: %d.", state.fight.monster, action.damage)
      if state.health <= 0 then
        state.fight = nil
        return endWith(state, "slain", "You fall. The dungeon keeps you.")
      end
    end,

    ["fight.delegate.missed"] = function(state) say(state, "You miss.") end,

    ["fight.delegate.slain"] = function(state)
      say(state, "You have slain the %s!", state.fight.monster)
      state.slain[state.room] = true
      state.fight = nil
    end,
  },
}
  :ifLet("fight", Fight)
