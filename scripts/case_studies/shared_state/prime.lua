-- Whether a number is prime, and the alert that says so.
local prime = {}

function prime.isPrime(number)
  if number < 2 then return false end
  for divisor = 2, math.floor(math.sqrt(number)) do
    if number % divisor == 0 then return false end
  end
  return true
end

function prime.alert(number)
  local answer = prime.isPrime(number) and "👍 The number %d is prime." or "👎 The number %d is not prime."
  return { title = answer:format(number), buttons = {} }
end

return prime
