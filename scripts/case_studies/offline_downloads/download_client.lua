-- Downloads, piece by piece. `for event in deps.downloadClient.download(url) do … end` gets `{ progress =
-- 0.2 }` after each piece but the last, then `{ contents = base64 }`, and raises what goes wrong.
local scripted = require "scripted"

-- Of three bytes base64 makes four characters: pieces of a multiple of three make that of the whole.
local pieceSize = 3 * (1 << 18)

local downloadClient = {
  name = "downloadClient",

  live = function(deps)
    local function piece(url, first)
      local last = first + pieceSize - 1
      local response = deps.http.get(url, {
        as = "base64",
        headers = { range = ("bytes=%d-%d"):format(first, last) },
      })
      if response.status == 206 then
        local size = (response.headers["content-range"] or ""):match "/(%d+)$"
        if not size then error("the server does not say how large the file is", 0) end
        return response.body, tonumber(size)
      end
      if response.status == 200 then return response.body end -- a server that knows no ranges
      error(("the server answered with %d"):format(response.status), 0)
    end

    return {
      download = function(url)
        local pieces, received, isComplete = {}, 0, false
        return function()
          if isComplete then return nil end
          local contents, size = piece(url, received)
          pieces[#pieces + 1] = contents
          received = received + pieceSize
          isComplete = size == nil or received >= size
          if isComplete then return { contents = table.concat(pieces) } end
          return { progress = received / size }
        end
      end,
    }
  end,

  -- Ten pieces, one each second.
  preview = function(deps)
    return {
      download = function()
        local pieces = 0
        return function()
          if pieces == 10 then return nil end
          deps.clock.sleep(1)
          pieces = pieces + 1
          return pieces < 10 and { progress = pieces / 10 } or { contents = "" }
        end
      end,
    }
  end,
}

scripted.dependency(downloadClient)

-- Tests call `live` with dependencies of their own.
return downloadClient
