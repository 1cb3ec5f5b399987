-- The statistics of a counter: a plain table, and what the case studies do with it.
local Stats = {}

Stats.initial = { count = 0, maxCount = 0, minCount = 0, numberOfCounts = 0 }

function Stats.count(stats, by)
  stats.count = stats.count + by
  stats.maxCount = math.max(stats.maxCount, stats.count)
  stats.minCount = math.min(stats.minCount, stats.count)
  stats.numberOfCounts = stats.numberOfCounts + 1
end

-- Version 1 had the count alone. How often it was counted is not known any more, so once for each step.
function Stats.migrate(stats)
  stats.maxCount = math.max(0, stats.count)
  stats.minCount = math.min(0, stats.count)
  stats.numberOfCounts = math.abs(stats.count)
end

return Stats
