import Foundation
import ScriptedStore
import Synchronization
import Testing

struct WritingTests {
  @Test func whatIsWrittenIsReadAgain() async throws {
    let sandbox = try Sandbox()
    try await sandbox.call("write", "a.txt", "a long first text", nil)
    try await sandbox.call("write", "a.txt", "short", nil)
    #expect(sandbox.text(at: "a.txt") == "short")
    try await sandbox.call("write", "a.json", ["b": [1, 2.0], "a": nil], ["as": "json"])
    #expect(sandbox.text(at: "a.json") == #"{"b":[1,2.0],"a":null}"#)
    try await sandbox.call("write", "bytes", "/wCA", ["as": "base64"])
    #expect(try await sandbox.call("read", "bytes", ["as": "base64"]) == "/wCA")
    #expect(try sandbox.names() == ["a.json", "a.txt", "bytes"])
  }

  @Test func contentsOfAnotherKindAreRefused() async throws {
    let sandbox = try Sandbox()
    #expect(
      await sandbox.failure("write", "a", 3, nil)["message"]
        == "bad argument #2 'contents' to 'files.write' (a string expected, got number)")
    #expect(
      await sandbox.failure("append", "a", "?", ["as": "base64"])["message"]
        == "bad argument #2 'contents' to 'files.append' (a string in Base64 expected, got string)")
    #expect(try sandbox.names() == [])
  }

  @Test func aReaderSeesTheOldFileOrTheNewOne() async throws {
    let sandbox = try Sandbox()
    let texts = ["a", "b"].map { String(repeating: $0, count: 300_000) }
    try await sandbox.call("write", "file", .string(texts[0]), nil)
    let others = Mutex(0)
    let reader = Repetition {
      if let text = sandbox.text(at: "file"), !texts.contains(text) { others.withLock { $0 += 1 } }
    }
    for turn in 1...60 {
      try await sandbox.call("write", "file", .string(texts[turn % 2]), nil)
    }
    reader.stop()
    #expect(others.withLock { $0 } == 0)
  }

  @Test func aFailedWriteLeavesTheOldFileAndNothingElse() async throws {
    let sandbox = try Sandbox(limit: 8)
    try sandbox.put("old", at: "file")
    try sandbox.makeFolder("folder")
    #expect(await sandbox.failure("write", "file", "123456789", nil)["code"] == "tooLarge")
    #expect(await sandbox.failure("write", "folder", "text", nil)["code"] == "isFolder")
    #expect(await sandbox.failure("write", "nowhere/file", "text", nil)["code"] == "notFound")
    #expect(await sandbox.failure("write", "file/below", "text", nil)["code"] == "notFolder")
    let long = String(repeating: "x", count: 300)
    #expect(await sandbox.failure("write", .string(long), "text", nil)["code"] == "failed")
    #expect(sandbox.text(at: "file") == "old")
    #expect(try sandbox.names() == ["file", "folder"])
  }

  @Test func permissionsOfTheOldFileAreKept() async throws {
    let sandbox = try Sandbox()
    try sandbox.put("old", at: "file")
    let path = sandbox.inside + "/file"
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try await sandbox.call("write", "file", "new", nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func appendingMakesTheFileLonger() async throws {
    let sandbox = try Sandbox(limit: 8)
    try await sandbox.call("append", "log", "one\n", nil)
    try await sandbox.call("append", "log", [1], ["as": "json"])
    #expect(sandbox.text(at: "log") == "one\n[1]")
  }

  @Test func whatDoesNotFitIsNotAppended() async throws {
    let sandbox = try Sandbox(limit: 8)
    try await sandbox.call("append", "log", "12345", nil)
    #expect(
      await sandbox.failure("append", "log", "6789", nil)["message"]
        == "cannot append to log: it has 9 bytes, and the host allows 8")
    #expect(await sandbox.failure("append", "new", "123456789", nil)["code"] == "tooLarge")
    #expect(sandbox.text(at: "log") == "12345")
    #expect(try sandbox.names() == ["log"])
    #expect(await sandbox.failure("append", "", "text", nil)["code"] == "isFolder")
  }

  @Test func removingTellsWhetherThereWasSomething() async throws {
    let sandbox = try Sandbox()
    try sandbox.put("", at: "file")
    try sandbox.makeFolder("empty")
    try sandbox.makeFolder("full")
    try sandbox.put("", at: "full/file")
    #expect(try await sandbox.call("remove", "file") == true)
    #expect(try await sandbox.call("remove", "file") == false)
    #expect(try await sandbox.call("remove", "empty") == true)
    #expect(await sandbox.failure("remove", "full")["code"] == "notEmpty")
    #expect(await sandbox.failure("remove", ".")["code"] == "isFolder")
    #expect(try sandbox.names() == ["full"])
  }

  @Test func aFolderIsMadeWithThoseAroundIt() async throws {
    let sandbox = try Sandbox()
    try await sandbox.call("makeFolder", "a/b/c")
    try await sandbox.call("makeFolder", "a/b")
    try await sandbox.call("write", "a/b/c/file", "text", nil)
    #expect(sandbox.text(at: "a/b/c/file") == "text")
    #expect(await sandbox.failure("makeFolder", "a/b/c/file")["code"] == "notFolder")
    #expect(await sandbox.failure("makeFolder", "a/b/c/file/d")["code"] == "notFolder")
  }

  @Test func manyCallsAtOnceAreEachDone() async throws {
    let sandbox = try Sandbox()
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          try await sandbox.call("append", "log", .string("\(number)\n"), nil)
          try await sandbox.call("write", .string("file\(number % 5)"), "text", nil)
        }
      }
      try await group.waitForAll()
    }
    let lines = sandbox.text(at: "log")?.split(separator: "\n").compactMap { Int($0) }
    #expect(lines?.sorted() == Array(0..<100))
    #expect(try sandbox.names().count == 6)
  }
}
