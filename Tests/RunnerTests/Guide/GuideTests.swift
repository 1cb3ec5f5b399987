import Foundation
import Testing

/// Every code block of the guide runs, and every output that it shows is what is printed.
@Suite struct GuideTests {
  static let pages: [String] = {
    let folder = RunnerProcess.repository.appending(path: "docs/guide")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/guide/" + $0 }
  }()

  @Test(arguments: pages)
  func theSnippetsOfAPageRunAndPrintWhatItShows(_ name: String) throws {
    try expectTrue(name)
  }

  /// The steps of the tutorial, in their order.
  static let steps: [String] = {
    let folder = RunnerProcess.repository.appending(path: "docs/tutorial")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.first?.isNumber == true }.sorted()
  }()

  /// A step changes the scripts of the step before it, and makes those of its own folder.
  @Test(arguments: steps)
  func aStepOfTheTutorialLeadsFromTheFolderBeforeItToItsOwn(_ step: String) throws {
    let folder = RunnerProcess.repository.appending(path: "docs/tutorial")
    let number = try #require(Self.steps.firstIndex(of: step))
    let start =
      number == 0 ? [:] : try GuideRun.scripts(in: folder.appending(path: Self.steps[number - 1]))
    let run = try expectTrue("docs/tutorial/\(step)/README.md", startingWith: start)
    let made = try run.scripts()
    let own = folder.appending(path: step)
    if updates {
      for (name, text) in made {
        let file = own.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
      }
    }
    let kept = try GuideRun.scripts(in: own)
    for name in Set(made.keys).union(kept.keys).sorted() where made[name] != kept[name] {
      Issue.record("docs/tutorial/\(step)/\(name) is not what the step makes of the one before")
    }
  }

  @Test func theSnippetsOfThePageAboutViewsRunAndPrintWhatItShows() throws {
    try expectTrue(
      "docs/views.md",
      prelude: [#"local scripted = require "scripted""#, #"local ui = require "scripted.ui""#, ""])
  }

  @Test func theSnippetsOfTheREADMERunAndPrintWhatItShows() throws { try expectTrue("README.md") }

  private var updates: Bool { ProcessInfo.processInfo.environment["GUIDE_UPDATE"] == "1" }

  @discardableResult
  private func expectTrue(
    _ name: String, prelude: [String] = [], startingWith start: [String: String] = [:]
  ) throws -> GuideRun {
    let file = RunnerProcess.repository.appending(path: name)
    let text = try String(contentsOf: file, encoding: .utf8)
    let run = try GuideRun(
      GuidePage(name: name, text: text, prelude: prelude), startingWith: start)
    try run.run()
    if updates { try Data(run.corrected(text).utf8).write(to: file, options: .atomic) }
    for problem in run.problems { Issue.record("\(problem)") }
    return run
  }

  @Test func aStalePageIsToldWithLineAndDifference() throws {
    let page = GuidePage(
      name: "page.md",
      text: """
        ```lua
        -- scripts/one.lua
        return require("scripted").feature { name = "One", state = { count = 1 } }
        ```

        ```console
        $ printf ':state\\n' | runner dev one
        { count = 2 }
        ```

        ```lua
        local x = = 1
        ```

        ```console
        $ curl example.com
        ```
        """)
    let run = try GuideRun(page)
    try run.run()

    #expect(
      run.problems.first == """
        page.md:7: $ printf ':state\\n' | runner dev one
        the page shows (-), but printed is (+)
          - { count = 2 }
          + { count = 1 }
        """)
    #expect(run.problems.count == 3)
    #expect(run.problems[1].hasPrefix("page.md:16: 'curl'"))
    #expect(run.problems[2].hasPrefix("page.md:12: this Lua does not compile: "))
  }

  @Test func aChangeThatDoesNotFitAndASessionThatDoesNotBeginAreTold() throws {
    let page = GuidePage(
      name: "page.md",
      text: """
        ```lua
        -- scripts/one.lua
        local a = 1
        local b = 2
        local c = 3
        ```

        ```diff
        --- scripts/one.lua
        -local a = 1
        +local a = 10
        @@
         local b = 2
        -local c = 3
        ```

        ```diff
        --- scripts/one.lua
        -local d = 4
        ```

        ```console
        $ cat scripts/one.lua
        -- scripts/one.lua
        local a = 10
        local b = 2
        $ runner dev two
        › add
        ```
        """)
    let run = try GuideRun(page)
    try run.run()

    #expect(run.problems.count == 2)
    #expect(run.problems[0].hasPrefix("page.md:18: the old lines of this change are not in"))
    #expect(run.problems[1].hasPrefix("page.md:28: › add\n"))
  }

  @Test func durationsAndBlanksAtTheEndMakeNoDifference() {
    #expect(GuideOutput.difference(shown: ["passed  3 ms"], printed: "passed  17 ms  \n\n") == nil)
    #expect(GuideOutput.difference(shown: ["passed  3 ms"], printed: "passed  1.02 s\n") == nil)
    #expect(GuideOutput.difference(shown: ["3 s left"], printed: "4 s left\n") != nil)
  }

  @Test func aLineWithAnEllipsisStandsForAnyLines() {
    #expect(GuideOutput.difference(shown: ["a", "…", "d"], printed: "a\nb\nc\nd\n") == nil)
    #expect(GuideOutput.difference(shown: ["a", "…"], printed: "a\n") == nil)
    #expect(GuideOutput.difference(shown: ["a", "…", "d"], printed: "a\nb\n") != nil)
  }
}
