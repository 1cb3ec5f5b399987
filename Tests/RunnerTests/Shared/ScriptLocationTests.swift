import Foundation
import Testing

/// Which script and which root a person means.
struct ScriptLocationTests {
  /// `scripts/shop/cart.lua` requires `shop.prices`; `elsewhere/lib/shop/cart.lua` the same, below a
  /// folder that is not called scripts.
  let project: TemporaryFolder

  init() throws {
    project = try TemporaryFolder()
    for root in ["scripts", "elsewhere/lib"] {
      try project.makeFolder("\(root)/shop")
      try project.write("return { milk = 2 }", to: "\(root)/shop/prices.lua")
      try project.write(
        """
        local scripted, prices = require "scripted", require("shop.prices")
        return scripted.feature {
          state = { total = 0 },
          on = { add = function(state) state.total = state.total + prices.milk end },
        }
        """, to: "\(root)/shop/cart.lua")
    }
  }

  @Test(arguments: [
    "shop.cart", "scripts/shop/cart.lua", "./scripts/shop/cart.lua", "scripts/shop/cart",
    "shop/cart.lua", "shop/cart", "elsewhere/lib/shop/cart.lua", "elsewhere/lib/shop/cart",
  ])
  func aModuleNameAndAPathAsAShellCompletesItLeadToTheSameFeature(feature: String) throws {
    let outcome = try RunnerProcess.run(
      ["run", feature, "--print-state"], input: "add\n", in: project.folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.last == #"{"state":{"total":2}}"#)
  }

  @Test func insideOfTheFolderScriptsAPathHasThatRoot() throws {
    let outcome = try RunnerProcess.run(
      ["run", "shop/cart.lua", "--print-state"], input: "add\n", in: project.url("scripts"))
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func aScriptWhoseRequiresAreFoundNowhereHasItsOwnFolderAsRoot() throws {
    try project.write("return require 'nothing'", to: "elsewhere/alone.lua")
    let outcome = try RunnerProcess.run(["run", "elsewhere/alone.lua"], in: project.folder)
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("alone.lua:1"), "\(outcome.errors)")
  }

  @Test func aPathThatLeadsNowhereIsNamed() throws {
    for feature in ["shop/carts.lua", "scripts/shop/carts"] {
      let outcome = try RunnerProcess.run(["run", feature], in: project.folder)
      #expect(outcome.status == 66 && outcome.errors.contains(feature), "\(outcome.errors)")
    }
  }

  @Test func anOptionNamesAnotherRoot() throws {
    let outcome = try RunnerProcess.run(
      ["run", "scripts/shop/cart.lua", "--root", "scripts/shop"], in: project.folder)
    #expect(outcome.status == 66 && outcome.errors.contains("shop.prices"), "\(outcome.errors)")
  }
}
