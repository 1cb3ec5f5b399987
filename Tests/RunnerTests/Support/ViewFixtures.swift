extension TemporaryFolder {
  /// A script root with features that have views: a list of rows, some of which raise, and a page that
  /// loads when it appears.
  static func screens() throws -> TemporaryFolder {
    try TemporaryFolder([
      "shopping.lua": shoppingScript, "page.lua": pageScript, "counter.lua": counterScript,
      "parent.lua": parentScript,
    ])
  }
}

private let shoppingScript = """
  local scripted = require "scripted"
  local ui = require "scripted.ui"

  local Item = scripted.feature {
    name = "Item", state = { id = 0, title = "", isBought = false },
    on = { toggle = function(state) state.isBought = not state.isBought end },
    view = function(state)
      if state.title == "" then
        error("an item needs a title")
      end
      return ui.row { ui.text(state.isBought and "bought" or "open"), ui.button { state.title, action = "toggle" } }
    end,
  }

  local Shopping = scripted.feature {
    name = "Shopping",
    state = { items = { { id = 1, title = "Milk", isBought = false } } },
    on = {
      add = function(state, action)
        table.insert(state.items, { id = #state.items + 1, title = action.title, isBought = false })
      end,
      fail = function() error("out of order") end,
    },
    view = function(state, env)
      return ui.screen {
        title = "Shopping",
        ui.text(env.width .. " " .. env.platform .. (env.note and " " .. env.note or "")),
        ui.list { ui.forEach "items" },
        #state.items > 3 and ui.button { "Save", action = "svae" },
      }
    end,
  }
  return Shopping:forEach("items", Item)
  """

private let pageScript = """
  local scripted = require "scripted"
  local ui = require "scripted.ui"
  local effect = scripted.effect

  return scripted.feature {
    name = "Page", dependencies = { "clock" }, state = { text = "empty", seen = 0 },
    on = {
      appeared = function(state) state.seen = state.seen + 1 end,
      load = function()
        return effect.run(function(send, deps)
          send("loaded", { text = "loading" })
          deps.clock.sleep(5)
          send("loaded", { text = "loaded" })
        end)
      end,
      loaded = function(state, action) state.text = action.text end,
    },
    view = function(state)
      return ui.column {
        task = "load", onAppear = "appeared", ui.text(state.text .. ", seen " .. state.seen),
      }
    end,
  }
  """

private let parentScript = """
  local scripted = require "scripted"
  local ui = require "scripted.ui"
  local Child = scripted.feature { name = "Child", state = { count = 0 } }
  return scripted.feature {
    name = "Parent", state = { child = { count = 1 } },
    view = function() return ui.column { "above", ui.child "child", "below" } end,
  }:scope("child", Child)
  """
