-- How numbers and times are written on the screens of sync-ups.
local format = {}

-- Seconds, as `5 min` or, if they are no whole minutes, as `0:04`.
function format.duration(seconds)
  if seconds % 60 == 0 then return ("%d min"):format(seconds // 60) end
  return ("%d:%02d"):format(seconds // 60, seconds % 60)
end

function format.attendees(count) return count == 1 and "1 attendee" or count .. " attendees" end

-- A date in seconds since 1970, as `2030-06-01 18:30`.
function format.date(date) return os.date("!%Y-%m-%d %H:%M", math.floor(date)) end

return format
