import Foundation
import ScriptView
import Testing

/// What the Lua language server knows of `scripted.ui`.
struct ViewDefinitionsTests {
  private static let file = RunnerProcess.repository.appendingPathComponent("scripts/types/ui.lua")

  @Test func theyAreThoseOfTheTableOfElements() throws {
    let text = ViewDefinitions().text
    if ProcessInfo.processInfo.environment["UPDATE_DEFINITIONS"] != nil {
      try Data(text.utf8).write(to: Self.file)
    }
    let isCurrent = try String(contentsOf: Self.file, encoding: .utf8) == text
    #expect(
      isCurrent,
      """
      scripts/types/ui.lua is not what the table of elements says; write it anew: \
      UPDATE_DEFINITIONS=1 swift test --filter ViewDefinitionsTests
      """)
  }

  @Test func everyElementAndEveryPropertyHasASentence() {
    for element in ViewElement.all where element.group != .place && element.group != .part {
      #expect(ViewDescriptions.elements[element.kind] != nil, "\(element.kind)")
      for property in element.properties {
        let sentence = ViewDescriptions.sentence(property.name, of: element.kind)
        #expect(!sentence.isEmpty, "\(element.kind).\(property.name)")
      }
    }
  }

  /// A view and what was found do not list their members, so this reads them in the text that makes them.
  @Test func theDefinitionsHaveAllMembersOfTestView() throws {
    let text = { path in
      try String(
        contentsOf: RunnerProcess.repository.appendingPathComponent(path), encoding: .utf8)
    }
    let source = try text("Sources/ScriptedStore/Scripting/Prelude/test_view.lua")
    let definitions = try text("scripts/types/test.lua")
    let methods = source.matches(of: /function (view|item)Methods\.(\w+)\(/).map {
      (owner: String($0.1), name: String($0.2))
    }
    let gestures = source.matches(of: /(\w+) = { "\w+"[ ,]/).map {
      (owner: "item", name: String($0.1))
    }
    #expect(methods.count > 10 && gestures.count > 8)
    for (owner, name) in methods + gestures {
      #expect(definitions.contains("function \(owner):\(name)("), "\(owner):\(name)")
    }
    let fields = source.matches(of: /(\w+) = (?:true|"\w+")[, ]/).map { String($0.1) }
    #expect(fields.contains("within") && fields.contains("path"))
    for name in fields where name != "__name" {
      #expect(definitions.contains("---@field \(name)"), "\(name)")
    }
  }
}
