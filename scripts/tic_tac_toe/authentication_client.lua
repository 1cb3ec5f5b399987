-- Logs people in. Both functions wait for the answer, `{ token, twoFactorRequired }`, and raise
-- `{ code, message }` when what they are given is wrong.
local scripted = require "scripted"

local authenticationClient = {
  name = "authenticationClient",

  -- No service but the rules of one, so that the example runs anywhere: any address with the password
  -- `password`; one with `2fa` in it asks for a second factor, which is 1234.
  live = function(deps)
    return {
      login = function(email, password)
        if not email:find("@", 1, true) or password ~= "password" then
          error { code = "invalidUserPassword", message = "There is no such user, or the password is another." }
        end
        deps.clock.sleep(1)
        return { token = "deadbeef", twoFactorRequired = email:find("2fa", 1, true) ~= nil }
      end,

      twoFactor = function(code, token)
        if token ~= "deadbeef" then
          error { code = "invalidIntermediateToken", message = "The login has expired." }
        end
        if code ~= "1234" then
          error { code = "invalidTwoFactor", message = "The code is another (it is 1234)." }
        end
        deps.clock.sleep(1)
        return { token = "deadbeefdeadbeef", twoFactorRequired = false }
      end,
    }
  end,
}

scripted.dependency(authenticationClient)

-- Tests call `live` with dependencies of their own.
return authenticationClient
