import Foundation
import ScriptedStore
import Testing

/// The list of what scripts make reducers with is that of the prelude, and that of the definitions for editors.
struct ReducerKindTests {
  private static let operators = Set(
    ReducerKind.allCases.filter { $0.parameters != nil }.map(\.rawValue))

  @Test(arguments: [
    ("Sources/ScriptedStore/Scripting/Prelude/operators.lua", #"\boperators\.(\w+)"#),
    ("scripts/types/scripted.lua", #"(?m)^function Reducer:(\w+)"#),
  ])
  func theListHasTheOperatorsOfAFile(path: String, pattern: String) throws {
    let file = URL(filePath: Example.folder).deletingLastPathComponent().appending(path: path)
    let text = try String(contentsOf: file, encoding: .utf8)
    let pattern = try Regex(pattern, as: (Substring, Substring).self)
    #expect(Set(text.matches(of: pattern).map { String($0.output.1) }) == Self.operators)
  }

  @Test func scriptsCallWhatTheListHasByItsName() throws {
    let functions = ReducerKind.allCases.filter(\.isFunction).map(\.rawValue)
    let scripts = try Scripts(
      app: """
        local App = scripted.feature { name = "App", on = {} }
        local function check(offer, names)
          for name in names:gmatch("%a+") do assert(type(offer[name]) == "function", name) end
        end
        check(App, "\(Self.operators.sorted().joined(separator: " "))")
        check(scripted, "\(functions.joined(separator: " "))")
        return App
        """)
    #expect(try scripts.host.tree(of: "app").name == "App")
  }
}
