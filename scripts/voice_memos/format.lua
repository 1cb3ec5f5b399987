-- How times are written on the screens of voice memos.
local format = {}

-- Seconds, as `1:05`.
function format.duration(seconds)
  seconds = math.floor(seconds + 0.5)
  return ("%d:%02d"):format(seconds // 60, seconds % 60)
end

-- A date in seconds since 1970, as `2030-06-01 18:30`.
function format.date(date) return os.date("!%Y-%m-%d %H:%M", math.floor(date)) end

return format
