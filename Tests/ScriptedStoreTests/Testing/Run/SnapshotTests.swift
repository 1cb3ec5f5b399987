import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// `assert.matches_snapshot` and the files that it reads and writes.
@Suite struct SnapshotTests {
  private static let source = """
    local value = require "value"
    describe("A", function()
      it("has two", function()
        assert.matches_snapshot(value.first)
        assert.matches_snapshot({ 1, 2.5, "three" })
      end)
      it("has a name", function() assert.matches_snapshot(value.second, "by name") end)
    end)
    """
  private static let value = """
    local scripted = require "scripted"
    return {
      first = { title = "Milk \\"fresh\\"", id = 7, tags = {}, none = scripted.null },
      second = {
        long = "a line that is long enough not to fit on one together with the other one",
        other = { inner = { 1, 2, 3 } },
      },
    }
    """

  private func app(_ policy: SnapshotPolicy = .new) throws -> TestFolder {
    try TestFolder(
      Self.source, modules: ["value": Self.value], configuration: .init(snapshots: policy))
  }

  private func path(_ app: TestFolder) -> String {
    "\(app.folder.path)/__snapshots__/app_test.snap.lua"
  }

  private func text(_ app: TestFolder) throws -> String {
    try String(contentsOfFile: path(app), encoding: .utf8)
  }

