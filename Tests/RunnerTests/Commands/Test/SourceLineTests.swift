import Foundation
import Platform
import Testing

/// Reports show lines of scripts that were loaded, and of nothing else.
struct SourceLineTests {
  /// A project beside a file and a pipe that are nobody's business.
  private static func project(_ test: String) throws -> TestProject {
    let project = try TestProject(["a_test.lua": test])
    try project.folder.write("SECRET = 1\nSECRET = 2\n", to: "secret.txt")
    try project.folder.write("SECRET = 1\nSECRET = 2\n", to: "scripts/unused.lua")
    try #require(mkfifo(project.folder.path + "/pipe", 0o600) == 0)
    return project
  }

  private static let names = [
    "/proc/self/environ", "/dev/zero", "../secret.txt", "SECRET/secret.txt", "SECRET/pipe",
    "../pipe", "unused.lua", "scripts/unused.lua",
  ]

  @Test(arguments: names)
  func aChunkThatIsNamedAfterAnotherFile(name: String) throws {
    let project = try Self.project("")
    let path = name.replacingOccurrences(of: "SECRET/", with: project.folder.path + "/")
    try project.write(
      """
      it('raises', function() assert(load("error('here')", '@\(path)'))() end)
      it('raises a message', function() error('\(path):1: here', 0) end)
      """, to: "a_test.lua")
    let outcome = try project.run(environment: ["SECRET": "SECRET"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("\(path):1: here"))
    #expect(!outcome.output.contains("SECRET"))
    #expect(outcome.lines.last == "0 passed, 2 failed")
  }

  @Test(arguments: names)
  func theSameInAFileThatDoesNotLoad(name: String) throws {
    let project = try Self.project("")
    let path = name.replacingOccurrences(of: "SECRET/", with: project.folder.path + "/")
    try project.write("assert(load(\"error('here')\", '@\(path)'))()", to: "a_test.lua")
    let outcome = try project.run(environment: ["SECRET": "SECRET"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("a_test.lua  does not load\n"))
    #expect(!outcome.output.contains("SECRET"))
  }

  @Test func linesAreThoseThatWereLoadedWhateverIsOnTheDiskWhenTheyAreShown() throws {
    let project = try Self.project("it('raises', function()\n  error('here')\nend)")
    let outcome = try project.run()
    #expect(outcome.output.contains("→ 2 │   error('here')\n"))
    let broken = try Self.project("local one\nerror('here')")
    #expect(try broken.run().output.contains("→ 2 │ error('here')\n"))
  }

  @Test func aPipeInPlaceOfAScriptKeepsNobodyWaiting() throws {
    let project = try Self.project("require 'piped'")
    try #require(mkfifo(project.folder.path + "/scripts/piped.lua", 0o600) == 0)
    let message = "cannot read scripts/piped.lua: a script must be a regular file"
    #expect(try project.run().output.contains(message))
    let root = project.folder.path + "/scripts"
    let run = try RunnerProcess.run(["run", "piped"], in: project.folder.folder)
    #expect(run.status == 66 && run.errors.contains(message))
    let check = try RunnerProcess.run(["check", "--root", root])
    #expect(check.status == 74 && check.errors.contains("a script must be a regular file"))
  }

  @Test func aFileOf1GBInPlaceOfAScriptIsNotRead() throws {
    let project = try Self.project("require 'large'")
    let path = project.folder.path + "/scripts/large.lua"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, 1 << 30) == 0)
    // What is measured includes the memory of the process that starts the runner.
    let version = try RunnerProcess.run(["--version"])
    let run = try RunnerProcess.run(["run", "large"], in: project.folder.folder)
    #expect(run.status == 66)
    #expect(
      run.errors.contains("cannot read scripts/large.lua: it has more bytes than the 67108864"))
    #expect(run.peakMemory < version.peakMemory + (500 << 20))
  }

  @Test func aRecordingThatNamesOtherFilesThanScriptsHasNoneOfThemRead() throws {
    let folder = try TemporaryFolder.counter()
    try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
    try folder.write(
      #"{"recording":1,"feature":"counter","scripts":{"/dev/zero":"","pipe":"","../x":""},"state":{}}"#
        + "\n", to: "s.jsonl")
    let outcome = try RunnerProcess.run(
      ["replay", folder.url("s.jsonl").path, "--against", folder.path, "--format", "json"])
    #expect(outcome.output.contains(#""changed":["../x","/dev/zero","pipe"]"#), "\(outcome)")
  }
}
