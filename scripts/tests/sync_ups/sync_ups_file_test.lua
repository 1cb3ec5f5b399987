local SyncUp = require "sync_ups.sync_up"
local syncUpsFile = require "sync_ups.sync_ups_file"

describe("The file of sync-ups", function()
  -- A folder in a table.
  local function folder(contents)
    return {
      exists = function(path) return contents[path] ~= nil end,
      read = function(path, options)
        assert.are.same({ as = "json" }, options)
        return contents[path]
      end,
      write = function(path, value, options)
        assert.are.same({ as = "json" }, options)
        contents[path] = value
      end,
    }
  end

  it("is empty before anything was saved", function()
    assert.are.same({}, syncUpsFile.live({ files = folder {} }).load())
  end)

  it("gives back what was saved", function()
    local contents = {}
    local live = syncUpsFile.live { files = folder(contents) }

    live.save(SyncUp.mocks)
    assert.are.same({ ["sync-ups.json"] = SyncUp.mocks }, contents)
    assert.are.same(SyncUp.mocks, live.load())
  end)
end)
