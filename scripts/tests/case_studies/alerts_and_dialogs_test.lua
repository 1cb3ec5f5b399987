local test = require "scripted.test"
local AlertsAndDialogs = require "case_studies.alerts_and_dialogs"

local alert = {
  title = "Alert!",
  message = "This is an alert",
  buttons = {
    { label = "Cancel", role = "cancel", action = "dismiss" },
    { label = "Increment", action = "incrementButtonTapped" },
  },
}

local dialog = {
  title = "Confirmation dialog",
  message = "This is a confirmation dialog.",
  buttons = {
    { label = "Cancel", role = "cancel", action = "dismiss" },
    { label = "Increment", action = "incrementButtonTapped" },
    { label = "Decrement", action = "decrementButtonTapped" },
  },
}

describe("Alerts and dialogs", function()
  local store

  before_each(function() store = test.store(AlertsAndDialogs) end)

  it("follow one another: what a button does puts another alert in the first one's place", function()
    store:send("alertButtonTapped", function(state) state.alert = alert end)
    store:send("alert.incrementButtonTapped", function(state)
      state.alert = { title = "Incremented!", buttons = {} }
      state.count = 1
    end)
    store:send("alert.dismiss", function(state) state.alert = nil end)
  end)

  it("go when they are cancelled", function()
    store:send("alertButtonTapped", function(state) state.alert = alert end)
    store:send("alert.dismiss", function(state) state.alert = nil end)
    store:send("confirmationDialogButtonTapped", function(state) state.confirmationDialog = dialog end)
    store:send("confirmationDialog.dismiss", function(state) state.confirmationDialog = nil end)
  end)

  -- Nothing in the feature takes the dialog away: any of its actions does.
  it("go when one of their buttons was tapped", function()
    store:send("confirmationDialogButtonTapped", function(state) state.confirmationDialog = dialog end)
    store:send("confirmationDialog.incrementButtonTapped", function(state)
      state.alert = { title = "Incremented!", buttons = {} }
      state.confirmationDialog = nil
      state.count = 1
    end)
    store:send("alert.dismiss", function(state) state.alert = nil end)

    store:send("confirmationDialogButtonTapped", function(state) state.confirmationDialog = dialog end)
    store:send("confirmationDialog.decrementButtonTapped", function(state)
      state.alert = { title = "Decremented!", buttons = {} }
      state.confirmationDialog = nil
      state.count = 0
    end)
  end)

  -- As a host does it, which knows nothing but the state.
  it("say with each button what is to be sent", function()
    store.exhaustivity = "off"

    for _, button in ipairs(dialog.buttons) do
      store:send("confirmationDialogButtonTapped")
      store:send("confirmationDialog." .. button.action)
      assert.is_nil(store.state.confirmationDialog)
    end
    assert.are.equal(0, store.state.count)
  end)

  it("tell of a tap on one that is not there", function()
    test.expectWarning("nothing is presented at state.alert", function() store:send("alert.dismiss") end)
  end)

  describe("their screen", function()
    it("draws what is presented, and what a button puts in its place", function()
      local view = test.view(AlertsAndDialogs)
      assert.matches_snapshot(view:text())

      view:find("button", "Confirmation dialog"):tap(function(state) state.confirmationDialog = dialog end)
      assert.matches_snapshot(view:text())
      view:find("button", "Increment"):tap(function(state)
        state.confirmationDialog = nil
        state.alert = { title = "Incremented!", buttons = {} }
        state.count = 1
      end)
      view:find("alert", "Incremented!"):find("button", "OK"):tap(function(state) state.alert = nil end)
      assert.are.equal(1, view:find("number", "Count").value)
    end)

    it("closes an alert by its button, by Escape, and from elsewhere", function()
      local view = test.view(AlertsAndDialogs)
      local function gone(state) state.alert = nil end

      for _, close in ipairs {
        function() view:find("button", "Cancel"):tap(gone) end,
        function() view:press("escape", gone) end,
        function() view:dismiss(gone) end,
      } do
        view:find("button", "Alert"):tap(function(state) state.alert = alert end)
        assert.error_matches(function() view:find("button", "Alert") end, "covered by the alert 'Alert!'")
        close()
        assert.is_nil(view:query("alert"))
      end
    end)
  end)
end)
