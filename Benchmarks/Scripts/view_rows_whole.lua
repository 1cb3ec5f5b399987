return require "view_rows"(true)
