-- The order of hooks, told by the events that the tests before have left.
local events = {}
local function note(name) return function() events[#events + 1] = name end end
local function happened(expected)
  assert.equal(expected, table.concat(events, " "))
  events = {}
end

before_each(note "file-before")
after_each(note "file-after")

describe("each", function()
  before_each(note "before-1")
  before_each(note "before-2")
  after_each(note "after-1")
  after_each(note "after-2")

  it("runs before the body", function() happened "file-before before-1 before-2" end)
  it("runs after the body", function() happened "after-1 after-2 file-after file-before before-1 before-2" end)

  describe("inner", function()
    before_each(note "inner-before")
    after_each(note "inner-after")
    it("begins outside", function()
      happened "after-1 after-2 file-after file-before before-1 before-2 inner-before"
    end)
  end)

  it("ends inside", function()
    happened "inner-after after-1 after-2 file-after file-before before-1 before-2"
  end)
end)

describe("each is over", function()
  it("outside of its block", function() happened "after-1 after-2 file-after file-before" end)
end)

describe("setup", function()
  setup(note "setup-1")
  setup(note "setup-2")
  lazy_setup(note "lazy-setup")
  teardown(note "teardown-1")
  teardown(note "teardown-2")
  lazy_teardown(note "lazy-teardown")
  before_each(note "before")

  it("runs once", function() happened "file-after setup-1 setup-2 lazy-setup file-before before" end)
  it("and not again", function() happened "file-after file-before before" end)
  describe("inner", function()
    strict_setup(note "inner-setup")
    strict_teardown(note "inner-teardown")
    it("runs for an inner block", function() happened "file-after inner-setup file-before before" end)
  end)
  it("is torn down", function() happened "file-after inner-teardown file-before before" end)
end)

describe("teardown", function()
  it("was run, the lazy one first", function()
    happened "file-after lazy-teardown teardown-1 teardown-2 file-before"
  end)
end)

describe("a block of pending tests", function()
  setup(note "pending-setup")
  lazy_setup(note "pending-lazy-setup")
  lazy_teardown(note "pending-lazy-teardown")
  pending("test")
end)

describe("after it", function()
  it("only the strict hooks have run", function() happened "file-after pending-setup file-before" end)
end)

describe("hooks that come after their tests", function()
  it("count as well", function() happened "file-after file-before late-before" end)
  before_each(note "late-before")
end)

describe("finally", function()
  it("registers", function()
    events = {}
    finally(note "finally")
    events[#events + 1] = "body"
  end)
  it("ran before after_each", function() happened "body finally file-after file-before" end)
  it("registers and raises", function()
    events = {}
    finally(note "finally")
    error("on purpose")
  end)
  it("ran after an error as well", function() happened "finally file-after file-before" end)
  it("registers twice", function()
    events = {}
    finally(note "first")
    finally(note "second")
  end)
  it("ran the last one only", function() happened "second file-after file-before" end)
  it("raises itself", function() finally(function() error("in finally") end) end)
  it("of no function", function() finally(5) end)
end)

describe("state of a block", function()
  local counter
  before_each(function() counter = 0 end)
  it("is set up", function()
    counter = counter + 1
    assert.equal(1, counter)
  end)
  it("is set up again", function()
    counter = counter + 1
    assert.equal(1, counter)
  end)
end)

describe("after an error", function()
  it("raises", function()
    events = {}
    error("on purpose")
  end)
  it("after_each ran", function() happened "file-after file-before" end)
  it("is pending", function() pending("on purpose") end)
  it("after_each ran after a pending test", function() happened "file-after file-before file-after file-before" end)
end)
