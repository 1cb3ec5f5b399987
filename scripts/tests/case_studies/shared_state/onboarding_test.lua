local scripted = require "scripted"
local test = require "scripted.test"
local Onboarding = require "case_studies.shared_state.onboarding"

-- The key of the feature: it is known by its name. The first store gives it its default.
local signUpData = scripted.shared.inMemory("signUpData", {})

describe("Onboarding", function()
  local allTopics = { "Actions", "Effects", "Navigation", "Shared state", "Testing" }

  local filledIn = {
    email = "blob@example.com", password = "blob is great", passwordConfirmation = "blob is great",
    firstName = "Blob", lastName = "McBlob", phoneNumber = "+44 1234",
    topics = { "Effects" },
  }

  -- A store that shows the summary.
  local function summaryOf(data)
    return test.store(Onboarding, { state = { signUpData = data, path = { { id = 0, summary = {} } } } })
  end

  it("fills in one value, screen by screen", function()
    local store = test.store(Onboarding)
    local function bind(screen, field, value)
      store:send(("path[%d].%s.binding.signUpData.%s"):format(#store.state.path - 1, screen, field), value,
        function(state) state.signUpData[field] = value end)
    end

    -- The shared fields of a screen need not be said.
    store:send("signUpButtonTapped", function(state) state.path = { { id = 0, basics = {} } } end)
    bind("basics", "email", "blob@example.com")
    bind("basics", "password", "blob is great")
    bind("basics", "passwordConfirmation", "blob is great")

    store:send("path[0].basics.nextButtonTapped", function(state) state.path[2] = { id = 1, personalInfo = {} } end)
    bind("personalInfo", "firstName", "Blob")
    bind("personalInfo", "lastName", "McBlob")
    bind("personalInfo", "phoneNumber", "+44 1234")

    store:send("path[1].personalInfo.nextButtonTapped", function(state)
      state.path[3] = { id = 2, topics = { allTopics = allTopics } }
    end)
    store:send("path[2].topics.topicTapped", { topic = "Effects" }, function(state)
      state.path[3].topics.topics = { "Effects" }
    end)
    store:send("path[2].topics.doneButtonTapped")
    store:receive("path[2].topics.delegate.stepFinished", function(state)
      state.path[4] = { id = 3, summary = {} }
    end)
    assert.are.same(filledIn, store.state.path[4].summary.summary)
    assert.are.same(filledIn, test.shared(signUpData).value)
  end)

  it("wants a topic", function()
    local store = test.store(Onboarding, {
      state = { path = { { id = 0, topics = { allTopics = allTopics } } } },
    })

    store:send("path[0].topics.topicTapped", { topic = "Testing" }, function(state)
      state.signUpData.topics = { "Testing" }
    end)
    store:send("path[0].topics.topicTapped", { topic = "Testing" }, function(state)
      state.signUpData.topics = {}
    end)
    store:send("path[0].topics.doneButtonTapped", function(state)
      state.path[1].topics.alert = { title = "Please choose at least one topic.", buttons = {} }
    end)
    store:send("path[0].topics.alert.dismiss", function(state) state.path[1].topics.alert = nil end)
  end)

  describe("on its summary", function()
    it("shows what a screen corrects while that is presented", function()
      local store = summaryOf(filledIn)

      store:send("path[0].summary.editBasicsButtonTapped", function(state)
        state.path[1].summary.destination = { basics = {} }
      end)
      store:send("path[0].summary.destination.basics.binding.signUpData.email", "blob@blob.com", function(state)
        state.path[1].summary.summary.email = "blob@blob.com"
      end)
      store:send("path[0].summary.destination.basics.nextButtonTapped", function(state)
        state.path[1].summary.destination = nil
      end)
      assert.are.equal("blob@blob.com", store.state.signUpData.email)
    end)

    it("goes back to the personal information, and forgets the screen when it is dismissed", function()
      local store = summaryOf(filledIn)

      store:send("path[0].summary.editPersonalInfoButtonTapped", function(state)
        state.path[1].summary.destination = { personalInfo = {} }
      end)
      store:send("path[0].summary.destination.personalInfo.binding.signUpData.firstName", "Bob", function(state)
        state.signUpData.firstName = "Bob"
      end)
      store:send("path[0].summary.destination.dismiss", function(state)
        state.path[1].summary.destination = nil
      end)
    end)

    it("wants a topic there too", function()
      local store = summaryOf(filledIn)

      store:send("path[0].summary.editTopicsButtonTapped", function(state)
        state.path[1].summary.destination = { topics = { allTopics = allTopics } }
      end)
      store:send("path[0].summary.destination.topics.topicTapped", { topic = "Actions" }, function(state)
        state.path[1].summary.summary.topics = { "Effects", "Actions" }
      end)
      store:send("path[0].summary.destination.topics.doneButtonTapped")
      store:receive("path[0].summary.destination.topics.delegate.stepFinished", function(state)
        state.path[1].summary.destination = nil
      end)
    end)

    it("shows what is changed outside of the store", function()
      local store = summaryOf(filledIn)

      test.shared(signUpData):update(function(data)
        data.phoneNumber = ""
        return data
      end)
      store:receive("shared", function(state) state.signUpData.phoneNumber = "" end)
      assert.are.equal("", store.state.path[1].summary.summary.phoneNumber)
    end)

    it("submits, and begins anew", function()
      local store = summaryOf(filledIn)

      store:send("path[0].summary.submitButtonTapped")
      store:receive("path[0].summary.delegate.submitted", function(state)
        state.path = {}
        state.signUpData = {
          email = "", password = "", passwordConfirmation = "", firstName = "", lastName = "", phoneNumber = "",
          topics = {},
        }
      end)
    end)
  end)

  describe("its screen", function()
    local function fill(view, role, name, field, text)
      view:find(role, name):type(text, function(state) state.signUpData[field] = text end)
    end

    it("goes on when a page is filled in", function()
      local view = test.view(Onboarding)
      assert.matches_snapshot(view:text())

      view:find("button", "Sign up"):tap(function(state) state.path = { { id = 0, basics = {} } } end)
      fill(view, "textField", "Email", "email", "blob@example.com")
      fill(view, "secureField", "Password", "password", "blob")
      fill(view, "secureField", "Password again", "passwordConfirmation", "bloob")
      assert.are.equal("The passwords differ.", view:find("secureField", "Password again").error)
      assert.is_true(view:find("button", "Next").disabled)
      assert.matches_snapshot(view:text())

      view:find("secureField", "Password again"):set("blob", function(state)
        state.signUpData.passwordConfirmation = "blob"
      end)
      view:find("secureField", "Password again"):submit(function(state)
        state.path[2] = { id = 1, personalInfo = {} }
      end)
      fill(view, "textField", "First name", "firstName", "Blob")
      fill(view, "textField", "Last name", "lastName", "McBlob")
      assert.is_true(view:find("button", "Next").disabled)
      fill(view, "textField", "Phone number", "phoneNumber", "+44 1234")
      view:find("textField", "Phone number"):submit(function(state)
        state.path[3] = { id = 2, topics = { allTopics = allTopics } }
      end)

      view:find("button", "Done"):tap(function(state)
        state.path[3].topics.alert = { title = "Please choose at least one topic.", buttons = {} }
      end)
      view:find("button", "OK"):tap(function(state) state.path[3].topics.alert = nil end)
      view:find("toggle", "Effects"):tap(function(state) state.signUpData.topics = { "Effects" } end)
      view:find("button", "Done"):tap()
      view.store:receive("path[2].topics.delegate.stepFinished", function(state)
        state.path[4] = { id = 3, summary = {} }
      end)
      assert.matches_snapshot(view:text())
    end)

    it("corrects a page in a sheet", function()
      local view = test.view(Onboarding, { state = { signUpData = filledIn, path = { { id = 0, summary = {} } } } })

      view:find("section", "Personal info"):find("button", "Edit"):tap(function(state)
        state.path[1].summary.destination = { personalInfo = {} }
      end)
      view:find("sheet", "Personal info"):find("textField", "First name"):set("Blub", function(state)
        state.signUpData.firstName = "Blub"
      end)
      view:find("button", "Next"):tap(function(state) state.path[1].summary.destination = nil end)
      assert.is_not_nil(view:query("text", "Name: Blub McBlob"))

      view:find("section", "Topics"):find("button", "Edit"):tap(function(state)
        state.path[1].summary.destination = { topics = { allTopics = allTopics } }
      end)
      view:dismiss(function(state) state.path[1].summary.destination = nil end)
    end)
  end)
end)
