-- Alerts and dialogs as state, after the case study of The Composable Architecture. The host draws what is
-- there and sends what its buttons say; so a test can tap them.
local scripted = require "scripted"
local ui = require "scripted.ui"

-- An alert that says what has happened. A host adds a button where there is none.
local function notice(title) return { title = title, buttons = {} } end

return scripted.feature {
  name = "AlertsAndDialogs",
  state = { count = 0 },                                       -- alert: table?, confirmationDialog: table?
  on = {
    alertButtonTapped = function(state)
      state.alert = {
        title = "Alert!",
        message = "This is an alert",
        buttons = {
          { label = "Cancel", role = "cancel", action = "dismiss" },
          { label = "Increment", action = "incrementButtonTapped" },
        },
      }
    end,

    confirmationDialogButtonTapped = function(state)
      state.confirmationDialog = {
        title = "Confirmation dialog",
        message = "This is a confirmation dialog.",
        buttons = {
          { label = "Cancel", role = "cancel", action = "dismiss" },
          { label = "Increment", action = "incrementButtonTapped" },
          { label = "Decrement", action = "decrementButtonTapped" },
        },
      }
    end,

    -- An alert goes after any of its actions. This one puts another in its place, which stays.
    ["alert.incrementButtonTapped"] = function(state)
      state.count = state.count + 1
      state.alert = notice "Incremented!"
    end,

    ["confirmationDialog.incrementButtonTapped"] = function(state)
      state.count = state.count + 1
      state.alert = notice "Incremented!"
    end,

    ["confirmationDialog.decrementButtonTapped"] = function(state)
      state.count = state.count - 1
      state.alert = notice "Decremented!"
    end,
  },
  view = function(state)
    return ui.screen {
      title = "Alerts and dialogs", alert = "alert", dialog = "confirmationDialog",
      ui.number { label = "Count", value = state.count },
      ui.row {
        ui.button { "Alert", action = "alertButtonTapped" },
        ui.button { "Confirmation dialog", action = "confirmationDialogButtonTapped" },
      },
    }
  end,
}
  :ifLet("alert", scripted.ephemeral)
  :ifLet("confirmationDialog", scripted.ephemeral)
