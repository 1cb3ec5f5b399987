return require "counting"("value 1")
