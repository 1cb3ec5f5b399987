return require "counting"("value 3")
