return require "counting"("value 4")
