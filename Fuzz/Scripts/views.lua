-- A feature whose screen shows a list in several ways, data, children, a sheet, an alert and a navigation.
-- Random actions on it (`ViewProgram.swift`) must lead to the screen that is made of nothing.
local scripted = require "scripted"
local list = scripted.list
local ui = require "scripted.ui"
local Note = scripted.feature {
  name = "Note", binding = true, state = { text = "" },
  view = function(_, env) return ui.row { ui.textField { label = "Note", bind = "text" }, env.mark } end,
}
local Row = scripted.feature {
  name = "Row", binding = true, state = { id = 0, title = "", isDone = false, tags = {}, note = { text = "" } },
  on = {
    toggle = function(state) state.isDone = not state.isDone end,
    tag = function(state, action) table.insert(state.tags, { id = #state.tags + 1, name = action.value }) end,
    untag = function(state) table.remove(state.tags, 1) end,
  },
  view = function(state, env)
    if state.title == "bad" then error("a bad row") end
    if state.title == "none" then return nil end
    return ui.row {
      ui.toggle { label = "Done", bind = "isDone" }, state.title, env.isSelected and ui.badge "selected",
      ui.forEach(state.tags, function(tag, index) return ui.badge(index .. tag.name) end),
      ui.child("note", { env = { mark = env.width } }),
    }
  end,
}:scope("note", Note)
local Editor = scripted.feature {
  name = "Editor", state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
  view = function(state) return ui.column { ui.heading("Editor"), state.n } end,
}
local Info = scripted.feature { name = "Info", state = { text = "info" }, view = function(state) return state.text end }
local Cases = scripted.cases { editor = Editor, info = Info, alert = scripted.ephemeral }
local shows = {
  all = function() return true end,
  done = function(row) return row.isDone end,
  open = function(row) return not row.isDone end,
}
-- A number from 1 to n, chosen by the action's number, so that runs repeat.
local function random(number, n)
  return n > 0 and number % n + 1 or 0
end

return scripted.feature {
  name = "App", binding = true,
  state = { filter = "all", selected = 0, nextId = 1, rows = {}, data = {}, path = {}, order = {}, unit = "x" },
  on = {
    add = function(state, action)
      local id = state.nextId
      state.nextId = id + 1
      if #state.rows > 240 then table.remove(state.rows, random(action.value, #state.rows)) end
      local row = Row.initial { id = id, title = action.title or "row " .. id }
      list.insert(state.rows, row, random(action.value, #state.rows + 1))
    end,
    -- Lists of more than 200 rows have a window.
    many = function(state)
      for _ = #state.rows, 215 do
        table.insert(state.rows, Row.initial { id = state.nextId, title = "row " .. state.nextId % 7 })
        state.nextId = state.nextId + 1
      end
    end,
    double = function(state) if state.rows[1] then table.insert(state.rows, scripted.snapshot(state.rows[1])) end end,
    remove = function(state, action) table.remove(state.rows, random(action.value, #state.rows)) end,
    move = function(state, action)
      local n = #state.rows
      if n > 0 then list.move(state.rows, { random(action.value, n) }, random(action.value // 7, n)) end
    end,
    swap = function(state, action)
      local n = #state.rows
      local i, j = random(action.value, n), random(action.value // 5, n)
      if n > 1 then
        local a, b = state.rows[i], state.rows[j]
        state.rows[i] = b
        state.rows[j] = a
      end
    end,
    sort = function(state) list.sort(state.rows, function(a, b) return a.title < b.title end) end,
    clear = function(state) list.removeAll(state.rows, shows.done) end,
    filter = function(state, action) state.filter = ({ "all", "done", "open" })[random(action.value, 3)] end,
    select = function(state, action) state.selected = random(action.value, state.nextId) end,
    order = function(state, action)
      state.order = {}
      for i = 1, action.value % 5 do state.order[i] = random(action.value * i, state.nextId) end
    end,
    data = function(state, action)
      local i = random(action.value, #state.data + 1)
      if action.value % 3 == 0 and state.data[i] then table.remove(state.data, i)
      else state.data[i] = { id = i * 10, n = action.value, more = { action.value } } end
    end,
    unit = function(state, action) state.unit = "u" .. action.value % 2 end,
    open = function(state, action)
      state.destination = ({ { editor = { n = action.value } }, { info = { text = "i" .. action.value } },
        { alert = { title = "Alert", buttons = { { label = "OK", action = "ok" } } } } })[random(action.value, 3)]
    end,
    close = function(state) state.destination = nil end,
    push = function(state, action) table.insert(state.path, { editor = { n = action.value } }) end,
    pop = function(state) table.remove(state.path) end,
  },
  view = function(state, env)
    local unit = state.unit
    return ui.screen {
      title = state.filter .. " " .. list.count(state.rows, shows.done)
        .. (list.any(state.rows, shows.open) and " any" or ""),
      ui.list {
        selection = "selected", ui.text(env.width),
        ui.forEach("rows", { where = shows[state.filter], env = { mode = state.filter } }),
      },
      ui.list { window = false, ui.forEach "rows" },
      ui.forEach("rows", { only = state.order }),
      ui.list { ui.forEach(state.data, function(item, index)
        return ui.row {
          index, item.n .. unit, ui.forEach(item.more, { id = "self" }, function(x) return x end),
          #state.rows % 3 == 0 and ui.child "destination",
        }
      end), empty = ui.row { unit, ui.child "destination" } },
      ui.navigation { path = "path", ui.column { "root", #state.rows > 2 and ui.child "destination.editor" } },
      sheet = "destination.info", alert = "destination.alert",
    }
  end,
}:forEach("rows", Row):ifLet("destination", Cases):stack("path", Cases)
