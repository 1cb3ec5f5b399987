local scripted = require "scripted"
local test = require "scripted.test"
local Notifications = require "case_studies.shared_state.notifications"

-- The key of the feature: it is known by its name.
local pictureCount = scripted.shared.inMemory("pictureCount", 0)

describe("A value that several features change", function()
  local screenshots

  before_each(function() screenshots = test.stream() end)

  local function storeOf(numberFact)
    return test.store(Notifications, {
      dependencies = {
        numberFact = numberFact,
        screenshots = { taken = function() return screenshots end },
      },
    })
  end

  local function receiveFact(store, count)
    store:receive("facts.factResponse", function(state)
      state.facts.fact = ("This is a fact about %d."):format(count)
    end)
  end

  it("is told wherever it was changed", function()
    local store = storeOf()

    local task = store:send("task")
    screenshots:send(1)
    store:receive("userDidTakeScreenshot", function(state) state.pictureCount = 1 end)
    receiveFact(store, 1)
    store:send("editor.pictureButtonTapped", function(state) state.facts.pictureCount = 2 end)
    receiveFact(store, 2)
    task:cancel()
  end)

  -- The store has sent nothing, and its `onChange` runs all the same.
  it("is told when it was changed outside of the store", function()
    local store = storeOf()

    test.shared(pictureCount):update(function(count) return count + 3 end)
    store:receive("shared", function(state) state.editor.pictureCount = 3 end)
    receiveFact(store, 3)
  end)

  it("has no fact after a failure", function()
    local store = storeOf()

    store:send("editor.pictureButtonTapped", function(state) state.pictureCount = 1 end)
    receiveFact(store, 1)
    store.dependencies.numberFact = { fetch = function() error("no facts today", 0) end }
    store:send("editor.pictureButtonTapped", function(state) state.pictureCount = 2 end)
    store:receive("facts.factResponse.result.failure", function(state) state.facts.fact = nil end)
  end)

  it("has a fact about the last number alone", function()
    local clock = test.clock()
    local store = storeOf {
      fetch = function(number)
        clock.sleep(1)
        return ("This is a fact about %d."):format(number)
      end,
    }

    store:send("editor.pictureButtonTapped", function(state) state.pictureCount = 1 end)
    clock:advance(0.5)
    store:send("editor.pictureButtonTapped", function(state) state.pictureCount = 2 end)
    clock:advance(1)
    receiveFact(store, 2)
  end)

  describe("its screen", function()
    it("shows what several features change", function()
      local view = test.view(Notifications, {
        dependencies = { screenshots = { taken = function() return screenshots end } },
      })
      assert.matches_snapshot(view:text())

      view.store:receive("task")
      screenshots:send(1)
      view.store:receive("userDidTakeScreenshot", function(state) state.pictureCount = 1 end)
      receiveFact(view.store, 1)
      view:find("button", "Take a picture"):tap(function(state) state.pictureCount = 2 end)
      receiveFact(view.store, 2)
      assert.are.equal(2, view:find("number", "Pictures").value)
      assert.is_not_nil(view:query("text", "This is a fact about 2."))
    end)
  end)
end)
