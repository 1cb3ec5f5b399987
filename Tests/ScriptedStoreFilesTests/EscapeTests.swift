import Foundation
import ScriptedStore
import ScriptedStoreFiles
import Testing

struct EscapeTests {
  @Test(arguments: ["..", "../secret.txt", "a/../../secret.txt", "a/..", "./../secret.txt"])
  func twoDotsAreRefused(path: String) async throws {
    let sandbox = try Sandbox()
    try sandbox.makeFolder("a")
    for call in Call.all {
      let failure = await call.failure(in: sandbox, Value(path))
      #expect(
        failure["message"]
          == Value("'\(path)' has '..' in it, which could lead out of the folder of files"))
    }
  }

  @Test func absolutePathsAndZeroBytesAreRefused() async throws {
    let sandbox = try Sandbox()
    for call in Call.all {
      #expect(
        await call.failure(in: sandbox, "/etc/passwd")["message"]
          == "'/etc/passwd' is an absolute path; paths begin in the folder of files")
      #expect(
        await call.failure(in: sandbox, "a\0b")["message"]
          == "a path may not have a zero byte in it")
    }
  }

  @Test func aSlashIsASlashWhateverIsBehindIt() async throws {
    let sandbox = try Sandbox()
    // To Swift this slash and its accent are one character; to the system they are not.
    let accent = "/\u{301}"
    try sandbox.makeFolder("..\(accent)")
    try sandbox.put("secret", at: "..\(accent)/file")
    for call in Call.all {
      let above = await call.failure(in: sandbox, Value("..\(accent)/file"))
      #expect(above["message"].string?.contains("has '..' in it") == true)
      let absolute = await call.failure(in: sandbox, Value("\(accent)/file"))
      #expect(absolute["message"].string?.contains("is an absolute path") == true)
    }
    try await sandbox.call("makeFolder", Value("a\(accent)"))
    #expect(try sandbox.names(in: "a") == ["\u{301}"])
  }

  @Test func linksAreNotFollowedWhereverTheyLead() async throws {
    let sandbox = try Sandbox()
    try sandbox.put("text", at: "file")
    try sandbox.makeFolder("folder")
    try sandbox.put("text", at: "folder/file")
    try sandbox.link("out", to: "..")
    try sandbox.link("secret", to: "../secret.txt")
    try sandbox.link("new", to: "../new.txt")
    try sandbox.link("in", to: "folder")
    try sandbox.link("self", to: "self")
    let paths: [Value] = ["secret", "new", "self", "out/secret.txt", "out/inside/file", "in/file"]
    for path in paths {
      for call in Call.all where call.name != "exists" && call.name != "remove" {
        let code = await call.failure(in: sandbox, path)["code"]
        // A folder that is asked for where a file is is no folder, whatever leads there.
        #expect(code == "link", "\(call.name) \(path)")
      }
      #expect(try await sandbox.call("exists", path) == false)
    }
    for path: Value in ["out/secret.txt", "out/inside/file", "in/file"] {
      #expect(await sandbox.failure("remove", path)["code"] == "link")
    }
    #expect(await sandbox.failure("list", "out")["code"] == "link")
    #expect(sandbox.text(at: "../secret.txt") == "secret")
    #expect(sandbox.text(at: "../new.txt") == nil)
    #expect(sandbox.text(at: "folder/file") == "text")
    #expect(
      await sandbox.failure("read", "secret", nil)["message"]
        == "cannot read secret: it is a link, and links are never followed")
  }

  @Test func removingALinkLeavesWhatItLeadsTo() async throws {
    let sandbox = try Sandbox()
    try sandbox.link("secret", to: "../secret.txt")
    try sandbox.link("out", to: "..")
    #expect(try await sandbox.call("remove", "secret") == true)
    #expect(try await sandbox.call("remove", "out") == true)
    #expect(sandbox.text(at: "../secret.txt") == "secret")
    #expect(try sandbox.names() == [])
  }

  @Test func aFolderThatBecomesALinkMeanwhileLeadsNowhere() async throws {
    let sandbox = try Sandbox()
    try sandbox.makeFolder("real")
    try sandbox.makeFolder("../target")
    try sandbox.put("secret", at: "../target/file")
    try sandbox.put("inside", at: "real/file")
    // Swaps `folder` between a folder and a link to the outside, as fast as it can.
    let (folder, real) = (sandbox.inside + "/folder", sandbox.inside + "/real")
    let attacker = Repetition {
      _ = rename(real, folder)
      _ = rename(folder, real)
      _ = symlink("../target", folder)
      _ = unlink(folder)
    }
    var (read, failed) = (Set<Value>(), 0)
    for _ in 0..<4000 {
      do {
        let text = try await sandbox.call("read", "folder/file", nil)
        read.insert(text ?? .null)
        _ = try await sandbox.call("append", "folder/log", "x", nil)
      } catch {
        failed += 1
      }
    }
    attacker.stop()
    #expect(read == ["inside"])
    #expect(try sandbox.names(in: "../target") == ["file"])
    #expect(sandbox.text(at: "../target/file") == "secret")
    #expect(failed > 0)
  }

  @Test(.timeLimit(.minutes(30)))
  func pipesAndDevicesAreNotOpened() async throws {
    let sandbox = try Sandbox()
    #expect(mkfifo(sandbox.inside + "/pipe", 0o600) == 0)
    for name in ["read", "write", "append"] {
      let call = try #require(Call.all.first { $0.name == name })
      #expect(await call.failure(in: sandbox, "pipe")["code"] == "notFile")
    }
    #expect(try await sandbox.call("exists", "pipe") == false)
  }

  @Test func aNameThatIsNotUTF8IsLeftOut() async throws {
    let sandbox = try Sandbox()
    let name: [CChar] = Array(sandbox.inside.utf8CString.dropLast()) + [47, -1, 0]
    let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    try sandbox.put("", at: "a")
    #expect(try await sandbox.call("list", nil)?.array?.map { $0["name"] } == ["a"])
  }

  @Test func aFolderThatIsMovedStaysTheSame() async throws {
    let sandbox = try Sandbox()
    try FileManager.default.moveItem(atPath: sandbox.inside, toPath: sandbox.outside + "/moved")
    try FileManager.default.createSymbolicLink(
      atPath: sandbox.inside, withDestinationPath: sandbox.outside)
    try await sandbox.call("write", "file", "text", nil)
    #expect(sandbox.text(at: "../moved/file") == nil)
    #expect(sandbox.text(at: "moved/file") == "text")
  }

  @Test func aFolderMustBeThere() throws {
    let sandbox = try Sandbox()
    let error = #expect(throws: ScriptError.self) {
      try Dependency.files(in: sandbox.inside + "/nothing")
    }
    #expect(
      error?.message
        == "the folder of files, \(sandbox.inside)/nothing: No such file or directory")
    try sandbox.put("", at: "file")
    #expect(throws: ScriptError.self) { try Dependency.files(in: sandbox.inside + "/file") }
  }
}

/// Every function that takes a path, with arguments that let it reach the path.
private struct Call {
  let name: String
  let more: [Value?]

  static let all = [
    Call(name: "read", more: [nil]), Call(name: "write", more: ["text", nil]),
    Call(name: "append", more: ["text", nil]), Call(name: "remove", more: []),
    Call(name: "list", more: []), Call(name: "exists", more: []),
    Call(name: "makeFolder", more: []),
  ]

  func failure(in sandbox: Sandbox, _ path: Value) async -> Value {
    await ScriptedStoreFilesTests.failure { try await sandbox.files.call(name, [path] + more) }
  }
}
