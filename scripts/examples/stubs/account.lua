-- A service that stores the settings of an account in this script, for `case_studies.shared_state.custom`.
local stored = { size = 20 }

return {
  loadSettings = function() return stored end,
  saveSettings = function(value) stored = { size = value.size } end,
}
