-- For `--dependency syncUpsFile=@scripts/examples/stubs/sync_ups_file.lua`: no file, but what would be in it.
return {
  load = function()
    return {
      {
        id = "design",
        attendees = { { id = "1", name = "Blob" }, { id = "2", name = "Blob Jr." } },
        duration = 4,
        meetings = {},
        theme = "orange",
        title = "Design",
      },
    }
  end,
  save = function() end,
}
