-- One todo. It knows nothing of the list that it is in; `todos` observes what happens here.
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "Todo",
  state = { id = 0, description = "", isComplete = false },
  binding = true,                                        -- the description, and whether it is complete
  on = {
    rename = function(state, action) state.description = action.description end,
    toggle = function(state) state.isComplete = not state.isComplete end,
  },
  -- A list that is edited says so in `env`. There is no field then, so that keys move and delete rows instead of text.
  view = function(state, env)
    local untitled, tone = "Untitled todo", state.isComplete and "secondary" or nil
    return ui.row {
      ui.toggle { label = "Done", labelHidden = true, bind = "isComplete" },
      env.isEditing and ui.text { state.description ~= "" and state.description or untitled, grow = true, tone = tone }
        or ui.textField {
          label = "Description", labelHidden = true, prompt = untitled, bind = "description", grow = true, tone = tone,
        },
    }
  end,
}
