import ArgumentParser
import Foundation
import RunnerShared
import ScriptedStore
import Testing

/// The options for limits, and the page about limits, are complete.
struct LimitOptionsTests {
  /// The limits by the names of their properties.
  private func fields(of limits: Limits) -> [String: String] {
    let fields =
      Mirror(reflecting: limits.lua).children
      + Mirror(reflecting: limits).children.filter { $0.label != "lua" }
    return Dictionary(uniqueKeysWithValues: fields.map { ($0.label ?? "", "\($0.value)") })
  }

  @Test func eachOptionSetsALimitOfItsOwnAndThreeLimitsHaveNone() throws {
    let unlimited = fields(of: .unlimited)
    var rest = Set(unlimited.keys)
    let options = LimitOptions.helpMessage(columns: 200).matches(of: /(--[a-z-]+) </)
    for option in options.map({ String($0.1) }) where option != "--limits" {
      let limits = try LimitOptions.parse([option, "7"]).limits(over: .unlimited)
      let set = fields(of: limits).filter { $0.value != unlimited[$0.key] }
      #expect(set.count == 1, "\(option) sets \(set)")
      for name in set.keys { #expect(rest.remove(name) != nil, "\(name) has two options") }
    }
    #expect(rest == ["computeTime", "sharedKeys", "weakTables"])
  }

  @Test func thePageForHostsHasARowForEachLimit() throws {
    let page = RunnerProcess.repository.appending(path: "docs/swift-api.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for name in fields(of: .unlimited).keys {
      #expect(text.contains("\n| `\(name)` | "), "\(name)")
    }
  }
}
