-- A parent of rows with 200 patterns on them, half of them for one row each.
return require("pattern_rows")(200)
