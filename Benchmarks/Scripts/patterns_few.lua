-- The same with two patterns.
return require("pattern_rows")(2)
