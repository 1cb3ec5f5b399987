local authenticationClient = require "tic_tac_toe.authentication_client"

describe("The authentication client", function()
  local sleep, live

  -- Its functions are called as they are, with a clock that only remembers how long they would wait.
  before_each(function()
    sleep = spy(function() end)
    live = authenticationClient.live { clock = { sleep = sleep } }
  end)

  it("lets in who knows the password", function()
    assert.are.same(
      { token = "deadbeef", twoFactorRequired = false }, live.login("blob@example.com", "password"))
    assert.spy(sleep).was.called_with(1)
  end)

  it("asks some for a second factor", function()
    local first = live.login("2fa@example.com", "password")
    assert.is_true(first.twoFactorRequired)
    assert.is_false(live.twoFactor("1234", first.token).twoFactorRequired)
  end)

  for what, call in pairs {
    invalidUserPassword = function(client) client.login("blob@example.com", "wrong") end,
    invalidIntermediateToken = function(client) client.twoFactor("1234", "another") end,
    invalidTwoFactor = function(client) client.twoFactor("4321", "deadbeef") end,
  } do
    it("refuses at once with " .. what, function()
      local ok, failure = pcall(call, live)
      assert.is_false(ok)
      assert.are.equal(what, failure.code)
      assert.spy(sleep).was_not.called()
    end)
  end
end)
