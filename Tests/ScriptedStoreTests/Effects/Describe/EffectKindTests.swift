import Foundation
import ScriptedStore
import Testing

/// The list of what scripts make effects with is that of C, of the module `effect`, and of the definitions for editors.
struct EffectKindTests {
  private static let functions = EffectKind.allCases.filter { $0.method == nil }
  private static let methods = EffectKind.allCases.filter { $0.method != nil }

  private static func names(_ kinds: [EffectKind]) -> String {
    kinds.map(\.rawValue).joined(separator: " ")
  }

  @Test(arguments: [
    (
      "Sources/CLua/effects/effects.c", #"\{"(\w+)", make_"#,
      EffectKind.allCases.filter { $0 != .merge && $0 != .concatenate }
    ),
    (
      "scripts/types/scripted.lua",
      #"(?m)^---@return scripted\.Effect\nfunction (?:Effect:|effect\.)(\w+)"#, EffectKind.allCases
    ),
  ])
  func theListHasTheEffectsOfAFile(path: String, pattern: String, kinds: [EffectKind]) throws {
    let file = URL(filePath: Example.folder).deletingLastPathComponent().appending(path: path)
    let text = try String(contentsOf: file, encoding: .utf8)
    let pattern = try Regex(pattern, as: (Substring, Substring).self)
    #expect(
      Set(text.matches(of: pattern).map { String($0.output.1) }) == Set(kinds.map(\.rawValue)))
  }

  @Test func theListHasWhatTheModuleOffers() throws {
    let scripts = try Scripts(
      app: """
        local known = {
          none = true, cancelled = true, all = true, race = true, timeout = true, withCancellation = true,
          result = true, compute = true, yield = true, isCancelled = true,
        }
        for name in ("\(Self.names(Self.functions))"):gmatch("%a+") do
          assert(type(effect[name]) == "function", name)
          known[name] = true
        end
        for name in pairs(effect) do
          assert(known[name], name .. " is not in EffectKind; if it makes no effect, it belongs into this test")
        end
        return scripted.feature { name = "App", on = {} }
        """)
    #expect(try scripts.host.tree(of: "app").name == "App")
  }

  @Test func aMethodAsksForAnIDIfTheListSaysThatItHasOne() throws {
    let scripts = try Scripts(
      app: """
        local hasID = {}
        for name in ("\(Self.names(Self.methods.filter { $0.method?.hasID == true }))"):gmatch("%a+") do
          hasID[name] = true
        end
        for name in ("\(Self.names(Self.methods))"):gmatch("%a+") do
          local send = effect.send("increment")
          local ok, message = pcall(send[name], send)
          assert(not ok and (message:find("an id expected", 1, true) ~= nil) == (hasID[name] == true), name)
        end
        return scripted.feature { name = "App", on = {} }
        """)
    #expect(try scripts.host.tree(of: "app").name == "App")
  }
}