  @Test func newOnesAreWrittenInLuaSyntaxAndByName() throws {
    let app = try app()
    #expect(words(app.run()) == ["A has two: passed", "A has a name: passed"])
    #expect(
      try text(app) == """
        -- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
        return {
          ["A has a name [by name]"] = {
            long = "a line that is long enough not to fit on one together with the other one",
            other = { inner = { 1, 2, 3 } },
          },
          ["A has two [1]"] = { id = 7, none = null, tags = {}, title = "Milk \\"fresh\\"" },
          ["A has two [2]"] = { 1, 2.5, "three" },
        }

        """)
    let written = try FileManager.default.contentsOfDirectory(
      atPath: "\(app.folder.path)/__snapshots__")
    #expect(written == ["app_test.snap.lua"])
  }

  @Test func theSameValuesPassLaterAndWriteNothing() throws {
    let app = try app()
    app.run()
    let before = try FileManager.default.attributesOfItem(atPath: path(app))
    let again = try app.reload(.init(snapshots: .never))
    #expect(words(again.results()) == ["A has two: passed", "A has a name: passed"])
    let after = try FileManager.default.attributesOfItem(atPath: path(app))
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    #expect(again.obsoleteSnapshots == [])
  }

  @Test func anotherValueFailsWithTheDifference() throws {
    let app = try app()
    app.run()
    try app.folder.write(
      Self.value.replacingOccurrences(of: "id = 7", with: "id = 8"), to: "value.lua")
    let text = try text(app)
    let results = try app.reload().results()
    #expect(words(results) == ["A has two: failure", "A has a name: passed"])
    let failure = try #require(results[0].failures.first)
    #expect(failure.line == 4)
    #expect(failure.message.contains("-   id = 7,\n+   id = 8,"))
    #expect(failure.message.contains("app_test.snap.lua"))
    #expect(try self.text(app) == text)
  }

  @Test func anUpdateWritesWhatDiffersAndDropsWhatNobodyAsksFor() throws {
    let app = try app()
    app.run()
    try app.folder.write(
      "it('is new', function() assert.matches_snapshot('text') end)", to: TestFolder.name)
    let obsolete = ["A has a name [by name]", "A has two [1]", "A has two [2]"]
    let plain = try app.reload()
    #expect(words(plain.results()) == ["is new: passed"])
    #expect(plain.obsoleteSnapshots == obsolete)
    #expect(try text(app).contains("A has two"))
    let updating = try app.reload(.init(snapshots: .update))
    _ = updating.results()
    #expect(updating.obsoleteSnapshots == obsolete)
    #expect(try !text(app).contains("A has two"))
    #expect(try text(app).contains("[\"is new [1]\"] = \"text\""))
  }

  @Test func snapshotsOfTestsThatFailedOrDidNotRunAreKept() throws {
    let app = try app()
    app.run()
    try app.folder.write(
      """
      describe("A", function()
        it("has two", function() error("before it gets there") end)
        it("has a name", function() assert.matches_snapshot("other", "by name") end)
      end)
      """, to: TestFolder.name)
    let file = try app.reload(.init(snapshots: .update))
    _ = file.results([file.tests[1]])
    #expect(file.obsoleteSnapshots == [])
    _ = file.results()
    #expect(file.obsoleteSnapshots == [])
    #expect(try text(app).contains("A has two [2]"))
    #expect(try text(app).contains("[\"A has a name [by name]\"] = \"other\""))
  }

  @Test(arguments: [
    (false, "error('no luck')"), (true, "error('no luck')"),
    (true, "setup(function() error('no luck') end)"),
  ])
  func snapshotsOfTestsThatABlockHidesAreKept(isPlain: Bool, start: String) throws {
    func source(_ start: String) -> String {
      """
      it("is first", function() assert.matches_snapshot("one") end)
      describe("block", function()
        \(start)
        describe("inner", function()
          it("is second", function() assert.matches_snapshot("two") end)
        end)
        it("is third", function() end)
      end)
      """
    }
    func configuration(_ policy: SnapshotPolicy) -> ScriptTestFile.Configuration {
      .init(snapshots: policy, plainLua: isPlain ? PlainLua() : nil)
    }
    let app = try TestFolder(source(""), configuration: configuration(.new))
    #expect(app.run().map(\.word) == ["passed", "passed", "passed"])
    try app.folder.write(source(start), to: TestFolder.name)
    let file = try app.reload(configuration(.update))
    _ = file.results()
    #expect(file.obsoleteSnapshots == [])
    #expect(try text(app).contains("block inner is second [1]"))
  }

  @Test func noneIsWrittenWhereNoneMayBe() throws {
    let app = try app(.never)
    let results = app.run()
    #expect(words(results) == ["A has two: failure", "A has a name: failure"])
    #expect(
      results[0].failures.first?.message.contains("there is no snapshot \"A has two [1]\"") == true)
    #expect(!FileManager.default.fileExists(atPath: path(app)))
  }

  @Test func whatIsNoStateCannotBeCompared() throws {
    let app = try TestFolder(
      """
      it("has a function", function() assert.matches_snapshot({ call = print }) end)
      it("has nothing", function() assert.matches_snapshot(nil) end)
      """)
    let results = app.run()
    #expect(results[0].failures.first?.message.contains("value.call: a function") == true)
    #expect(results[1].failures.first?.message.contains("nil") == true)
  }

  @Test func aBrokenFileIsNamed() throws {
    let app = try app()
    app.run()
    try app.folder.write("return 3", to: "__snapshots__/app_test.snap.lua")
    let failure = try app.reload().results().first?.failures.first
    #expect(failure?.message.contains("returns no table of snapshots") == true)
  }

  @Test(arguments: ["__snapshots__", "__snapshots__/app_test.snap.lua"], [true, false])
  func aLinkThatLeadsOutOfTheRootIsRefused(link: String, isThere: Bool) throws {
    let (app, elsewhere) = (try app(), try TemporaryFolder())
    if link.contains("/") { try app.folder.write("return {}", to: "__snapshots__/other.snap.lua") }
    let target = "\(elsewhere.path)/\(isThere ? "" : "absent")"
    try FileManager.default.createSymbolicLink(
      atPath: "\(app.folder.path)/\(link)", withDestinationPath: target)
    let failure = app.run().first?.failures.first
    #expect(failure?.message.contains("leads out of the script root through a link") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [])
  }

  @Test func aLinkedSnapshotStaysALink() throws {
    let app = try app()
    try app.folder.write("return { old = 1 }", to: "kept.lua")
    try app.folder.write("return {}", to: "__snapshots__/other.snap.lua")
    let link = "\(app.folder.path)/__snapshots__/app_test.snap.lua"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "../kept.lua")
    app.run()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../kept.lua")
    #expect(try String(contentsOfFile: link, encoding: .utf8).contains("[\""))
  }

  @Test func aFolderThatCannotBeWrittenIsToldOnce() throws {
    let app = try app()
    try app.folder.write("a file", to: "__snapshots__")
    var told: [String] = []
    app.file.run { event in
      if case .blockFailed(_, _, let place, let failure) = event {
        told.append("\(place): \(failure.message)")
      }
      return true
    }
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("snapshots: cannot ") == true)
  }
}
