-- A sign-up in several screens, after the case study of The Composable Architecture. All of them fill in one
-- value, which the root shares: no screen is given a copy, and none has to hand one back. The last screen shows
-- everything, may only read it, and presents the former ones again, for corrections.
--
-- Try `runner dev case_studies.shared_state.onboarding`: `signUpButtonTapped`, then
-- `path[0].basics.binding.signUpData.email "blob@example.com"`, which `:state` shows in the screen and in the root;
-- `path[0].basics.nextButtonTapped` goes on.
local scripted = require "scripted"
local ui = require "scripted.ui"
local effect, shared = scripted.effect, scripted.shared

local empty = {
  email = "", password = "", passwordConfirmation = "",
  firstName = "", lastName = "", phoneNumber = "",
  topics = scripted.array {},                                  -- of allTopics
}

local allTopics = { "Actions", "Effects", "Navigation", "Shared state", "Testing" }

-- `inherited` is what the nearest feature around shares under this name. So a screen does not know which value that
-- is, and a store of the screen alone, as in a test, has one of its own.
local Basics = scripted.feature {
  name = "Basics",
  state = {},
  shared = { signUpData = shared.inherited("signUpData", empty) },
  binding = true,                                              -- email, password and its confirmation
  actions = { "nextButtonTapped" },
  view = function(state)
    local data = state.signUpData
    local differs = data.passwordConfirmation ~= "" and data.passwordConfirmation ~= data.password
    local isValid = data.email ~= "" and data.password ~= "" and data.password == data.passwordConfirmation
    return ui.screen {
      title = "Basics",
      ui.form {
        onSubmit = isValid and "nextButtonTapped" or nil,
        ui.textField { label = "Email", bind = "signUpData.email", keyboard = "email" },
        ui.secureField { label = "Password", bind = "signUpData.password" },
        ui.secureField {
          label = "Password again", bind = "signUpData.passwordConfirmation",
          error = differs and "The passwords differ." or nil,
        },
        ui.button { "Next", action = "nextButtonTapped", role = "primary", disabled = not isValid },
      },
    }
  end,
}

local PersonalInfo = scripted.feature {
  name = "PersonalInfo",
  state = {},
  shared = { signUpData = shared.inherited("signUpData", empty) },
  binding = true,                                              -- names and phone number
  actions = { "nextButtonTapped" },
  view = function(state)
    local data = state.signUpData
    local isValid = data.firstName ~= "" and data.lastName ~= "" and data.phoneNumber ~= ""
    return ui.screen {
      title = "Personal info",
      ui.form {
        onSubmit = isValid and "nextButtonTapped" or nil,
        ui.textField { label = "First name", bind = "signUpData.firstName" },
        ui.textField { label = "Last name", bind = "signUpData.lastName" },
        ui.textField { label = "Phone number", bind = "signUpData.phoneNumber", keyboard = "phone" },
        ui.button { "Next", action = "nextButtonTapped", role = "primary", disabled = not isValid },
      },
    }
  end,
}

local function indexOf(topics, topic)
  for index, other in ipairs(topics) do
    if other == topic then return index end
  end
end

-- A part of the value is enough here.
local Topics = scripted.feature {
  name = "Topics",
  state = { allTopics = allTopics },                           -- alert: table?
  shared = { topics = shared.inherited("signUpData.topics", scripted.array {}) },
  actions = { "delegate.stepFinished" },
  on = {
    -- { topic = string }
    topicTapped = function(state, action)
      local index = indexOf(state.topics, action.topic)
      if index then
        table.remove(state.topics, index)
      else
        table.insert(state.topics, action.topic)
      end
    end,

    -- Who presents this decides what comes next.
    doneButtonTapped = function(state)
      if #state.topics == 0 then
        state.alert = { title = "Please choose at least one topic.", buttons = {} }
      else
        return effect.send "delegate.stepFinished"
      end
    end,
  },
  view = function(state)
    return ui.screen {
      title = "Topics", alert = "alert",
      ui.text { "Please choose what interests you.", tone = "secondary" },
      ui.form {
        ui.forEach(state.allTopics, { id = "self" }, function(topic)
          return ui.toggle {
            label = topic, value = indexOf(state.topics, topic) ~= nil, onChange = { "topicTapped", { topic = topic } },
          }
        end),
        ui.button { "Done", action = "doneButtonTapped", role = "primary" },
      },
    }
  end,
}:ifLet("alert", scripted.ephemeral)

