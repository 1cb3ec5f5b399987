return require "counting"("value 2")
