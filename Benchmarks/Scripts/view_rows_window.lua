return require "view_rows"(false)
