import Foundation
import Platform
import ScriptedStore
import ScriptedStoreFiles
import Testing

/// Shared values in files of a folder, on a real file system.
struct FolderStorageTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func code(_ body: () throws(SharedStorageError) -> Void) -> String {
    do throws(SharedStorageError) {
      try body()
      return "none"
    } catch {
      return error.code
    }
  }

  @Test func whatIsAppendedCanBeFlushedToTheDisk() throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside)
    try storage.append(Array("a".utf8), to: "x/.journal")
    try storage.synchronize("x/.journal")
    try storage.synchronize("x/.journal")
    #expect(sandbox.text(at: "x/.journal") == "a")
  }

  @Test func whatIsStoredIsReadMovedAndRemoved() throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside)
    #expect(try storage.read("a.json") == nil)
    try storage.replace("a.json", with: bytes("1"))
    try storage.replace("a.json", with: bytes("2"))
    try storage.replace("deep/er/b.json", with: bytes("3"))
    #expect(try storage.read("a.json") == bytes("2"))
    #expect(sandbox.text(at: "deep/er/b.json") == "3")
    for line in ["x\n", "y\n"] { try storage.append(bytes(line), to: ".a.journal") }
    try storage.move(".a.journal", to: ".a.journal.old")
    try storage.append(bytes("z\n"), to: ".a.journal")
    #expect(try storage.read(".a.journal.old") == bytes("x\ny\n"))
    #expect(try storage.read(".a.journal") == bytes("z\n"))
    try storage.move("nothing", to: "other")
    try storage.remove(".a.journal")
    try storage.remove(".a.journal")
    try storage.remove(".a.journal.old")
    #expect(try sandbox.names() == ["a.json", "deep"])
  }

  @Test func aFileWhoseFolderAnotherProcessHasMadeMayHaveChanged() throws {
    let sandbox = try Sandbox()
    let (storage, other) = (
      try FolderStorage(sandbox.inside), try FolderStorage(sandbox.inside)
    )
    for name in ["a.json", "deep/a.json", "deep/er/a.json"] {
      #expect(try storage.read(name) == nil)
      #expect(!storage.mayHaveChanged(name))
      try other.replace(name, with: bytes("1"))
      #expect(storage.mayHaveChanged(name))
      #expect(try storage.read(name) == bytes("1"))
      #expect(!storage.mayHaveChanged(name))
    }
  }

  @Test func aJournalOf1GBIsNotRead() throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside)
    try storage.append(bytes("x"), to: ".a.journal")
    try #require(truncate(sandbox.inside + "/.a.journal", 1 << 30) == 0)
    #expect(
      code { () throws(SharedStorageError) in _ = try storage.read(".a.journal") } == "tooLarge")
  }

  @Test func filesAreForTheirOwnerAlone() throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside)
    try storage.replace("a.json", with: bytes("1"))
    try storage.append(bytes("x"), to: ".a.journal")
    for name in ["a.json", ".a.journal"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.inside + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func whatIsNoFileOfTheFolderIsRefused() throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside, limit: 10)
    try sandbox.link("link.json", to: "../secret.txt")
    try sandbox.makeFolder("folder.json")
    #expect(code { () throws(SharedStorageError) in _ = try storage.read("link.json") } == "link")
    #expect(
      code { () throws(SharedStorageError) in try storage.append([1], to: "link.json") } == "link")
    #expect(
      code { () throws(SharedStorageError) in _ = try storage.read("folder.json") } == "isFolder")
    #expect(
      code { () throws(SharedStorageError) in _ = try storage.read("../secret.txt") } == "failed")
    #expect(
      code { () throws(SharedStorageError) in
        try storage.replace("big.json", with: Array(repeating: 1, count: 11))
      } == "tooLarge")
    try sandbox.put("01234567890", at: "big.json")
    #expect(
      code { () throws(SharedStorageError) in _ = try storage.read("big.json") } == "tooLarge")
    #expect(sandbox.text(at: "../secret.txt") == "secret")
  }

  /// What was appended counts, because others have seen it.
  @Test(arguments: ["a/.b.json.journal", "a/.\u{301}b.json.journal"])
  func aJournalMayBeLargerThanAFile(journal: String) throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside, limit: 10)
    for _ in 1...4 { try storage.append(bytes("12345\n"), to: journal) }
    #expect(try storage.read(journal)?.count == 24)
  }

  @Test func whatACrashHasLeftIsRemovedByTheNextWrite() throws {
    let sandbox = try Sandbox()
    let storage = try FolderStorage(sandbox.inside)
    try sandbox.put("half", at: ".a.json.tmp")
    try storage.replace("a.json", with: bytes("1"))
    #expect(try sandbox.names() == ["a.json"])
  }

  @Test func aHostStoresItsValuesThere() throws {
    let sandbox = try Sandbox()
    try sandbox.makeFolder("scripts")
    try sandbox.put(
      """
      local scripted = require "scripted"
      return scripted.feature {
        state = {}, shared = { n = scripted.shared.fileStorage("n.json", 0) },
        on = { inc = function(state) state.n = state.n + 1 end },
      }
      """, at: "scripts/app.lua")
    for turn in 1...3 {
      var configuration = ScriptHost.Configuration()
      configuration.shared = try .folder(sandbox.inside)
      let host = try ScriptHost(root: sandbox.inside + "/scripts", configuration: configuration)
      let store = try host.store("app")
      store.send("inc")
      #expect(store.state["n"].int == turn)
    }
    #expect(sandbox.text(at: "n.json") == "3\n")
  }

  @Test func aFolderThatIsNotThereIsAnError() {
    #expect(throws: ScriptError.self) { try FolderStorage("/nowhere/at/all") }
  }
}