local Destination = scripted.cases { basics = Basics, personalInfo = PersonalInfo, topics = Topics }

-- It reads the value under another name: the screens that it presents inherit what they write from the root.
local Summary = scripted.feature {
  name = "Summary",
  state = {},                                                  -- destination: one of Destination's cases
  shared = { summary = shared.inherited("signUpData", empty):reader() },
  actions = { "delegate.submitted" },
  on = {
    editBasicsButtonTapped = function(state) state.destination = { basics = Basics.initial() } end,
    editPersonalInfoButtonTapped = function(state) state.destination = { personalInfo = PersonalInfo.initial() } end,
    editTopicsButtonTapped = function(state) state.destination = { topics = Topics.initial() } end,

    ["destination.basics.nextButtonTapped"] = function(state) state.destination = nil end,
    ["destination.personalInfo.nextButtonTapped"] = function(state) state.destination = nil end,
    ["destination.topics.delegate.stepFinished"] = function(state) state.destination = nil end,

    submitButtonTapped = function() return effect.send "delegate.submitted" end,
  },
  -- Whichever screen is there for a correction, it is a sheet.
  view = function(state)
    local data = state.summary
    return ui.screen {
      title = "Summary", sheet = "destination",
      ui.section {
        title = "Basics",
        ui.text("Email: " .. data.email),
        ui.text("Password: " .. ("•"):rep(utf8.len(data.password))),
        ui.button { "Edit", action = "editBasicsButtonTapped" },
      },
      ui.section {
        title = "Personal info",
        ui.text("Name: " .. data.firstName .. " " .. data.lastName),
        ui.text("Phone number: " .. data.phoneNumber),
        ui.button { "Edit", action = "editPersonalInfoButtonTapped" },
      },
      ui.section {
        title = "Topics",
        ui.forEach(data.topics, { id = "self" }, function(topic) return ui.text(topic) end),
        ui.button { "Edit", action = "editTopicsButtonTapped" },
      },
      ui.button { "Submit", action = "submitButtonTapped", role = "primary" },
    }
  end,
}:ifLet("destination", Destination)

return scripted.feature {
  name = "Onboarding",
  state = { path = scripted.array {} },
  shared = { signUpData = shared.inMemory("signUpData", empty) },
  on = {
    signUpButtonTapped = function(state) table.insert(state.path, { basics = Basics.initial() }) end,

    ["path[*].basics.nextButtonTapped"] = function(state)
      table.insert(state.path, { personalInfo = PersonalInfo.initial() })
    end,

    ["path[*].personalInfo.nextButtonTapped"] = function(state)
      table.insert(state.path, { topics = Topics.initial() })
    end,

    ["path[*].topics.delegate.stepFinished"] = function(state)
      table.insert(state.path, { summary = Summary.initial() })
    end,

    -- The value lives as long as the host, so it is emptied for the next sign-up.
    ["path[*].summary.delegate.submitted"] = function(state)
      state.path = {}
      state.signUpData = empty
    end,
  },
  view = function()
    return ui.navigation {
      path = "path",
      ui.screen {
        title = "Welcome",
        ui.button { "Sign up", action = "signUpButtonTapped", role = "primary" },
      },
    }
  end,
}:stack("path", { basics = Basics, personalInfo = PersonalInfo, topics = Topics, summary = Summary })
