-- For `--dependency numberFact.fetch=@scripts/examples/stubs/number_fact.lua`: answers after a second, and
-- knows nothing of negative numbers.
local deps = ...

return function(number)
  deps.clock.sleep(1)
  if number < 0 then error("no fact about " .. number, 0) end
  return ("%d is %s number."):format(number, number % 2 == 0 and "an even" or "an odd")
end
